// SPDX-License-Identifier: Apache-2.0
#include "tensors.hpp"

#include "dlpack.hpp"

#include <algorithm>

namespace bitstep::python {
namespace {

/// Something that is asked of every tensor. torch makes getters and methods in C: where the type of the tensor is torch's
/// own, they are called without looking their names up first (a third of their time); a subclass may have others.
class tensor_attribute {
public:
    explicit tensor_attribute(const char* name) : name_(nb::steal(PyUnicode_InternFromString(name))) {
        const nb::object found = torch().tensor_type.attr(name);
        if (Py_IS_TYPE(found.ptr(), &PyGetSetDescr_Type)) {
            getter_ = reinterpret_cast<PyGetSetDescrObject*>(found.ptr())->d_getset;
        } else if (Py_IS_TYPE(found.ptr(), &PyMethodDescr_Type)) {
            method_ = reinterpret_cast<PyMethodDescrObject*>(found.ptr())->d_method;
        }
    }

    nb::object get(nb::handle tensor, bool plain) const {
        return checked(plain && getter_ != nullptr ? getter_->get(tensor.ptr(), getter_->closure)
                                                   : PyObject_GetAttr(tensor.ptr(), name_.ptr()));
    }

    nb::object call(nb::handle tensor, bool plain) const {
        const int flags = plain && method_ != nullptr ? method_->ml_flags : 0;
        if (flags == METH_NOARGS) return checked(method_->ml_meth(tensor.ptr(), nullptr));
        if (flags == (METH_VARARGS | METH_KEYWORDS)) {
            const auto with_keywords =
                reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void (*)()>(method_->ml_meth));
            return checked(with_keywords(tensor.ptr(), no_arguments_.ptr(), nullptr));
        }
        PyObject* const arguments[] = {tensor.ptr()};
        return checked(PyObject_VectorcallMethod(name_.ptr(), arguments, 1, nullptr));
    }

    bool is_true(nb::handle tensor, bool plain) const { return call(tensor, plain).is(nb::handle(Py_True)); }

private:
    static nb::object checked(PyObject* made) {
        if (made == nullptr) throw nb::python_error();
        return nb::steal(made);
    }

    nb::object name_;
    nb::object no_arguments_ = nb::steal(PyTuple_New(0));
    const PyGetSetDef* getter_ = nullptr;
    const PyMethodDef* method_ = nullptr;
};

/// torch's exchange functions, or null before torch 2.10.
const dlpack::exchange_table* exchange_table() {
    const nb::object capsule = nb::getattr(torch().tensor_type, dlpack::table_attribute, nb::none());
    if (!PyCapsule_IsValid(capsule.ptr(), dlpack::table_capsule)) return nullptr;
    const auto* table =
        static_cast<const dlpack::exchange_table*>(PyCapsule_GetPointer(capsule.ptr(), dlpack::table_capsule));
    return table->major == dlpack::major_version && table->view != nullptr ? table : nullptr;
}

struct tensor_access {
    tensor_attribute dtype{"dtype"}, is_cpu{"is_cpu"}, shape{"shape"}, is_contiguous{"is_contiguous"}, is_neg{"is_neg"},
        stride{"stride"}, data_ptr{"data_ptr"};
    /// f, types, (tensor,) -> f(tensor) as torch has it, whatever the tensor's class overrides.
    nb::object without_overrides = torch().parameter_type.attr("__torch_function__");
    /// How many modes are on, and a capsule with what dlpack::tensor says. Modes came with torch 1.13.
    nb::object function_modes = nb::getattr(torch().c_module, "_len_torch_function_stack", nb::none());
    nb::object dispatch_modes = nb::getattr(torch().c_module, "_len_torch_dispatch_stack", nb::none());
    nb::object to_dlpack = nb::getattr(torch().c_module, "_to_dlpack", nb::none());
    const dlpack::exchange_table* exchange = exchange_table();
};

const tensor_access& access() {
    static const tensor_access* kept = nullptr;
    return *made_once(kept, [] { return std::make_unique<tensor_access>(); });
}

/// The integers of a tuple that has array::most_dimensions at most; returns how many.
int read_extents(const nb::object& tuple, const place& where, Py_ssize_t* out) {
    if (!PyTuple_Check(tuple.ptr())) throw nb::type_error("its shape and strides are no tuples");
    const Py_ssize_t count = PyTuple_GET_SIZE(tuple.ptr());
    if (count > array::most_dimensions) refuse_dimensions(where, count);
    for (Py_ssize_t i = 0; i < count; ++i) {
        out[i] = PyNumber_AsSsize_t(PyTuple_GET_ITEM(tuple.ptr(), i), PyExc_OverflowError);
        if (out[i] == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    }
    return static_cast<int>(count);
}

/// Unsigned: an axis of one element may have any stride.
void make_strides_bytes(array& a) {
    for (int axis = 0; axis < a.dimensions; ++axis) {
        a.strides[axis] = static_cast<Py_ssize_t>(static_cast<std::size_t>(a.strides[axis]) * a.item_bytes());
    }
}

/// False, and nothing done, for whatever is not described as floats in the memory of the CPU.
bool read_description(const dlpack::tensor& t, array& out) {
    const bool is_float = t.code == dlpack::code_float && t.lanes == 1 && (t.bits == 32 || t.bits == 64);
    if (!is_float || t.device_type != dlpack::device_cpu || t.dimensions > array::most_dimensions) return false;
    if (t.data == nullptr && std::find(t.shape, t.shape + t.dimensions, 0) == t.shape + t.dimensions) return false;
    out.is_double = t.bits == 64;
    out.dimensions = t.dimensions;
    for (int axis = 0; axis < t.dimensions; ++axis) {
        out.shape[axis] = static_cast<Py_ssize_t>(t.shape[axis]);
        out.strides[axis] = static_cast<Py_ssize_t>(t.strides[axis]);
    }
    make_strides_bytes(out);
    out.data = static_cast<const std::byte*>(t.data) + t.byte_offset;
    return true;
}

/// One call instead of five (40 ns instead of 250 ns). False: the attributes then word the refusal.
bool read_exchanged(nb::handle tensor, array& out) {
    dlpack::tensor t;
    if (access().exchange->view(tensor.ptr(), &t) == 0) return read_description(t, out);
    clear_or_throw();
    return false;
}

/// Before torch 2.10 every getter goes through the function modes, but this does not. It takes 470 ns, and may ask a class
/// with a __torch_dispatch__ for a view.
bool read_capsule(nb::handle tensor, array& out) {
    const nb::object capsule = nb::steal(PyObject_CallOneArg(access().to_dlpack.ptr(), tensor.ptr()));
    const void* const managed = capsule.is_valid() ? PyCapsule_GetPointer(capsule.ptr(), "dltensor") : nullptr;
    // The description is the first member.
    if (managed != nullptr) return read_description(*static_cast<const dlpack::tensor*>(managed), out);
    clear_or_throw();
    return false;
}

bool any_on(const nb::object& count) {
    if (count.is_none()) return false;
    const nb::object modes = nb::steal(PyObject_CallNoArgs(count.ptr()));
    if (!modes.is_valid()) throw nb::python_error();
    return PyLong_AsLong(modes.ptr()) != 0;
}

/// As torch itself has it, of a tensor that was taken or made.
bool read_by_torch(nb::handle tensor, const array& then, array& now) {
    if (access().exchange != nullptr) return read_exchanged(tensor, now);
    if (any_on(access().function_modes)) return read_capsule(tensor, now);
    const auto ask = [&](const char* method) {
        return access().without_overrides(torch().tensor_type.attr(method), nb::tuple(), nb::make_tuple(tensor));
    };
    now.is_double = then.is_double;
    now.dimensions = read_extents(ask("size"), then.where, now.shape);
    if (read_extents(ask("stride"), then.where, now.strides) != now.dimensions) return false;
    make_strides_bytes(now);
    now.data = static_cast<const std::byte*>(PyLong_AsVoidPtr(ask("data_ptr").ptr()));
    return nb::cast<std::size_t>(ask("element_size")) == then.item_bytes();
}

void read_attributes(nb::handle tensor, bool plain, const place& where, array& out) {
    const torch_objects& t = torch();
    const tensor_access& ask = access();
    const nb::object dtype = ask.dtype.get(tensor, plain);
    out.is_double = dtype.is(t.float64);
    if (!out.is_double && !dtype.is(t.float32)) refuse(tensor, where, "");
    if (!ask.is_cpu.get(tensor, plain).is(nb::handle(Py_True))) refuse(tensor, where, "");
    out.dimensions = read_extents(ask.shape.get(tensor, plain), where, out.shape);
    if (ask.is_contiguous.is_true(tensor, plain)) {
        out.set_dense_strides();
    } else {
        const int strides = read_extents(ask.stride.call(tensor, plain), where, out.strides);
        if (strides != out.dimensions) refuse(tensor, where, " with a stride for " + std::to_string(strides) + " axes");
        make_strides_bytes(out);
    }
    out.data = static_cast<const std::byte*>(PyLong_AsVoidPtr(ask.data_ptr.call(tensor, plain).ptr()));
    if (out.data == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (out.data == nullptr && !out.is_empty()) refuse(tensor, where, " without memory");
}

} // namespace

void take_tensor(nb::handle tensor, const place& where, array& out) {
    bool plain = is_plain_tensor(tensor);
    out.runs_code = !plain;
    try {
        // The imaginary part of a conjugate is a view whose memory has the other sign; DLPack's functions do not tell.
        if (access().is_neg.is_true(tensor, plain)) {
            out.keeps.owner = tensor.attr("resolve_neg")();
            out.read_only = true;
            tensor = out.keeps.owner;
            plain = is_plain_tensor(tensor);
        }
        if (!plain || access().exchange == nullptr || !read_exchanged(tensor, out)) {
            read_attributes(tensor, plain, where, out);
        }
    } catch (nb::python_error& error) {
        if (!tells_wrong_type(error)) throw;
        // Sparse ones, and others without memory of their own.
        refuse(tensor, where, " (" + text_of(error.value()) + ")");
    }
}

bool tensor_lies_still(const array& a) {
    array now;
    if (!read_by_torch(a.keeps.owner.is_valid() ? a.keeps.owner : a.object, a, now)) return false;
    if (now.is_double != a.is_double || now.dimensions != a.dimensions || now.data != a.data) return false;
    for (int axis = 0; axis < a.dimensions; ++axis) {
        if (now.shape[axis] != a.shape[axis]) return false;
        if (a.shape[axis] > 1 && now.strides[axis] != a.strides[axis]) return false;
    }
    return true;
}

bool result_lies_still(const array& made) {
    array now;
    if (!read_by_torch(made.object, made, now)) return false;
    std::size_t size = 1;
    for (int axis = 0; axis < now.dimensions; ++axis) size *= now.extent(axis);
    return now.is_double == made.is_double && size == made.size() && now.is_dense() && now.data == made.data;
}

bool torch_may_run_code() {
    return !torch().makes_by_itself || any_on(access().function_modes) || any_on(access().dispatch_modes);
}

void* address_of(nb::handle tensor) {
    void* const address = PyLong_AsVoidPtr(access().data_ptr.call(tensor, true).ptr());
    if (address == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    return address;
}

void* address_if_right(nb::handle tensor, bool is_double, const Py_ssize_t* shape, int dimensions) {
    array made;
    bool right = false;
    try {
        take(tensor, {"the result"}, made);
        right = made.from == kind::torch && made.is_double == is_double && made.dimensions == dimensions &&
                std::equal(shape, shape + dimensions, made.shape) && made.is_dense() && !made.read_only;
    } catch (nb::python_error& error) {
        if (!tells_wrong_type(error)) throw;
    } catch (nb::builtin_exception&) { // take's own refusals
    }
    if (right) return const_cast<std::byte*>(made.data);
    const nb::object its_shape = attribute(tensor, "shape");
    throw_type_error(std::string("the result must be a tensor with memory on the CPU, contiguous, of ") +
                     (is_double ? "float64" : "float32") + " and the shape " + shape_text(shape, dimensions) +
                     ", got " + describe(tensor) + (its_shape.is_valid() ? " of the shape " + text_of(its_shape) : "") +
                     " from torch.empty: one of torch's modes is on");
}

} // namespace bitstep::python
