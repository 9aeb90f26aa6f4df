// SPDX-License-Identifier: Apache-2.0
// Which library an array belongs to, and new arrays of the same library for results. NumPy is imported when this module is;
// torch and JAX are never imported here: whoever passes one of their arrays has imported them.
#pragma once

#include <nanobind/nanobind.h>

namespace bitstep::python {

namespace nb = nanobind;

enum class kind { none, numpy, torch, jax };

/// `none` for everything else, also for subclasses of ndarray whose elements are not the whole story (masked arrays).
kind kind_of(nb::handle object);
const char* kind_name(kind which);
/// Of the very type, whose fields and attributes no subclass can have changed: numpy.ndarray; torch.Tensor or Parameter.
bool is_plain_numpy(nb::handle object);
bool is_plain_tensor(nb::handle object);

/// Keeps what `make` makes at the first call, a std::unique_ptr. No function-local static: making it runs Python, where
/// another thread may get the GIL and then wait, with the GIL, for the static's guard. So two threads may both make one;
/// the first that is done is kept. An empty one is not kept: the next call tries again.
template <class T, class Make>
const T* made_once(const T*& kept, Make make) {
    if (kept != nullptr) [[likely]]
        return kept;
    auto made = make();
    if (kept == nullptr)
        kept = made.release(); // never freed: at the interpreter's end its module may be gone before it
    return kept;
}

/// Imports NumPy, once, when this module is imported: an import in the middle of a call could wait for another thread.
void load_numpy();
const nb::object& numpy_empty();
const nb::object& numpy_dtype(bool is_double);

/// Objects of torch, once it has been imported to its end.
struct torch_objects {
    nb::object tensor_type, parameter_type, empty, empty_like, float32, float64, cpu, c_module, increment_version;
    bool makes_by_itself; ///< empty and empty_like are functions in C, as torch has them
};
const torch_objects& torch();

/// A NumPy array (tensor, JAX array) in NumPy's memory to the JAX device on which `like` lives.
nb::object to_jax(const nb::object& numpy_array, nb::handle like);

/// Tells torch's autograd that a tensor was written to, as an in-place operation of torch's does. Whatever may fail is done
/// when it is made, before the write.
class write_mark {
public:
    explicit write_mark(nb::handle tensor);
    /// After the write: never raises.
    void set() const;

private:
    nb::object function_, argument_;
};

} // namespace bitstep::python
