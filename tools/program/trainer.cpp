// SPDX-License-Identifier: Apache-2.0
#include "program/trainer.hpp"

#include "program/errors.hpp"
#include "program/run_choice.hpp"
#include "program/shuffle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace bitstep::program {
namespace {

// A full step and the leftover may need different amounts.
template <class T>
std::size_t scratch_bytes(std::size_t rows, std::size_t step_rows, std::size_t features, const options& opts) {
    std::size_t full = 0;
    std::size_t last = 0;
    require_ok(distributed_step_workspace_bytes<T>(step_rows, features, opts, full));
    const std::size_t leftover = rows % step_rows;
    if (leftover != 0) {
        require_ok(distributed_step_workspace_bytes<T>(leftover, features, opts, last));
    }
    return std::max(full, last);
}

// A number out of range has no place in the training; non-finite weights or an overflow do.
[[noreturn]] void fail(const status& result, std::size_t epoch, std::size_t step) {
    if (result.code() == status_code::invalid_argument) {
        throw input_error(result.message());
    }
    require_ok(result, fmt::format("training stopped in epoch {}, step {}", epoch, step));
    throw std::logic_error("fail() was called on success");
}

} // namespace

std::size_t training_plan::rows_per_step(std::size_t rows) const {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    if (micro_batches > most / workers || examples > most / (workers * micro_batches)) {
        throw input_error("--workers x --accum x --batch is too large");
    }
    return std::min(workers * micro_batches * examples, rows);
}

template <class T>
trainer<T>::trainer(const design_matrix<T>& data, const training_plan& plan, const options& opts)
    : data_(data), plan_(plan), opts_(opts), step_rows_(plan.rows_per_step(data.rows)), weights_(data.features),
      ema_weights_(data.features), m_(data.features), v_(data.features), next_(plan.hyper), order_(data.rows),
      buffer_(step_rows_, data.features, plan.workers), residuals_(data.rows),
      scratch_(scratch_bytes<T>(data.rows, step_rows_, data.features, opts)) {}

template <class T>
void trainer<T>::run_epoch(std::size_t epoch, progress& shown) {
    shuffle_rows(plan_.seed, epoch, order_);
    const state_view<T> state{weights_.data(), ema_weights_.data(), m_.data(), v_.data(), data_.features};
    const workspace scratch{scratch_.data(), scratch_.size()};
    for (std::size_t first = 0; first < data_.rows; first += step_rows_) {
        const std::size_t count = std::min(step_rows_, data_.rows - first);
        const row_sequence<T> rows = buffer_.gather(data_, order_.data() + first, count);
        if (shown.live_is_due()) {
            shown.show_live(loss_before_step());
        }
        const status result = distributed_step(rows, state, next_, opts_, scratch);
        if (!result.ok()) {
            fail(result, epoch + 1, first / step_rows_ + 1);
        }
        ++next_.t;
        shown.count_step(count);
    }
}

// The mean squared error of the gathered rows under the weights that the step is about to change.
template <class T>
double trainer<T>::loss_before_step() {
    const std::size_t count = buffer_.y().size;
    const vector_view<const T> weights{weights_.data(), weights_.size()};
    require_ok(residual(buffer_.x(), buffer_.y(), weights, vector_view<T>{residuals_.data(), count}, opts_));
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(residuals_[i]);
        sum += value * value;
    }
    return sum / static_cast<double>(count);
}

template <class T>
fit_quality trainer<T>::quality(const std::vector<T>& weights) {
    const matrix_view<const T> x{data_.x.data(), data_.rows, data_.features, data_.features};
    const vector_view<const T> y{data_.y.data(), data_.rows};
    const vector_view<T> out{residuals_.data(), residuals_.size()};
    require_ok(residual(x, y, vector_view<const T>{weights.data(), weights.size()}, out, opts_));
    return measure_fit(residuals_, data_.y);
}

template <class T>
digest trainer<T>::state_digest() const {
    digest result;
    for (const std::vector<T>* part : {&weights_, &ema_weights_, &m_, &v_}) {
        result.add(*part);
    }
    result.add_integer(static_cast<std::uint64_t>(next_.t - 1));
    return result;
}

template class trainer<float>;
template class trainer<double>;

} // namespace bitstep::program
