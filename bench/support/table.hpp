// SPDX-License-Identifier: Apache-2.0
// From contenders to a row of Google Benchmark's table. A case samples everybody in turn and runs once: its time is the
// median per call of what is measured, its columns are ratios of medians of the same run.
#pragma once

#include "samples.hpp"

#include <benchmark/benchmark.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace bitstep_bench {

/// Samples `measured` and all rivals in turn and fills the row. bytes: what `measured` has to move per call.
void measure(benchmark::State& state, const contender& measured, double bytes, const std::vector<rival>& rivals,
             const sampling& how = {});

/// Adds `column` as the smaller of those of `columns` that the row has.
void smaller_of(benchmark::State& state, const char* column, std::initializer_list<const char*> columns);

/// BITSTEP_BENCH_FULL=1: every size of every program. Else the selection that covers all targets in some minutes.
bool full_set();

/// Adds a case. What `body` throws becomes the row's error.
void add_case(const std::string& name, std::function<void(benchmark::State&)> body,
              benchmark::TimeUnit unit = benchmark::kMicrosecond);

/// Context lines, Google Benchmark's own options, run. For `return run_table(...)` in main, after the add_case calls.
int run_table(int argc, char** argv);

} // namespace bitstep_bench
