// SPDX-License-Identifier: Apache-2.0
// Taking the caller's arrays: NumPy's by their fields, JAX's and unusual NumPy ones through the buffer protocol
// (numpy_fields.hpp), torch's through its own functions (tensors.hpp). Nothing is ever converted: another dtype, device or
// kind is an error that names the argument. Memory is used where it lies; only an input in a layout that no view can
// describe is copied, once (layout.cpp).
//
// A function reads its numbers and options first, then its arrays, then releases the GIL: reading a number may run the
// caller's code, which may free an array's memory whose address was taken before. So may taking a tensor of a subclass,
// and with one of torch's modes on even making a result: then expect_still() looks at all of them once more, as the last step
// with the GIL.
#pragma once

#include "frameworks.hpp"
#include "texts.hpp"

#include <bitstep/views.hpp>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>

namespace bitstep::python {

/// Keeps the memory of an array while the GIL is released.
struct hold {
    struct releasing {
        void operator()(Py_buffer* held) const {
            PyBuffer_Release(held);
            delete held;
        }
    };
    nb::object owner; ///< a tensor in place of the caller's negated view
    std::unique_ptr<Py_buffer, releasing> buffer;
};

/// What an argument is: checked to be float or double in the memory of the CPU, in whatever layout.
struct array {
    static constexpr int most_dimensions = 16;

    nb::object object; ///< the caller's
    place where{nullptr};
    kind from = kind::none;
    bool is_double = false;
    bool read_only = false;
    bool runs_code = false; ///< taking it ran, or may have run, the caller's code
    int dimensions = 0;
    const std::byte* data = nullptr;
    std::size_t elements = 0; ///< below 2^63 bytes, also with every empty axis counted as one
    Py_ssize_t shape[most_dimensions];
    Py_ssize_t strides[most_dimensions]; ///< in bytes
    hold keeps;
    std::unique_ptr<std::byte[]> copy; ///< dense elements, where the layout asked for a copy

    std::size_t item_bytes() const { return is_double ? sizeof(double) : sizeof(float); }
    std::size_t extent(int axis) const { return static_cast<std::size_t>(shape[axis]); }
    std::size_t size() const { return elements; }
    bool is_empty() const;
    void set_dense_strides();
    std::string shape_text() const { return python::shape_text(shape, dimensions); }
    /// Aligned, and the axes from `axis` on lie one after another as in C order.
    bool is_dense(int axis = 0) const;
    /// From here on a copy in C order; does nothing where the array lies so. Needs no GIL. MemoryError names the array.
    void make_dense();
};

/// Fills `out`, or throws TypeError. `like`: an earlier argument whose kind and dtype are wanted.
void take(nb::handle object, const place& where, array& out);
void take_like(nb::handle object, const place& where, const array& like, array& out);
/// TypeError unless `a` is of that kind and dtype, as the argument `like` is.
void expect_like(const array& a, kind from, bool is_double, const place& like);

/// ValueError unless the array has so many axes and no empty one. `names`: such as "(N, d)".
void expect_dimensions(const array& a, int dimensions, const char* names);
/// ValueError unless the array is one axis of `size`, which `what` explains.
void expect_vector(const array& a, std::size_t size, const char* what);
/// ValueError where an array is to be written to and cannot be, or not in place.
void expect_writable(const array& a);

/// ValueError where an array of those that are to be read lies elsewhere than when it was taken. Runs no code of the
/// caller's. Costs next to nothing where none has run.
void expect_still(std::initializer_list<const array*> arrays);
/// The same of one array, whatever it is.
void expect_one_still(const array& a);
[[noreturn]] void throw_moved(const place& where);

/// The elements in C order, copied first where they do not lie so. Needs no GIL.
template <class T>
const T* dense(array& a) {
    a.make_dense();
    return reinterpret_cast<const T*>(a.data);
}

template <class T>
vector_view<const T> vector(array& a) {
    return {dense<T>(a), a.size()};
}

/// Where the rows of the last two axes lie: bytes from row to row, or 0 where no view of the rows can say it.
std::size_t row_step(const array& a);

/// (N, d) with the caller's row stride, or a copy. Needs no GIL.
template <class T>
matrix_view<const T> matrix(array& a) {
    if (row_step(a) == 0) a.make_dense();
    return {reinterpret_cast<const T*>(a.data), a.extent(0), a.extent(1), row_step(a) / sizeof(T)};
}

} // namespace bitstep::python
