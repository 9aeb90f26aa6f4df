// SPDX-License-Identifier: Apache-2.0
// Rows of a table as numbers in the type of the training: X (the design's features, then a column of ones for the bias)
// and y. Comes after design, before trainer.
#pragma once

#include "program/data/csv_table.hpp"
#include "program/data/design.hpp"

#include <cstddef>
#include <vector>

namespace bitstep::program {

template <class T>
struct design_matrix {
    std::vector<T> x; ///< (rows, features)
    std::vector<T> y; ///< (rows), or empty
    std::size_t rows = 0;
    std::size_t features = 0; ///< d, with the bias
};

enum class with_target { no, yes };

/// The rows `rows` of the table, in that order. Columns are found by name. Values are standardized in double and rounded
/// to T once. input_error where a column is missing or a value does not fit T.
template <class T>
design_matrix<T> make_design_matrix(const csv_table& table, const design& by, const std::vector<std::size_t>& rows,
                                    with_target target = with_target::yes);

} // namespace bitstep::program
