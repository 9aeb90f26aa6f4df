// SPDX-License-Identifier: Apache-2.0
// The loops that show what this machine's memory gives, compiled once per vector width (loops.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace bitstep_bench {

struct loop_set {
    std::size_t vector_bytes;
    /// Integer sum over four streams of `count` vectors each: stream k starts at base + k * stride and moves by `step`
    /// bytes. prefetch: how many bytes ahead lines are asked for, 0: not at all.
    std::uint64_t (*read)(const char* base, std::size_t stride, std::size_t step, std::size_t count,
                          std::size_t prefetch);
    /// Reads g and four state arrays, writes the four: Adam+EMA's traffic with next to no arithmetic.
    void (*update_float)(const float* g, float* const* state, std::size_t begin, std::size_t end);
    void (*update_double)(const double* g, double* const* state, std::size_t begin, std::size_t end);
};

/// The sets this CPU can run, narrowest first; `count` of them.
const loop_set* const* runnable_loops(std::size_t& count);

} // namespace bitstep_bench
