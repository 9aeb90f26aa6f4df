// SPDX-License-Identifier: Apache-2.0
// A CSV file of numbers as a table of doubles: the first thing `train` does. csv_blocks cuts the file, csv_rows turns the
// blocks into numbers, several at a time (csv_read), csv_table_builder puts them together in order and names the place of
// every fault. Next: split, then design.
#pragma once

#include "program/data/csv_rows.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bitstep::program {

struct csv_table {
    std::string path;               ///< as the person wrote it
    std::vector<std::string> names; ///< one per column, from the header row
    std::size_t header_line = 1;
    std::vector<double> values;     ///< (rows, columns), row after row, all finite
    std::vector<std::size_t> lines; ///< the line of the file on which each row ends

    std::size_t columns() const { return names.size(); }
    std::size_t rows() const { return lines.size(); }
    double at(std::size_t row, std::size_t column) const { return values[row * columns() + column]; }

    /// "data.csv:17:3 (lpi)": file, line, number of the column counting from 1, its name.
    std::string place(std::size_t row, std::size_t column) const;
};

struct csv_reading {
    std::size_t threads = 0;                          ///< that parse at the same time; 0: as many as CPUs may be used
    std::size_t block_bytes = std::size_t{256} << 10; ///< read at a time, at least 1
    std::size_t longest_row = std::size_t{64} << 20;  ///< in bytes; a longer one is refused, a block more may pass
    csv_method method = csv_method::split_plain_rows;
};

/// Reads the file. input_error, with the place, where it cannot be read, holds no header or no rows, has a row of another
/// length, two columns of one name, a quotation mark out of place, a field that is no finite number, or a row longer than
/// longest_row. Of several faults the first of the file is named. Blank lines are skipped; a UTF-8 byte order mark is, too.
/// The result does not depend on `how`, but for what longest_row refuses. Memory: the table, and some blocks per thread.
csv_table read_csv_table(const std::string& path, const csv_reading& how = {});

/// The same for text that is in memory; `path` is only named.
csv_table parse_csv_table(const std::string& path, std::string_view text, const csv_reading& how = {});

/// Such a place by its parts; the column counts from 0.
std::string csv_place(const std::string& path, std::size_t line, std::size_t column, const std::string& name);

/// The column called `name`; input_error that lists the columns where there is none.
std::size_t find_column(const csv_table& table, const std::string& name);

/// All columns, for whoever looks for many. The keys are views of table.names: the table must stay.
std::unordered_map<std::string_view, std::size_t> columns_by_name(const csv_table& table);

} // namespace bitstep::program
