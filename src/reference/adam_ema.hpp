// SPDX-License-Identifier: Apache-2.0
// Stage 6 as scalars. Mirrors ../adam_ema.cpp.
#pragma once

#include "kernels/kernel_table.hpp"

namespace bitstep::internal::reference {

/// Elements [first, last).
template <class T>
void adam_ema(const adam_arrays<T>& arrays, const adam_scalars<T>& scalars, std::size_t first, std::size_t last);

} // namespace bitstep::internal::reference
