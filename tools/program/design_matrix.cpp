// SPDX-License-Identifier: Apache-2.0
#include "program/design_matrix.hpp"

#include "program/errors.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bitstep::program {
namespace {

template <class T>
T rounded(const csv_table& table, std::size_t row, std::size_t column, double value) {
    const T result = static_cast<T>(value);
    if (!std::isfinite(result)) {
        throw input_error(fmt::format("{}: {} is outside the range of {}", table.place(row, column), value,
                                      sizeof(T) == 4 ? "float; try --dtype f64" : "double"));
    }
    return result;
}

std::vector<column_scale> scales_of(const csv_table& table, const std::vector<std::size_t>& columns, bool standardize) {
    std::vector<column_scale> scales(columns.size());
    for (std::size_t i = 0; standardize && i < columns.size(); ++i) {
        scales[i] = scale_of_column(table, columns[i]);
    }
    return scales;
}

} // namespace

column_scale scale_of_column(const csv_table& table, std::size_t column) {
    const auto count = static_cast<double>(table.rows());
    const double first = table.at(0, column);
    bool constant = true;
    double sum = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        sum += table.at(row, column);
        constant = constant && table.at(row, column) == first;
    }
    if (constant) {
        return {first, 1};
    }
    const double mean = sum / count;
    double squares = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const double difference = table.at(row, column) - mean;
        squares += difference * difference;
    }
    const double deviation = std::sqrt(squares / count);
    if (!std::isfinite(deviation) || deviation == 0) { // 0: the squares underflow
        throw input_error(fmt::format("{}:{}:{} ({}): the values are too {} to be standardized; try --no-standardize",
                                      printable(table.path), table.header_line, column + 1,
                                      printable(table.names[column]), deviation == 0 ? "small" : "large"));
    }
    return {mean, deviation};
}

template <class T>
design_matrix<T> make_design_matrix(const csv_table& table, const design_choice& choice) {
    const std::size_t target = find_column(table, choice.target);
    if (table.columns() == 1 && !choice.bias) {
        throw input_error(
            fmt::format("{}:{}:1 ({}): the target is the only column, and with --no-bias nothing is left to "
                        "learn from",
                        printable(table.path), table.header_line, printable(choice.target)));
    }
    design_matrix<T> data;
    std::vector<std::size_t> columns;
    for (std::size_t column = 0; column < table.columns(); ++column) {
        if (column == target) {
            continue;
        }
        columns.push_back(column);
        data.names.push_back(table.names[column]);
    }
    if (choice.bias) {
        data.names.emplace_back("(bias)");
    }
    data.rows = table.rows();
    data.features = data.names.size();
    data.x.reserve(data.rows * data.features);
    data.y.reserve(data.rows);

    const std::vector<column_scale> scales = scales_of(table, columns, choice.standardize);
    for (std::size_t row = 0; row < data.rows; ++row) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const double value = (table.at(row, columns[i]) - scales[i].mean) / scales[i].deviation;
            data.x.push_back(rounded<T>(table, row, columns[i], value));
        }
        if (choice.bias) {
            data.x.push_back(T{1});
        }
        data.y.push_back(rounded<T>(table, row, target, table.at(row, target)));
    }
    return data;
}

template design_matrix<float> make_design_matrix(const csv_table&, const design_choice&);
template design_matrix<double> make_design_matrix(const csv_table&, const design_choice&);

} // namespace bitstep::program
