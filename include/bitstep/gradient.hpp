// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitstep/export.h>
#include <bitstep/options.hpp>
#include <bitstep/status.hpp>
#include <bitstep/views.hpp>

namespace bitstep {

/// grad = 2/N X^T (X w - y), mse = 1/N sum (X w - y)^2: the mean squared error of a linear model and its gradient, with
/// X read from memory once.
///
/// @param[in] rows shards of any lengths, N >= 1 rows in all, d >= 1 features; one row sequence, whatever the cut.
/// @param[in] w (d).
/// @param[out] grad (d); overlaps nothing.
/// @param[out] mse one number; overlaps nothing; may be null.
/// @param[in] opts threads, accumulate and arch.
/// @param[in] workspace scratch as gradient_workspace_bytes says, or empty.
///
/// Order: residuals as `residual`; rows enter X^T r in panels of a fixed number of rows, in order inside a panel, panels
/// in the fixed tree over the flat row index; then (2 S) / N per element (docs/numerics.md).
///
/// @return ok; null_pointer, invalid_shape, overlap, invalid_argument, arch_unavailable, workspace_too_small,
/// out_of_memory; non_finite where X, y or w holds NaN or infinity, gradient_overflow where finite data give a gradient
/// that is not (an infinite mse is no error). Neither grad nor mse has then been written.
///
/// Cost: N d sizeof(T) bytes and 4 N d flops. Allocates only where `workspace` is empty. Thread-safe.
template <class T>
BITSTEP_EXPORT status gradient(const row_sequence<T>& rows, vector_view<const T> w, vector_view<T> grad, T* mse,
    const options& opts = {}, workspace workspace = {}) noexcept;

/// Bytes of workspace that gradient() needs for N rows of d features under these options.
/// @param[in] rows N >= 1.
/// @param[in] features d >= 1.
/// @param[in] opts the call's. Set `threads` where a workspace is kept: the need grows with them.
/// @param[out] bytes written on success only.
/// @return ok; invalid_shape (also where a size overflows size_t), invalid_argument, arch_unavailable.
template <class T>
BITSTEP_EXPORT status gradient_workspace_bytes(
    std::size_t rows, std::size_t features, const options& opts, std::size_t& bytes) noexcept;

} // namespace bitstep
