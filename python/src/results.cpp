// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <cstring>

namespace bitstep::python {
namespace {

void* memory_of(const nb::object& numpy_array) {
    Py_buffer b;
    if (PyObject_GetBuffer(numpy_array.ptr(), &b, PyBUF_WRITABLE) != 0) throw nb::python_error();
    void* const data = b.buf;
    PyBuffer_Release(&b); // the array itself keeps the memory
    return data;
}

} // namespace

output::output(const array& like, nb::handle shape) : like_(like.object), kind_(like.from) {
    if (kind_ == kind::torch) {
        const torch_objects& t = torch();
        made_ = t.empty(shape, nb::arg("dtype") = like.is_double ? t.float64 : t.float32, nb::arg("device") = t.cpu);
        data_ = PyLong_AsVoidPtr(nb::object(made_.attr("data_ptr")()).ptr());
        return;
    }
    made_ = numpy_empty()(shape, numpy_dtype(like.is_double));
    data_ = memory_of(made_);
}

output::output(const array& like, std::size_t size) : output(like, nb::int_(size)) {}

nb::object output::finish() const { return kind_ == kind::jax ? to_jax(made_, like_) : made_; }

nb::object shape_of(const array& a) {
    nb::object shape = nb::steal(PyTuple_New(a.dimensions));
    if (!shape.is_valid()) throw nb::python_error();
    for (int axis = 0; axis < a.dimensions; ++axis) {
        PyTuple_SET_ITEM(shape.ptr(), axis, PyLong_FromSsize_t(a.shape[axis]));
    }
    return shape;
}

void raise_unless_ok(const status& done, renaming names) {
    if (done.ok()) return;
    std::string message = done.message();
    for (const auto& [from, to] : names) {
        const std::size_t length = std::strlen(from);
        if (message.compare(0, length, from) == 0 && (message[length] == ' ' || message[length] == ':')) {
            message.replace(0, length, to);
            break;
        }
    }
    PyObject* type = PyExc_ValueError;
    if (done.code() == status_code::out_of_memory) type = PyExc_MemoryError;
    if (done.code() == status_code::arch_unavailable) type = PyExc_RuntimeError;
    PyErr_SetString(type, message.c_str());
    throw nb::python_error();
}

} // namespace bitstep::python
