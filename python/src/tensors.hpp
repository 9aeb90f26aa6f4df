// SPDX-License-Identifier: Apache-2.0
// Taking a torch tensor, see arrays.hpp. torch's C++ is never linked: one module serves every release of it.
#pragma once

#include "arrays.hpp"

namespace bitstep::python {

void take_tensor(nb::handle tensor, const place& where, array& out);

/// The address of a tensor that was just made.
void* address_of(nb::handle tensor);

/// refuse() of arrays.cpp: "... must be a NumPy array, a CPU torch tensor or ..., got ...".
[[noreturn]] void refuse(nb::handle object, const place& where, const std::string& why);

} // namespace bitstep::python
