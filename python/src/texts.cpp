// SPDX-License-Identifier: Apache-2.0
#include "texts.hpp"

#include "frameworks.hpp"
#include "gil.hpp"

namespace bitstep::python {
namespace {

std::string utf8(nb::handle text) {
    Py_ssize_t size = 0;
    const char* const characters = text.is_valid() ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
    if (characters == nullptr) {
        clear_or_throw(); // surrogates, or a __str__ that raises
        return "?";
    }
    std::string all(characters, static_cast<std::size_t>(size));
    for (std::size_t at = 0; (at = all.find('\0', at)) != std::string::npos;) all.replace(at, 1, "\\x00");
    return all;
}

/// Of what `attribute` found.
std::string text_if_any(const nb::object& found) { return found.is_valid() ? text_of(found) : "?"; }

} // namespace

std::string text_of(nb::handle object) { return utf8(nb::steal(PyObject_Str(object.ptr()))); }
std::string repr_of(nb::handle object) { return utf8(nb::steal(PyObject_Repr(object.ptr()))); }
std::string quoted(nb::handle text) { return utf8(nb::steal(PyUnicode_Type.tp_repr(text.ptr()))); }

std::string place::text() const {
    std::string text = argument;
    if (index >= 0) text += "[" + std::to_string(index) + "]";
    if (key != nullptr) text += "[" + repr_of(key) + "]";
    return text;
}

void throw_type_error(const std::string& message) { throw nb::type_error(message.c_str()); }
void throw_value_error(const std::string& message) { throw nb::value_error(message.c_str()); }

void throw_memory_error(const place& where, const std::string& why) {
    const with_gil acquired;
    PyErr_SetString(PyExc_MemoryError, (where.text() + " " + why).c_str());
    throw nb::python_error();
}

std::string describe(nb::handle object) {
    if (object.is_none()) return "None";
    const nb::handle type = object.type();
    const std::string module = text_if_any(attribute(type, "__module__"));
    std::string text = text_if_any(attribute(type, "__qualname__"));
    if (module != "builtins") text = module + "." + text;
    const nb::object dtype = attribute(object, "dtype");
    if (dtype.is_valid()) {
        text += " of " + text_of(dtype);
        if (kind_of(object) == kind::torch) text += " on " + text_if_any(attribute(object, "device"));
    }
    return text;
}

std::string shape_text(const Py_ssize_t* shape, int dimensions) {
    std::string text = "(";
    for (int axis = 0; axis < dimensions; ++axis) {
        text += std::to_string(shape[axis]) + (dimensions == 1 ? "," : axis + 1 < dimensions ? ", " : "");
    }
    return text + ")";
}

nb::object attribute(nb::handle object, const char* name) {
    nb::object found = nb::steal(PyObject_GetAttrString(object.ptr(), name));
    if (!found.is_valid()) clear_or_throw();
    return found;
}

bool tells_wrong_type(const nb::python_error& error) {
    return error.matches(PyExc_Exception) && !error.matches(PyExc_MemoryError);
}

void clear_or_throw() {
    if (PyErr_ExceptionMatches(PyExc_Exception) == 0 || PyErr_ExceptionMatches(PyExc_MemoryError) != 0) {
        throw nb::python_error();
    }
    PyErr_Clear();
}

} // namespace bitstep::python
