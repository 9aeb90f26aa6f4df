// SPDX-License-Identifier: Apache-2.0
// The whole step, and its second half in place.
#include "gil.hpp"
#include "results.hpp"
#include "scalars.hpp"
#include "verbs.hpp"

#include <bitstep/bitstep.hpp>

#include <vector>

namespace bitstep::python {
namespace {

/// The last axis of X lies in one piece, its rows have one stride within (w, a), and so have the targets there: then
/// nothing need be copied, whatever the outer axes are.
bool shards_can_say_it(const array& xs, const array& ys) {
    const auto item = static_cast<Py_ssize_t>(ys.item_bytes());
    return row_step(xs) != 0 && ys.is_dense(2) && ys.strides[0] % item == 0 && ys.strides[1] % item == 0 &&
           xs.strides[0] % item == 0 && xs.strides[1] % item == 0;
}

/// One shard per (w, a).
template <class T>
std::vector<shard_view<T>> shards_of(const array& xs, const array& ys) {
    std::vector<shard_view<T>> shards;
    shards.reserve(xs.extent(0) * xs.extent(1));
    for (Py_ssize_t w = 0; w < xs.shape[0]; ++w) {
        for (Py_ssize_t a = 0; a < xs.shape[1]; ++a) {
            shards.push_back({reinterpret_cast<const T*>(xs.data + w * xs.strides[0] + a * xs.strides[1]),
                              reinterpret_cast<const T*>(ys.data + w * ys.strides[0] + a * ys.strides[1]), xs.extent(2),
                              row_step(xs) / sizeof(T)});
        }
    }
    return shards;
}

/// Needs no GIL.
template <class T>
status step(array& xs, array& ys, const state_view<const T>& state, const hyper_parameters& hyper, vector_view<T> out,
            const options& opts) {
    const std::size_t d = xs.extent(3);
    if ((xs.is_dense() && ys.is_dense()) || !shards_can_say_it(xs, ys)) {
        const worker_batches<T> batches{dense<T>(xs), dense<T>(ys), xs.extent(0), xs.extent(1), xs.extent(2), d};
        return bitstep::distributed_step<T>(batches, state, hyper, out, opts);
    }
    // A broadcast may have any number of shards.
    const std::vector<shard_view<T>> shards = with_room([&] { return shards_of<T>(xs, ys); }, xs.where.argument,
                                                        "has more micro-batches than there is memory to list them");
    return bitstep::distributed_step<T>(row_sequence<T>{shards.data(), shards.size(), d}, state, hyper, out, opts);
}

struct state_arrays {
    array weights, ema_weights, m, v;

    void take_all(nb::handle w, nb::handle e, nb::handle first, nb::handle second, const array& like,
                  std::size_t features, const char* what) {
        const auto one = [&](nb::handle object, const char* argument, array& out) {
            take_like(object, {argument}, like, out);
            expect_vector(out, features, what);
        };
        one(w, "weights", weights);
        one(e, "ema_weights", ema_weights);
        one(first, "m", m);
        one(second, "v", v);
    }
};

} // namespace

nb::object distributed_step(nb::handle worker_xs, nb::handle worker_ys, nb::handle weights, nb::handle ema_weights,
                            nb::handle m, nb::handle v, nb::handle lr, nb::handle beta1, nb::handle beta2,
                            nb::handle eps, nb::handle decay, nb::handle t, nb::handle threads, nb::handle accumulate) {
    const hyper_parameters hyper = read_hyper(lr, beta1, beta2, eps, decay, t);
    const options opts = read_options(threads, accumulate);
    array xs, ys;
    take(worker_xs, {"worker_xs"}, xs);
    expect_dimensions(xs, 4, "(W, A, B, d)");
    take_like(worker_ys, {"worker_ys"}, xs, ys);
    if (ys.dimensions != 3 || ys.shape[0] != xs.shape[0] || ys.shape[1] != xs.shape[1] || ys.shape[2] != xs.shape[2]) {
        throw_value_error("worker_ys must have the first three axes (W, A, B) of worker_xs, whose shape is " +
                          xs.shape_text() + ", got the shape " + ys.shape_text());
    }
    const std::size_t d = xs.extent(3);
    if (d > static_cast<std::size_t>(PY_SSIZE_T_MAX) / 4 / xs.item_bytes()) {
        throw_value_error("worker_xs must have features for a result below 2^63 bytes, got the shape " +
                          xs.shape_text());
    }
    state_arrays state;
    state.take_all(weights, ema_weights, m, v, xs, d, "of worker_xs' features");
    return with_type(xs.is_double, [&]<class T>(T) {
        const output result(xs, 4 * d, output::runs_code(xs));
        const vector_view<T> out{result.data<T>(), 4 * d};
        expect_still({&xs, &ys, &state.weights, &state.ema_weights, &state.m, &state.v}, result);
        status done;
        {
            const without_gil released;
            const state_view<const T> now{dense<T>(state.weights), dense<T>(state.ema_weights), dense<T>(state.m),
                                          dense<T>(state.v), d};
            done = step<T>(xs, ys, now, hyper, out, opts);
        }
        raise_unless_ok(done, xs, ys);
        return result.finish();
    });
}

void adam_ema_update(nb::handle grad, nb::handle weights, nb::handle ema_weights, nb::handle m, nb::handle v,
                     nb::handle lr, nb::handle beta1, nb::handle beta2, nb::handle eps, nb::handle decay, nb::handle t,
                     nb::handle threads, nb::handle check_state) {
    const hyper_parameters hyper = read_hyper(lr, beta1, beta2, eps, decay, t);
    options opts = read_options(threads);
    opts.check_state = read_flag(check_state, "check_state") ? check_mode::on : check_mode::off;
    array g;
    take(grad, {"grad"}, g);
    expect_dimensions(g, 1, "(d,)");
    state_arrays state;
    state.take_all(weights, ema_weights, m, v, g, g.extent(0), "of grad");
    for (const array* a : {&state.weights, &state.ema_weights, &state.m, &state.v}) expect_writable(*a);
    std::vector<write_mark> marks;
    if (g.from == kind::torch) {
        for (const nb::handle written : {weights, ema_weights, m, v}) marks.emplace_back(written);
    }
    expect_still({&g, &state.weights, &state.ema_weights, &state.m, &state.v}); // a mark asks the tensor, too
    const status done = with_type(g.is_double, [&]<class T>(T) {
        const auto writable = [](const array& a) {
            return const_cast<T*>(reinterpret_cast<const T*>(a.data)); // expect_writable has seen it
        };
        const without_gil released;
        const state_view<T> now{writable(state.weights), writable(state.ema_weights), writable(state.m),
                                writable(state.v), g.extent(0)};
        return bitstep::adam_ema_update<T>(vector<T>(g), now, hyper, opts);
    });
    raise_unless_ok(done);
    for (const write_mark& mark : marks) mark.set();
}

} // namespace bitstep::python
