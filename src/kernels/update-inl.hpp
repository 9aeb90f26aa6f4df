// SPDX-License-Identifier: Apache-2.0
// The second half of the fused pair: dot products become residuals r = X w - y, then partial += X^T r.
// Per element of the partial: the products of the rows are added in the order of the rows. How many rows or columns are
// taken at once is free: it saves loads and stores of the partial. Before: dot-inl.hpp.
#pragma once

#include "kernels/arithmetic.hpp"

namespace bitstep::internal {
namespace {

/// Dot products become residuals; their squares are added in the order of the rows.
template <class A, std::size_t R>
BITSTEP_INLINE void to_residuals(const typename A::value* y, typename A::sum (&dots)[R],
                                 square_t<typename A::sum>& squares) {
    for (std::size_t i = 0; i < R; ++i) dots[i] = A::minus(dots[i], y[i]);
    for (std::size_t i = 0; i < R; ++i) squares = A::add_square(squares, dots[i]);
}

/// partial = partial + x_0 r_0 + x_1 r_1 + ..., rows in order, for R rows.
template <class A, std::size_t R, class Prefetch>
BITSTEP_INLINE void update_partial(const typename A::value* x, std::size_t row_stride, std::size_t features,
                                   const typename A::sum* residuals, typename A::sum* partial, Prefetch prefetch_from) {
    typename A::factor r[R];
    for (std::size_t i = 0; i < R; ++i) r[i] = A::spread(residuals[i]);
    std::size_t j = 0;
    std::size_t index = 0;
    for (; j + A::lane_total <= features; j += A::lane_total, ++index) {
        typename A::sum_vector s = A::load_sum(partial, index);
        for (std::size_t i = 0; i < R; ++i) {
            const typename A::value* xj = x + i * row_stride + j;
            s = A::multiply_add(s, A::load(xj), r[i]);
            prefetch_from(xj, i, j);
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

/// The same for R rows, `Tile` of them side by side; column panel by column panel, so that the panel of the partial
/// stays in L1 for all of them.
template <class A, std::size_t R, std::size_t Tile, class Prefetch>
BITSTEP_INLINE void update_tiles(const typename A::value* x, std::size_t row_stride, std::size_t features,
                                 const typename A::sum (&residuals)[R], typename A::sum* partial,
                                 Prefetch prefetch_from) {
    static_assert(R % Tile == 0, "whole tiles");
    if constexpr (R == Tile) {
        update_partial<A, R>(x, row_stride, features, residuals, partial, prefetch_from);
    } else {
        for (std::size_t j = 0; j < features; j += column_panel) {
            const std::size_t size = features - j < column_panel ? features - j : column_panel;
            for (std::size_t i = 0; i < R; i += Tile) {
                update_partial<A, Tile>(x + i * row_stride + j, row_stride, size, residuals + i, partial + j,
                                        prefetch_from);
            }
        }
    }
}

} // namespace
} // namespace bitstep::internal
