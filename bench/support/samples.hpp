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

/// Several ways to do one thing count by the fastest. The column says rival's time / bitstep's time: above 1 bitstep is
/// faster; for a roof ("of_roof", "of_stream") it is the share of the possible speed that was reached.
struct rival {
    std::string column;
    std::vector<contender> ways;
    std::string gb_column = {}; ///< where not empty, a column with the rival's own GB/s
    double scale = 1;           ///< its time counts so many times: a roof that reads fewer bytes than have to be read
};

struct series {
    double median = 0; ///< seconds per call
    double spread = 0; ///< interquartile range over the median
    double best = 0;   ///< smallest sample, seconds per call
};

struct sampling {
    int rounds = 15;
    int rounds_at_least = 5;      ///< even where they take longer than `seconds`
    double seconds = 3.0;         ///< no new round after this long
    double sample_seconds = 2e-3; ///< short calls are repeated within a sample until it takes this long
};

/// One series per contender, in their order.
std::vector<series> sample_in_turn(const std::vector<contender>& contenders, const sampling& how = {});

/// The fastest of several ways, and the second where it is within 5 %: a short race before the samples, so that a rival
/// enters them in its best form and the others do not lengthen the run.
std::vector<contender> fastest(const std::vector<contender>& ways);

/// Seconds of one call that nothing precedes; for coarse choices.
double time_once(const contender& who);

/// Returns when the threads of this process have stopped spinning (at the latest after 0.3 s). OpenBLAS's workers wait
/// actively for about 26 ms after a call, libgomp's for a few and libomp's for 200: they would take the CPUs from
/// whoever runs next.
void settle();

} // namespace bitstep_bench
