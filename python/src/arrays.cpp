// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include "numpy_fields.hpp"
#include "tensors.hpp"

#include <algorithm>
#include <cstring>

namespace bitstep::python {
namespace {

constexpr const char* wanted = "a NumPy array, a CPU torch tensor or a JAX array on the CPU, of float32 or float64";

void take_buffer(nb::handle object, const place& where, array& out) {
    auto buffer = std::make_unique<Py_buffer>();
    Py_buffer& b = *buffer;
    if (PyObject_GetBuffer(object.ptr(), &b, PyBUF_RECORDS_RO) != 0) {
        const nb::python_error error; // fetches it
        if (!tells_wrong_type(error)) throw error;
        refuse(object, where, " (" + text_of(error.value()) + ")");
    }
    out.keeps.buffer.reset(buffer.release());
    // '@', '=' and '^' are this machine's byte order; '=' is also what NumPy says of unaligned elements.
    const char* format = b.format == nullptr ? "B" : b.format;
    if (*format == '@' || *format == '=' || *format == '^') ++format;
    const bool is_float = std::strcmp(format, "f") == 0;
    out.is_double = std::strcmp(format, "d") == 0;
    if (!is_float && !out.is_double) refuse(object, where, "");
    if (b.ndim > array::most_dimensions) refuse_dimensions(where, b.ndim);
    out.dimensions = b.ndim;
    out.data = static_cast<const std::byte*>(b.buf);
    out.read_only = b.readonly != 0;
    for (int axis = 0; axis < b.ndim; ++axis) {
        out.shape[axis] = b.shape[axis];
        out.strides[axis] = b.strides[axis];
    }
}

/// The product of the extents, once, with everything that could wrap.
void count_elements(array& a) {
    std::size_t bytes = a.item_bytes();
    bool fits = true;
    a.elements = 1;
    for (int axis = 0; axis < a.dimensions; ++axis) {
        a.elements *= a.extent(axis);
        fits =
            fits && a.shape[axis] >= 0 && !__builtin_mul_overflow(bytes, a.extent(axis) + (a.shape[axis] == 0), &bytes);
    }
    if (!fits || bytes > static_cast<std::size_t>(PY_SSIZE_T_MAX)) {
        throw_value_error(a.where.text() + " must be below 2^63 bytes, got the shape " + a.shape_text());
    }
}

} // namespace

void refuse(nb::handle object, const place& where, const std::string& why) {
    throw_type_error(where.text() + " must be " + wanted + ", got " + describe(object) + why);
}

void refuse_dimensions(const place& where, Py_ssize_t dimensions) {
    throw_value_error(where.text() + " must have at most " + std::to_string(array::most_dimensions) + " axes, got " +
                      std::to_string(dimensions));
}

void take(nb::handle object, const place& where, array& out) {
    out.object = nb::borrow(object);
    out.where = where;
    out.from = kind_of(object);
    if (out.from == kind::none) {
        const bool like_an_array =
            attribute(object, "__array__").is_valid() || attribute(object, "__dlpack__").is_valid();
        refuse(object, where, like_an_array ? " (convert it first)" : "");
    }
    if (out.from == kind::torch) {
        take_tensor(object, where, out);
    } else if (!read_numpy_fields(object, out)) {
        take_buffer(object, where, out);
    }
    count_elements(out);
}

void expect_like(const array& a, kind from, bool is_double, const place& like) {
    if (a.from == from && a.is_double == is_double) return;
    throw_type_error(a.where.text() + " must be a " + kind_name(from) + " of " + (is_double ? "float64" : "float32") +
                     " as " + like.text() + " is, got " + describe(a.object));
}

void take_like(nb::handle object, const place& where, const array& like, array& out) {
    take(object, where, out);
    expect_like(out, like.from, like.is_double, like.where);
}

void expect_dimensions(const array& a, int dimensions, const char* axes) {
    if (a.dimensions != dimensions) {
        throw_value_error(a.where.text() + " must have the shape " + axes + ", got " + a.shape_text());
    }
    if (a.size() == 0) throw_value_error(a.where.text() + " must have no empty axis, got the shape " + a.shape_text());
}

void expect_vector(const array& a, std::size_t size, const char* what) {
    if (a.dimensions != 1 || a.extent(0) != size) {
        throw_value_error(a.where.text() + " must have the shape (" + std::to_string(size) + ",) " + what + ", got " +
                          a.shape_text());
    }
}

void expect_writable(const array& a) {
    if (a.from == kind::jax) throw_type_error(a.where.text() + " is updated in place, which no jax.Array allows");
    if (a.read_only)
        throw_value_error(a.where.text() + " is updated in place and must be writable, got a read-only array");
    if (!a.is_dense()) {
        throw_value_error(a.where.text() + " is updated in place and must be contiguous and aligned, got strides of " +
                          std::to_string(a.strides[0]) + " bytes for elements of " + std::to_string(a.item_bytes()));
    }
}

void expect_one_still(const array& a) {
    bool still = true; // a held buffer does not move
    if (a.from == kind::torch) {
        still = tensor_lies_still(a);
    } else if (!a.keeps.buffer) {
        array again;
        still = read_numpy_fields(a.object, again) && again.data == a.data && again.dimensions == a.dimensions &&
                std::equal(a.shape, a.shape + a.dimensions, again.shape) &&
                std::equal(a.strides, a.strides + a.dimensions, again.strides);
    }
    if (!still && a.size() != 0) throw_moved(a.where);
}

void throw_moved(const place& where) {
    throw_value_error(where.text() + " must stay where it is while the arguments are read, got moved by one of them");
}

void expect_still(std::initializer_list<const array*> arrays) {
    const auto runs_code = [](const array* a) { return a->runs_code; };
    const bool of_torch = (*arrays.begin())->from == kind::torch; // so are all of one call
    if (!(of_torch && torch_may_run_code()) && std::none_of(arrays.begin(), arrays.end(), runs_code)) return;
    for (const array* a : arrays) expect_one_still(*a);
}

} // namespace bitstep::python
