// SPDX-License-Identifier: Apache-2.0
// Linear regression, one step after another. After design_matrix and step_buffer; training_loop decides how many steps and
// what happens between them. A step is a function of the data, the plan and the state alone, so that a training can stop
// after any step and go on in another process; nothing is allocated once the trainer stands.
#pragma once

#include "program/data/design_matrix.hpp"
#include "program/data/step_buffer.hpp"
#include "program/train/training_plan.hpp"
#include "program/train/training_state.hpp"

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitstep::program {

struct step_result {
    std::size_t rows = 0;
    double loss = 0; ///< mean squared error of these rows under the weights before the step
};

template <class T>
class trainer {
public:
    /// Weights, their moving average, m and v start at 0. The last feature is not penalized by l2 where it is the `bias`.
    trainer(const design_matrix<T>& data, const training_plan& plan, bool bias, const options& opts);

    /// Goes on from there. The state has data.features elements.
    void resume(training_state<T> state) { state_ = std::move(state); }

    /// The next step of the epoch: rows in the order of shuffle_rows(seed, epoch), `rows_per_step` at a time, what is left
    /// at the end a step of its own.
    ///   g = gradient of the mean squared error; where l2 > 0: g_j = g_j + (2 l2) w_j, all in T, 2 l2 rounded once;
    ///   adam_ema_update with t one higher and learning_rate(t).
    /// Without l2 the same bits as distributed_step. input_error where training leaves the finite numbers; the state is
    /// then that before the step.
    step_result run_step();

    bool finished() const { return epoch() >= plan_.epochs; }
    std::uint64_t epoch() const { return state_.t / steps_per_epoch(); }         ///< epochs done
    std::uint64_t step_in_epoch() const { return state_.t % steps_per_epoch(); } ///< steps done of the current one
    std::size_t steps_per_epoch() const { return (data_.rows - 1) / step_rows_ + 1; }
    std::size_t rows_per_step() const { return step_rows_; }

    const training_state<T>& state() const { return state_; }
    double gradient_norm() const; ///< Euclidean, of the last step's g; in double, in order
    double last_lr() const { return hyper_.lr; }

private:
    void add_ridge_term();
    void require(const status& result) const;

    const design_matrix<T>& data_;
    training_plan plan_;
    options opts_;
    std::size_t step_rows_;
    std::size_t penalized_; // the first so many features
    training_state<T> state_;
    hyper_parameters hyper_; // of the last step
    std::vector<T> grad_;
    std::vector<std::size_t> order_;
    std::uint64_t ordered_epoch_; // the epoch that order_ belongs to
    step_buffer<T> buffer_;
    std::vector<unsigned char> scratch_;
};

} // namespace bitstep::program
