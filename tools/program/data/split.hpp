// SPDX-License-Identifier: Apache-2.0
// Which rows are trained on and which are kept back to test (--test-fraction). Comes before learn_design: the test rows
// must not reach the scaling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitstep::program {

/// Row numbers of the table, each list in the order of the file.
struct row_split {
    std::vector<std::size_t> training;
    std::vector<std::size_t> test;
};

/// The first floor(fraction * rows) entries, the product in double, of shuffle_rows(seed, epoch 2^64 - 1) are test rows:
/// an epoch that no training reaches. fraction in [0, 1). input_error where a fraction above 0 leaves one side empty.
row_split split_rows(std::size_t rows, double fraction, std::uint64_t seed);

} // namespace bitstep::program
