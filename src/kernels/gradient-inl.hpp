// SPDX-License-Identifier: Apache-2.0
// The fused pair on the rows of one panel: r = X w - y, then partial += X^T r, block by block of a few rows, so that the
// second half finds the block in cache and X comes from memory once. Both halves prefetch the next block, every other row
// each, so that memory never idles (d = 1024 from memory, of the roof: 0.86 with all rows in the second half, 0.96 shared;
// d = 16384: 0.84, 0.99). Before: dot-inl.hpp. After: the tree over panels (../gradient.cpp), then reduce-inl.hpp.
#pragma once

#include "kernels/dot-inl.hpp"

namespace bitstep::internal {
namespace {

/// partial = partial + x_0 r_0 + x_1 r_1 + ..., rows in order, for R rows.
template <class A, std::size_t R, bool Prefetch>
BITSTEP_INLINE void update_partial(const typename A::value* x, std::size_t row_stride, std::size_t features,
                                   const typename A::sum (&residuals)[R], std::size_t ahead, typename A::sum* partial) {
    typename A::factor r[R];
    for (std::size_t i = 0; i < R; ++i) r[i] = A::spread(residuals[i]);
    std::size_t j = 0;
    std::size_t index = 0;
    for (; j + A::lane_total <= features; j += A::lane_total, ++index) {
        typename A::sum_vector s = A::load_sum(partial, index);
        for (std::size_t i = 0; i < R; ++i) {
            const typename A::value* xj = x + i * row_stride + j;
            s = A::multiply_add(s, A::load(xj), r[i]);
            if (Prefetch && i % 2 == 1 && starts_line<A>(j)) prefetch(xj + ahead);
        }
        A::store_sum(partial, index, s);
    }
    if (j < features) {
        typename A::sum_vector s = A::load_sum(partial, index);
        for (std::size_t i = 0; i < R; ++i) {
            s = A::multiply_add(s, A::load_first(x + i * row_stride + j, features - j), r[i]);
        }
        A::store_sum(partial, index, s);
    }
}

/// R rows: residuals, their squares, and their share of X^T r. Prefetch: R more rows follow in the same buffer.
template <class A, std::size_t R, bool Prefetch>
BITSTEP_INLINE void fused_block(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                const typename A::value* w, typename A::sum* partial,
                                square_t<typename A::sum>& squares) {
    const typename A::value* x = run.x + at * run.row_stride;
    const std::size_t ahead = R * run.row_stride;
    typename A::sum residuals[R];
    dot_rows<A, R, Prefetch>(x, run.row_stride, features, w, ahead, residuals);
    for (std::size_t i = 0; i < R; ++i) {
        residuals[i] = A::minus(residuals[i], run.y[at + i]);
        squares = A::add_square(squares, residuals[i]);
    }
    update_partial<A, R, Prefetch>(x, run.row_stride, features, residuals, ahead, partial);
}

/// As many blocks of R rows as fit; returns the rows done.
template <class A, std::size_t R>
BITSTEP_INLINE std::size_t fused_blocks(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                        const typename A::value* w, typename A::sum* partial,
                                        square_t<typename A::sum>& squares) {
    for (; at + R <= run.rows; at += R) {
        // A single long row would be thrown out of L2 by the next one.
        if (R > 1 && at + 2 * R <= run.rows + run.rows_after) {
            fused_block<A, R, true>(run, at, features, w, partial, squares);
        } else {
            fused_block<A, R, false>(run, at, features, w, partial, squares);
        }
    }
    return at;
}

/// Rows per block: as many as keep the block, and the next one on its way, well inside a 1 MB L2. Never changes bits.
BITSTEP_INLINE std::size_t block_rows(std::size_t row_bytes) {
    constexpr std::size_t block_bytes = 256 * 1024;
    std::size_t rows = 8;
    while (rows > 1 && rows * row_bytes > block_bytes) rows /= 2;
    return rows;
}

template <class A>
void accumulate(const row_run<typename A::value>& run, std::size_t features, const typename A::value* w, bool first,
                typename A::sum* partial, square_t<typename A::sum>& squares) {
    if (first) {
        for (std::size_t j = 0; j < features; j += A::lane_total) A::store_sum(partial, j / A::lane_total, A::zero());
    }
    const std::size_t most = block_rows(features * sizeof(typename A::value));
    std::size_t at = 0;
    if (most >= 8) at = fused_blocks<A, 8>(run, at, features, w, partial, squares);
    if (most >= 4) at = fused_blocks<A, 4>(run, at, features, w, partial, squares);
    if (most >= 2) at = fused_blocks<A, 2>(run, at, features, w, partial, squares);
    fused_blocks<A, 1>(run, at, features, w, partial, squares);
}

} // namespace
} // namespace bitstep::internal
