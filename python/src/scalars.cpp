// SPDX-License-Identifier: Apache-2.0
#include "scalars.hpp"

#include "texts.hpp"

#include <string>

namespace bitstep::python {
namespace {

bool is_integer(nb::handle object) { return PyLong_Check(object.ptr()) && !PyBool_Check(object.ptr()); }

bool is_number(nb::handle object) { return PyFloat_Check(object.ptr()) || is_integer(object); }

/// What an array of no axes or a NumPy scalar holds, as Python's object. Invalid for an array with axes, and for what is no
/// number though its item() is one: the time spans of NumPy in nanoseconds, and whatever an array of objects holds.
nb::object plain(nb::handle object) {
    const nb::object dimensions = attribute(object, "ndim");
    if (!dimensions.is_valid()) return nb::borrow(object); // no array
    if (!PyLong_CheckExact(dimensions.ptr()) || !dimensions.equal(nb::int_(0))) return {};
    const nb::object dtype = attribute(object, "dtype");
    const nb::object letter = dtype.is_valid() ? attribute(dtype, "kind") : nb::object(); // torch's have none
    if (letter.is_valid() && PyUnicode_Check(letter.ptr())) {
        for (const char* refused : {"m", "M", "O"}) {
            if (PyUnicode_CompareWithASCIIString(letter.ptr(), refused) == 0) return {};
        }
    }
    const nb::object item = attribute(object, "item");
    if (!item.is_valid()) return {};
    nb::object held = nb::steal(PyObject_CallNoArgs(item.ptr()));
    if (!held.is_valid()) clear_or_throw(); // no memory of its own, or traced by JAX
    return held;
}

} // namespace

double read_number(nb::handle object, const char* name) {
    if (PyFloat_CheckExact(object.ptr())) return PyFloat_AS_DOUBLE(object.ptr());
    const nb::object number = is_number(object) ? nb::borrow(object) : plain(object);
    if (!number.is_valid() || !is_number(number)) {
        throw_type_error(std::string(name) + " must be a real number, got " + describe(object));
    }
    const double value = PyFloat_AsDouble(number.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0)
            throw nb::python_error(); // of a __float__ of the caller's
        PyErr_Clear();
        throw_value_error(std::string(name) + " must be in the range of double, got " + text_of(object));
    }
    return value;
}

long long read_integer(nb::handle object, const char* name) {
    nb::object number = PyLong_CheckExact(object.ptr()) ? nb::borrow(object) : plain(object);
    if (number.is_valid() && !PyLong_Check(number.ptr())) { // item() of an array may be a float: that has no __index__
        number = nb::steal(PyNumber_Index(number.ptr()));
        if (!number.is_valid()) clear_or_throw();
    }
    if (!number.is_valid() || !is_integer(number)) {
        throw_type_error(std::string(name) + " must be an integer, got " + describe(object));
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) {
        throw_value_error(std::string(name) + " must be within 64 bits, got " + text_of(object));
    }
    return value;
}

hyper_parameters read_hyper(nb::handle lr, nb::handle beta1, nb::handle beta2, nb::handle eps, nb::handle decay,
                            nb::handle t) {
    hyper_parameters hyper;
    hyper.lr = read_number(lr, "lr");
    hyper.beta1 = read_number(beta1, "beta1");
    hyper.beta2 = read_number(beta2, "beta2");
    hyper.eps = read_number(eps, "eps");
    hyper.decay = read_number(decay, "decay");
    hyper.t = read_integer(t, "t");
    return hyper;
}

options read_options(nb::handle threads) {
    options chosen;
    if (threads.is_none()) return chosen;
    const long long count = read_integer(threads, "threads");
    if (count < 1 || count > 1024) {
        throw_value_error("threads must be None or in [1, 1024], got " + std::to_string(count));
    }
    chosen.threads = static_cast<int>(count);
    return chosen;
}

options read_options(nb::handle threads, nb::handle accumulate) {
    options chosen = read_options(threads);
    if (read_choice(accumulate, "accumulate", "native", "wide") == 1) chosen.accumulate = accumulate_mode::wide;
    return chosen;
}

bool read_flag(nb::handle object, const char* name) {
    if (!PyBool_Check(object.ptr())) {
        throw_type_error(std::string(name) + " must be True or False, got " + describe(object));
    }
    return object.is(nb::handle(Py_True));
}

int read_choice(nb::handle object, const char* name, const char* first, const char* second) {
    const bool is_text = PyUnicode_Check(object.ptr());
    if (is_text && PyUnicode_CompareWithASCIIString(object.ptr(), first) == 0) return 0;
    if (is_text && PyUnicode_CompareWithASCIIString(object.ptr(), second) == 0) return 1;
    const std::string rule = std::string(name) + " must be \"" + first + "\" or \"" + second + "\", got ";
    if (is_text) throw_value_error(rule + quoted(object));
    throw_type_error(rule + describe(object));
}

} // namespace bitstep::python
