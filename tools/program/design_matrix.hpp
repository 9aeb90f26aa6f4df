// SPDX-License-Identifier: Apache-2.0
// The table as a regression problem in the type of the training: X (features, then a column of ones for the bias) and y.
// Comes after csv_table, before trainer. Everything here reaches the digest, so its order is fixed and documented.
#pragma once

#include "program/csv_table.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace bitstep::program {

/// How a feature is standardized: (value - mean) / deviation.
struct column_scale {
    double mean = 0;
    double deviation = 1;
};

template <class T>
struct design_matrix {
    std::vector<T> x;               ///< (rows, features)
    std::vector<T> y;               ///< (rows)
    std::vector<std::string> names; ///< of the features, the bias as "(bias)"
    std::size_t rows = 0;
    std::size_t features = 0; ///< d, with the bias
};

struct design_choice {
    std::string target;
    bool bias = true;        ///< append a column of ones, which is never standardized
    bool standardize = true; ///< features only, the target stays as it is
};

/// Mean and population standard deviation of a column, in double: mean = (sum of the values) / N, deviation =
/// sqrt((sum of (value - mean)^2) / N), both sums in the order of the file starting from 0. A column whose values are all
/// equal has that value as mean and deviation 1, so that it becomes zeros whatever the rounding of its sum.
column_scale scale_of_column(const csv_table& table, std::size_t column);

/// Features in the order of the file without the target. Values are standardized in double and rounded to T once.
/// input_error where the target is missing or the only column and there is no bias, where a scale overflows, or where a
/// value does not fit T.
template <class T>
design_matrix<T> make_design_matrix(const csv_table& table, const design_choice& choice);

} // namespace bitstep::program
