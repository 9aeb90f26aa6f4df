// SPDX-License-Identifier: Apache-2.0
// The mean over workers of a whole dictionary of gradients: one call of the library per dtype, whatever the number of
// names, so that one team of threads shares all of them.
#include "gil.hpp"
#include "results.hpp"
#include "scalars.hpp"
#include "verbs.hpp"

#include <bitstep/bitstep.hpp>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace bitstep::python {
namespace {

constexpr const char* argument = "worker_grads";

/// One name: what all workers' tensors of it have to be, and their mean.
struct named {
    nb::object name;
    kind from;
    bool is_double;
    int dimensions;
    std::size_t shape; ///< where it begins in gathered::shapes
    std::size_t size;
    output mean;
};

/// In a layout that has to be copied, and where the copy's address belongs.
struct odd_tensor {
    array tensor;
    std::size_t pointer;
};

struct held_tensor {
    hold keeps;
    std::size_t pointer;
};

/// Everything the workers handed over, kept alive until the mean is done.
struct gathered {
    std::vector<nb::object> workers;
    std::vector<named> names;
    std::vector<Py_ssize_t> shapes;
    std::vector<nb::object> tensors; ///< own references: another thread may change the dictionaries during the call
    std::vector<held_tensor> holds;
    std::deque<odd_tensor> odd;        ///< no moves: what has to be copied while the GIL is released
    std::vector<const void*> pointers; ///< [name][worker]
    bool ran_code = false; ///< of the caller's: a tensor of a subclass, a name that is not just a str, a mode
};

void gather_workers(nb::handle worker_grads, gathered& g) {
    if (!PyList_Check(worker_grads.ptr()) && !PyTuple_Check(worker_grads.ptr())) {
        throw_type_error("worker_grads must be a list with one dict per worker, got " + describe(worker_grads));
    }
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(worker_grads.ptr());
    if (count == 0) throw_value_error("worker_grads must have at least one worker, got none");
    for (Py_ssize_t i = 0; i < count; ++i) {
        const nb::object worker = nb::borrow(PySequence_Fast_GET_ITEM(worker_grads.ptr(), i));
        if (!PyDict_Check(worker.ptr())) {
            throw_type_error(place{argument, i}.text() + " must be a dict of name -> tensor, got " + describe(worker));
        }
        g.workers.push_back(worker);
    }
}

/// Notes where its elements lie. What else keeps them is kept, too: a buffer, a tensor in place of a negated view.
void keep(array& a, std::size_t worker, std::size_t name, gathered& g) {
    const std::size_t pointer = name * g.workers.size() + worker;
    g.pointers[pointer] = a.data;
    g.ran_code = g.ran_code || a.runs_code;
    if (!a.is_dense()) {
        g.odd.push_back({std::move(a), pointer});
    } else if (a.keeps.buffer || a.keeps.owner.is_valid()) {
        g.holds.push_back({std::move(a.keeps), pointer});
    }
}

/// The names of the first worker in the order in which it gives them, and its tensors.
std::vector<nb::object> names_and_tensors(gathered& g) {
    std::vector<nb::object> names;
    PyObject* const dict = g.workers[0].ptr();
    if (PyDict_CheckExact(dict)) {
        PyObject* key = nullptr;
        PyObject* value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value) != 0;) {
            names.push_back(nb::borrow(key));
            g.tensors.push_back(nb::borrow(value));
        }
        return names;
    }
    for (const nb::handle key : g.workers[0]) { // an OrderedDict has an order of its own
        names.push_back(nb::borrow(key));
        PyObject* const value = PyDict_GetItemWithError(dict, key.ptr());
        if (value == nullptr && PyErr_Occurred() == nullptr) PyErr_SetObject(PyExc_KeyError, key.ptr());
        if (value == nullptr) throw nb::python_error();
        g.tensors.push_back(nb::borrow(value));
    }
    return names;
}

void gather_first(gathered& g) {
    const std::vector<nb::object> names = names_and_tensors(g);
    const std::size_t workers = g.workers.size();
    g.names.reserve(names.size());
    g.tensors.reserve(names.size() * workers);
    g.pointers.resize(names.size() * workers);
    bool asked = false, code_runs = false;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const nb::object& name = names[k];
        if (!PyUnicode_Check(name.ptr())) {
            throw_type_error("the names in worker_grads[0] must be str, got " + describe(name));
        }
        array a;
        take(g.tensors[k], {argument, 0, name.ptr()}, a);
        if (a.from == kind::torch && !std::exchange(asked, true)) code_runs = output::runs_code(a);
        g.ran_code = g.ran_code || !PyUnicode_CheckExact(name.ptr());
        g.names.push_back({name, a.from, a.is_double, a.dimensions, g.shapes.size(), a.size(), output(a, code_runs)});
        g.ran_code = g.ran_code || g.names.back().mean.ran_code();
        g.shapes.insert(g.shapes.end(), a.shape, a.shape + a.dimensions);
        keep(a, 0, k, g);
    }
}

/// To look a name up in it may run a __hash__ or __eq__ of the caller's.
bool has_keys_of_its_own(PyObject* dict) {
    PyObject* key = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, nullptr) != 0;) {
        if (!PyUnicode_CheckExact(key)) return true;
    }
    return false;
}

/// A new reference for each name of the first worker's.
void gather_references(gathered& g, std::size_t worker) {
    PyObject* const dict = g.workers[worker].ptr();
    const auto text = [worker] { return place{argument, static_cast<Py_ssize_t>(worker)}.text(); };
    Py_ssize_t at = 0;
    bool same_order = true; // as dictionaries of one model have it: then no name is hashed
    for (const named& n : g.names) {
        PyObject* key = nullptr;
        PyObject* value = nullptr;
        same_order = same_order && PyDict_Next(dict, &at, &key, &value) != 0 && PyUnicode_CheckExact(key) &&
                     PyUnicode_CheckExact(n.name.ptr()) && PyUnicode_Compare(key, n.name.ptr()) == 0;
        if (!same_order) value = PyDict_GetItemWithError(dict, n.name.ptr());
        if (value == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
        if (value == nullptr) {
            throw_value_error(text() + " must have the names of worker_grads[0], got none called " + repr_of(n.name));
        }
        g.tensors.push_back(nb::borrow(value));
    }
    g.ran_code = g.ran_code || (!same_order && has_keys_of_its_own(dict));
    if (PyDict_Size(dict) == static_cast<Py_ssize_t>(g.names.size())) return;
    for (const nb::handle name : nb::borrow<nb::dict>(g.workers[worker]).keys()) {
        const int known = PyDict_Contains(g.workers[0].ptr(), name.ptr());
        if (known < 0) throw nb::python_error();
        if (known == 0) {
            throw_value_error(text() + " must have the names of worker_grads[0], got also " + repr_of(name));
        }
    }
}

void expect_as_first(const array& a, const named& n, const gathered& g) {
    const place first{argument, 0, n.name.ptr()};
    expect_like(a, n.from, n.is_double, first);
    const Py_ssize_t* const shape = g.shapes.data() + n.shape;
    if (a.dimensions == n.dimensions && std::equal(shape, shape + n.dimensions, a.shape)) return;
    throw_value_error(a.where.text() + " must have the shape " + shape_text(shape, n.dimensions) + " of " +
                      first.text() + ", got " + a.shape_text());
}

/// Worker by worker, as a model's tensors were made: they lie in memory in that order, and name by name would touch one
/// page per tensor (DTLB).
void gather_tensors(gathered& g) {
    gather_first(g);
    const std::size_t workers = g.workers.size();
    for (std::size_t i = 1; i < workers; ++i) {
        gather_references(g, i);
        for (std::size_t k = 0; k < g.names.size(); ++k) {
            array a;
            take(g.tensors[i * g.names.size() + k], {argument, static_cast<Py_ssize_t>(i), g.names[k].name.ptr()}, a);
            expect_as_first(a, g.names[k], g);
            keep(a, i, k, g);
        }
    }
}

/// expect_still() of arrays.hpp, of all that is noted.
void expect_all_still(const gathered& g) {
    if (!g.ran_code) return;
    for (const named& n : g.names) n.mean.expect_still();
    const std::size_t workers = g.workers.size();
    const hold nothing_to_ask;
    std::vector<const hold*> holds(g.pointers.size());
    for (const held_tensor& one : g.holds) holds[one.pointer] = &one.keeps;
    for (const odd_tensor& one : g.odd) {
        expect_one_still(one.tensor);
        holds[one.pointer] = &nothing_to_ask;
    }
    for (std::size_t i = 0; i < g.tensors.size(); ++i) {
        const named& n = g.names[i % g.names.size()];
        const std::size_t worker = i / g.names.size();
        const std::size_t pointer = i % g.names.size() * workers + worker;
        const hold* const held = holds[pointer];
        if (held != nullptr && !held->owner.is_valid()) continue; // a buffer does not move; odd ones are done
        array a;
        a.object = g.tensors[i];
        a.where = {argument, static_cast<Py_ssize_t>(worker), n.name.ptr()};
        if (held != nullptr) a.keeps.owner = held->owner;
        a.from = n.from;
        a.is_double = n.is_double;
        a.dimensions = n.dimensions;
        a.data = static_cast<const std::byte*>(g.pointers[pointer]);
        a.elements = n.size;
        std::copy_n(g.shapes.data() + n.shape, n.dimensions, a.shape);
        a.set_dense_strides();
        expect_one_still(a);
    }
}

std::vector<long long> read_counts(nb::handle counts, std::size_t workers) {
    std::vector<long long> read;
    if (counts.is_none()) return read;
    PyObject* const c = counts.ptr();
    const bool is_text = PyUnicode_Check(c) || PyBytes_Check(c) || PyByteArray_Check(c) || PyMemoryView_Check(c);
    nb::object list;
    if (!is_text && !PyDict_Check(c) && PySequence_Check(c)) {
        list = nb::steal(PySequence_List(c));
        if (!list.is_valid()) clear_or_throw(); // an array of no axes
    }
    if (!list.is_valid()) throw_type_error("counts must be None or a list of integers, got " + describe(counts));
    for (const nb::handle one : list) {
        read.push_back(read_integer(one, ("counts[" + std::to_string(read.size()) + "]").c_str()));
    }
    if (read.size() != workers) {
        throw_value_error("counts must have one integer per worker, " + std::to_string(workers) + ", got " +
                          std::to_string(read.size()));
    }
    return read;
}

template <class T>
status compute(gathered& g, const std::vector<long long>& counts, const options& opts) {
    const std::size_t workers = g.workers.size();
    std::vector<worker_tensor<T>> tensors;
    tensors.reserve(g.names.size());
    for (std::size_t k = 0; k < g.names.size(); ++k) {
        if (g.names[k].is_double != (sizeof(T) == sizeof(double))) continue;
        const T* const* pointers = reinterpret_cast<const T* const*>(g.pointers.data() + k * workers);
        tensors.push_back({nullptr, pointers, g.names[k].mean.data<T>(), g.names[k].size});
    }
    return allreduce_mean<T>(tensors.data(), tensors.size(), workers, counts.empty() ? nullptr : counts.data(), opts);
}

} // namespace

nb::object mean(nb::handle worker_grads, nb::handle counts, nb::handle threads, nb::handle accumulate) {
    gathered g;
    gather_workers(worker_grads, g);
    const std::vector<long long> weights = read_counts(counts, g.workers.size());
    const options opts = read_options(threads, accumulate);
    gather_tensors(g);
    expect_all_still(g);
    status done;
    {
        const without_gil released;
        for (odd_tensor& one : g.odd) {
            one.tensor.make_dense();
            g.pointers[one.pointer] = one.tensor.data;
        }
        done = compute<float>(g, weights, opts);
        if (done.ok()) done = compute<double>(g, weights, opts);
    }
    raise_unless_ok(done);
    nb::dict result;
    for (const named& n : g.names) result[n.name] = n.mean.finish();
    return result;
}

} // namespace bitstep::python
