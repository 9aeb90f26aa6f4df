// SPDX-License-Identifier: Apache-2.0
#include "program/train/trainer.hpp"

#include "program/data/shuffle.hpp"
#include "program/errors.hpp"
#include "program/run_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bitstep::program {
namespace {

constexpr std::uint64_t no_epoch = std::numeric_limits<std::uint64_t>::max();

// A full step and the leftover may need different amounts.
template <class T>
std::size_t scratch_bytes(std::size_t rows, std::size_t step_rows, std::size_t features, const options& opts) {
    std::size_t full = 0;
    std::size_t last = 0;
    require_ok(gradient_workspace_bytes<T>(step_rows, features, opts, full));
    const std::size_t leftover = rows % step_rows;
    if (leftover != 0) {
        require_ok(gradient_workspace_bytes<T>(leftover, features, opts, last));
    }
    return std::max(full, last);
}

} // namespace

template <class T>
trainer<T>::trainer(const design_matrix<T>& data, const training_plan& plan, bool bias, const options& opts)
    : data_(data), plan_(plan), opts_(opts), step_rows_(plan.rows_per_step(data.rows)),
      penalized_(data.features - (bias ? 1 : 0)), state_(data.features), hyper_(plan.hyper), grad_(data.features),
      order_(data.rows), ordered_epoch_(no_epoch), buffer_(step_rows_, data.features, plan.workers),
      scratch_(scratch_bytes<T>(data.rows, step_rows_, data.features, opts)) {
    opts_.check_state = check_mode::on;
}

template <class T>
step_result trainer<T>::run_step() {
    if (ordered_epoch_ != epoch()) {
        shuffle_rows(plan_.seed, epoch(), order_);
        ordered_epoch_ = epoch();
    }
    const std::size_t first = static_cast<std::size_t>(step_in_epoch()) * step_rows_;
    const std::size_t count = std::min(step_rows_, data_.rows - first);
    const row_sequence<T> rows = buffer_.gather(data_, order_.data() + first, count);

    T loss{};
    const vector_view<const T> weights{state_.weights.data(), data_.features};
    require(gradient(rows, weights, {grad_.data(), data_.features}, &loss, opts_, {scratch_.data(), scratch_.size()}));
    if (plan_.l2 > 0) {
        add_ridge_term();
    }
    const double updates = static_cast<double>(plan_.epochs) * static_cast<double>(steps_per_epoch());
    hyper_.t = static_cast<long long>(state_.t + 1);
    hyper_.lr = learning_rate(plan_.schedule, plan_.hyper.lr, static_cast<double>(hyper_.t), updates);
    const vector_view<const T> grad{grad_.data(), data_.features};
    require(adam_ema_update(
        grad, {state_.weights.data(), state_.ema_weights.data(), state_.m.data(), state_.v.data(), data_.features},
        hyper_, opts_));
    ++state_.t;
    return {count, static_cast<double>(loss)};
}

template <class T>
void trainer<T>::add_ridge_term() {
    const T factor = static_cast<T>(2 * plan_.l2);
    for (std::size_t j = 0; j < penalized_; ++j) {
        const T term = factor * state_.weights[j];
        grad_[j] = grad_[j] + term;
        if (!std::isfinite(grad_[j])) {
            throw input_error(fmt::format("training stopped in epoch {}, step {}: the gradient with its ridge term "
                                          "overflows",
                                          epoch() + 1, step_in_epoch() + 1));
        }
    }
}

// Ranges were checked before training (check_plan): what fails here has left the finite numbers, or memory.
template <class T>
void trainer<T>::require(const status& result) const {
    if (!result.ok()) {
        require_ok(result, fmt::format("training stopped in epoch {}, step {}", epoch() + 1, step_in_epoch() + 1));
    }
}

template <class T>
double trainer<T>::gradient_norm() const {
    double sum = 0;
    for (const T g : grad_) {
        sum += static_cast<double>(g) * static_cast<double>(g);
    }
    return std::sqrt(sum);
}

template class trainer<float>;
template class trainer<double>;

} // namespace bitstep::program
