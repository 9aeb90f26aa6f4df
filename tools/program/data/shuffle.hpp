// SPDX-License-Identifier: Apache-2.0
// The order in which an epoch visits the rows. A function of (seed, epoch, rows) alone: no epoch needs those before it,
// and nothing knows how many there will be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitstep::program {

/// Fills `order` (its size is the number of rows) with a permutation of 0 ... rows-1:
/// 1. first(x) is the first output of SplitMix64 from state x; the epoch's generator starts from
///    first(first(seed) + epoch), epoch counting from 0, sums modulo 2^64;
/// 2. order = 0, 1, 2, ...; for i = rows-1 down to 1: swap order[i] with order[j], j uniform in [0, i] by
///    split_mix::below (Fisher-Yates, as Knuth's algorithm P). Never allocates.
void shuffle_rows(std::uint64_t seed, std::uint64_t epoch, std::vector<std::size_t>& order);

} // namespace bitstep::program
