// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <cstdint>
#include <cstring>

namespace bitstep::python {
namespace {

constexpr const char* wanted = "a NumPy array, a CPU torch tensor or a JAX array on the CPU, of float32 or float64";

[[noreturn]] void refuse(nb::handle object, const place& where, const std::string& why) {
    throw_type_error(where.text() + " must be " + wanted + ", got " + describe(object) + why);
}

/// Takes the current Python exception away and gives its text.
std::string taken_error() {
    const nb::python_error error; // fetches it
    return text_of(error.value());
}

void take_buffer(nb::handle object, const place& where, array& out) {
    Py_buffer& b = out.keeps.buffer;
    if (PyObject_GetBuffer(object.ptr(), &b, PyBUF_RECORDS_RO) != 0) {
        b.obj = nullptr;
        refuse(object, where, " (" + taken_error() + ")");
    }
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

/// The names that are asked of every tensor, made once.
struct tensor_names {
    nb::object dtype, is_cpu, shape, is_contiguous, is_neg, stride, data_ptr;
};

const tensor_names& names() {
    static const tensor_names* const made = [] {
        const auto name = [](const char* text) { return nb::steal(PyUnicode_InternFromString(text)); };
        return new tensor_names{name("dtype"),  name("is_cpu"), name("shape"),   name("is_contiguous"),
                                name("is_neg"), name("stride"), name("data_ptr")};
    }();
    return *made;
}

nb::object attribute(nb::handle object, const nb::object& name) {
    nb::object value = nb::steal(PyObject_GetAttr(object.ptr(), name.ptr()));
    if (!value.is_valid()) throw nb::python_error();
    return value;
}

nb::object call(nb::handle object, const nb::object& method) {
    PyObject* const arguments[] = {object.ptr()};
    nb::object value = nb::steal(PyObject_VectorcallMethod(method.ptr(), arguments, 1, nullptr));
    if (!value.is_valid()) throw nb::python_error();
    return value;
}

/// The integers of a tuple; returns how many.
int read_extents(const nb::object& tuple, Py_ssize_t* out) {
    const Py_ssize_t count = PyTuple_Check(tuple.ptr()) ? PyTuple_GET_SIZE(tuple.ptr()) : -1;
    if (count < 0 || count > array::most_dimensions) return -1;
    for (Py_ssize_t i = 0; i < count; ++i) {
        out[i] = PyNumber_AsSsize_t(PyTuple_GET_ITEM(tuple.ptr(), i), PyExc_OverflowError);
        if (out[i] == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    }
    return static_cast<int>(count);
}

void dense_strides(array& a) {
    Py_ssize_t step = static_cast<Py_ssize_t>(a.item_bytes());
    for (int axis = a.dimensions - 1; axis >= 0; --axis) {
        a.strides[axis] = step;
        step *= a.shape[axis];
    }
}

void read_tensor(nb::handle tensor, const place& where, array& out) {
    const torch_objects& t = torch();
    const nb::object dtype = attribute(tensor, names().dtype);
    out.is_double = dtype.is(t.float64);
    if (!out.is_double && !dtype.is(t.float32)) refuse(tensor, where, "");
    if (!attribute(tensor, names().is_cpu).is(nb::handle(Py_True))) refuse(tensor, where, "");
    out.dimensions = read_extents(attribute(tensor, names().shape), out.shape);
    if (out.dimensions < 0) refuse(tensor, where, " with more than 16 axes");
    if (call(tensor, names().is_contiguous).is(nb::handle(Py_True))) {
        dense_strides(out);
    } else {
        read_extents(call(tensor, names().stride), out.strides);
        for (int axis = 0; axis < out.dimensions; ++axis) {
            out.strides[axis] *= static_cast<Py_ssize_t>(out.item_bytes());
        }
    }
    out.data = static_cast<const std::byte*>(PyLong_AsVoidPtr(call(tensor, names().data_ptr).ptr()));
    if (out.data == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (out.data == nullptr && out.size() != 0) refuse(tensor, where, " without memory");
}

void take_tensor(nb::handle tensor, const place& where, array& out) {
    nb::object held = nb::borrow(tensor);
    try {
        // The imaginary part of a conjugate is a view whose memory has the other sign.
        if (call(tensor, names().is_neg).is(nb::handle(Py_True))) {
            held = tensor.attr("resolve_neg")();
            out.read_only = true;
        }
        read_tensor(held, where, out);
    } catch (nb::python_error& error) { // sparse ones, and others without memory of their own
        refuse(tensor, where, " (" + text_of(error.value()) + ")");
    }
    out.keeps.buffer.obj = held.release().ptr();
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

std::string array::shape_text() const {
    std::string text = "(";
    for (int axis = 0; axis < dimensions; ++axis) {
        text += std::to_string(shape[axis]) + (dimensions == 1 ? "," : axis + 1 < dimensions ? ", " : "");
    }
    return text + ")";
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
    dense_strides(*this);
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
    out.from == kind::torch ? take_tensor(object, where, out) : take_buffer(object, where, out);
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
