// SPDX-License-Identifier: Apache-2.0
// One row of a CSV file by libcsv, which knows the rules for quotation marks (RFC 4180). Used by csv_table_builder for the header
// and by csv_rows for rows with a quotation mark; all others are faster split by hand.
#pragma once

#include <csv.h>

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace bitstep::program {

struct csv_field {
    std::string text;
    std::size_t line; ///< on which it ends; the row begins on line 0
};

enum class quote_fault { none, misplaced, not_closed };

struct csv_row {
    std::vector<csv_field> fields;         ///< those before the fault where there is one
    std::size_t bytes = 0;                 ///< of text, with the line end
    std::size_t lines = 0;                 ///< of text
    quote_fault fault = quote_fault::none; ///< in the field behind `fields`
};

/// The length of the first line with its end: LF, CRLF or a lone CR. `text` must not be empty.
std::size_t line_length(std::string_view text);

/// Blanks and a line end alone: no row.
bool is_blank(std::string_view line);

class csv_quoted_row {
public:
    csv_quoted_row();
    ~csv_quoted_row() { csv_free(&parser_); }
    csv_quoted_row(const csv_quoted_row&) = delete;
    csv_quoted_row& operator=(const csv_quoted_row&) = delete;

    /// The first row of `text`, whose first line must not be blank. The end of the text ends the row. After a fault,
    /// no more can be read. The result lives until the next call.
    const csv_row& read(std::string_view text);

private:
    static void on_field(void* text, std::size_t size, void* self) noexcept;
    static void on_row(int, void* self) noexcept;
    void take(quote_fault fault);
    void rethrow();

    csv_parser parser_;
    csv_row row_;
    bool row_ended_ = false;
    std::exception_ptr failure_; // kept until libcsv, which is C, has returned
};

} // namespace bitstep::program
