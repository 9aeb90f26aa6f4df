// SPDX-License-Identifier: Apache-2.0
// Taking a torch tensor, see arrays.hpp. torch's C++ is never linked: one module serves every release of it.
#pragma once

#include "arrays.hpp"

namespace bitstep::python {

void take_tensor(nb::handle tensor, const place& where, array& out);

/// Whether memory, extents and strides are those that were taken, asked of torch itself: no code of a subclass runs.
bool tensor_lies_still(const array& a);

/// The address of a tensor that torch was just asked to make. TypeError where it has no memory, as while a FakeTensorMode is on.
void* address_of(nb::handle tensor, std::size_t size);

/// refuse() of arrays.cpp: "... must be a NumPy array, a CPU torch tensor or ..., got ...".
[[noreturn]] void refuse(nb::handle object, const place& where, const std::string& why);
/// ValueError: more axes than array::most_dimensions.
[[noreturn]] void refuse_dimensions(const place& where, Py_ssize_t dimensions);

} // namespace bitstep::python
