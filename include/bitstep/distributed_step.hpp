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
/// Functional form: the inputs stay as they are; out holds 4 d elements, [weights', ema_weights', m', v'].
/// In-place form: without `out`, the state's arrays are updated.
///
/// batches: (W, A, B, d) and (W, A, B) inputs. rows: the same as uneven shards. state: four arrays of d.
/// out: (4 d) output; overlaps no input. In place: the state's arrays overlap neither one another nor the data.
/// Order: gradient's, then adam_ema_update's.
/// Errors: null_pointer, invalid_shape, invalid_argument, overlap, arch_unavailable, workspace_too_small, out_of_memory,
/// non_finite (X, y, w; with check_state, on by default, also ema_weights, m, v), gradient_overflow. On any of them out
/// and the state are as before.
/// Cost: N d sizeof(T) bytes for X and 4 N d flops; 9 d sizeof(T) bytes for gradient and state and about 20 d flops;
/// check_state reads 4 d sizeof(T) more. Allocates only where `workspace` is empty. Thread-safe on separate states and
/// workspaces.
template <class T>
BITSTEP_EXPORT status distributed_step(const worker_batches<T>& batches, const state_view<const T>& state,
                                       const hyper_parameters& hyper, vector_view<T> out, const options& opts = {},
                                       workspace workspace = {}) noexcept;
template <class T>
BITSTEP_EXPORT status distributed_step(const row_sequence<T>& rows, const state_view<const T>& state,
                                       const hyper_parameters& hyper, vector_view<T> out, const options& opts = {},
                                       workspace workspace = {}) noexcept;
template <class T>
BITSTEP_EXPORT status distributed_step(const worker_batches<T>& batches, const state_view<T>& state,
                                       const hyper_parameters& hyper, const options& opts = {},
                                       workspace workspace = {}) noexcept;
template <class T>
BITSTEP_EXPORT status distributed_step(const row_sequence<T>& rows, const state_view<T>& state,
                                       const hyper_parameters& hyper, const options& opts = {},
                                       workspace workspace = {}) noexcept;

/// Bytes of workspace that distributed_step() needs for N = W A B rows of d features; as gradient_workspace_bytes.
template <class T>
BITSTEP_EXPORT status distributed_step_workspace_bytes(std::size_t rows, std::size_t features, const options& opts,
                                                       std::size_t& bytes) noexcept;

} // namespace bitstep
