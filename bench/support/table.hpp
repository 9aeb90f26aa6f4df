// SPDX-License-Identifier: Apache-2.0
// From contenders to a row of Google Benchmark's table. A case samples everybody in turn and runs once: its time is the
// median per call of what is measured, its columns are ratios of medians of the same run.
#pragma once

#include "samples.hpp"

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

namespace bitstep_bench {

/// Several ways to do one thing count by the fastest. The column says rival's time / bitstep's time: above 1 bitstep is
/// faster; for a roof ("of_roof", "of_stream") it is the share of the possible speed that was reached.
struct rival {
    std::string column;
    std::vector<contender> ways;
    std::string gb_column = {}; ///< where not empty, a column with the rival's own GB/s
};

/// Samples `measured` and all rivals in turn and fills the row. bytes: what `measured` has to move per call.
void measure(benchmark::State& state, const contender& measured, double bytes, const std::vector<rival>& rivals);

/// Adds a case. What `body` throws becomes the row's error.
void add_case(const std::string& name, std::function<void(benchmark::State&)> body,
              benchmark::TimeUnit unit = benchmark::kMicrosecond);

/// Context lines, Google Benchmark's own options, run. For `return run_table(...)` in main, after the add_case calls.
int run_table(int argc, char** argv);

} // namespace bitstep_bench
