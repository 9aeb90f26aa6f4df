// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include "numpy_fields.hpp"
#include "tensors.hpp"

#include <cstdint>
#include <cstring>

namespace bitstep::python {
namespace {

constexpr const char* wanted = "a NumPy array, a CPU torch tensor or a JAX array on the CPU, of float32 or float64";

/// Takes the current Python exception away and gives its text.
std::string taken_error() {
    const nb::python_error error; // fetches it
    return text_of(error.value());
}

void take_buffer(nb::handle object, const place& where, array& out) {
    auto buffer = std::make_unique<Py_buffer>();
    Py_buffer& b = *buffer;
    if (PyObject_GetBuffer(object.ptr(), &b, PyBUF_RECORDS_RO) != 0) {
        refuse(object, where, " (" + taken_error() + ")");
    }
    out.keeps.buffer.reset(buffer.release());
    // '@', '=' and '^' are this machine's byte order; '=' is also what NumPy says of unaligned elements.
    const char* format = b.format == nullptr ? "B" : b.format;
    if (*format == '@' || *format == '=' || *format == '^') ++format;
    const bool is_float = std::strcmp(format, "f") == 0;
    out.is_double = std::strcmp(format, "d") == 0;
    if (!is_float && !out.is_double) refuse(object, where, "");
    if (b.ndim > array::most_dimensions) refuse(object, where, " with more than 16 axes");
    out.dimensions = b.ndim;
    out.data = static_cast<const std::byte*>(b.buf);
    out.read_only = b.readonly != 0;
    for (int axis = 0; axis < b.ndim; ++axis) {
        out.shape[axis] = b.shape[axis];
        out.strides[axis] = b.strides[axis];
    }
}

void copy_axis(const array& a, int axis, const std::byte* from, std::byte*& to) {
    if (axis == a.dimensions) {
        std::memcpy(to, from, a.item_bytes());
        to += a.item_bytes();
        return;
    }
    for (Py_ssize_t i = 0; i < a.shape[axis]; ++i, from += a.strides[axis]) {
        copy_axis(a, axis + 1, from, to);
    }
}

std::string utf8(const nb::object& text) {
    const char* const characters = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
    if (characters != nullptr) return characters;
    PyErr_Clear(); // a message must not fail: surrogates, or a __str__ that raises
    return "?";
}

bool aligned(const array& a) { return reinterpret_cast<std::uintptr_t>(a.data) % a.item_bytes() == 0; }

} // namespace

std::string text_of(nb::handle object) { return utf8(nb::steal(PyObject_Str(object.ptr()))); }
std::string repr_of(nb::handle object) { return utf8(nb::steal(PyObject_Repr(object.ptr()))); }

std::string place::text() const {
    std::string text = argument;
    if (index >= 0) text += "[" + std::to_string(index) + "]";
    if (key != nullptr) text += "[" + repr_of(key) + "]";
    return text;
}

void refuse(nb::handle object, const place& where, const std::string& why) {
    throw_type_error(where.text() + " must be " + wanted + ", got " + describe(object) + why);
}

void throw_type_error(const std::string& message) { throw nb::type_error(message.c_str()); }
void throw_value_error(const std::string& message) { throw nb::value_error(message.c_str()); }

std::string describe(nb::handle object) {
    if (object.is_none()) return "None";
    const nb::handle type = object.type();
    const std::string module = text_of(nb::object(type.attr("__module__")));
    std::string text = text_of(nb::object(type.attr("__qualname__")));
    if (module != "builtins") text = module + "." + text;
    if (nb::hasattr(object, "dtype")) {
        text += " of " + text_of(nb::object(object.attr("dtype")));
        if (kind_of(object) == kind::torch) text += " on " + text_of(nb::object(object.attr("device")));
    }
    return text;
}

std::size_t array::size() const {
    std::size_t product = 1;
    for (int axis = 0; axis < dimensions; ++axis) product *= extent(axis);
    return product;
}

std::string shape_text(const Py_ssize_t* shape, int dimensions) {
    std::string text = "(";
    for (int axis = 0; axis < dimensions; ++axis) {
        text += std::to_string(shape[axis]) + (dimensions == 1 ? "," : axis + 1 < dimensions ? ", " : "");
    }
    return text + ")";
}

void array::set_dense_strides() {
    Py_ssize_t step = static_cast<Py_ssize_t>(item_bytes());
    for (int axis = dimensions - 1; axis >= 0; --axis) {
        strides[axis] = step;
        step *= shape[axis];
    }
}

bool array::is_dense(int axis) const {
    Py_ssize_t step = static_cast<Py_ssize_t>(item_bytes());
    for (int i = dimensions - 1; i >= axis; --i) {
        if (shape[i] == 0) return true;
        if (shape[i] != 1 && strides[i] != step) return false;
        step *= shape[i];
    }
    return aligned(*this);
}

void array::make_dense() {
    if (is_dense()) return;
    std::unique_ptr<std::byte[]> elements(new std::byte[size() * item_bytes()]);
    std::byte* to = elements.get();
    copy_axis(*this, 0, data, to);
    copy = std::move(elements);
    data = copy.get();
    set_dense_strides();
}

std::size_t row_step(const array& a) {
    const int last = a.dimensions - 1;
    const std::size_t item = a.item_bytes();
    if (!aligned(a) || (a.shape[last] != 1 && a.strides[last] != static_cast<Py_ssize_t>(item))) return 0;
    const std::size_t row = a.extent(last) * item;
    if (a.shape[last - 1] == 1) return row;
    const Py_ssize_t step = a.strides[last - 1];
    if (step < static_cast<Py_ssize_t>(row) || static_cast<std::size_t>(step) % item != 0) return 0;
    return static_cast<std::size_t>(step);
}

void take(nb::handle object, const place& where, array& out) {
    out.object = object;
    out.from = kind_of(object);
    if (out.from == kind::none) {
        const bool like_an_array = nb::hasattr(object, "__array__") || nb::hasattr(object, "__dlpack__");
        refuse(object, where, like_an_array ? " (convert it first)" : "");
    }
    if (out.from == kind::torch) return take_tensor(object, where, out);
    if (!read_numpy_fields(object, out)) take_buffer(object, where, out);
}

void take_like(nb::handle object, const place& where, const array& like, const char* like_name, array& out) {
    take(object, where, out);
    if (out.from != like.from || out.is_double != like.is_double) {
        throw_type_error(where.text() + " must be a " + kind_name(like.from) + " of " +
                         (like.is_double ? "float64" : "float32") + " as " + like_name + " is, got " +
                         describe(object));
    }
}

void expect_dimensions(const array& a, const place& where, int dimensions, const char* axes) {
    if (a.dimensions != dimensions) {
        throw_value_error(where.text() + " must have the shape " + axes + ", got " + a.shape_text());
    }
    if (a.size() == 0) throw_value_error(where.text() + " must have no empty axis, got the shape " + a.shape_text());
}

void expect_vector(const array& a, const place& where, std::size_t size, const char* what) {
    if (a.dimensions != 1 || a.extent(0) != size) {
        throw_value_error(where.text() + " must have the shape (" + std::to_string(size) + ",) " + what + ", got " +
                          a.shape_text());
    }
}

void expect_writable(const array& a, const place& where) {
    if (a.from == kind::jax) throw_type_error(where.text() + " is updated in place, which no jax.Array allows");
    if (a.read_only)
        throw_value_error(where.text() + " is updated in place and must be writable, got a read-only array");
    if (!a.is_dense()) {
        throw_value_error(where.text() + " is updated in place and must be contiguous and aligned, got strides of " +
                          std::to_string(a.strides[0]) + " bytes for elements of " + std::to_string(a.item_bytes()));
    }
}

} // namespace bitstep::python
