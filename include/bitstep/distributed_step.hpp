// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitstep/export.h>
#include <bitstep/options.hpp>
#include <bitstep/status.hpp>
#include <bitstep/views.hpp>

namespace bitstep {

/// One data-parallel training step of a linear model: the gradient of the mean squared error over all workers'
/// micro-batches (g = 2/N X^T (X w - y), N = W A B), one Adam update, one EMA update with the new weights. Equal, bit for
/// bit, to gradient() over the flat row sequence followed by adam_ema_update().
///
/// This is the functional form: the inputs stay as they are.
///
/// @param[in] batches (W, A, B, d) and (W, A, B); all four >= 1.
/// @param[in] state four arrays of d, v >= 0.
/// @param[in] hyper the scalars.
/// @param[out] out (4 d), [weights', ema_weights', m', v']; overlaps no input.
/// @param[in] opts threads, accumulate and arch; check_state is on by default.
/// @param[in] workspace scratch as distributed_step_workspace_bytes says, or empty.
///
/// Order: gradient's, then adam_ema_update's.
///
/// @return ok; null_pointer, invalid_shape, invalid_argument, overlap, arch_unavailable, workspace_too_small,
/// out_of_memory, gradient_overflow, non_finite (X, y, w). With check_state also non_finite for ema_weights, m and v, and
/// invalid_argument for v < 0. On any of them out and the state are as before.
///
/// Cost: N d sizeof(T) bytes for X and 4 N d flops; 9 d sizeof(T) bytes for gradient and state and about 20 d flops;
/// check_state reads 4 d sizeof(T) more. Allocates only where `workspace` is empty. Thread-safe on separate states and
/// workspaces.
template <class T>
BITSTEP_EXPORT status distributed_step(const worker_batches<T>& batches, const state_view<const T>& state,
    const hyper_parameters& hyper, vector_view<T> out, const options& opts = {}, workspace workspace = {}) noexcept;
/// The same over shards of any lengths.
/// @param[in] rows N >= 1 rows in all, d >= 1 features; one row sequence, whatever the cut.
/// @param state,hyper,out,opts,workspace as with batches.
/// @return as with batches.
template <class T>
BITSTEP_EXPORT status distributed_step(const row_sequence<T>& rows, const state_view<const T>& state,
    const hyper_parameters& hyper, vector_view<T> out, const options& opts = {}, workspace workspace = {}) noexcept;
/// In place: the same values, written to the state.
/// @param[in,out] state four arrays of d, v >= 0; they overlap neither one another nor the data.
/// @param batches,hyper,opts,workspace as in the functional form.
/// @return as in the functional form.
template <class T>
BITSTEP_EXPORT status distributed_step(const worker_batches<T>& batches, const state_view<T>& state,
    const hyper_parameters& hyper, const options& opts = {}, workspace workspace = {}) noexcept;
/// In place, over shards of any lengths.
/// @param[in,out] state as in place with batches.
/// @param rows,hyper,opts,workspace as in the functional form.
/// @return as in the functional form.
template <class T>
BITSTEP_EXPORT status distributed_step(const row_sequence<T>& rows, const state_view<T>& state,
    const hyper_parameters& hyper, const options& opts = {}, workspace workspace = {}) noexcept;

/// Bytes of workspace that distributed_step() needs for N rows of d features under these options.
/// @param[in] rows N >= 1; W A B of dense batches.
/// @param[in] features d >= 1.
/// @param[in] opts the call's. Set `threads` where a workspace is kept: the need grows with them.
/// @param[out] bytes written on success only.
/// @return as gradient_workspace_bytes.
template <class T>
BITSTEP_EXPORT status distributed_step_workspace_bytes(
    std::size_t rows, std::size_t features, const options& opts, std::size_t& bytes) noexcept;

} // namespace bitstep
