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
/// rows: shards of any lengths, N >= 1 rows in all, d >= 1 features; one row sequence, whatever the cut.
/// w: (d) input. grad: (d) output, overlaps no input. mse: one number, output, may be null.
/// Order: residuals as `residual`; rows enter X^T r in panels of a fixed number of rows, in order inside a panel, panels
/// in the fixed tree over the flat row index; then (2 S) / N per element (docs/numerics.md).
/// Errors: null_pointer, invalid_shape, overlap, invalid_argument, arch_unavailable, workspace_too_small, out_of_memory;
/// non_finite where X, y or w holds NaN or infinity, gradient_overflow where finite data give a gradient that is not
/// (an infinite mse is no error). Then neither grad nor mse has been written.
/// Cost: N d sizeof(T) bytes and 4 N d flops. Allocates only where `workspace` is empty. Thread-safe.
template <class T>
BITSTEP_EXPORT status gradient(const row_sequence<T>& rows, vector_view<const T> w, vector_view<T> grad, T* mse,
                               const options& opts = {}, workspace workspace = {}) noexcept;

/// Bytes of workspace that gradient() needs for N rows of d features under these options. Set `opts.threads` where a
/// workspace is kept: the need grows with the threads. Errors: invalid_shape (also where a size overflows size_t),
/// invalid_argument, arch_unavailable.
template <class T>
BITSTEP_EXPORT status gradient_workspace_bytes(std::size_t rows, std::size_t features, const options& opts,
                                               std::size_t& bytes) noexcept;

} // namespace bitstep
