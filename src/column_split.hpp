// SPDX-License-Identifier: Apache-2.0
// Stage 4, the other way to share out the work: each thread has some columns of every row. For long rows in fewer
// subtrees than threads (64 rows of 2^20 are one row panel), and for very long ones where the subtrees are too few to
// share evenly. Per block of a few rows: every thread sums its column panels, all wait, every thread joins the panels'
// sums by the tree to the same residuals and updates its columns. The same sums as by rows, so the same bits.
// Not for every long row: at d = 65536 rows per thread reach 27 GB/s and columns 22, because each block waits for all.
// Nor with a caller's parallel_for, whose tasks may run one after another.
#pragma once

#include "gradient.hpp"

namespace bitstep::internal {

/// `need` with the scratch of this way.
template <class Sum>
layout plan_columns(std::size_t column_panels, layout need, gradient_plan<Sum>& plan) noexcept;

/// compute_gradient for plan.by_columns. One wait per block of at most 8 rows.
template <class T, class Sum>
gradient_result<T> gradient_by_columns(const row_data<T>& data, const T* w, const gradient_plan<Sum>& plan,
                                       const sum_kernels<T, Sum>& kernels, const scratch& memory, T* grad) noexcept;

} // namespace bitstep::internal
