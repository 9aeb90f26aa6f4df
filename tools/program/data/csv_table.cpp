// SPDX-License-Identifier: Apache-2.0
#include "program/data/csv_table.hpp"

#include "program/errors.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bitstep::program {

std::string csv_place(const std::string& path, std::size_t line, std::size_t column, const std::string& name) {
    return fmt::format("{}:{}:{} ({})", printable_path(path), line, column + 1, printable(name));
}

std::string csv_table::place(std::size_t row, std::size_t column) const {
    return csv_place(path, lines[row], column, names[column]);
}

std::size_t find_column(const csv_table& table, const std::string& name) {
    const auto found = std::find(table.names.begin(), table.names.end(), name);
    if (found != table.names.end()) {
        return static_cast<std::size_t>(found - table.names.begin());
    }
    constexpr std::size_t most = 30;
    throw input_error(fmt::format("{}:{}: no column is called \"{}\"; the columns are {}", printable_path(table.path),
                                  table.header_line, printable(name), listed(table.names, most)));
}

std::unordered_map<std::string_view, std::size_t> columns_by_name(const csv_table& table) {
    std::unordered_map<std::string_view, std::size_t> columns;
    columns.reserve(table.columns());
    for (std::size_t column = 0; column < table.columns(); ++column) {
        columns.emplace(table.names[column], column);
    }
    return columns;
}

} // namespace bitstep::program
