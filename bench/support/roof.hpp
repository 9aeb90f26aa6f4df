// SPDX-License-Identifier: Apache-2.0
// The roof: this machine's own read bandwidth on the buffer and with the threads of the case at hand. It is the best of
// several read loops, because no single one is best on every machine and size.
#pragma once

#include "samples.hpp"

#include <cstddef>
#include <vector>

namespace bitstep_bench {

/// The two fastest read loops for this buffer, threads and machine, to be sampled in turn with what is measured.
/// The roof's time is the smaller of their medians. The buffer must outlive the contenders.
std::vector<contender> roof_contenders(const void* data, std::size_t bytes, int threads);

/// Plain loops that read five arrays and write four, one per vector width (loops.hpp): the best of them is what an
/// update in place can reach. `state` and the arrays must outlive the contenders.
template <class T>
std::vector<contender> stream_contenders(const T* grad, T* const* state, std::size_t size, int threads);

/// The series with the smallest median among all[first] and later ones: rivals of one kind count by their best.
const series& best_of(const std::vector<series>& all, std::size_t first, std::size_t count);

} // namespace bitstep_bench
