// SPDX-License-Identifier: Apache-2.0
// Dot products of several rows with w: the first half of the fused pair, and all of predict.
// Per row and column panel: products to lanes, lanes fold by halves; panel sums enter the tree. Rows never mix, so how
// many are taken at once is free: it hides the latency of the additions and loads w once for all of them.
#pragma once

#include "kernels/arithmetic.hpp"
#include "kernels/carry_tree.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/prefetch.hpp"

namespace bitstep::internal {
namespace {

/// Rows whose lane sums stay in registers together: 8 zmm, 4 x 2 ymm or 32-register NEON, 2 x 4 xmm. Pairs need twice.
template <class A>
inline constexpr std::size_t row_tile = []() -> std::size_t {
    const std::size_t registers = A::vector::registers * (sizeof(typename A::sum_vector) / sizeof(typename A::vector));
    return registers == 1 ? 8 : registers == 2 ? 4 : 2;
}();

template <class Sum, std::size_t R>
struct row_sums {
    Sum row[R];
    friend BITSTEP_INLINE row_sums operator+(const row_sums& a, const row_sums& b) {
        row_sums r;
        for (std::size_t i = 0; i < R; ++i) r.row[i] = a.row[i] + b.row[i];
        return r;
    }
};

/// One column panel of `size` <= column_panel elements for R rows.
template <class A, std::size_t R, class Prefetch>
BITSTEP_INLINE void dot_panel(const typename A::value* x, std::size_t row_stride, std::size_t size,
                              const typename A::value* w, Prefetch prefetch_from, typename A::sum (&out)[R]) {
    typename A::sum_vector sums[R];
    for (std::size_t r = 0; r < R; ++r) sums[r] = A::zero();
    std::size_t j = 0;
    for (; j + A::lane_total <= size; j += A::lane_total) {
        const typename A::vector wj = A::load(w + j);
        for (std::size_t r = 0; r < R; ++r) {
            const typename A::value* xj = x + r * row_stride + j;
            sums[r] = A::multiply_add(sums[r], A::load(xj), wj);
            prefetch_from(xj, r, j);
        }
    }
    if (j < size) {
        const typename A::vector wj = A::load_first(w + j, size - j);
        for (std::size_t r = 0; r < R; ++r) {
            sums[r] = A::multiply_add(sums[r], A::load_first(x + r * row_stride + j, size - j), wj);
        }
    }
    A::fold(sums, out);
}

/// The same for R rows, `Tile` of them side by side.
template <class A, std::size_t R, std::size_t Tile, class Prefetch>
BITSTEP_INLINE void dot_tiles(const typename A::value* x, std::size_t row_stride, std::size_t size,
                              const typename A::value* w, Prefetch prefetch_from, typename A::sum (&out)[R]) {
    static_assert(R % Tile == 0, "whole tiles");
    for (std::size_t r = 0; r < R; r += Tile) {
        typename A::sum tile[Tile];
        dot_panel<A, Tile>(x + r * row_stride, row_stride, size, w, prefetch_from, tile);
        for (std::size_t i = 0; i < Tile; ++i) out[r + i] = tile[i];
    }
}

/// dots[r] = x_r . w for R rows, column panel by column panel, so that the panel of w stays in L1 for all of them.
template <class A, std::size_t R, std::size_t Tile = (R < row_tile<A> ? R : row_tile<A>), class Prefetch>
BITSTEP_INLINE void dot_rows(const typename A::value* x, std::size_t row_stride, std::size_t features,
                             const typename A::value* w, Prefetch prefetch_from, typename A::sum (&dots)[R]) {
    carry_tree<row_sums<typename A::sum, R>> tree;
    for (std::size_t j = 0; j < features; j += column_panel) {
        const std::size_t size = features - j < column_panel ? features - j : column_panel;
        dot_tiles<A, R, Tile>(x + j, row_stride, size, w + j, prefetch_from, dots);
        if (size == features) return; // one panel: nothing to join
        row_sums<typename A::sum, R> panel;
        for (std::size_t i = 0; i < R; ++i) panel.row[i] = dots[i];
        tree.push(panel);
    }
    const row_sums<typename A::sum, R> total = tree.total();
    for (std::size_t i = 0; i < R; ++i) dots[i] = total.row[i];
}

/// R rows of predict or residual.
template <class A, std::size_t R>
BITSTEP_INLINE void predict_block(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                  const typename A::value* w, typename A::value* out) {
    typename A::sum dots[R];
    dot_rows<A, R>(run.x + at * run.row_stride, run.row_stride, features, w, no_prefetch<A>(0), dots);
    for (std::size_t r = 0; r < R; ++r) {
        out[at + r] = A::round(run.y == nullptr ? dots[r] : A::minus(dots[r], run.y[at + r]));
    }
}

template <class A>
void predict(const row_run<typename A::value>& run, std::size_t features, const typename A::value* w,
             typename A::value* out) {
    constexpr std::size_t tile = sums_are_pairs<A> ? 1 : row_tile<A>;
    std::size_t at = 0;
    for (; at + tile <= run.rows; at += tile) predict_block<A, tile>(run, at, features, w, out);
    for (; at < run.rows; ++at) predict_block<A, 1>(run, at, features, w, out);
}

} // namespace
} // namespace bitstep::internal
