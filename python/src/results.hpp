// SPDX-License-Identifier: Apache-2.0
// What goes back to Python: new arrays of the caller's kind, and the library's status as an exception.
#pragma once

#include "arrays.hpp"

#include <bitstep/status.hpp>

#include <cstddef>

namespace bitstep::python {

/// A new array of the kind and dtype of `like`. For JAX it is NumPy's until it is finished.
class output {
public:
    output(const array& like, std::size_t size);
    /// Of the same shape.
    explicit output(const array& like);

    template <class T>
    T* data() const {
        return static_cast<T*>(data_);
    }
    nb::object finish() const;

private:
    void own(nb::object made, std::size_t size);

    nb::handle like_;
    kind kind_;
    nb::object made_;
    void* data_ = nullptr;
};

/// ok: returns. Else ValueError, MemoryError or RuntimeError with the library's message.
void raise_unless_ok(const status& done);
/// The same of a call that takes rows. Where the status is that something is not finite, and it is an element of X or y,
/// then the library, which sees rows, says another index than the caller's arrays have: it is looked for here, by the
/// arrays, rows in order and y before x. X has one axis more than y.
void raise_unless_ok(const status& done, const array& X, const array& y);

/// f(T{}) with T = double or float.
template <class F>
decltype(auto) with_type(bool is_double, F&& f) {
    return is_double ? f(double{}) : f(float{});
}

} // namespace bitstep::python
