// SPDX-License-Identifier: Apache-2.0
// What a training is to do, in numbers: steps, hyper-parameters, schedule. Nothing of machines.
#pragma once

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <cstdint>

namespace bitstep::program {

enum class lr_schedule { constant, cosine };

struct training_plan {
    std::size_t workers = 4;
    std::size_t micro_batches = 2; ///< A, of each worker
    std::size_t examples = 32;     ///< B, of each micro-batch
    std::size_t epochs = 100;
    std::uint64_t seed = 1;
    hyper_parameters hyper; ///< its t is not used
    double l2 = 0;          ///< lambda of the ridge term
    lr_schedule schedule = lr_schedule::constant;

    /// W*A*B, or `rows` where that is less (one uneven step is then the whole epoch). input_error where it overflows.
    std::size_t rows_per_step(std::size_t rows) const;
};

/// Learning rate of update t (from 1) of `updates`. constant: lr. cosine: lr c c with c = cos((pi / 2) (t - 1) / updates),
/// which is lr (1 + cos(pi (t - 1) / updates)) / 2. In double and in this order, so that it is the same everywhere (the
/// platform's cos is not): x = (t - 1) / updates; a = 1.5707963267948966 x; z = a a; c = 1; for k = 26, 24, ... 2:
/// c = 1 - (z / (k (k - 1))) c, the Taylor series to z^13; result (lr c) c.
double learning_rate(lr_schedule schedule, double lr, double t, double updates);

/// input_error, naming the option, where a hyper-parameter is out of its range, also after rounding to T.
template <class T>
void check_plan(const training_plan& plan);

} // namespace bitstep::program
