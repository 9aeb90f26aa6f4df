// SPDX-License-Identifier: Apache-2.0
// Which columns of a table become features and how they are scaled: learned from the training rows, kept in the state,
// applied again by `predict`. Comes after csv_table, before design_matrix. Everything here reaches the digest, so its order
// is fixed and documented.
#pragma once

#include "program/data/csv_table.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace bitstep::program {

/// How a feature is standardized: (value - mean) / deviation.
struct column_scale {
    double mean = 0;
    double deviation = 1;
};

struct design_choice {
    std::string target;
    bool bias = true;        ///< append a column of ones, which is never standardized
    bool standardize = true; ///< features only, the target stays as it is
};

struct design {
    std::string target;
    std::vector<std::string> features; ///< columns in the order of the training file, without target and bias
    std::vector<column_scale> scales;  ///< one per feature; {0, 1} where not standardized
    bool bias = true;
    bool standardize = true;

    /// d, the length of the weights: the features, then the bias.
    std::size_t width() const { return features.size() + (bias ? 1 : 0); }
};

/// All columns but the target are features. A scale is the mean and the population standard deviation of the column over
/// `rows`, in double: mean = (sum of the values) / n, deviation = sqrt((sum of (value - mean)^2) / n), both sums in the
/// order of `rows` starting from 0. A column whose values are all equal has that value as mean and deviation 1, so that it
/// becomes zeros whatever the rounding of its sum. input_error where the target is missing or the only column and there is
/// no bias, or where a scale overflows.
design learn_design(const csv_table& table, const design_choice& choice, const std::vector<std::size_t>& rows);

} // namespace bitstep::program
