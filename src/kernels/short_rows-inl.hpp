// SPDX-License-Identifier: Apache-2.0
// The fused pair on short rows: the same sums as any block of gradient-inl.hpp, in two more forms.
//   - Rows of one or two logical vectors: w and the panel's partial stay in registers from block to block.
//   - Rows of up to 2 KB from memory, in the sequence of their addresses.
// Rows below one vector: narrow-inl.hpp. Next: gradient-inl.hpp chooses.
#pragma once

#include "kernels/dot-inl.hpp"
#include "kernels/update-inl.hpp"

namespace bitstep::internal {
namespace {

/// Rows per block of those that keep w and the partial in registers; 0 where registers are too few for that.
template <class A>
inline constexpr std::size_t resident_rows = A::vector::registers == 1   ? 16
                                             : A::vector::registers == 2 ? 4
                                                                         : 0;

/// Blocks of R rows of V logical vectors, the last one whole or in part. Returns the rows done.
template <class A, std::size_t V, bool Whole, std::size_t R>
BITSTEP_INLINE std::size_t resident_blocks(const row_run<typename A::value>& run, std::size_t features,
                                           const typename A::value* w, typename A::sum* partial,
                                           square_t<typename A::sum>& squares) {
    constexpr std::size_t before = (V - 1) * A::lane_total;
    const std::size_t last = features - before;
    const auto load = [last](const typename A::value* p, std::size_t v) __attribute__((always_inline)) {
        // Not by masks where it is whole: on AVX2 they kept the hardware from following X (6 GB/s from memory).
        return Whole || v + 1 < V ? A::load(p + v * A::lane_total) : A::load_first(p + before, last);
    };
    typename A::vector w_all[V];
    typename A::sum_vector sums[V];
    for (std::size_t v = 0; v < V; ++v) {
        w_all[v] = load(w, v);
        sums[v] = A::load_sum(partial, v);
    }
    std::size_t at = 0;
    for (; at + R <= run.rows; at += R) {
        const typename A::value* x = run.x + at * run.row_stride;
        typename A::sum_vector products[R];
        for (std::size_t i = 0; i < R; ++i) {
            products[i] = A::zero();
            for (std::size_t v = 0; v < V; ++v) {
                products[i] = A::multiply_add(products[i], load(x + i * run.row_stride, v), w_all[v]);
            }
        }
        typename A::sum residuals[R];
        A::fold(products, residuals);
        to_residuals<A, R>(run.y + at, residuals, squares);
        for (std::size_t i = 0; i < R; ++i) {
            const typename A::factor r = A::spread(residuals[i]);
            for (std::size_t v = 0; v < V; ++v) {
                sums[v] = A::multiply_add(sums[v], load(x + i * run.row_stride, v), r);
            }
        }
    }
    for (std::size_t v = 0; v < V; ++v) A::store_sum(partial, v, sums[v]);
    return at;
}

/// Rows of one or two vectors; returns the rows done. Float, d = 16, 24, 32 in L2: 17, 16, 24 GB/s by the blocks of
/// gradient-inl.hpp, 21, 24, 30 so. Three and four vectors gain nothing.
template <class A>
BITSTEP_INLINE std::size_t accumulate_resident(const row_run<typename A::value>& run, std::size_t features,
                                               const typename A::value* w, typename A::sum* partial,
                                               square_t<typename A::sum>& squares) {
    if constexpr (resident_rows<A> != 0) {
        constexpr std::size_t rows = resident_rows<A>;
        constexpr std::size_t lanes = A::lane_total;
        // One register takes a mask at no cost.
        constexpr bool one = A::vector::registers == 1;
        if (!one && features == lanes) return resident_blocks<A, 1, true, rows>(run, features, w, partial, squares);
        if (!one && features == 2 * lanes) return resident_blocks<A, 2, true, rows>(run, features, w, partial, squares);
        if (features <= lanes) return resident_blocks<A, 1, false, rows>(run, features, w, partial, squares);
        if (features <= 2 * lanes) return resident_blocks<A, 2, false, rows>(run, features, w, partial, squares);
    }
    return 0;
}

/// Elements of a row of so many bytes. (Lengths of rows are compared in elements: the compiler then sees which forms can meet
/// a row of several column panels.)
template <class A>
constexpr std::size_t features_in(std::size_t row_bytes) {
    return row_bytes / sizeof(typename A::value);
}

/// R rows (features <= column_panel), their dot products one after another, so that X is read in the sequence of its
/// addresses.
template <class A, std::size_t R>
BITSTEP_INLINE void sequential_block(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                     const typename A::value* w, typename A::sum* partial,
                                     square_t<typename A::sum>& squares) {
    constexpr std::size_t lanes = A::lane_total;
    const typename A::value* x = run.x + at * run.row_stride;
    typename A::sum_vector sums[R];
    for (std::size_t i = 0; i < R; ++i) {
        const typename A::value* xi = x + i * run.row_stride;
        typename A::sum_vector s = A::zero();
        std::size_t j = 0;
        for (; j + lanes <= features; j += lanes) s = A::multiply_add(s, A::load(xi + j), A::load(w + j));
        if (j < features) {
            s = A::multiply_add(s, A::load_first(xi + j, features - j), A::load_first(w + j, features - j));
        }
        sums[i] = s;
    }
    typename A::sum residuals[R];
    A::fold(sums, residuals);
    to_residuals<A, R>(run.y + at, residuals, squares);
    update_partial<A, R>(x, run.row_stride, features, residuals, partial, ask_nothing<A>(0));
}

template <class A, std::size_t R>
BITSTEP_INLINE std::size_t sequential_blocks(const row_run<typename A::value>& run, std::size_t at,
                                             std::size_t features, const typename A::value* w, typename A::sum* partial,
                                             square_t<typename A::sum>& squares) {
    for (; at + R <= run.rows; at += R) sequential_block<A, R>(run, at, features, w, partial, squares);
    return at;
}

/// Blocks of at most 2 KB: the processor then begins the next block while it still updates with this one.
template <class A>
BITSTEP_INLINE void accumulate_in_sequence(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                           const typename A::value* w, typename A::sum* partial,
                                           square_t<typename A::sum>& squares) {
    if (features <= features_in<A>(512)) at = sequential_blocks<A, 4>(run, at, features, w, partial, squares);
    if (features <= features_in<A>(1024)) at = sequential_blocks<A, 2>(run, at, features, w, partial, squares);
    sequential_blocks<A, 1>(run, at, features, w, partial, squares);
}

} // namespace
} // namespace bitstep::internal
