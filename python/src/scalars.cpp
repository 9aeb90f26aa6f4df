// SPDX-License-Identifier: Apache-2.0
#include "scalars.hpp"

#include "arrays.hpp"

namespace bitstep::python {
namespace {

bool is_number(nb::handle object) {
    return PyFloat_Check(object.ptr()) || (PyLong_Check(object.ptr()) && !PyBool_Check(object.ptr()));
}

} // namespace

double read_number(nb::handle object, const char* name) {
    if (PyFloat_CheckExact(object.ptr())) return PyFloat_AS_DOUBLE(object.ptr());
    nb::object number = nb::borrow(object);
    if (!is_number(object) && nb::hasattr(object, "item") && nb::hasattr(object, "ndim") &&
        object.attr("ndim").equal(nb::int_(0))) {
        number = object.attr("item")();
    }
    if (!is_number(number)) throw_type_error(std::string(name) + " must be a real number, got " + describe(object));
    const double value = PyFloat_AsDouble(number.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw_value_error(std::string(name) + " must be in the range of double, got " + text_of(object));
    }
    return value;
}

long long read_integer(nb::handle object, const char* name) {
    nb::object number = nb::steal(PyBool_Check(object.ptr()) ? nullptr : PyNumber_Index(object.ptr()));
    if (!number.is_valid()) {
        PyErr_Clear();
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
    if (!PyUnicode_Check(accumulate.ptr())) {
        throw_type_error("accumulate must be \"native\" or \"wide\", got " + describe(accumulate));
    }
    const std::string mode = text_of(accumulate);
    if (mode == "wide") {
        chosen.accumulate = accumulate_mode::wide;
    } else if (mode != "native") {
        throw_value_error("accumulate must be \"native\" or \"wide\", got \"" + mode + "\"");
    }
    return chosen;
}

bool read_flag(nb::handle object, const char* name) {
    if (!PyBool_Check(object.ptr())) {
        throw_type_error(std::string(name) + " must be True or False, got " + describe(object));
    }
    return object.is(nb::handle(Py_True));
}

} // namespace bitstep::python
