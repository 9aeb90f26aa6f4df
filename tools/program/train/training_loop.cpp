// SPDX-License-Identifier: Apache-2.0
#include "program/train/training_loop.hpp"

#include "program/train/stop_signal.hpp"

#include <optional>
#include <utility>

namespace bitstep::program {
namespace {

constexpr std::chrono::seconds between_pictures{20}; // gnuplot takes a fifth of a second

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

template <class T>
training_loop<T>::training_loop(trainer<T>& training, evaluator<T>& training_rows, evaluator<T>& test_rows,
                                progress& shown, loop_hooks hooks)
    : training_(training), training_rows_(training_rows), test_rows_(test_rows), shown_(shown),
      hooks_(std::move(hooks)) {
    if (hooks_.rows != nullptr && !hooks_.rows->rows().empty()) {
        earlier_seconds_ = hooks_.rows->rows().back().seconds;
    }
}

template <class T>
loop_result training_loop<T>::run() {
    std::optional<stop_signal> stop;
    if (hooks_.save) {
        stop.emplace();
    }
    if (hooks_.rows != nullptr && hooks_.rows->rows().empty()) {
        add_row(); // where it starts
    }
    loop_result result;
    while (!training_.finished() && result.stopped_by == 0) {
        const step_result done = training_.run_step();
        stepped_ = true;
        ++result.steps;
        result.rows += done.rows;
        show(done);
        if (row_is_due()) {
            add_row();
        }
        result.stopped_by = stop ? stop->caught() : 0;
        const bool epoch_is_due = training_.step_in_epoch() == 0 && training_.epoch() % hooks_.save_every == 0;
        if (hooks_.save && (epoch_is_due || training_.finished() || result.stopped_by != 0)) {
            hooks_.save();
        }
        if (training_.step_in_epoch() == 0) {
            draw_now_and_then();
        }
    }
    if (hooks_.save && result.steps == 0) {
        hooks_.save(); // resumed at the end, perhaps under another name
    }
    if (stop && result.stopped_by == 0) {
        result.stopped_by = stop->caught(); // while the last state was saved
    }
    shown_.clear_live();
    result.seconds = seconds_since(begin_);
    return result;
}

template <class T>
void training_loop<T>::show(const step_result& done) {
    shown_.count_step(done.rows);
    if (training_.step_in_epoch() == 0 && shown_.epoch_is_due(training_.epoch())) {
        shown_.show_epoch(training_rows_.quality(training_.state().weights).mse);
    } else if (shown_.live_is_due()) {
        shown_.show_live(done.loss);
    }
}

template <class T>
bool training_loop<T>::row_is_due() const {
    if (hooks_.rows == nullptr) {
        return false;
    }
    const bool on_the_grid =
        hooks_.history_every == 0 ? training_.step_in_epoch() == 0 : training_.state().t % hooks_.history_every == 0;
    return on_the_grid || training_.finished();
}

template <class T>
void training_loop<T>::add_row() {
    const training_state<T>& state = training_.state();
    history_row row;
    row.step = state.t;
    row.epoch = static_cast<double>(training_.epoch()) +
                static_cast<double>(training_.step_in_epoch()) / static_cast<double>(training_.steps_per_epoch());
    row.loss = training_rows_.quality(state.weights).mse;
    row.ema_loss = training_rows_.quality(state.ema_weights).mse;
    if (test_rows_.has_rows()) {
        row.test_loss = test_rows_.quality(state.weights).mse;
        row.ema_test_loss = test_rows_.quality(state.ema_weights).mse;
    }
    if (stepped_) {
        row.gradient_norm = training_.gradient_norm();
        row.lr = training_.last_lr();
    }
    row.seconds = earlier_seconds_ + seconds_since(begin_);
    hooks_.rows->add(row);
}

// So that a person may look while training goes on.
template <class T>
void training_loop<T>::draw_now_and_then() {
    if (hooks_.draw && clock::now() - drawn_ >= between_pictures) {
        hooks_.draw();
        drawn_ = clock::now();
    }
}

template class training_loop<float>;
template class training_loop<double>;

} // namespace bitstep::program
