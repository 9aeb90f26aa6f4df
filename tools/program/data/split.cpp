// SPDX-License-Identifier: Apache-2.0
#include "program/data/split.hpp"

#include "program/data/shuffle.hpp"
#include "program/errors.hpp"

#include <fmt/format.h>

#include <limits>
#include <numeric>

namespace bitstep::program {

row_split split_rows(std::size_t rows, double fraction, std::uint64_t seed) {
    row_split split;
    if (fraction == 0) {
        split.training.resize(rows);
        std::iota(split.training.begin(), split.training.end(), std::size_t{0});
        return split;
    }
    const auto tested = static_cast<std::size_t>(fraction * static_cast<double>(rows));
    if (tested == 0 || tested >= rows) {
        throw input_error(fmt::format("--test-fraction {} of {} rows leaves none to {}", fraction, rows,
                                      tested == 0 ? "test" : "train on"));
    }
    std::vector<std::size_t> order(rows);
    shuffle_rows(seed, std::numeric_limits<std::uint64_t>::max(), order);
    std::vector<bool> is_test(rows, false);
    for (std::size_t i = 0; i < tested; ++i) {
        is_test[order[i]] = true;
    }
    for (std::size_t row = 0; row < rows; ++row) {
        (is_test[row] ? split.test : split.training).push_back(row);
    }
    return split;
}

} // namespace bitstep::program
