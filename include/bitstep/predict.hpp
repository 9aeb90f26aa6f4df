// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitstep/export.h>
#include <bitstep/options.hpp>
#include <bitstep/status.hpp>
#include <bitstep/views.hpp>

namespace bitstep {

/// out = X w: one matrix-vector product, for inference.
///
/// @param[in] x (N, d), N >= 1, d >= 1, row_stride >= d.
/// @param[in] w (d).
/// @param[out] out (N); overlaps neither w nor x, padding between rows included.
/// @param[in] opts threads, accumulate and arch.
///
/// Order: each row's products go to fixed lanes, lanes fold by halves per column panel, panel sums enter the fixed tree
/// (docs/numerics.md). NaN and infinities propagate.
///
/// @return ok; null_pointer, invalid_shape, overlap, invalid_argument (options), arch_unavailable.
///
/// Cost: reads X once, N d sizeof(T) bytes; 2 N d flops. Never allocates. Safe to call from several threads at once.
template <class T>
BITSTEP_EXPORT status predict(
    matrix_view<const T> x, vector_view<const T> w, vector_view<T> out, const options& opts = {}) noexcept;

} // namespace bitstep
