// SPDX-License-Identifier: Apache-2.0
// Every public verb called once on one fixed set of numbers, all results and all codes in one value: what the tests of
// environment, threads and allocation compare before and after.
#pragma once

#include "bitwise.hpp"
#include "problem.hpp"
#include "state.hpp"
#include "workers.hpp"

#include <bitstep/bitstep.hpp>

#include <cstddef>
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

/// Inputs and outputs of every verb, allocated once, so that a call of run() allocates nothing.
template <class T>
class every_verb {
public:
    every_verb(std::size_t rows, std::size_t features, data_kind kind)
        : data_(make_problem<T>(rows + features, rows, features, kind)), flat_(make_state<T>(rows, features, kind)),
          tensor_(make_workers<T>(features, 3, features, kind)), state_(flat_), out_(4 * features), grad_(features),
          rows_out_(2 * rows), mean_(features), finals_(3, std::vector<T>(features)) {
        for (std::size_t i = 0; i < 3; ++i) {
            inputs_.push_back(tensor_[i].data());
            outputs_.push_back(finals_[i].data());
        }
    }

    /// `scratch` holds at least distributed_step_workspace_bytes and gradient_workspace_bytes, or nothing.
    void run(const bitstep::options& opts, bitstep::workspace scratch, bitstep::status (&status)[7]) {
        const std::size_t rows = data_.rows;
        const std::size_t d = data_.features;
        const bitstep::shard_view<T> shard{data_.x.data(), data_.y.data(), rows, d};
        const bitstep::row_sequence<T> sequence{&shard, 1, d};
        const bitstep::matrix_view<const T> x{data_.x.data(), rows, d, d};
        const bitstep::vector_view<const T> w{data_.w.data(), d};
        std::copy(flat_.begin(), flat_.end(), state_.begin());
        status[0] = bitstep::predict<T>(x, w, {rows_out_.data(), rows}, opts);
        status[1] = bitstep::residual<T>(x, {data_.y.data(), rows}, w, {rows_out_.data() + rows, rows}, opts);
        status[2] = bitstep::gradient<T>(sequence, w, {grad_.data(), d}, &mse_, opts, scratch);
        const T* flat = flat_.data();
        status[3] = bitstep::distributed_step<T>(sequence, {flat, flat + d, flat + 2 * d, flat + 3 * d, d}, hyper_,
                                                 {out_.data(), 4 * d}, opts, scratch);
        status[4] = bitstep::adam_ema_update<T>({data_.w.data(), d}, quarters(state_.data(), d), hyper_, opts);
        const bitstep::worker_tensor<T> one{"w", inputs_.data(), mean_.data(), d};
        status[5] = bitstep::allreduce_mean<T>(&one, 1, 3, nullptr, opts);
        status[6] = bitstep::simulate_ring_allreduce<T>(inputs_.data(), 3, d, bitstep::ring_op::mean, outputs_.data());
    }

    verb_results<T> results(const bitstep::status (&status)[7]) const {
        verb_results<T> all;
        for (const auto* part : {&rows_out_, &grad_, &out_, &state_, &mean_, &finals_[0], &finals_[1], &finals_[2]}) {
            all.values.insert(all.values.end(), part->begin(), part->end());
        }
        all.values.push_back(mse_);
        for (const bitstep::status& each : status) {
            all.codes.push_back(static_cast<int>(each.code()));
        }
        return all;
    }

    verb_results<T> run_all(const bitstep::options& opts, bitstep::workspace scratch = {}) {
        bitstep::status status[7];
        run(opts, scratch, status);
        return results(status);
    }

    bitstep::hyper_parameters& hyper() { return hyper_; }
    std::size_t rows() const { return data_.rows; }
    std::size_t features() const { return data_.features; }

private:
    dense_problem<T> data_;
    std::vector<T> flat_;
    worker_vectors<T> tensor_;
    bitstep::hyper_parameters hyper_{0.01, 0.9, 0.999, 1e-8, 0.995, 3};
    std::vector<const T*> inputs_;
    std::vector<T*> outputs_;
    std::vector<T> state_;
    std::vector<T> out_;
    std::vector<T> grad_;
    std::vector<T> rows_out_;
    std::vector<T> mean_;
    std::vector<std::vector<T>> finals_;
    T mse_ = 0;
};

} // namespace bitstep_test
