// SPDX-License-Identifier: Apache-2.0
// Which library an array belongs to, and new arrays of the same library for results. torch and JAX are never imported
// here: whoever passes one of their arrays has imported them.
#pragma once

#include <nanobind/nanobind.h>

namespace bitstep::python {

namespace nb = nanobind;

enum class kind { none, numpy, torch, jax };

/// `none` for everything else, also for subclasses of ndarray whose elements are not the whole story (masked arrays).
kind kind_of(nb::handle object);
const char* kind_name(kind which);
/// Of the very type, whose fields and attributes no subclass can have changed: numpy.ndarray; torch.Tensor or Parameter.
bool is_plain_numpy(nb::handle object);
bool is_plain_tensor(nb::handle object);

/// Objects of a library that has been imported, looked up once.
struct torch_objects {
    nb::object tensor_type, parameter_type, empty, empty_like, float32, float64, cpu, increment_version;
};
const torch_objects& torch();
const nb::object& numpy_empty();
const nb::object& numpy_dtype(bool is_double);

/// A NumPy array (tensor, JAX array) in NumPy's memory to the JAX device on which `like` lives.
nb::object to_jax(const nb::object& numpy_array, nb::handle like);

/// Tells torch's autograd that the tensor was written to, as an in-place operation of torch's does.
void mark_written(nb::handle tensor);

} // namespace bitstep::python
