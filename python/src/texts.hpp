// SPDX-License-Identifier: Apache-2.0
// The words of errors: how an argument is called, what it is, and exceptions that say so. An object of the caller's may run
// anything when it is asked for its text: what it raises there becomes "?", but an interrupt goes through.
#pragma once

#include <nanobind/nanobind.h>

#include <new>
#include <stdexcept>
#include <string>

namespace bitstep::python {

namespace nb = nanobind;

/// str(object) and repr(object) for messages, a NUL as \x00: it would end the message.
std::string text_of(nb::handle object);
std::string repr_of(nb::handle object);
/// repr of a str as str has it, also of a subclass with a __str__ or __repr__ of its own.
std::string quoted(nb::handle text);

/// Names an argument in messages: "X", "worker_vectors[2]", "worker_grads[2]['w']".
struct place {
    const char* argument;
    Py_ssize_t index = -1;
    PyObject* key = nullptr;
    std::string text() const;
};

[[noreturn]] void throw_type_error(const std::string& message);
[[noreturn]] void throw_value_error(const std::string& message);
/// Takes the GIL where it has to.
[[noreturn]] void throw_memory_error(const place& where, const std::string& why);

/// f(), whose containers may be longer than memory or than any container can be: MemoryError then. Needs no GIL.
template <class F>
decltype(auto) with_room(F&& f, const char* argument, const char* why) {
    try {
        return f();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) { // a vector above 2^63 bytes
    }
    throw_memory_error({argument}, why);
}

/// "torch.Tensor of torch.float16 on cpu", "numpy.ndarray of int64", "list".
std::string describe(nb::handle object);
/// "(2, 3)", "(4,)", "()".
std::string shape_text(const Py_ssize_t* shape, int dimensions);

/// The attribute, or an invalid object where there is none or asking for it raises.
nb::object attribute(nb::handle object, const char* name);
/// An exception that an argument of the wrong type may raise when it is looked at; all else (an interrupt, no memory) is the
/// caller's to see.
bool tells_wrong_type(const nb::python_error& error);
/// The same of the exception that is set, which is cleared then; else it is thrown.
void clear_or_throw();

} // namespace bitstep::python
