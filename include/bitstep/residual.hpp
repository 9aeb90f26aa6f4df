// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitstep/export.h>
#include <bitstep/options.hpp>
#include <bitstep/status.hpp>
#include <bitstep/views.hpp>

namespace bitstep {

/// out = X w - y.
///
/// @param[in] x (N, d), N >= 1, d >= 1, row_stride >= d.
/// @param[in] y (N).
/// @param[in] w (d).
/// @param[out] out (N); may be y itself (same address), overlaps nothing else.
/// @param[in] opts threads, accumulate and arch.
///
/// Order: predict's, then one subtraction per row before the result is rounded to T; with accumulate = native that is
/// predict(x, w) - y bit for bit. NaN and infinities propagate.
///
/// @return as predict.
///
/// Cost and thread safety: as predict.
template <class T>
BITSTEP_EXPORT status residual(matrix_view<const T> x, vector_view<const T> y, vector_view<const T> w,
    vector_view<T> out, const options& opts = {}) noexcept;

} // namespace bitstep
