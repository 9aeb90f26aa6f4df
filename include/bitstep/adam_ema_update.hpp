// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitstep/export.h>
#include <bitstep/options.hpp>
#include <bitstep/status.hpp>
#include <bitstep/views.hpp>

namespace bitstep {

/// One Adam update and one EMA update, in place, elementwise:
///     m' = beta1 m + (1 - beta1) g
///     v' = beta2 v + (1 - beta2) g g
///     w' = w - lr (m' / (1 - beta1^t)) / (sqrt(v' / (1 - beta2^t)) + eps)
///     e' = decay e + (1 - decay) w'
///
/// @param[in] grad (d), d >= 1.
/// @param[in,out] state four arrays of d; none overlaps another, nor grad.
/// @param[in] hyper the scalars, rounded to T once each.
/// @param[in] opts threads and arch; check_state is off by default; accumulate changes nothing here.
///
/// Order: as written, left to right, one rounding per operation; scalars in double; beta^t in double-double
/// (docs/numerics.md). Given the same g, the state equals plain NumPy's in the same dtype bit for bit, where Python's
/// beta ** t is the correctly rounded power.
///
/// @return ok; null_pointer, invalid_shape, invalid_argument, overlap, arch_unavailable; with check_state = on also
/// non_finite and invalid_argument (v < 0). Without it, NaN and infinities give what IEEE 754 says.
///
/// Cost: 36 d bytes in float (reads 20, writes 16), 72 d in double, and about 20 d flops; with check_state 16 d and 32 d
/// bytes more. Never allocates. Thread-safe on separate states.
/// Source: Kingma and Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1.
template <class T>
BITSTEP_EXPORT status adam_ema_update(vector_view<const T> grad, const state_view<T>& state,
    const hyper_parameters& hyper, const options& opts = {}) noexcept;

} // namespace bitstep
