// SPDX-License-Identifier: Apache-2.0
#include "program/train/training_plan.hpp"

#include "program/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace bitstep::program {

std::size_t training_plan::rows_per_step(std::size_t rows) const {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    if (micro_batches > most / workers || examples > most / (workers * micro_batches)) {
        throw input_error("--workers x --accum x --batch is too large");
    }
    return std::min(workers * micro_batches * examples, rows);
}

double learning_rate(lr_schedule schedule, double lr, double t, double updates) {
    if (schedule == lr_schedule::constant) {
        return lr;
    }
    const double x = (t - 1) / updates;
    const double angle = 1.5707963267948966 * x;
    const double z = angle * angle;
    double c = 1;
    for (int k = 26; k >= 2; k -= 2) {
        const double factor = z / (k * (k - 1));
        c = 1 - factor * c;
    }
    return (lr * c) * c;
}

template <class T>
void check_plan(const training_plan& plan) {
    if (!(plan.l2 >= 0) || !std::isfinite(static_cast<T>(2 * plan.l2))) {
        throw input_error(fmt::format("--l2 must be >= 0 and finite, got {}", plan.l2));
    }
    // The library knows the ranges: one update of one number asks it.
    T state[4] = {};
    const T grad[1] = {};
    const status result = adam_ema_update<T>(vector_view<const T>{grad, 1}, {state, state + 1, state + 2, state + 3, 1},
                                             plan.hyper, options{});
    if (result.code() == status_code::invalid_argument) { // "decay must be in [0, 1], got 2", by the option's name
        const std::string text = result.message();
        throw input_error((text.rfind("decay", 0) == 0 ? "--ema-" : "--") + text);
    }
}

template void check_plan<float>(const training_plan&);
template void check_plan<double>(const training_plan&);

} // namespace bitstep::program
