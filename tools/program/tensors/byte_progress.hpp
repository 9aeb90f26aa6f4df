// SPDX-License-Identifier: Apache-2.0
// How far a long read through files is: one line on stderr, rewritten in place. Nothing where stderr is no terminal, and
// nothing in the first second.
#pragma once

#include "program/tensors/tensor_file.hpp"

#include <chrono>
#include <cstdint>

namespace bitstep::program {

class byte_progress {
public:
    /// `wanted` as well as stderr being a terminal decide whether anything is ever shown.
    byte_progress(std::uint64_t total, bool wanted);
    ~byte_progress();
    byte_progress(const byte_progress&) = delete;
    byte_progress& operator=(const byte_progress&) = delete;

    void count(std::uint64_t bytes);

private:
    using clock = std::chrono::steady_clock;

    std::uint64_t total_;
    std::uint64_t done_ = 0;
    bool shown_;
    bool line_is_shown_ = false;
    clock::time_point next_ = clock::now() + std::chrono::seconds(1);
};

/// From here on counts what is read of the file; `shown` must live as long as that goes on.
void count_reads(tensor_file& file, byte_progress& shown);

} // namespace bitstep::program
