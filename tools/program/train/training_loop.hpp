// SPDX-License-Identifier: Apache-2.0
// Step after step until the last epoch or a signal, and what happens between the steps: progress, history, picture, saved
// states. None of it reaches a bit of the training. Between trainer and the report.
#pragma once

#include "program/train/evaluator.hpp"
#include "program/train/history.hpp"
#include "program/train/progress.hpp"
#include "program/train/trainer.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace bitstep::program {

struct loop_hooks {
    std::function<void()> save;    ///< empty: signals end the process at once, as usual
    std::size_t save_every = 1;    ///< epochs
    history* rows = nullptr;       ///< null: the losses are not computed
    std::size_t history_every = 0; ///< steps; 0: each epoch
    std::function<void()> draw;    ///< empty: no picture
};

struct loop_result {
    int stopped_by = 0; ///< the signal, or 0
    std::uint64_t steps = 0;
    std::uint64_t rows = 0;
    double seconds = 0; ///< all of the loop, with evaluations and saves
};

template <class T>
class training_loop {
public:
    training_loop(trainer<T>& training, evaluator<T>& training_rows, evaluator<T>& test_rows, progress& shown,
                  loop_hooks hooks);

    /// After a signal the state is saved where the last step left it. A history row is written before the state of the
    /// same step, so that a resumed run finds it.
    loop_result run();

private:
    using clock = std::chrono::steady_clock;

    void show(const step_result& done);
    bool row_is_due() const;
    void add_row();
    void draw_now_and_then();

    trainer<T>& training_;
    evaluator<T>& training_rows_;
    evaluator<T>& test_rows_;
    progress& shown_;
    loop_hooks hooks_;
    clock::time_point begin_ = clock::now();
    clock::time_point drawn_ = begin_;
    double earlier_seconds_ = 0; // of the runs before this one
    bool stepped_ = false;       // in this run: is there a gradient?
};

} // namespace bitstep::program
