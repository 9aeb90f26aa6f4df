// SPDX-License-Identifier: Apache-2.0
// How far training is: one line rewritten in place where the output is a terminal, else about twenty plain lines in all.
// Only shows; nothing it measures reaches a number of the training.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace bitstep::program {

class progress {
public:
    using clock = std::chrono::steady_clock;

    /// `out`: null to be silent. `steps_done`: by the runs before this one.
    progress(std::FILE* out, bool live, std::size_t epochs, std::size_t steps_per_epoch, std::size_t rows_per_epoch,
             std::uint64_t steps_done = 0);

    /// Counts one step of `rows` rows.
    void count_step(std::size_t rows) { ++steps_done_, rows_done_ += rows; }

    /// Is it time to rewrite the live line? Then the caller calls show_live with the loss of the last step.
    bool live_is_due() const;
    void show_live(double loss);

    /// Does the end of epoch `done` (counting from 1) get a line that stays? Then the caller calls show_epoch.
    bool epoch_is_due(std::uint64_t done) const;
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
    std::uint64_t steps_before_;
    std::uint64_t steps_done_;
    std::size_t rows_done_ = 0; // in this run
    clock::time_point begin_ = clock::now();
    clock::time_point last_shown_ = begin_;
    bool line_is_shown_ = false;
};

} // namespace bitstep::program
