// SPDX-License-Identifier: Apache-2.0
// Interleaved sampling: A, B, C, then B, C, A, ... A ratio of two medians from one such run survives what the machine
// does meanwhile (clock, neighbours on a shared host); two separate runs do not.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bitstep_bench {

struct contender {
    std::string name;
    std::function<void()> run;
};

struct series {
    double median = 0; ///< seconds per call
    double spread = 0; ///< interquartile range over the median
    double best = 0;   ///< smallest sample, seconds per call
};

struct sampling {
    int rounds = 9;
    int rounds_at_least = 3;      ///< even where they take longer than `seconds`
    double seconds = 1.0;         ///< no new round after this long
    double sample_seconds = 2e-3; ///< short calls are repeated within a sample until it takes this long
};

/// One series per contender, in their order.
std::vector<series> sample_in_turn(const std::vector<contender>& contenders, const sampling& how = {});

/// Seconds of one call that nothing precedes; for coarse choices.
double time_once(const contender& who);

/// Returns when the threads of this process have stopped spinning (at the latest after 0.3 s). OpenBLAS's workers wait
/// actively for about 26 ms after a call, libgomp's for a few and libomp's for 200: they would take the CPUs from
/// whoever runs next.
void settle();

} // namespace bitstep_bench
