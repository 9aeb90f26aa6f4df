// SPDX-License-Identifier: Apache-2.0
// What goes back to Python: new arrays of the caller's kind, and the library's status as an exception.
#pragma once

#include "arrays.hpp"

#include <bitstep/status.hpp>

#include <initializer_list>
#include <utility>

namespace bitstep::python {

/// A new array of the kind and dtype of `like`. For JAX it is NumPy's until it is finished.
class output {
public:
    output(const array& like, nb::handle shape);
    output(const array& like, std::size_t size);
    /// Of the same shape.
    explicit output(const array& like);

    template <class T>
    T* data() const {
        return static_cast<T*>(data_);
    }
    nb::object finish() const;

private:
    void own(nb::object made);

    nb::handle like_;
    kind kind_;
    nb::object made_;
    void* data_ = nullptr;
};

using renaming = std::initializer_list<std::pair<const char*, std::string>>;

/// ok: returns. Else ValueError, MemoryError or RuntimeError with the library's message, in which an argument that the
/// message starts with gets its name in Python.
void raise_unless_ok(const status& done, renaming names = {});

/// f(T{}) with T = double or float.
template <class F>
decltype(auto) with_type(bool is_double, F&& f) {
    return is_double ? f(double{}) : f(float{});
}

} // namespace bitstep::python
