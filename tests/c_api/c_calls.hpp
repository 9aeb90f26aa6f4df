// SPDX-License-Identifier: Apache-2.0
// Valid arguments for every C verb, on the numbers of support/every_verb.hpp, so that results can be laid beside C++'s; a
// test of refusals spoils one of them.
#pragma once

#include "verbs_of.hpp"

#include "support/every_verb.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bitstep_test {

template <class T>
struct c_calls {
    using c = verbs_of<T>;

    dense_problem<T> data;
    std::vector<T> flat;
    worker_vectors<T> workers;

    // Outputs, with what the inputs of in-place forms need.
    static constexpr T untouched = every_verb<T>::untouched;
    std::vector<T> predicted, residuals, grad, out, out_rows, in_place, in_place_rows, updated, checked, mean, weighted;
    std::vector<std::vector<T>> finals, sums;
    T mse = untouched;
    std::vector<bitstep_ring_event> trace;
    std::vector<unsigned char> scratch;

    // Arguments.
    typename c::matrix x{};
    typename c::batches batches{};
    typename c::shard shards[3]{};
    typename c::rows rows{};
    typename c::tensor tensor{};
    const T *y = nullptr, *w = nullptr;
    const T *weights = nullptr, *ema_weights = nullptr, *m = nullptr, *v = nullptr; ///< inputs of functional forms
    T *out_argument = nullptr, *grad_argument = nullptr, *predicted_argument = nullptr, *residual_argument = nullptr;
    T* mse_argument = nullptr;
    std::size_t features = 0;
    std::vector<const T*> inputs;
    std::vector<T*> outputs, sum_outputs;
    int op = BITSTEP_RING_MEAN;
    const long long* counts = nullptr;
    bitstep_hyper_parameters hyper = BITSTEP_HYPER_PARAMETERS_INIT;
    bitstep_options options = BITSTEP_OPTIONS_INIT;
    const bitstep_hyper_parameters* hyper_argument = &hyper;
    const bitstep_options* options_argument = &options;
    bitstep_workspace workspace{};
    const bitstep_workspace* workspace_argument = &workspace;

    c_calls(std::size_t n, std::size_t d, data_kind kind)
        : data(make_problem<T>(n + d, n, d, kind)), flat(make_state<T>(n, d, kind)),
          workers(make_workers<T>(d, 3, d, kind)), predicted(n, untouched), residuals(n, untouched), grad(d, untouched),
          out(4 * d, untouched), out_rows(out), in_place(flat), in_place_rows(flat), updated(flat), checked(flat),
          mean(d, untouched), weighted(mean), finals(3, mean), sums(finals), trace(bitstep_ring_event_count(3)),
          features(d) {
        y = data.y.data();
        w = data.w.data();
        x = {data.x.data(), n, d, d};
        batches = {data.x.data(), data.y.data(), 1, 1, n, d};
        const std::size_t first = n / 3;
        shards[0] = {data.x.data(), data.y.data(), first, d};
        shards[1] = {nullptr, nullptr, 0, 0};
        shards[2] = {data.x.data() + first * d, data.y.data() + first, n - first, d};
        rows = {shards, 3, d};
        weights = flat.data();
        ema_weights = weights + d;
        m = weights + 2 * d;
        v = weights + 3 * d;
        out_argument = out.data();
        grad_argument = grad.data();
        predicted_argument = predicted.data();
        residual_argument = residuals.data();
        mse_argument = &mse;
        for (std::size_t i = 0; i < 3; ++i) {
            inputs.push_back(workers[i].data());
            outputs.push_back(finals[i].data());
            sum_outputs.push_back(sums[i].data());
        }
        tensor = {"w", inputs.data(), mean.data(), d};
        hyper = {sizeof hyper, 0.01, 0.9, 0.999, 1e-8, 0.995, 3};
        give_workspace();
    }
    c_calls(const c_calls&) = delete;
    c_calls& operator=(const c_calls&) = delete;
    c_calls(c_calls&&) = delete;
    c_calls& operator=(c_calls&&) = delete;
    ~c_calls() = default;

    /// As large as the query says, for the options as they are.
    void give_workspace() {
        std::size_t bytes = 0;
        EXPECT_EQ(c::step_bytes(x.rows, features, options_argument, &bytes), BITSTEP_OK) << bitstep_last_error();
        std::size_t for_gradient = 0;
        EXPECT_EQ(c::gradient_bytes(x.rows, features, options_argument, &for_gradient), BITSTEP_OK);
        std::size_t for_mean = 0;
        EXPECT_EQ(c::mean_bytes(1, 3, &for_mean), BITSTEP_OK);
        scratch.assign(std::max({bytes, for_gradient, for_mean}), 0xFF);
        workspace = {scratch.data(), scratch.size()};
    }

    bitstep_status step() {
        return c::step(&batches, weights, ema_weights, m, v, hyper_argument, out_argument, options_argument,
                       workspace_argument);
    }
    bitstep_status step_rows() {
        return c::step_rows(&rows, weights, ema_weights, m, v, hyper_argument, out_rows.data(), options_argument,
                            workspace_argument);
    }
    bitstep_status step_in_place() {
        T* s = in_place.data();
        return c::step_in_place(&batches, s, s + features, s + 2 * features, s + 3 * features, hyper_argument,
                                options_argument, workspace_argument);
    }
    bitstep_status step_rows_in_place() {
        T* s = in_place_rows.data();
        return c::step_rows_in_place(&rows, s, s + features, s + 2 * features, s + 3 * features, hyper_argument,
                                     options_argument, workspace_argument);
    }
    bitstep_status gradient() {
        return c::gradient(&rows, w, grad_argument, mse_argument, options_argument, workspace_argument);
    }
    bitstep_status predict() { return c::predict(&x, w, predicted_argument, options_argument); }
    bitstep_status residual() { return c::residual(&x, y, w, residual_argument, options_argument); }
    bitstep_status update(std::vector<T>& state, const bitstep_options* opts) {
        const std::size_t d = data.features;
        T* s = state.data();
        return c::update(w, features, s, s + d, s + 2 * d, s + 3 * d, hyper_argument, opts);
    }
    bitstep_status update() { return update(updated, options_argument); }
    bitstep_status update_checked() {
        bitstep_options with_check = options;
        with_check.check_state = BITSTEP_CHECK_ON;
        return update(checked, &with_check);
    }
    bitstep_status take_mean() { return c::mean(&tensor, 1, 3, counts, options_argument, workspace_argument); }
    bitstep_status take_weighted_mean() {
        static const long long of_every_verb[] = {1, 2, 4};
        const typename c::tensor one = {"w", inputs.data(), weighted.data(), data.features};
        return c::mean(&one, 1, 3, of_every_verb, options_argument, workspace_argument);
    }
    bitstep_status ring_sum() {
        return c::ring(inputs.data(), 3, features, BITSTEP_RING_SUM, sum_outputs.data(), nullptr);
    }
    bitstep_status ring() { return c::ring(inputs.data(), 3, features, op, outputs.data(), trace.data()); }

    void watch_all(watched_memory& memory) const {
        memory.watch("X", data.x.data(), data.x.size());
        memory.watch("y", data.y.data(), data.y.size());
        memory.watch("w", data.w.data(), data.w.size());
        memory.watch("state", flat.data(), flat.size());
        memory.watch("mse", &mse, 1);
        memory.watch("trace", trace.data(), trace.size());
        for (const auto* each : {&predicted, &residuals, &grad, &out, &out_rows, &in_place, &in_place_rows, &updated,
                                 &checked, &mean, &weighted}) {
            memory.watch("an output", each->data(), each->size());
        }
        for (const auto* list : {&finals, &sums}) {
            for (const auto& each : *list) {
                memory.watch("an output", each.data(), each.size());
            }
        }
    }

    /// In the order of every_verb's results. Callable again: states start anew.
    verb_results<T> run_all() {
        updated = checked = in_place = in_place_rows = flat;
        verb_results<T> all;
        all.codes = {predict(),   residual(),           gradient(),     update(),   update_checked(),
                     take_mean(), take_weighted_mean(), ring(),         ring_sum(), step_rows(),
                     step(),      step_rows_in_place(), step_in_place()};
        all.values = outputs_now();
        return all;
    }

    /// Every output as it is, in the order of every_verb's results.
    std::vector<T> outputs_now() const {
        std::vector<T> all;
        for (const auto* part :
             {&predicted, &residuals, &grad, &out_rows, &out, &mean, &weighted, &updated, &checked, &in_place_rows,
              &in_place, &finals[0], &finals[1], &finals[2], &sums[0], &sums[1], &sums[2]}) {
            all.insert(all.end(), part->begin(), part->end());
        }
        all.push_back(mse);
        return all;
    }

    testing::AssertionResult same_outputs(const c_calls& other) const {
        return same_bits(outputs_now(), other.outputs_now());
    }
};

} // namespace bitstep_test
