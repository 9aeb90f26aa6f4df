// SPDX-License-Identifier: Apache-2.0
#include "program/data/csv_table_builder.hpp"

#include "program/errors.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace bitstep::program {

bool csv_table_builder::take_header(csv_block& block) {
    std::string_view text = block.text;
    while (!text.empty() && is_blank(text.substr(0, line_length(text)))) {
        text.remove_prefix(line_length(text));
        ++line_count_;
    }
    if (block.cut_row != 0 && text.find('"') == std::string_view::npos) {
        fail(fault_of_cut_row(block));
    }
    if (text.empty()) {
        return false;
    }
    csv_quoted_row reader;
    const csv_row& row = reader.read(text);
    for (const csv_field& field : row.fields) {
        add_name(field);
    }
    if (row.fault == quote_fault::misplaced || (row.fault == quote_fault::not_closed && block.cut_row == 0)) {
        fail(fault_of_quote(row, 0), "no name");
    }
    if (block.cut_row != 0) {
        fail(fault_of_cut_row(block));
    }
    line_count_ += row.lines;
    table_.header_line = line_count_;
    block.text.erase(0, block.text.size() - text.size() + row.bytes);
    return true;
}

void csv_table_builder::append(const csv_rows& rows, std::size_t bytes) {
    if (rows.fault) {
        fail(*rows.fault);
    }
    if (table_.lines.empty() && !rows.lines.empty()) {
        reserve(rows.lines.size(), bytes);
    }
    table_.values.insert(table_.values.end(), rows.values.begin(), rows.values.end());
    for (const std::size_t line : rows.lines) {
        table_.lines.push_back(line_count_ + line + 1);
    }
    line_count_ += rows.line_count;
}

csv_table csv_table_builder::finish() {
    if (table_.names.empty()) {
        throw input_error(printable_path(table_.path) + ": the file is empty");
    }
    if (table_.lines.empty()) {
        throw input_error(fmt::format("{}:{}: a header but no rows", printable_path(table_.path), line_count_));
    }
    return std::move(table_);
}

void csv_table_builder::add_name(const csv_field& field) {
    const auto [earlier, is_new] = first_use_.emplace(field.text, table_.names.size());
    if (!is_new) {
        fail({field.line, table_.names.size(), fmt::format("column {} has the same name", earlier->second + 1)},
             field.text);
    }
    table_.names.push_back(field.text);
}

// A vector that doubles holds three times what it needs while it moves. Memory that is never touched costs nothing, but
// the first block is only a guess: of short rows it asks for several times the file, which then may not be there to be had.
void csv_table_builder::reserve(std::size_t rows_of_first, std::size_t bytes_of_first) {
    const double blocks = static_cast<double>(file_bytes_) / static_cast<double>(bytes_of_first);
    const double most = static_cast<double>(file_bytes_) / 2; // numbers: a digit and a comma for each
    const double rows =
        std::min(static_cast<double>(rows_of_first) * blocks * 1.03, most / static_cast<double>(columns()));
    try {
        table_.lines.reserve(static_cast<std::size_t>(rows));
        table_.values.reserve(static_cast<std::size_t>(rows) * columns());
    } catch (const std::bad_alloc&) {
        // Then it grows as it needs.
    } catch (const std::length_error&) {
    }
}

void csv_table_builder::fail(const csv_fault& fault, const std::string& name_beyond) const {
    const std::size_t line = line_count_ + fault.line + 1;
    if (fault.column == csv_fault::whole_line) {
        throw input_error(fmt::format("{}:{}: {}", printable_path(table_.path), line, fault.problem));
    }
    const std::string& name = fault.column < columns() ? table_.names[fault.column] : name_beyond;
    throw input_error(csv_place(table_.path, line, fault.column, name) + ": " + fault.problem);
}

} // namespace bitstep::program
