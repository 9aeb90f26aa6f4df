// SPDX-License-Identifier: Apache-2.0
// The rows of one csv_block as doubles. Knows nothing of the rest of the file, so that blocks can be parsed at the same
// time; csv_table_builder puts them together.
// The one idea: a row without a quotation mark is split at its commas, number by number; at the first mark the row is
// given back to csv_quoted_row (libcsv), which says the same of rows without one.
#pragma once

#include "program/data/csv_blocks.hpp"
#include "program/data/csv_quoted_row.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bitstep::program {

struct csv_fault {
    static constexpr std::size_t whole_line = static_cast<std::size_t>(-1);

    std::size_t line = 0;            ///< the first of the block is 0
    std::size_t column = whole_line; ///< from 0; may lie beyond the last
    std::string problem;
};

struct csv_rows {
    std::vector<double> values;     ///< row after row
    std::vector<std::size_t> lines; ///< on which each row ends, the first of the block being 0
    std::size_t line_count = 0;     ///< of the block
    std::optional<csv_fault> fault; ///< the first of the block; then what was read is of no use
};

/// How rows without a quotation mark are read. The results are the same, which is what libcsv_alone is for: to test it.
enum class csv_method { split_plain_rows, libcsv_alone };

csv_rows parse_csv_rows(const csv_block& block, std::size_t columns, csv_method method);

/// What to say of a row whose block was cut, and of the misplaced or open quotation mark in a row that begins on `line`.
csv_fault fault_of_cut_row(const csv_block& block);
csv_fault fault_of_quote(const csv_row& row, std::size_t line);

} // namespace bitstep::program
