// SPDX-License-Identifier: Apache-2.0
// The whole step, and its second half in place.
#include "results.hpp"
#include "scalars.hpp"
#include "verbs.hpp"

#include <bitstep/bitstep.hpp>

#include <cstdio>
#include <vector>

namespace bitstep::python {
namespace {

/// The last axis of X lies in one piece, its rows have one stride within (w, a), and so have the targets there: then
/// nothing need be copied, whatever the outer axes are.
bool shards_can_say_it(const array& xs, const array& ys) {
    return row_step(xs) != 0 && ys.is_dense(2) && reinterpret_cast<std::uintptr_t>(ys.data) % ys.item_bytes() == 0 &&
           ys.strides[0] % static_cast<Py_ssize_t>(ys.item_bytes()) == 0 &&
           ys.strides[1] % static_cast<Py_ssize_t>(ys.item_bytes()) == 0 &&
           xs.strides[0] % static_cast<Py_ssize_t>(xs.item_bytes()) == 0 &&
           xs.strides[1] % static_cast<Py_ssize_t>(xs.item_bytes()) == 0;
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

/// "shards[5].x must ..." becomes "worker_xs[2, 1] must ..." with two micro-batches.
void raise_step(const status& done, std::size_t micro_batches) {
    std::size_t shard = 0;
    char member = 0;
    if (std::sscanf(done.message(), "shards[%zu].%c", &shard, &member) == 2) {
        const std::string place =
            "[" + std::to_string(shard / micro_batches) + ", " + std::to_string(shard % micro_batches) + "]";
        const std::string prefix = "shards[" + std::to_string(shard) + "]." + member;
        raise_unless_ok(done, {{prefix.c_str(), (member == 'x' ? "worker_xs" : "worker_ys") + place}});
    }
    raise_unless_ok(done, {{"w", "weights"}});
}

struct state_arrays {
    array weights, ema_weights, m, v;

    void take_all(nb::handle w, nb::handle e, nb::handle first, nb::handle second, const array& like, const char* name,
                  std::size_t features, const char* what) {
        const auto one = [&](nb::handle object, const char* argument, array& out) {
            take_like(object, {argument}, like, name, out);
            expect_vector(out, {argument}, features, what);
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
    array xs, ys;
    take(worker_xs, {"worker_xs"}, xs);
    expect_dimensions(xs, {"worker_xs"}, 4, "(W, A, B, d)");
    take_like(worker_ys, {"worker_ys"}, xs, "worker_xs", ys);
    if (ys.dimensions != 3 || ys.shape[0] != xs.shape[0] || ys.shape[1] != xs.shape[1] || ys.shape[2] != xs.shape[2]) {
        throw_value_error("worker_ys must have the first three axes (W, A, B) of worker_xs, whose shape is " +
                          xs.shape_text() + ", got the shape " + ys.shape_text());
    }
    const std::size_t d = xs.extent(3);
    state_arrays state;
    state.take_all(weights, ema_weights, m, v, xs, "worker_xs", d, "of worker_xs' features");
    const hyper_parameters hyper = read_hyper(lr, beta1, beta2, eps, decay, t);
    const options opts = read_options(threads, accumulate);
    return with_type(xs.is_double, [&]<class T>(T) {
        const output result(xs, 4 * d);
        const vector_view<T> out{result.data<T>(), 4 * d};
        status done;
        {
            const nb::gil_scoped_release released;
            const state_view<const T> now{dense<T>(state.weights), dense<T>(state.ema_weights), dense<T>(state.m),
                                          dense<T>(state.v), d};
            if ((xs.is_dense() && ys.is_dense()) || !shards_can_say_it(xs, ys)) {
                const worker_batches<T> batches{dense<T>(xs), dense<T>(ys), xs.extent(0),
                                                xs.extent(1), xs.extent(2), d};
                done = bitstep::distributed_step<T>(batches, now, hyper, out, opts);
            } else {
                const std::vector<shard_view<T>> shards = shards_of<T>(xs, ys);
                done = bitstep::distributed_step<T>(row_sequence<T>{shards.data(), shards.size(), d}, now, hyper, out,
                                                    opts);
            }
        }
        if (!done.ok()) raise_step(done, xs.extent(1));
        return result.finish();
    });
}

void adam_ema_update(nb::handle grad, nb::handle weights, nb::handle ema_weights, nb::handle m, nb::handle v,
                     nb::handle lr, nb::handle beta1, nb::handle beta2, nb::handle eps, nb::handle decay, nb::handle t,
                     nb::handle threads, nb::handle check_state) {
    array g;
    take(grad, {"grad"}, g);
    expect_dimensions(g, {"grad"}, 1, "(d,)");
    const std::size_t d = g.extent(0);
    state_arrays state;
    state.take_all(weights, ema_weights, m, v, g, "grad", d, "of grad");
    expect_writable(state.weights, {"weights"});
    expect_writable(state.ema_weights, {"ema_weights"});
    expect_writable(state.m, {"m"});
    expect_writable(state.v, {"v"});
    const hyper_parameters hyper = read_hyper(lr, beta1, beta2, eps, decay, t);
    options opts = read_options(threads);
    opts.check_state = read_flag(check_state, "check_state") ? check_mode::on : check_mode::off;
    const status done = with_type(g.is_double, [&]<class T>(T) {
        const auto writable = [](const array& a) {
            return const_cast<T*>(reinterpret_cast<const T*>(a.data)); // expect_writable has seen it
        };
        const nb::gil_scoped_release released;
        const state_view<T> now{writable(state.weights), writable(state.ema_weights), writable(state.m),
                                writable(state.v), d};
        return bitstep::adam_ema_update<T>(vector<T>(g), now, hyper, opts);
    });
    raise_unless_ok(done);
    if (g.from != kind::torch) return;
    for (const nb::handle written : {weights, ema_weights, m, v}) mark_written(written);
}

} // namespace bitstep::python
