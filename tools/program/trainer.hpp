// SPDX-License-Identifier: Apache-2.0
// Linear regression by repeated distributed_step: the loop of `train`. After design_matrix, before the report. Nothing in
// it knows how many epochs there will be, and nothing is allocated once it stands.
#pragma once

#include "program/design_matrix.hpp"
#include "program/digest.hpp"
#include "program/metrics.hpp"
#include "program/progress.hpp"
#include "program/step_buffer.hpp"

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitstep::program {

struct training_plan {
    std::size_t workers = 4;
    std::size_t micro_batches = 2; ///< A, of each worker
    std::size_t examples = 32;     ///< B, of each micro-batch
    std::uint64_t seed = 1;
    hyper_parameters hyper; ///< hyper.t: the number of the first update

    /// W*A*B, or `rows` where that is less (one uneven step is then the whole epoch). input_error where it overflows.
    std::size_t rows_per_step(std::size_t rows) const;
};

template <class T>
class trainer {
public:
    /// Weights, their moving average, m and v start at 0. `opts.threads` must be set: the workspace is sized by it.
    trainer(const design_matrix<T>& data, const training_plan& plan, const options& opts);

    /// One pass over all rows in the order of shuffle_rows(seed, epoch), `rows_per_step` at a time; what is left at the
    /// end is a step of its own. input_error where training leaves the finite numbers.
    void run_epoch(std::size_t epoch, progress& shown);

    std::size_t steps_per_epoch() const { return (data_.rows - 1) / step_rows_ + 1; }
    std::size_t rows_per_step() const { return step_rows_; }
    std::size_t steps_done() const { return static_cast<std::size_t>(next_.t - plan_.hyper.t); }

    /// Over all rows, by residual() in T and sums in double.
    fit_quality quality_of_weights() { return quality(weights_); }
    fit_quality quality_of_ema_weights() { return quality(ema_weights_); }

    const std::vector<T>& weights() const { return weights_; }

    /// Over weights, ema_weights, m, v, and t of the last update (0 before the first).
    digest state_digest() const;

private:
    double loss_before_step();
    fit_quality quality(const std::vector<T>& weights);

    const design_matrix<T>& data_;
    training_plan plan_;
    options opts_;
    std::size_t step_rows_;
    std::vector<T> weights_, ema_weights_, m_, v_;
    hyper_parameters next_; // with the t of the next update
    std::vector<std::size_t> order_;
    step_buffer<T> buffer_;
    std::vector<T> residuals_; // for losses only
    std::vector<unsigned char> scratch_;
};

} // namespace bitstep::program
