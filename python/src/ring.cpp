// SPDX-License-Identifier: Apache-2.0
// The simulator of a ring all-reduce, with its messages as tuples.
#include "gil.hpp"
#include "results.hpp"
#include "scalars.hpp"
#include "verbs.hpp"

#include <bitstep/bitstep.hpp>

#include <algorithm>
#include <vector>

namespace bitstep::python {
namespace {

constexpr const char* argument = "worker_vectors";

std::vector<array> take_vectors(nb::handle worker_vectors) {
    if (!PyList_Check(worker_vectors.ptr()) && !PyTuple_Check(worker_vectors.ptr())) {
        throw_type_error("worker_vectors must be a list with one vector per worker, got " + describe(worker_vectors));
    }
    // Own references to all of them first: to look at one may run code that shortens the list.
    std::vector<nb::object> items;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(worker_vectors.ptr()); ++i) {
        items.push_back(nb::borrow(PySequence_Fast_GET_ITEM(worker_vectors.ptr(), i)));
    }
    if (items.empty()) throw_value_error("worker_vectors must have at least one vector, got none");
    std::vector<array> vectors(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        const place where{argument, static_cast<Py_ssize_t>(i)};
        array& a = vectors[i];
        if (i == 0) {
            take(items[0], where, a);
            if (a.dimensions != 1) throw_value_error(where.text() + " must have the shape (n,), got " + a.shape_text());
        } else {
            take_like(items[i], where, vectors[0], a);
            expect_vector(a, vectors[0].extent(0), "of worker_vectors[0]");
        }
    }
    return vectors;
}

std::vector<ring_event> room_for_events(std::size_t workers) {
    return with_room([&] { return std::vector<ring_event>(ring_event_count(workers)); },
                     argument, // the workers squared
                     "has more messages than there is memory to trace them");
}

nb::list list_of(const std::vector<ring_event>& events) {
    nb::list list;
    for (const ring_event& e : events) {
        list.append(nb::make_tuple(e.phase == ring_phase::reduce_scatter ? "reduce_scatter" : "all_gather", e.round,
                                   e.sender, e.receiver, e.chunk));
    }
    return list;
}

} // namespace

nb::object ring(nb::handle worker_vectors, nb::handle op, nb::handle trace) {
    const ring_op operation = read_choice(op, "op", "mean", "sum") == 0 ? ring_op::mean : ring_op::sum;
    const bool traced = read_flag(trace, "trace");
    std::vector<array> vectors = take_vectors(worker_vectors);
    const std::size_t workers = vectors.size();
    const std::size_t size = vectors[0].extent(0);
    std::vector<ring_event> events;
    if (traced) events = room_for_events(workers);
    std::vector<output> results;
    const bool code_runs = output::runs_code(vectors[0]);
    for (const array& a : vectors) results.emplace_back(a, size, code_runs);
    const auto ran_code = [](const output& a) { return a.ran_code(); };
    const auto took_code = [](const array& a) { return a.runs_code; };
    if (std::any_of(results.begin(), results.end(), ran_code) ||
        std::any_of(vectors.begin(), vectors.end(), took_code)) {
        for (const array& a : vectors) expect_one_still(a);
        for (const output& one : results) one.expect_still();
    }
    const status done = with_type(vectors[0].is_double, [&]<class T>(T) {
        const without_gil released;
        std::vector<const T*> in;
        std::vector<T*> out;
        for (std::size_t i = 0; i < workers; ++i) {
            in.push_back(dense<T>(vectors[i]));
            out.push_back(results[i].data<T>());
        }
        return simulate_ring_allreduce<T>(in.data(), workers, size, operation, out.data(),
                                          traced ? events.data() : nullptr);
    });
    raise_unless_ok(done);
    nb::list finals;
    for (const output& one : results) finals.append(one.finish());
    if (!traced) return finals;
    return nb::make_tuple(finals, list_of(events));
}

} // namespace bitstep::python
