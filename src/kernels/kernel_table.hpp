// SPDX-License-Identifier: Apache-2.0
// What one architecture offers: plain tables of functions, filled by arch_*.cpp, read by the stages above. Data only.
#pragma once

#include "numerics.hpp"

#include <cstddef>

namespace bitstep::internal {

/// A core's own caches: what is larger comes from further away.
inline constexpr std::size_t core_cache_bytes = 1024 * 1024;

/// X beyond this is read as what comes from memory: below, it mostly lies in L3 from call to call. A shared L3 of 32 MB, d =
/// 256, in shares of its read speed, read as from a cache and as from memory: two threads 12 MB 0.61 and 0.34, 16 MB 0.43 to
/// 0.61 and 0.35, 24 MB 0.41 and 0.43; with one thread and busy neighbours 16 MB 0.40 and 0.35, 24 MB 0.34 and 0.47.
inline constexpr std::size_t far_bytes = 16 * core_cache_bytes;

/// Consecutive rows of one shard, all in one row panel.
template <class T>
struct row_run {
    const T* x;
    std::size_t row_stride;
    const T* y;
    std::size_t rows;
    std::size_t rows_after; ///< rows that follow in the same shard (worth prefetching)
    bool far;               ///< X is larger than far_bytes: how to read it, never what
};

/// Adam and EMA scalars after their one rounding to T.
template <class T>
struct adam_scalars {
    T lr, beta1, one_minus_beta1, beta2, one_minus_beta2, correction1, correction2, eps, decay, one_minus_decay;
};

/// The state before and after; `in` and `out` arrays may be the same.
template <class T>
struct adam_arrays {
    const T* grad;
    const T* weights_in;
    const T* ema_in;
    const T* m_in;
    const T* v_in;
    T* weights_out;
    T* ema_out;
    T* m_out;
    T* v_out;
};

/// A state to look at.
template <class T>
struct state_arrays {
    const T* weights;
    const T* ema;
    const T* m;
    const T* v;
};

/// One tensor of the mean. `counts` is null for the plain mean; `divisor` is W or the counts' total.
template <class T, class Scalar>
struct mean_run {
    const T* const* inputs;
    const Scalar* counts;
    std::size_t workers;
    Scalar divisor;
    T* out;
};

/// Rows that a team which shares the columns takes at a time (../column_split.hpp).
inline constexpr std::size_t most_column_rows = 8;

/// Rows shorter than a logical vector go to `narrow` where enough whole panels lie end to end; 0: it has no form for these
/// sums.
template <class Sum>
inline constexpr std::size_t most_narrow_features = sizeof(Sum) == sizeof(scalar_t<Sum>) ? lane_count<Sum> - 1 : 0;

/// Kernels whose sums of T are kept in Sum. Arrays of Sum hold whole logical vectors: `vectors` of lane_count<Sum>.
template <class T, class Sum>
struct sum_kernels {
    /// The fused pair on some rows of a panel: partial (+)= X^T (X w - y), squares += (X w - y)^2, row by row.
    /// `first`: the panel starts here, so partial starts at +0.
    void (*accumulate)(const row_run<T>& run, std::size_t features, const T* w, bool first, Sum* partial,
                       square_t<Sum>& squares);
    /// The same for lane_count<Sum> whole panels of at most most_narrow_features, rows end to end, joined by the tree.
    /// `more`: as many rows again follow. Null where most_narrow_features is 0.
    void (*narrow)(const T* x, const T* y, std::size_t features, const T* w, bool more, Sum* partial,
                   square_t<Sum>& squares);
    /// Columns [first, last) of at most most_column_rows rows, first the start of a column panel: sums[i * stride + c]
    /// = row i, column panel c from there on, each folded.
    void (*panel_dots)(const row_run<T>& run, std::size_t first, std::size_t last, const T* w, Sum* sums,
                       std::size_t stride);
    /// partial += X^T r in columns [first, last) of at most most_column_rows rows, row by row.
    void (*update_columns)(const row_run<T>& run, std::size_t first, std::size_t last, const Sum* residuals,
                           Sum* partial);
    /// older = older + newer
    void (*merge)(Sum* older, const Sum* newer, std::size_t vectors);
    /// grad[first, last) = (2 tree(partials)) / n; false where an element is not finite.
    bool (*finish)(const Sum* partials, std::size_t partial_count, std::size_t partial_stride, scalar_t<Sum> n,
                   std::size_t first, std::size_t last, T* grad);
    /// out = X w, or X w - y where y is not null.
    void (*predict)(const row_run<T>& run, std::size_t features, const T* w, T* out);
    /// Elements [first, last) of the mean.
    void (*mean)(const mean_run<T, scalar_t<Sum>>& run, std::size_t first, std::size_t last);
};

template <class T>
struct element_kernels {
    /// Elements [first, last).
    void (*adam_ema)(const adam_arrays<T>& arrays, const adam_scalars<T>& scalars, std::size_t first, std::size_t last);
    /// All finite, and v not below zero; -0 passes.
    bool (*valid_state)(const state_arrays<T>& state, std::size_t size);
};

template <class T>
struct kernels_of {
    sum_kernels<T, T> native;
    sum_kernels<T, wide_sum_t<T>> wide;
    element_kernels<T> elements;
};

struct kernel_table {
    kernels_of<float> f32;
    kernels_of<double> f64;
};

#if defined(BITSTEP_HAS_BASELINE)
extern const kernel_table baseline_kernels;
#endif
#if defined(BITSTEP_HAS_AVX2)
extern const kernel_table avx2_kernels;
#endif
#if defined(BITSTEP_HAS_AVX512)
extern const kernel_table avx512_kernels;
#endif
#if defined(BITSTEP_HAS_NEON64)
extern const kernel_table neon64_kernels;
#endif

} // namespace bitstep::internal
