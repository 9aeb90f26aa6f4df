// SPDX-License-Identifier: Apache-2.0
// Proves: adam_ema_update, allreduce_mean and simulate_ring_allreduce take every error exit with its code and a message
// that names argument, rule and value, and write nothing.
#include "support/arch_threads.hpp"
#include "support/refusal.hpp"
#include "support/state.hpp"
#include "support/typed.hpp"
#include "support/workers.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <cstring>

namespace bitstep_test {
namespace {

using bitstep::status_code;

template <class T>
class validate_stages_test : public testing::Test {};
TYPED_TEST_SUITE(validate_stages_test, element_types, element_names);

template <class T>
struct adam_call {
    static constexpr std::size_t d = 9;
    std::vector<T> flat = make_state<T>(1, d, data_kind::usual);
    std::vector<T> gradient = std::vector<T>(d, T(0.5));
    bitstep::vector_view<const T> grad{gradient.data(), d};
    bitstep::state_view<T> state = quarters(flat.data(), d);
    bitstep::hyper_parameters hyper{0.01, 0.9, 0.999, 1e-8, 0.995, 3};
    bitstep::options opts;

    bitstep::status run() { return bitstep::adam_ema_update<T>(grad, state, hyper, opts); }
    void watch_all(watched_memory& memory) const {
        memory.watch("state", flat.data(), flat.size());
        memory.watch("grad", gradient.data(), gradient.size());
    }
};

TYPED_TEST(validate_stages_test, adam_ema_update) {
    using call = adam_call<TypeParam>;
    const auto null = status_code::null_pointer;
    const auto shape = status_code::invalid_shape;
    const auto number = status_code::invalid_argument;
    const auto overlap = status_code::overlap;
    expect_table_refused<call>({
        {"grad", [](call& c) { c.grad.data = nullptr; }, {null, {"grad must", "null"}}},
        {"weights", [](call& c) { c.state.weights = nullptr; }, {null, {"weights must", "null"}}},
        {"ema_weights", [](call& c) { c.state.ema_weights = nullptr; }, {null, {"ema_weights must", "null"}}},
        {"m", [](call& c) { c.state.m = nullptr; }, {null, {"m must", "null"}}},
        {"v", [](call& c) { c.state.v = nullptr; }, {null, {"v must", "null"}}},
        {"d = 0", [](call& c) { c.grad.size = c.state.features = 0; }, {shape, {"got 0"}}},
        {"sizes", [](call& c) { c.grad.size = 8; }, {shape, {"8", "9"}}},
        {"bytes", [](call& c) { c.grad.size = c.state.features = SIZE_MAX / 2; }, {shape, {"2^63 bytes"}}},
        {"lr", [](call& c) { c.hyper.lr = -1; }, {number, {"lr must be >= 0", "got -1"}}},
        {"beta1", [](call& c) { c.hyper.beta1 = 1; }, {number, {"beta1 must be in [0, 1), got 1"}}},
        {"beta2", [](call& c) { c.hyper.beta2 = -0.5; }, {number, {"beta2 must be in [0, 1), got -0.5"}}},
        {"eps", [](call& c) { c.hyper.eps = 0; }, {number, {"eps must be > 0", "got 0"}}},
        {"decay", [](call& c) { c.hyper.decay = 2; }, {number, {"decay must be in [0, 1], got 2"}}},
        {"t", [](call& c) { c.hyper.t = 0; }, {number, {"t must be >= 1, got 0"}}},
        {"threads", [](call& c) { c.opts.threads = 1025; }, {number, {"threads", "got 1025"}}},
        {"accumulate",
         [](call& c) { c.opts.accumulate = static_cast<bitstep::accumulate_mode>(4); },
         {number, {"accumulate", "got 4"}}},
        {"check_state",
         [](call& c) { c.opts.check_state = static_cast<bitstep::check_mode>(-1); },
         {number, {"check_state", "got -1"}}},
        {"arch",
         [](call& c) { c.opts.arch = static_cast<bitstep::arch>(77); },
         {status_code::arch_unavailable, {"arch", "got 77"}}},
        {"grad is m", [](call& c) { c.grad.data = c.state.m; }, {overlap, {"m", "grad"}}},
        {"grad in part on v", [](call& c) { c.grad.data = c.state.v + 8; }, {overlap, {"v", "grad"}}},
        {"weights is ema",
         [](call& c) { c.state.weights = c.state.ema_weights; },
         {overlap, {"weights", "ema_weights"}}},
        {"m in part on v", [](call& c) { c.state.m = c.state.v - 1; }, {overlap, {"m", "v"}}},
        {"weights over the options",
         [](call& c) { c.state.weights = reinterpret_cast<TypeParam*>(&c.opts); },
         {overlap, {"weights", "options"}}},
        {"m over the scalars",
         [](call& c) { c.state.m = reinterpret_cast<TypeParam*>(&c.hyper); },
         {overlap, {"m must not overlap"}}},
        {"the report in v",
         [](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(c.state.v + 1); },
         {overlap, {"v must", "options.report"}}},
        {"the report in grad",
         [](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(c.gradient.data()); },
         {overlap, {"options.report", "grad"}}},
    });
}

TYPED_TEST(validate_stages_test, adam_ema_update_checks_its_state_on_request) {
    using call = adam_call<TypeParam>;
    const auto bad = std::numeric_limits<TypeParam>::quiet_NaN();
    const auto inf = std::numeric_limits<TypeParam>::infinity();
    const auto on = bitstep::check_mode::on;
    expect_table_refused<call>({
        {"weights",
         [=](call& c) {
             c.opts.check_state = on;
             c.state.weights[8] = bad;
         },
         {status_code::non_finite, {"weights must be finite", "nan"}}},
        {"ema_weights",
         [=](call& c) {
             c.opts.check_state = on;
             c.state.ema_weights[0] = inf;
         },
         {status_code::non_finite, {"ema_weights must be finite", "inf"}}},
        {"m",
         [=](call& c) {
             c.opts.check_state = on;
             c.state.m[4] = -inf;
         },
         {status_code::non_finite, {"m must be finite", "-inf"}}},
        {"v",
         [=](call& c) {
             c.opts.check_state = on;
             c.state.v[4] = bad;
         },
         {status_code::non_finite, {"v must be finite", "nan"}}},
        {"v < 0",
         [=](call& c) {
             c.opts.check_state = on;
             c.state.v[8] = TypeParam(-2);
         },
         {status_code::invalid_argument, {"v must be >= 0", "got -2"}}},
    });
    for (const auto check : {bitstep::check_mode::off, bitstep::check_mode::by_default}) {
        call unchecked;
        unchecked.opts.check_state = check;
        unchecked.state.m[4] = bad;
        unchecked.state.v[5] = TypeParam(-2);
        expect_ok(unchecked.run());
    }
}

/// Two tensors of 3 workers; the second is small.
template <class T>
struct mean_call {
    worker_vectors<T> first = make_workers<T>(1, 3, 40, data_kind::usual);
    worker_vectors<T> second = make_workers<T>(2, 3, 4, data_kind::usual);
    std::vector<T> means = std::vector<T>(44, T(77));
    std::vector<const T*> first_pointers = pointers(first);
    std::vector<const T*> second_pointers = pointers(second);
    bitstep::worker_tensor<T> list[2] = {{"layer.weight", first_pointers.data(), means.data(), 40},
                                         {"layer.bias", second_pointers.data(), means.data() + 40, 4}};
    const bitstep::worker_tensor<T>* tensors = list;
    std::size_t count = 2;
    std::size_t workers = 3;
    std::vector<long long> counts = {};
    bitstep::options opts;

    static std::vector<const T*> pointers(const worker_vectors<T>& of) {
        return {of[0].data(), of[1].data(), of[2].data()};
    }
    /// An output of one element over something else, so that a call which lets it pass breaks no more than that.
    void put_second(void* place) {
        list[1].mean = static_cast<T*>(place);
        list[1].size = 1;
    }
    bitstep::status run() {
        return bitstep::allreduce_mean<T>(tensors, count, workers, counts.empty() ? nullptr : counts.data(), opts);
    }
    void watch_all(watched_memory& memory) const {
        memory.watch("means", means.data(), means.size());
        for (std::size_t i = 0; i < 3; ++i) {
            memory.watch("inputs of the first", first[i].data(), first[i].size());
            memory.watch("inputs of the second", second[i].data(), second[i].size());
        }
    }
};

TYPED_TEST(validate_stages_test, allreduce_mean) {
    using call = mean_call<TypeParam>;
    const auto null = status_code::null_pointer;
    const auto shape = status_code::invalid_shape;
    const auto number = status_code::invalid_argument;
    const auto overlap = status_code::overlap;
    expect_table_refused<call>({
        {"tensors", [](call& c) { c.tensors = nullptr; }, {null, {"tensors", "null"}}},
        {"mean", [](call& c) { c.list[1].mean = nullptr; }, {null, {"layer.bias", "mean", "null"}}},
        {"worker_grads",
         [](call& c) { c.list[0].worker_grads = nullptr; },
         {null, {"layer.weight", "worker_grads", "null"}}},
        {"one worker's",
         [](call& c) { c.second_pointers[2] = nullptr; },
         {null, {"layer.bias", "worker_grads[2]", "null"}}},
        {"no name",
         [](call& c) {
             c.list[1].name = nullptr;
             c.list[1].mean = nullptr;
         },
         {null, {"tensors[1]", "null"}}},
        {"W = 0", [](call& c) { c.workers = 0; }, {shape, {"workers", "got 0"}}},
        {"bytes", [](call& c) { c.list[0].size = SIZE_MAX / 4 * 3; }, {shape, {"layer.weight", "size", "2^63 bytes"}}},
        {"negative count",
         [](call& c) {
             c.counts = {1, -2, 3};
         },
         {number, {"counts", ">= 0", "got -2"}}},
        {"no count at all",
         [](call& c) {
             c.counts = {0, 0, 0};
         },
         {number, {"counts", "total", "got 0"}}},
        {"total",
         [](call& c) {
             c.counts = {LLONG_MAX, 0, 1};
         },
         {number, {"counts", "total"}}},
        {"threads", [](call& c) { c.opts.threads = -1; }, {number, {"threads", "got -1"}}},
        {"accumulate",
         [](call& c) { c.opts.accumulate = static_cast<bitstep::accumulate_mode>(2); },
         {number, {"accumulate", "got 2"}}},
        {"arch",
         [](call& c) { c.opts.arch = static_cast<bitstep::arch>(6); },
         {status_code::arch_unavailable, {"arch", "got 6"}}},
        {"outputs overlap",
         [](call& c) { c.list[1].mean = c.means.data() + 38; },
         {overlap, {"layer.bias", "layer.weight"}}},
        {"the same output twice",
         [](call& c) { c.list[1].mean = c.list[0].mean; },
         {overlap, {"layer.bias", "layer.weight"}}},
        {"in part on its own input",
         [](call& c) { c.list[1].mean = c.second[1].data() + 1; },
         {overlap, {"layer.bias", "worker_grads[1]"}}},
        {"on the list of its inputs",
         [](call& c) { c.put_second(c.second_pointers.data()); },
         {overlap, {"layer.bias", "list of worker_grads"}}},
        {"on another's list",
         [](call& c) { c.put_second(c.first_pointers.data()); },
         {overlap, {"layer.bias", "list"}}},
        {"on the list of tensors",
         [](call& c) { c.put_second(&c.list[0].name); },
         {overlap, {"layer.bias", "must not overlap tensors"}}},
        {"on the counts",
         [](call& c) {
             c.counts = {1, 2, 3};
             c.put_second(c.counts.data());
         },
         {overlap, {"layer.bias", "counts"}}},
        {"on the options",
         [](call& c) { c.put_second(&c.opts.pool); },
         {overlap, {"layer.bias", "must not overlap options"}}},
        {"on the report",
         [](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(c.means.data()); },
         {overlap, {"layer.weight", "options.report"}}},
        {"on another tensor's input",
         [](call& c) { c.list[1].mean = c.first[2].data(); },
         {overlap, {"layer.bias", "layer.weight", "worker_grads[2]"}}},
    });
}

template <class T>
struct ring_call {
    worker_vectors<T> inputs = make_workers<T>(3, 3, 7, data_kind::usual);
    worker_vectors<T> outputs =
        worker_vectors<T>(3, std::vector<T>(13, T(77))); // room for one that begins at another's end
    std::vector<const T*> from = {inputs[0].data(), inputs[1].data(), inputs[2].data()};
    std::vector<T*> to = {outputs[0].data(), outputs[1].data(), outputs[2].data()};
    const T* const* worker_vectors_argument = from.data();
    T* const* finals = to.data();
    std::size_t workers = 3;
    std::size_t size = 7;
    bitstep::ring_op op = bitstep::ring_op::mean;
    std::vector<bitstep::ring_event> trace = std::vector<bitstep::ring_event>(12);

    bitstep::status run() {
        return bitstep::simulate_ring_allreduce<T>(worker_vectors_argument, workers, size, op, finals, trace.data());
    }
    void watch_all(watched_memory& memory) const {
        memory.watch("trace", trace.data(), trace.size());
        for (std::size_t i = 0; i < 3; ++i) {
            memory.watch("inputs", inputs[i].data(), 7);
            memory.watch("finals", outputs[i].data(), 13);
        }
    }
};

TYPED_TEST(validate_stages_test, simulate_ring_allreduce) {
    using call = ring_call<TypeParam>;
    const auto null = status_code::null_pointer;
    const auto shape = status_code::invalid_shape;
    const auto overlap = status_code::overlap;
    expect_table_refused<call>({
        {"worker_vectors", [](call& c) { c.worker_vectors_argument = nullptr; }, {null, {"worker_vectors", "null"}}},
        {"finals", [](call& c) { c.finals = nullptr; }, {null, {"finals", "null"}}},
        {"one input", [](call& c) { c.from[1] = nullptr; }, {null, {"worker_vectors[1]", "null"}}},
        {"one output", [](call& c) { c.to[2] = nullptr; }, {null, {"finals[2]", "null"}}},
        {"N = 0", [](call& c) { c.workers = 0; }, {shape, {"workers", "got 0"}}},
        {"bytes", [](call& c) { c.size = SIZE_MAX / 2; }, {shape, {"2^63 bytes"}}},
        {"outputs overlap", [](call& c) { c.to[2] = c.to[0] + 6; }, {overlap, {"finals[0]", "finals[2]"}}},
        {"the same output twice", [](call& c) { c.to[1] = c.to[0]; }, {overlap, {"finals[0]", "finals[1]"}}},
        {"in part on its own input",
         [](call& c) { c.to[1] = c.inputs[1].data() + 1; },
         {overlap, {"finals[1]", "worker_vectors[1]"}}},
        {"on another's input",
         [](call& c) { c.to[1] = c.inputs[2].data(); },
         {overlap, {"finals[1]", "worker_vectors[2]"}}},
        {"on the list of outputs",
         [](call& c) {
             c.size = 1;
             c.to[0] = reinterpret_cast<TypeParam*>(c.to.data());
         },
         {overlap, {"finals[0]", "the list finals"}}},
        {"on the list of inputs",
         [](call& c) {
             c.size = 1;
             c.to[2] = reinterpret_cast<TypeParam*>(c.from.data());
         },
         {overlap, {"finals[2]", "the list worker_vectors"}}},
        {"events on the list of outputs",
         [](call& c) {
             std::memcpy(c.trace.data(), c.to.data(), 3 * sizeof c.to[0]);
             c.finals = reinterpret_cast<TypeParam* const*>(c.trace.data());
         },
         {overlap, {"trace", "the list finals"}}},
        {"events on the list of inputs",
         [](call& c) {
             std::memcpy(c.trace.data(), c.from.data(), 3 * sizeof c.from[0]);
             c.worker_vectors_argument = reinterpret_cast<const TypeParam* const*>(c.trace.data());
         },
         {overlap, {"trace", "the list worker_vectors"}}},
        {"op",
         [](call& c) { c.op = static_cast<bitstep::ring_op>(2); },
         {status_code::invalid_argument, {"op", "got 2"}}},
    });
}

} // namespace
} // namespace bitstep_test
