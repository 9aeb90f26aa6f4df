// SPDX-License-Identifier: Apache-2.0
#include "program/shuffle.hpp"

#include "program/split_mix.hpp"

#include <numeric>
#include <utility>

namespace bitstep::program {

void shuffle_rows(std::uint64_t seed, std::uint64_t epoch, std::vector<std::size_t>& order) {
    split_mix generator(split_mix(split_mix(seed).next() + epoch).next());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[static_cast<std::size_t>(generator.below(i))]);
    }
}

} // namespace bitstep::program
