// SPDX-License-Identifier: Apache-2.0
// A csv_table while it grows by one block after another, in the order of the file; knows on which line it is, and so names
// the place of every fault. Used by csv_read alone.
#pragma once

#include "program/data/csv_table.hpp"

#include <cstddef>
#include <string>
#include <unordered_map>

namespace bitstep::program {

class csv_table_builder {
public:
    /// `file_bytes`: 0 where that is not known.
    csv_table_builder(const std::string& path, std::size_t file_bytes) : file_bytes_(file_bytes) { table_.path = path; }

    /// Moves the header to the table, and blank lines before it out of the block. False where the block has nothing else.
    bool take_header(csv_block& block);

    /// The rows of the next block, which had this many bytes. Throws its fault where it has one.
    void append(const csv_rows& rows, std::size_t bytes);

    /// input_error where there is no header or no row.
    csv_table finish();

    std::size_t columns() const { return table_.columns(); }

private:
    void add_name(const csv_field& field);
    void reserve(std::size_t rows_of_first, std::size_t bytes_of_first);
    [[noreturn]] void fail(const csv_fault& fault, const std::string& name_beyond = "beyond the last column") const;

    csv_table table_;
    std::size_t file_bytes_;
    std::size_t line_count_ = 0;                             // of what the table already holds
    std::unordered_map<std::string, std::size_t> first_use_; // header name -> column
};

} // namespace bitstep::program
