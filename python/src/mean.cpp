// SPDX-License-Identifier: Apache-2.0
// The mean over workers of a whole dictionary of gradients: one call of the library per dtype, whatever the number of
// names, so that one team of threads shares all of them.
#include "results.hpp"
#include "scalars.hpp"
#include "verbs.hpp"

#include <bitstep/bitstep.hpp>

#include <vector>

namespace bitstep::python {
namespace {

constexpr const char* argument = "worker_grads";

/// Everything the workers handed over, kept alive until the mean is done.
struct gathered {
    std::vector<nb::object> workers;
    std::vector<nb::object> names;
    std::vector<hold> holds;
    std::vector<std::unique_ptr<std::byte[]>> copies;
    std::vector<const void*> pointers; ///< [name][worker]
    std::vector<output> means;         ///< [name]
    std::vector<std::size_t> sizes;    ///< [name]
    std::vector<bool> is_double;       ///< [name]
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

/// The names in the first worker's order; every worker must have the same ones.
void gather_names(gathered& g) {
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(g.workers[0].ptr(), &at, &key, &value) != 0;) {
        g.names.push_back(nb::borrow(key));
    }
    for (const nb::object& name : g.names) {
        if (!PyUnicode_Check(name.ptr())) {
            throw_type_error("the names in worker_grads[0] must be str, got " + describe(name));
        }
    }
    for (std::size_t i = 1; i < g.workers.size(); ++i) {
        const std::string worker = place{argument, static_cast<Py_ssize_t>(i)}.text();
        for (const nb::object& name : g.names) {
            const int found = PyDict_Contains(g.workers[i].ptr(), name.ptr());
            if (found < 0) throw nb::python_error();
            if (found == 0) {
                throw_value_error(worker + " must have the names of worker_grads[0], got none called " + repr_of(name));
            }
        }
        if (PyDict_Size(g.workers[i].ptr()) == static_cast<Py_ssize_t>(g.names.size())) continue;
        for (const nb::handle name : nb::borrow<nb::dict>(g.workers[i]).keys()) {
            if (PyDict_Contains(g.workers[0].ptr(), name.ptr()) == 0) {
                throw_value_error(worker + " must have the names of worker_grads[0], got also " + repr_of(name));
            }
        }
    }
}

void expect_same_shape(const array& a, const array& first, const place& where, const place& first_place) {
    bool same = a.dimensions == first.dimensions;
    for (int axis = 0; same && axis < a.dimensions; ++axis) same = a.shape[axis] == first.shape[axis];
    if (!same) {
        throw_value_error(where.text() + " must have the shape " + first.shape_text() + " of " + first_place.text() +
                          ", got " + a.shape_text());
    }
}

void keep(array& a, gathered& g) {
    a.make_dense();
    g.pointers.push_back(a.data);
    g.holds.push_back(std::move(a.keeps));
    if (a.copy) g.copies.push_back(std::move(a.copy));
}

void gather_tensors(gathered& g) {
    const std::size_t total = g.names.size() * g.workers.size();
    g.holds.reserve(total);
    g.pointers.reserve(total);
    g.means.reserve(g.names.size());
    for (const nb::object& name : g.names) {
        const place first_place{argument, 0, name.ptr()};
        array first;
        for (std::size_t i = 0; i < g.workers.size(); ++i) {
            const place where{argument, static_cast<Py_ssize_t>(i), name.ptr()};
            const nb::object tensor = nb::borrow(PyDict_GetItemWithError(g.workers[i].ptr(), name.ptr()));
            if (!tensor.is_valid()) throw_value_error(where.text() + " is gone: the dict was changed during the call");
            if (i == 0) {
                take(tensor, where, first);
                g.means.emplace_back(first, shape_of(first));
                g.sizes.push_back(first.size());
                g.is_double.push_back(first.is_double);
                keep(first, g);
                continue;
            }
            array a;
            take(tensor, where, a);
            if (a.from != first.from || a.is_double != first.is_double) {
                throw_type_error(where.text() + " must be a " + kind_name(first.from) + " of " +
                                 (first.is_double ? "float64" : "float32") + " as " + first_place.text() + " is, got " +
                                 describe(tensor));
            }
            expect_same_shape(a, first, where, first_place);
            keep(a, g);
        }
    }
}

std::vector<long long> read_counts(nb::handle counts, std::size_t workers) {
    std::vector<long long> read;
    if (counts.is_none()) return read;
    if (PyUnicode_Check(counts.ptr()) || PyDict_Check(counts.ptr()) || !PySequence_Check(counts.ptr())) {
        throw_type_error("counts must be None or a list of integers, got " + describe(counts));
    }
    for (const nb::handle one : nb::borrow(counts)) {
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
        if (g.is_double[k] != (sizeof(T) == sizeof(double))) continue;
        const T* const* pointers = reinterpret_cast<const T* const*>(g.pointers.data() + k * workers);
        tensors.push_back({nullptr, pointers, g.means[k].data<T>(), g.sizes[k]});
    }
    return allreduce_mean<T>(tensors.data(), tensors.size(), workers, counts.empty() ? nullptr : counts.data(), opts);
}

} // namespace

nb::object mean(nb::handle worker_grads, nb::handle counts, nb::handle threads, nb::handle accumulate) {
    gathered g;
    gather_workers(worker_grads, g);
    gather_names(g);
    gather_tensors(g);
    const std::vector<long long> weights = read_counts(counts, g.workers.size());
    const options opts = read_options(threads, accumulate);
    status done;
    {
        const nb::gil_scoped_release released;
        done = compute<float>(g, weights, opts);
        if (done.ok()) done = compute<double>(g, weights, opts);
    }
    raise_unless_ok(done);
    nb::dict result;
    for (std::size_t k = 0; k < g.names.size(); ++k) result[g.names[k]] = g.means[k].finish();
    return result;
}

} // namespace bitstep::python
