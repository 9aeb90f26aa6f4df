// SPDX-License-Identifier: Apache-2.0
// The fused pair on the rows of one panel: r = X w - y, then partial += X^T r, block by block of a few rows, so that the
// second half finds the block in cache and X comes from memory once. While it does, the next block is prefetched, so that
// memory never idles. Before: dot-inl.hpp. After: the tree over panels (../gradient.cpp), then reduce-inl.hpp.
#pragma once

#include "kernels/dot-inl.hpp"

namespace bitstep::internal {
namespace {

/// partial = (First ? +0 : partial) + x_0 r_0 + x_1 r_1 + ..., rows in order, for R rows.
template <class A, std::size_t R, bool First>
BITSTEP_INLINE void update_partial(const typename A::value* x, std::size_t row_stride, std::size_t features,
                                   const typename A::sum (&residuals)[R], std::size_t ahead,
                                   typename A::sum* partial) {
    typename A::factor r[R];
    for (std::size_t i = 0; i < R; ++i) r[i] = A::spread(residuals[i]);
    constexpr std::size_t line = vector_bytes / sizeof(typename A::value);
    std::size_t j = 0;
    std::size_t index = 0;
    for (; j + A::lane_total <= features; j += A::lane_total, ++index) {
        typename A::sum_vector s = First ? A::zero() : A::load_sum(partial, index);
        for (std::size_t i = 0; i < R; ++i) {
            const typename A::value* xj = x + i * row_stride + j;
            s = A::multiply_add(s, A::load(xj), r[i]);
            if (A::lane_total >= line || j % line == 0) prefetch(xj + ahead);
        }
        A::store_sum(partial, index, s);
    }
    if (j < features) {
        typename A::sum_vector s = First ? A::zero() : A::load_sum(partial, index);
        for (std::size_t i = 0; i < R; ++i) {
            s = A::multiply_add(s, A::load_first(x + i * row_stride + j, features - j), r[i]);
        }
        A::store_sum(partial, index, s);
    }
}

/// R rows: residuals, their squares, and their share of X^T r.
template <class A, std::size_t R>
BITSTEP_INLINE void fused_block(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                const typename A::value* w, bool first, typename A::sum* partial,
                                square_t<typename A::sum>& squares) {
    const typename A::value* x = run.x + at * run.row_stride;
    typename A::sum residuals[R];
    dot_rows<A, R>(x, run.row_stride, features, w, residuals);
    for (std::size_t i = 0; i < R; ++i) {
        residuals[i] = A::minus(residuals[i], run.y[at + i]);
        squares = A::add_square(squares, residuals[i]);
    }
    const bool more = at + 2 * R <= run.rows + run.rows_after;
    const std::size_t ahead = more ? R * run.row_stride : 0;
    if (first) {
        update_partial<A, R, true>(x, run.row_stride, features, residuals, ahead, partial);
    } else {
        update_partial<A, R, false>(x, run.row_stride, features, residuals, ahead, partial);
    }
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
    const std::size_t most = block_rows(features * sizeof(typename A::value));
    std::size_t at = 0;
    while (at < run.rows) {
        const std::size_t left = run.rows - at;
        const bool start = first && at == 0;
        if (most >= 8 && left >= 8) {
            fused_block<A, 8>(run, at, features, w, start, partial, squares);
            at += 8;
        } else if (most >= 4 && left >= 4) {
            fused_block<A, 4>(run, at, features, w, start, partial, squares);
            at += 4;
        } else if (most >= 2 && left >= 2) {
            fused_block<A, 2>(run, at, features, w, start, partial, squares);
            at += 2;
        } else {
            fused_block<A, 1>(run, at, features, w, start, partial, squares);
            at += 1;
        }
    }
}

} // namespace
} // namespace bitstep::internal
