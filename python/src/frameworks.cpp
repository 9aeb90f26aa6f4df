// SPDX-License-Identifier: Apache-2.0
#include "frameworks.hpp"

#include "texts.hpp"

#include <memory>

namespace bitstep::python {
namespace {

/// A module that somebody has imported already, or an invalid object.
nb::object imported(const char* name) {
    nb::object found = nb::steal(PyImport_GetModule(nb::str(name).ptr()));
    if (!found.is_valid()) PyErr_Clear();
    return found;
}

struct numpy_objects {
    nb::object array_type, memmap_type, empty, float32, float64;
};
const numpy_objects* numpy = nullptr; // load_numpy's

/// Null where torch has not been imported, or not to its end: it has its tensor type long before all that is needed here.
const torch_objects* torch_if_imported() {
    static const torch_objects* kept = nullptr;
    return made_once(kept, []() -> std::unique_ptr<torch_objects> {
        const nb::object module = imported("torch");
        if (!module.is_valid()) return nullptr;
        const nb::object spec = attribute(module, "__spec__");
        const nb::object importing = spec.is_valid() ? attribute(spec, "_initializing") : nb::object();
        if (importing.is_valid() && importing.is(nb::handle(Py_True))) return nullptr;
        try {
            nb::object increment = nb::getattr(module.attr("autograd").attr("graph"), "increment_version", nb::none());
            const nb::object empty = module.attr("empty"), empty_like = module.attr("empty_like");
            const bool by_itself = PyCFunction_Check(empty.ptr()) && PyCFunction_Check(empty_like.ptr());
            return std::unique_ptr<torch_objects>(
                new torch_objects{module.attr("Tensor"), module.attr("nn").attr("Parameter"), empty, empty_like,
                                  module.attr("float32"), module.attr("float64"), module.attr("device")("cpu"),
                                  module.attr("_C"), std::move(increment), by_itself});
        } catch (nb::python_error& error) {
            if (!tells_wrong_type(error)) throw;
            return nullptr;
        }
    });
}

bool is_jax_array(nb::handle object) {
    // The type of the last array seen: isinstance on jax.Array takes microseconds.
    static PyTypeObject* concrete = nullptr;
    if (Py_TYPE(object.ptr()) == concrete) return true;
    const nb::object module = imported("jax");
    if (!module.is_valid() || !nb::hasattr(module, "Array")) return false;
    const int answer = PyObject_IsInstance(object.ptr(), nb::object(module.attr("Array")).ptr());
    if (answer < 0) clear_or_throw(); // a __class__ that raises
    if (answer == 1) {
        Py_XDECREF(concrete);
        concrete = reinterpret_cast<PyTypeObject*>(nb::borrow(object.type()).release().ptr());
    }
    return answer == 1;
}

} // namespace

kind kind_of(nb::handle object) {
    PyTypeObject* const type = Py_TYPE(object.ptr());
    if (is_plain_numpy(object) || object.type().is(numpy->memmap_type)) return kind::numpy;
    const torch_objects* const t = torch_if_imported();
    if (t != nullptr && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(t->tensor_type.ptr()))) {
        return kind::torch;
    }
    return is_jax_array(object) ? kind::jax : kind::none;
}

bool is_plain_numpy(nb::handle object) { return object.type().is(numpy->array_type); }

bool is_plain_tensor(nb::handle object) {
    return object.type().is(torch().tensor_type) || object.type().is(torch().parameter_type);
}

const char* kind_name(kind which) {
    switch (which) {
    case kind::numpy:
        return "numpy.ndarray";
    case kind::torch:
        return "torch.Tensor";
    case kind::jax:
        return "jax.Array";
    case kind::none:
        break;
    }
    return "array";
}

const torch_objects& torch() {
    const torch_objects* const found = torch_if_imported();
    if (found == nullptr) throw nb::type_error("torch is not imported");
    return *found;
}

void load_numpy() {
    const nb::object module = nb::module_::import_("numpy");
    numpy = new numpy_objects{module.attr("ndarray"), module.attr("memmap"), module.attr("empty"),
                              module.attr("dtype")("float32"), module.attr("dtype")("float64")};
}

const nb::object& numpy_empty() { return numpy->empty; }
const nb::object& numpy_dtype(bool is_double) { return is_double ? numpy->float64 : numpy->float32; }

nb::object to_jax(const nb::object& numpy_array, nb::handle like) {
    const nb::object device = nb::steal(PyIter_Next(nb::iter(like.attr("devices")()).ptr()));
    if (!device.is_valid()) throw nb::python_error();
    nb::object result = nb::module_::import_("jax").attr("device_put")(numpy_array, device);
    if (!result.attr("dtype").equal(numpy_array.attr("dtype"))) {
        PyErr_SetString(PyExc_RuntimeError, "JAX would turn the float64 result into float32: enable jax_enable_x64");
        throw nb::python_error();
    }
    return result;
}

write_mark::write_mark(nb::handle tensor) {
    if (nb::cast<bool>(tensor.attr("is_inference")())) return; // has no version
    if (torch().increment_version.is_none()) {
        // Before torch 2.1: an in-place operation on no element, through an alias that has the same version counter.
        function_ = tensor.attr("detach")().attr("narrow")(0, 0, 0).attr("zero_");
    } else {
        function_ = torch().increment_version;
        argument_ = nb::borrow(tensor);
    }
}

void write_mark::set() const {
    if (!function_.is_valid()) return;
    const nb::object done = nb::steal(argument_.is_valid() ? PyObject_CallOneArg(function_.ptr(), argument_.ptr())
                                                           : PyObject_CallNoArgs(function_.ptr()));
    if (!done.is_valid()) PyErr_WriteUnraisable(function_.ptr());
}

} // namespace bitstep::python
