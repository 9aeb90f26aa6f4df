// SPDX-License-Identifier: Apache-2.0
#include "program/data/design_matrix.hpp"

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

} // namespace

template <class T>
design_matrix<T> make_design_matrix(const csv_table& table, const design& by, const std::vector<std::size_t>& rows,
                                    with_target target) {
    const auto by_name = columns_by_name(table);
    std::vector<std::size_t> columns;
    for (const std::string& name : by.features) {
        const auto found = by_name.find(name);
        columns.push_back(found == by_name.end() ? find_column(table, name) : found->second); // that refuses, in words
    }
    design_matrix<T> data;
    data.rows = rows.size();
    data.features = by.width();
    data.x.resize(data.rows * data.features);
    T* out = data.x.data();
    for (const std::size_t row : rows) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const double value = (table.at(row, columns[i]) - by.scales[i].mean) / by.scales[i].deviation;
            *out++ = rounded<T>(table, row, columns[i], value);
        }
        if (by.bias) {
            *out++ = T{1};
        }
    }
    if (target == with_target::yes) {
        const std::size_t column = find_column(table, by.target);
        data.y.reserve(data.rows);
        for (const std::size_t row : rows) {
            data.y.push_back(rounded<T>(table, row, column, table.at(row, column)));
        }
    }
    return data;
}

template design_matrix<float> make_design_matrix(const csv_table&, const design&, const std::vector<std::size_t>&,
                                                 with_target);
template design_matrix<double> make_design_matrix(const csv_table&, const design&, const std::vector<std::size_t>&,
                                                  with_target);

} // namespace bitstep::program
