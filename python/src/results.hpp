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
    output(const array& like, std::size_t size, bool code_runs);
    /// Of the same shape.
    output(const array& like, bool code_runs);
    /// Whether making results of this kind may run the caller's code: then each is looked at like an argument. To be asked once
    /// in a call: it takes 60 ns, a twentieth of making a tensor.
    static bool runs_code(const array& like);

    template <class T>
    T* data() const {
        return static_cast<T*>(data_);
    }
    nb::object finish() const;
    /// Making it ran, or may have run, the caller's code.
    bool ran_code() const { return ran_code_; }
    /// As expect_one_still() of arrays.hpp: making one result may run code that moves an earlier one.
    void expect_still() const;

private:
    void own(nb::object made, bool code_runs, const Py_ssize_t* shape, int dimensions);

    nb::handle like_;
    kind kind_;
    bool is_double_;
    bool ran_code_ = false;
    std::size_t size_;
    nb::object made_;
    void* data_ = nullptr;
};

/// As expect_still() of arrays.hpp, with the result.
void expect_still(std::initializer_list<const array*> arrays, const output& result);

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
