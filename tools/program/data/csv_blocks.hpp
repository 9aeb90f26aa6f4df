// SPDX-License-Identifier: Apache-2.0
// A CSV file in pieces that each hold whole rows, so that they can be parsed apart from one another
// and the text is never in memory as a whole. First step of csv_read; next: csv_rows.
// The one idea: a line end is the end of a row where an even number of quotation marks stands before it. That is so up
// to the first misplaced mark, and at that mark reading ends with an error anyway.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace bitstep::program {

struct csv_block {
    std::string text;        ///< whole rows; only the last row of the file may lack its line end
    std::size_t cut_row = 0; ///< if not 0: `text` is only the beginning of a row of more bytes than this
};

class csv_blocks {
public:
    /// Copies the next bytes of the file to where it is told, as many as it is told; fewer at the end of the file alone.
    using source = std::function<std::size_t(char*, std::size_t)>;

    /// `read_bytes` at a time, at least 1; a row of more than `longest_row` bytes is cut and ends the file.
    csv_blocks(source read, std::size_t read_bytes, std::size_t longest_row);

    /// The next block; false at the end of the file. Passes on what the source throws.
    bool next(csv_block& block);

private:
    source read_;
    std::size_t read_bytes_;
    std::size_t longest_row_;
    std::string rest_; // read, but behind the last end of a row
    bool at_end_ = false;
};

} // namespace bitstep::program
