// SPDX-License-Identifier: Apache-2.0
// The two halves of the fused pair on some columns of a few rows, for teams that share the columns (../column_split.hpp).
#pragma once

#include "kernels/dot-inl.hpp"
#include "kernels/update-inl.hpp"

namespace bitstep::internal {
namespace {

template <class A, std::size_t R>
BITSTEP_INLINE void panel_dots_of(const typename A::value* x, std::size_t row_stride, std::size_t first,
                                  std::size_t last, const typename A::value* w, typename A::sum* sums,
                                  std::size_t stride) {
    for (std::size_t j = first; j < last; j += column_panel, ++sums) {
        typename A::sum panel[R];
        const std::size_t size = last - j < column_panel ? last - j : column_panel;
        dot_panel<A, R>(x + j, row_stride, size, w + j, no_prefetch<A>(0), panel);
        for (std::size_t i = 0; i < R; ++i) sums[i * stride] = panel[i];
    }
}

template <class A>
void panel_dots(const row_run<typename A::value>& run, std::size_t first, std::size_t last, const typename A::value* w,
                typename A::sum* sums, std::size_t stride) {
    constexpr std::size_t tile = row_tile<A>;
    std::size_t i = 0;
    for (; i + tile <= run.rows; i += tile) {
        panel_dots_of<A, tile>(run.x + i * run.row_stride, run.row_stride, first, last, w, sums + i * stride, stride);
    }
    for (; i < run.rows; ++i) {
        panel_dots_of<A, 1>(run.x + i * run.row_stride, run.row_stride, first, last, w, sums + i * stride, stride);
    }
}

template <class A, std::size_t R>
BITSTEP_INLINE std::size_t update_columns_of(const row_run<typename A::value>& run, std::size_t at, std::size_t first,
                                             std::size_t last, const typename A::sum* residuals,
                                             typename A::sum* partial) {
    for (; at + R <= run.rows; at += R) {
        update_partial<A, R>(run.x + at * run.row_stride + first, run.row_stride, last - first, residuals + at,
                             partial + first, no_prefetch<A>(0));
    }
    return at;
}

template <class A>
void update_columns(const row_run<typename A::value>& run, std::size_t first, std::size_t last,
                    const typename A::sum* residuals, typename A::sum* partial) {
    std::size_t at = 0;
    if constexpr (!sums_are_pairs<A>) {
        at = update_columns_of<A, most_column_rows>(run, at, first, last, residuals, partial);
        at = update_columns_of<A, 4>(run, at, first, last, residuals, partial);
    }
    update_columns_of<A, 1>(run, at, first, last, residuals, partial);
}

} // namespace
} // namespace bitstep::internal
