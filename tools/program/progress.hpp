// SPDX-License-Identifier: Apache-2.0
// How far training is: one line rewritten in place where stdout is a terminal, else about twenty plain lines in all. Only
// shows; nothing it measures reaches a number of the training.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>

namespace bitstep::program {

class progress {
public:
    using clock = std::chrono::steady_clock;

    progress(std::FILE* out, bool live, std::size_t epochs, std::size_t steps_per_epoch, std::size_t rows_per_epoch);

    /// Counts one step of `rows` rows.
    void count_step(std::size_t rows) { ++steps_done_, rows_done_ += rows; }

    /// Is it time to rewrite the live line? Then the caller finds the loss and calls show_live.
    bool live_is_due() const;
    void show_live(double loss);

    /// Does the epoch that just ended (counting from 0) get a line that stays? Then the caller calls show_epoch.
    bool epoch_is_due(std::size_t epoch) const;
    void show_epoch(double loss);

    /// Removes the live line, also when training stops in the middle.
    void clear_live() noexcept;
    ~progress() { clear_live(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

private:
    void print_speed() const;

    std::FILE* out_;
    bool live_;
    std::size_t epochs_;
    std::size_t steps_per_epoch_;
    std::size_t rows_per_epoch_;
    std::size_t steps_done_ = 0;
    std::size_t rows_done_ = 0;
    clock::time_point begin_ = clock::now();
    clock::time_point last_shown_ = begin_;
    bool line_is_shown_ = false;
};

} // namespace bitstep::program
