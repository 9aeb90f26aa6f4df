// SPDX-License-Identifier: Apache-2.0
// Dot products of several rows with w: the first half of the fused pair, and all of predict.
// Per row and column panel: products to lanes, lanes fold by halves; panel sums enter the tree. Rows never mix, so how many
// are taken at once is free: it hides the latency of the additions and loads w once for all of them.
#pragma once

#include "kernels/arithmetic.hpp"
#include "kernels/carry_tree.hpp"
#include "kernels/kernel_table.hpp"

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

/// True for one vector per cache line of a row, so that each line is prefetched once.
template <class A>
BITSTEP_INLINE bool starts_line(std::size_t j) {
    constexpr std::size_t line = vector_bytes / sizeof(typename A::value);
    return A::lane_total >= line || j % line == 0;
}

/// One column panel of `size` <= column_panel elements for R rows. `ahead`: elements to the same place of the next block,
/// whose even rows are prefetched here (the odd ones by the second half); 0: nothing to prefetch.
template <class A, std::size_t R, bool Prefetch>
BITSTEP_INLINE void dot_panel(const typename A::value* x, std::size_t row_stride, std::size_t size,
                              const typename A::value* w, std::size_t ahead, typename A::sum (&out)[R]) {
    typename A::sum_vector sums[R];
    for (std::size_t r = 0; r < R; ++r) sums[r] = A::zero();
    std::size_t j = 0;
    for (; j + A::lane_total <= size; j += A::lane_total) {
        const typename A::vector wj = A::load(w + j);
        for (std::size_t r = 0; r < R; ++r) {
            const typename A::value* xj = x + r * row_stride + j;
            sums[r] = A::multiply_add(sums[r], A::load(xj), wj);
            if (Prefetch && r % 2 == 0 && starts_line<A>(j)) prefetch(xj + ahead);
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

/// dots[r] = x_r . w for R rows.
template <class A, std::size_t R, bool Prefetch>
BITSTEP_INLINE void dot_rows(const typename A::value* x, std::size_t row_stride, std::size_t features,
                             const typename A::value* w, std::size_t ahead, typename A::sum (&dots)[R]) {
    constexpr std::size_t tile = R < row_tile<A> ? R : row_tile<A>;
    for (std::size_t r = 0; r < R; r += tile) {
        const typename A::value* rows = x + r * row_stride;
        if (features <= column_panel) {
            typename A::sum whole[tile];
            dot_panel<A, tile, Prefetch>(rows, row_stride, features, w, ahead, whole);
            for (std::size_t i = 0; i < tile; ++i) dots[r + i] = whole[i];
            continue;
        }
        carry_tree<row_sums<typename A::sum, tile>> tree;
        for (std::size_t j = 0; j < features; j += column_panel) {
            row_sums<typename A::sum, tile> panel;
            const std::size_t size = features - j < column_panel ? features - j : column_panel;
            dot_panel<A, tile, Prefetch>(rows + j, row_stride, size, w + j, ahead, panel.row);
            tree.push(panel);
        }
        const row_sums<typename A::sum, tile> total = tree.total();
        for (std::size_t i = 0; i < tile; ++i) dots[r + i] = total.row[i];
    }
}

/// R rows of predict or residual.
template <class A, std::size_t R>
BITSTEP_INLINE void predict_block(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                  const typename A::value* w, typename A::value* out) {
    typename A::sum dots[R];
    dot_rows<A, R, false>(run.x + at * run.row_stride, run.row_stride, features, w, 0, dots);
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
