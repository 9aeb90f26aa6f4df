// SPDX-License-Identifier: Apache-2.0
// The fused pair on short rows: the same sums as any block of gradient-inl.hpp, in two more forms.
//   - Rows of one or two logical vectors: w and the panel's partial stay in registers from block to block.
//   - Rows of up to 2 KB from memory, in the sequence of their addresses.
// Rows below one vector, in groups of whole panels: narrow-inl.hpp. Next: gradient-inl.hpp chooses.
#pragma once

#include "kernels/dot-inl.hpp"
#include "kernels/update-inl.hpp"

namespace bitstep::internal {
namespace {

/// The rows of one call of `accumulate`, and what they are added to.
template <class A>
struct fused_rows {
    const row_run<typename A::value>& run;
    std::size_t features;
    const typename A::value* w;
    typename A::sum* partial;
    square_t<typename A::sum>& squares;

    BITSTEP_INLINE const typename A::value* x(std::size_t row) const { return run.x + row * run.row_stride; }
    BITSTEP_INLINE const typename A::value* y(std::size_t row) const { return run.y + row; }
};

/// Elements of a row of so many bytes. (Lengths of rows are compared in elements: the compiler then sees which forms
/// can meet a row of several column panels.)
template <class A>
constexpr std::size_t features_in(std::size_t row_bytes) {
    return row_bytes / sizeof(typename A::value);
}

/// Rows per block of those that keep w and the partial in registers; 0 where registers are too few for that.
template <class A>
inline constexpr std::size_t resident_rows = []() -> std::size_t {
    if (A::vector::registers == 1) return 16;
    return A::vector::registers == 2 ? 4 : 0;
}();

/// Blocks of R rows of V logical vectors, the last one whole or in part. Returns the rows done.
template <class A, std::size_t V, bool Whole, std::size_t R>
BITSTEP_INLINE std::size_t resident_blocks(const fused_rows<A>& rows) {
    constexpr std::size_t before = (V - 1) * A::lane_total;
    const std::size_t last = rows.features - before;
    const auto load = [last](const typename A::value* p, std::size_t v) BITSTEP_INLINE_LAMBDA {
        return Whole || v + 1 < V ? A::load(p + v * A::lane_total) : A::load_first(p + before, last);
    };
    typename A::vector w_all[V];
    typename A::sum_vector sums[V];
    for (std::size_t v = 0; v < V; ++v) {
        w_all[v] = load(rows.w, v);
        sums[v] = A::load_sum(rows.partial, v);
    }
    std::size_t at = 0;
    for (; at + R <= rows.run.rows; at += R) {
        const typename A::value* x = rows.x(at);
        typename A::sum_vector products[R];
        for (std::size_t i = 0; i < R; ++i) {
            products[i] = A::zero();
            for (std::size_t v = 0; v < V; ++v) {
                products[i] = A::multiply_add(products[i], load(x + i * rows.run.row_stride, v), w_all[v]);
            }
        }
        typename A::sum residuals[R];
        A::fold(products, residuals);
        to_residuals<A, R>(rows.y(at), residuals, rows.squares);
        for (std::size_t i = 0; i < R; ++i) {
            const typename A::factor r = A::spread(residuals[i]);
            for (std::size_t v = 0; v < V; ++v) {
                sums[v] = A::multiply_add(sums[v], load(x + i * rows.run.row_stride, v), r);
            }
        }
    }
    for (std::size_t v = 0; v < V; ++v) A::store_sum(rows.partial, v, sums[v]);
    return at;
}

/// Rows of one or two vectors; returns the rows done. Float, d = 16, 24, 32 in L2: 17, 16, 24 GB/s by the blocks of
/// gradient-inl.hpp, 21, 24, 30 so. Three and four vectors gain nothing.
template <class A>
BITSTEP_INLINE std::size_t accumulate_resident(const fused_rows<A>& rows) {
    if constexpr (resident_rows<A> != 0) {
        constexpr std::size_t R = resident_rows<A>;
        constexpr std::size_t lanes = A::lane_total;
        // Whole vectors under a mask: 10 to 15 % slower from cache; from memory faster with AVX-512 (d = 32: 0.95 of the
        // roof, 0.6 without) and slower with AVX2 (0.2).
        const bool unmasked = A::vector::registers > 1 || !rows.run.far;
        const std::size_t features = rows.features;
        if (unmasked && features == lanes) return resident_blocks<A, 1, true, R>(rows);
        if (unmasked && features == 2 * lanes) return resident_blocks<A, 2, true, R>(rows);
        if (features <= lanes) return resident_blocks<A, 1, false, R>(rows);
        if (features <= 2 * lanes) return resident_blocks<A, 2, false, R>(rows);
    }
    return 0;
}

/// Rows that go in sequence: of one column panel and at most 2 KB.
template <class A>
inline constexpr std::size_t most_sequential_features = features_in<A>(2048) < column_panel ? features_in<A>(2048)
                                                                                            : column_panel;

/// w for many short rows: as it is, or, where sums are wider, widened once for all rows of the call. (Else w is a third of
/// all conversions, which bound this mode: one thread, X from memory, d = 64 14 GB/s and so 17; d = 256 16 and 19.)
template <class A>
class row_weights {
public:
    static constexpr bool widened = sizeof(typename A::value) != sizeof(typename A::sum);

    BITSTEP_INLINE explicit row_weights(const fused_rows<A>& rows) : w_(rows.w) {
        if constexpr (widened) {
            std::size_t j = 0;
            for (; j + A::lane_total <= rows.features; j += A::lane_total) A::load(w_ + j).store(wide_ + j);
            if (j < rows.features) A::load_first(w_ + j, rows.features - j).store(wide_ + j);
        }
    }
    BITSTEP_INLINE typename A::vector whole(std::size_t j) const {
        if constexpr (widened) return A::vector::load(wide_ + j);
        if constexpr (!widened) return A::load(w_ + j);
    }
    BITSTEP_INLINE typename A::vector first(std::size_t j, std::size_t n) const {
        if constexpr (widened) return A::vector::load(wide_ + j); // zeros behind them, too
        if constexpr (!widened) return A::load_first(w_ + j, n);
    }

private:
    const typename A::value* w_;
    alignas(vector_bytes) typename A::sum wide_[widened ? most_sequential_features<A> : 1];
};

/// R rows (features <= most_sequential_features), their dot products one after another, so that X is read in the sequence of
/// its addresses.
template <class A, std::size_t R>
BITSTEP_INLINE void sequential_block(const fused_rows<A>& rows, const row_weights<A>& w, std::size_t at) {
    constexpr std::size_t lanes = A::lane_total;
    const std::size_t features = rows.features;
    const typename A::value* x = rows.x(at);
    typename A::sum_vector sums[R];
    for (std::size_t i = 0; i < R; ++i) {
        const typename A::value* xi = x + i * rows.run.row_stride;
        typename A::sum_vector s = A::zero();
        std::size_t j = 0;
        for (; j + lanes <= features; j += lanes) s = A::multiply_add(s, A::load(xi + j), w.whole(j));
        if (j < features) s = A::multiply_add(s, A::load_first(xi + j, features - j), w.first(j, features - j));
        sums[i] = s;
    }
    typename A::sum residuals[R];
    A::fold(sums, residuals);
    to_residuals<A, R>(rows.y(at), residuals, rows.squares);
    update_partial<A, R>(x, rows.run.row_stride, features, residuals, rows.partial, no_prefetch<A>(0));
}

template <class A, std::size_t R>
BITSTEP_INLINE std::size_t sequential_blocks(const fused_rows<A>& rows, const row_weights<A>& w, std::size_t at) {
    for (; at + R <= rows.run.rows; at += R) sequential_block<A, R>(rows, w, at);
    return at;
}

/// Blocks of at most 2 KB: the processor then begins the next block while it still updates with this one.
template <class A>
BITSTEP_INLINE void accumulate_in_sequence(const fused_rows<A>& rows, std::size_t at) {
    const row_weights<A> w(rows);
    if (rows.features <= features_in<A>(512)) at = sequential_blocks<A, 4>(rows, w, at);
    if (rows.features <= features_in<A>(1024)) at = sequential_blocks<A, 2>(rows, w, at);
    sequential_blocks<A, 1>(rows, w, at);
}

} // namespace
} // namespace bitstep::internal
