// SPDX-License-Identifier: Apache-2.0
#include "numpy_fields.hpp"

#include <cstring>

namespace bitstep::python {
namespace {

/// The start of every ndarray: NumPy's binary interface, the same in all releases from 1.7 to 2.x. Declared here, because
/// NumPy's own header would tie the module to the release it was built with.
struct ndarray {
    PyObject_HEAD std::byte* data;
    int dimensions;
    Py_ssize_t* shape;
    Py_ssize_t* strides;
    PyObject* base;
    PyObject* dtype;
    unsigned flags;
};
constexpr unsigned writeable = 0x0400;
constexpr unsigned warn_on_write = 0x80000000; ///< such an array says that it is writable; its buffer is not

const ndarray& fields_of(nb::handle object) { return *reinterpret_cast<const ndarray*>(object.ptr()); }

/// The fields say what the buffer protocol says.
bool agrees(const nb::object& a) {
    Py_buffer b;
    if (PyObject_GetBuffer(a.ptr(), &b, PyBUF_RECORDS_RO) != 0) throw nb::python_error();
    const ndarray& f = fields_of(a);
    const bool same = f.data == b.buf && f.dimensions == 2 && b.ndim == 2 &&
                      std::memcmp(f.shape, b.shape, 2 * sizeof(Py_ssize_t)) == 0 &&
                      std::memcmp(f.strides, b.strides, 2 * sizeof(Py_ssize_t)) == 0 &&
                      ((f.flags & writeable) == 0) == (b.readonly != 0) && f.dtype == a.attr("dtype").ptr();
    PyBuffer_Release(&b);
    return same;
}

/// Should a release ever lay its arrays out differently, two arrays tell, and the buffer protocol is used.
bool layout_tested() {
    const nb::object a = numpy_empty()(nb::make_tuple(3, 5), numpy_dtype(true));
    if (Py_TYPE(a.ptr())->tp_basicsize < static_cast<Py_ssize_t>(sizeof(ndarray))) return false;
    const nb::object transposed = a.attr("T");
    transposed.attr("setflags")(nb::arg("write") = false);
    return agrees(a) && agrees(transposed) && fields_of(transposed).base == a.ptr();
}

bool layout_holds = false;

} // namespace

void look_at_numpy_fields() { layout_holds = layout_tested(); }

bool read_numpy_fields(nb::handle object, array& out) {
    if (!is_plain_numpy(object) || !layout_holds) return false;
    const ndarray& f = fields_of(object);
    // One object is the dtype of nearly all arrays; a copy of it, or one of the other byte order, is another object.
    const bool is_double = f.dtype == numpy_dtype(true).ptr();
    if (!is_double && f.dtype != numpy_dtype(false).ptr()) return false;
    if (f.dimensions > array::most_dimensions || (f.flags & warn_on_write) != 0) return false;
    out.is_double = is_double;
    out.dimensions = f.dimensions;
    out.data = f.data;
    out.read_only = (f.flags & writeable) == 0;
    for (int axis = 0; axis < f.dimensions; ++axis) {
        out.shape[axis] = f.shape[axis];
        out.strides[axis] = f.strides[axis];
    }
    return true;
}

} // namespace bitstep::python
