// SPDX-License-Identifier: Apache-2.0
// X w and X w - y as scalars, row by row. Mirrors ../predict.cpp.
#pragma once

#include "kernels/kernel_table.hpp"

namespace bitstep::internal::reference {

/// out = X w, or X w - y where y is not null.
template <class T, class Sum>
void predict(const row_run<T>& run, std::size_t features, const T* w, T* out) noexcept;

} // namespace bitstep::internal::reference
