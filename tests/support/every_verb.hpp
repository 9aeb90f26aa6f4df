// SPDX-License-Identifier: Apache-2.0
// Every public verb, each form of it called once on one fixed set of numbers, all results and all codes in one value: what
// the tests of environment, threads and allocation compare before and after.
#pragma once

#include "bitwise.hpp"
#include "problem.hpp"
#include "state.hpp"
#include "workers.hpp"

#include <bitstep/bitstep.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace bitstep_test {

template <class T>
struct verb_results {
    std::vector<T> values;
    std::vector<int> codes;
};

template <class T>
testing::AssertionResult same_results(const verb_results<T>& got, const verb_results<T>& want) {
    if (got.codes != want.codes) {
        return testing::AssertionFailure() << "codes differ: got " << testing::PrintToString(got.codes) << ", want "
                                           << testing::PrintToString(want.codes);
    }
    return same_bits(got.values, want.values);
}

inline constexpr std::size_t every_verb_calls = 13;
using verb_statuses = bitstep::status[every_verb_calls];

/// The least and the most threads that any verb was given, of those which can have more than one.
struct teams_given {
    int least;
    int most;
};

/// A step's four forms cost more than all else together; `first` runs one of them.
enum class step_forms { first, all };

/// Inputs and outputs of every verb, allocated once, so that a call of run() allocates nothing.
template <class T>
class every_verb {
public:
    /// What outputs hold before: no zero, so that a zero written too early shows.
    static constexpr T untouched = 77;

    every_verb(std::size_t rows, std::size_t features, data_kind kind, step_forms forms = step_forms::first)
        : forms_(forms), data_(make_problem<T>(rows + features, rows, features, kind)),
          flat_(make_state<T>(rows, features, kind)), tensor_(make_workers<T>(features, 3, features, kind)),
          states_(4, flat_), out_(8 * features, untouched), grad_(features, untouched), rows_out_(2 * rows, untouched),
          means_(2 * features, untouched), finals_(6, std::vector<T>(features, untouched)) {
        for (const auto& each : tensor_) {
            inputs_.push_back(each.data());
        }
        for (auto& each : finals_) {
            outputs_.push_back(each.data());
        }
    }

    every_verb(const every_verb&) = delete; // it holds pointers into itself
    every_verb& operator=(const every_verb&) = delete;
    every_verb(every_verb&&) = delete;
    every_verb& operator=(every_verb&&) = delete;
    ~every_verb() = default;

    /// `opts.report`, where it is given, gets the run with the largest team. `scratch` holds at least distributed_step_workspace_bytes and gradient_workspace_bytes, or nothing.
    void run(const bitstep::options& opts, bitstep::workspace scratch, verb_statuses& status) {
        const std::size_t rows = data_.rows;
        const std::size_t d = data_.features;
        const bitstep::row_sequence<T> sequence{&shard_, 1, d};
        const bitstep::matrix_view<const T> x{data_.x.data(), rows, d, d};
        const bitstep::vector_view<const T> w{data_.w.data(), d};
        reports_.fill({});
        status[0] = bitstep::predict<T>(x, w, {rows_out_.data(), rows}, reported(opts, 0));
        status[1] =
            bitstep::residual<T>(x, {data_.y.data(), rows}, w, {rows_out_.data() + rows, rows}, reported(opts, 1));
        status[2] = bitstep::gradient<T>(sequence, w, {grad_.data(), d}, &mse_, reported(opts, 2), scratch);
        run_updates(opts, scratch, status);
        run_steps(sequence, opts, scratch, status);
        if (opts.report != nullptr) {
            *opts.report = *std::max_element(reports_.begin(), reports_.end(), fewer_threads);
        }
    }

    verb_results<T> results(const verb_statuses& status) const {
        verb_results<T> all;
        for (const auto* part : {&rows_out_, &grad_, &out_, &means_}) {
            all.values.insert(all.values.end(), part->begin(), part->end());
        }
        for (const auto* list : {&states_, &finals_}) {
            for (const auto& part : *list) {
                all.values.insert(all.values.end(), part.begin(), part.end());
            }
        }
        all.values.push_back(mse_);
        for (const bitstep::status& each : status) {
            all.codes.push_back(static_cast<int>(each.code()));
        }
        return all;
    }

    verb_results<T> run_all(const bitstep::options& opts, bitstep::workspace scratch = {}) {
        verb_statuses status;
        run(opts, scratch, status);
        return results(status);
    }

    /// In the last run, whose verbs all succeeded. A step has the larger team of its two stages.
    teams_given teams() const {
        teams_given all{std::numeric_limits<int>::max(), 0};
        for (const bitstep::run_report& each : reports_) {
            if (each.threads > 0) { // not a ring, and called
                all = {std::min(all.least, each.threads), std::max(all.most, each.threads)};
            }
        }
        return all;
    }

    bitstep::hyper_parameters& hyper() { return hyper_; }
    std::size_t rows() const { return data_.rows; }
    std::size_t features() const { return data_.features; }

private:
    static bool fewer_threads(const bitstep::run_report& a, const bitstep::run_report& b) {
        return a.threads < b.threads;
    }
    bitstep::options reported(bitstep::options opts, std::size_t call) {
        opts.report = &reports_[call];
        return opts;
    }

    /// Adam+EMA without and with its check of the state, means without and with counts, rings of both kinds.
    void run_updates(const bitstep::options& opts, bitstep::workspace scratch, verb_statuses& status) {
        const std::size_t d = data_.features;
        for (auto& each : states_) {
            std::copy(flat_.begin(), flat_.end(), each.begin());
        }
        bitstep::options checked = reported(opts, 4);
        checked.check_state = bitstep::check_mode::on;
        status[3] =
            bitstep::adam_ema_update<T>({data_.w.data(), d}, quarters(states_[0].data(), d), hyper_, reported(opts, 3));
        status[4] = bitstep::adam_ema_update<T>({data_.w.data(), d}, quarters(states_[1].data(), d), hyper_, checked);
        const bitstep::worker_tensor<T> plain{"w", inputs_.data(), means_.data(), d};
        const bitstep::worker_tensor<T> weighted{"w", inputs_.data(), means_.data() + d, d};
        status[5] = bitstep::allreduce_mean<T>(&plain, 1, 3, nullptr, reported(opts, 5));
        status[6] =
            bitstep::allreduce_mean<T>(&weighted, 1, 3, counts_, reported(opts, 6),
                                       scratch.data == nullptr ? scratch : bitstep::workspace{own_, sizeof own_});
        T* const* const to = outputs_.data();
        status[7] = bitstep::simulate_ring_allreduce<T>(inputs_.data(), 3, d, bitstep::ring_op::mean, to);
        status[8] = bitstep::simulate_ring_allreduce<T>(inputs_.data(), 3, d, bitstep::ring_op::sum, to + 3);
    }

    /// The four forms of a step.
    void run_steps(const bitstep::row_sequence<T>& sequence, const bitstep::options& opts, bitstep::workspace scratch,
                   verb_statuses& status) {
        const std::size_t d = data_.features;
        const T* flat = flat_.data();
        const bitstep::state_view<const T> in{flat, flat + d, flat + 2 * d, flat + 3 * d, d};
        const bitstep::worker_batches<T> batches{data_.x.data(), data_.y.data(), 1, 1, data_.rows, d};
        T* const out = out_.data();
        status[9] = bitstep::distributed_step<T>(sequence, in, hyper_, {out, 4 * d}, reported(opts, 9), scratch);
        if (forms_ == step_forms::first) {
            return;
        }
        status[10] =
            bitstep::distributed_step<T>(batches, in, hyper_, {out + 4 * d, 4 * d}, reported(opts, 10), scratch);
        status[11] =
            bitstep::distributed_step<T>(sequence, quarters(states_[2].data(), d), hyper_, reported(opts, 11), scratch);
        status[12] =
            bitstep::distributed_step<T>(batches, quarters(states_[3].data(), d), hyper_, reported(opts, 12), scratch);
    }

    step_forms forms_;
    std::array<bitstep::run_report, every_verb_calls> reports_{};
    unsigned char own_[1024]; ///< allreduce_mean's own workspace, where the others have one
    dense_problem<T> data_;
    bitstep::shard_view<T> shard_{data_.x.data(), data_.y.data(), data_.rows, data_.features};
    std::vector<T> flat_;
    worker_vectors<T> tensor_;
    bitstep::hyper_parameters hyper_{0.01, 0.9, 0.999, 1e-8, 0.995, 3};
    const long long counts_[3] = {1, 2, 4};
    std::vector<const T*> inputs_;
    std::vector<T*> outputs_;
    std::vector<std::vector<T>> states_;
    std::vector<T> out_;
    std::vector<T> grad_;
    std::vector<T> rows_out_;
    std::vector<T> means_;
    std::vector<std::vector<T>> finals_;
    T mse_ = untouched;
};

} // namespace bitstep_test
