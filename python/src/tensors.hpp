// SPDX-License-Identifier: Apache-2.0
// Taking a torch tensor, see arrays.hpp. torch's C++ is never linked: one module serves every release of it.
#pragma once

#include "arrays.hpp"

namespace bitstep::python {

void take_tensor(nb::handle tensor, const place& where, array& out);

/// Whether memory, extents and strides are those that were taken, asked of torch itself: no code of a subclass or a mode runs.
bool tensor_lies_still(const array& a);

/// The same of a result, of which the number of elements is known.
bool result_lies_still(const array& made);

/// A TorchFunctionMode or TorchDispatchMode is on (30 ns to ask), or torch.empty is somebody else's: then whatever is asked of
/// torch may run the caller's code, with plain tensors as well.
bool torch_may_run_code();

/// The address of a plain tensor that torch was just asked to make, where torch ran no code of the caller's.
void* address_of(nb::handle tensor);
/// Where it may have. TypeError unless the tensor is what was asked for: a mode may have changed the dtype, or have made no
/// memory (FakeTensorMode).
void* address_if_right(nb::handle tensor, bool is_double, const Py_ssize_t* shape, int dimensions);

/// refuse() of arrays.cpp: "... must be a NumPy array, a CPU torch tensor or ..., got ...".
[[noreturn]] void refuse(nb::handle object, const place& where, const std::string& why);
/// ValueError: more axes than array::most_dimensions.
[[noreturn]] void refuse_dimensions(const place& where, Py_ssize_t dimensions);

} // namespace bitstep::python
