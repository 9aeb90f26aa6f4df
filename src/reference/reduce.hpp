// SPDX-License-Identifier: Apache-2.0
// Stage 5, the mean over workers, as scalars. Mirrors ../reduce.cpp.
#pragma once

#include "kernels/kernel_table.hpp"

namespace bitstep::internal::reference {

/// Elements [first, last) of the mean over workers.
template <class T, class Sum>
void mean(const mean_run<T, scalar_t<Sum>>& run, std::size_t first, std::size_t last) noexcept;

} // namespace bitstep::internal::reference
