// SPDX-License-Identifier: Apache-2.0
// The gradient in readable form: scalar, one thread, one row after another. See gradient.cpp.
#pragma once

#include "../gradient.hpp"
#include "partition.hpp"
#include "validate.hpp"

#include <cstddef>

namespace bitstep::internal::reference {

/// Elements of Sum that gradient() needs as scratch: a partial gradient, and one per bit of the panel count.
std::size_t gradient_scratch(const row_partition& partition, std::size_t partial_size) noexcept;

template <class T, class Sum>
gradient_result<T> gradient(const row_data<T>& data, const T* w, Sum* scratch, std::size_t partial_size,
                            T* grad) noexcept;

} // namespace bitstep::internal::reference
