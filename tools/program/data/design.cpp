// SPDX-License-Identifier: Apache-2.0
#include "program/data/design.hpp"

#include "program/errors.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bitstep::program {
namespace {

// All columns in one pass over the table; each column's sum is still in the order of the rows.
std::vector<double> sums_of_columns(const csv_table& table, const std::vector<std::size_t>& rows,
                                    std::vector<bool>& constant) {
    const std::size_t columns = table.columns();
    std::vector<double> sums(columns, 0.0);
    std::vector<char> varies(columns, 0);
    const double* first = table.values.data() + rows.front() * columns;
    for (const std::size_t row : rows) {
        const double* values = table.values.data() + row * columns;
        for (std::size_t column = 0; column < columns; ++column) {
            sums[column] += values[column];
            varies[column] |= static_cast<char>(values[column] != first[column]);
        }
    }
    for (std::size_t column = 0; column < columns; ++column) {
        constant[column] = varies[column] == 0;
    }
    return sums;
}

std::vector<double> squares_of_columns(const csv_table& table, const std::vector<std::size_t>& rows,
                                       const std::vector<double>& means) {
    const std::size_t columns = table.columns();
    std::vector<double> squares(columns, 0.0);
    for (const std::size_t row : rows) {
        const double* values = table.values.data() + row * columns;
        for (std::size_t column = 0; column < columns; ++column) {
            const double difference = values[column] - means[column];
            squares[column] += difference * difference;
        }
    }
    return squares;
}

std::vector<column_scale> scales_of(const csv_table& table, const std::vector<std::size_t>& columns,
                                    const std::vector<std::size_t>& rows) {
    const auto count = static_cast<double>(rows.size());
    std::vector<bool> constant(table.columns());
    std::vector<double> means = sums_of_columns(table, rows, constant);
    std::transform(means.begin(), means.end(), means.begin(), [&](double sum) { return sum / count; });
    const std::vector<double> squares = squares_of_columns(table, rows, means);

    std::vector<column_scale> scales;
    for (const std::size_t column : columns) {
        if (constant[column]) {
            scales.push_back({table.at(rows.front(), column), 1});
            continue;
        }
        const double deviation = std::sqrt(squares[column] / count);
        if (!std::isfinite(deviation) || deviation == 0) { // 0: the squares underflow
            throw input_error(fmt::format(
                "{}:{}:{} ({}): the values are too {} to be standardized; try --no-standardize", printable(table.path),
                table.header_line, column + 1, printable(table.names[column]), deviation == 0 ? "small" : "large"));
        }
        scales.push_back({means[column], deviation});
    }
    return scales;
}

} // namespace

design learn_design(const csv_table& table, const design_choice& choice, const std::vector<std::size_t>& rows) {
    const std::size_t target = find_column(table, choice.target);
    if (table.columns() == 1 && !choice.bias) {
        throw input_error(
            fmt::format("{}:{}:1 ({}): the target is the only column, and with --no-bias nothing is left to learn from",
                        printable(table.path), table.header_line, printable(choice.target)));
    }
    design learned;
    learned.target = choice.target;
    learned.bias = choice.bias;
    learned.standardize = choice.standardize;
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < table.columns(); ++column) {
        if (column != target) {
            columns.push_back(column);
            learned.features.push_back(table.names[column]);
        }
    }
    learned.scales.resize(columns.size());
    if (choice.standardize) {
        learned.scales = scales_of(table, columns, rows);
    }
    return learned;
}

} // namespace bitstep::program
