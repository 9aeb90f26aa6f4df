// SPDX-License-Identifier: Apache-2.0
#include "program/data/csv_quoted_row.hpp"

#include <new>

namespace bitstep::program {

std::size_t line_length(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && text[end] != '\n' && text[end] != '\r') {
        ++end;
    }
    const bool is_crlf = text.substr(end, 2) == "\r\n";
    return end == text.size() ? end : end + (is_crlf ? 2 : 1);
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == std::string_view::npos; }

csv_quoted_row::csv_quoted_row() {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) {
        throw std::bad_alloc();
    }
}

// Physical lines go in one at a time: libcsv does not count them.
const csv_row& csv_quoted_row::read(std::string_view text) {
    row_.fields.clear();
    row_.bytes = row_.lines = 0;
    row_ended_ = false;
    while (!row_ended_ && row_.bytes < text.size() && row_.fault == quote_fault::none) {
        const std::string_view rest = text.substr(row_.bytes);
        const std::string_view line = rest.substr(0, line_length(rest));
        const std::size_t used = csv_parse(&parser_, line.data(), line.size(), on_field, on_row, this);
        rethrow();
        if (used != line.size()) {
            take(quote_fault::misplaced);
        }
        row_.bytes += line.size();
        ++row_.lines;
    }
    if (!row_ended_ && row_.fault == quote_fault::none) {
        --row_.lines; // the row ends on the last line, not behind it
        const bool failed = csv_fini(&parser_, on_field, on_row, this) != 0;
        ++row_.lines;
        rethrow();
        if (failed) {
            take(quote_fault::not_closed);
        }
    }
    return row_;
}

void csv_quoted_row::on_field(void* text, std::size_t size, void* self) noexcept {
    auto& reader = *static_cast<csv_quoted_row*>(self);
    try {
        reader.row_.fields.push_back({std::string(static_cast<const char*>(text), size), reader.row_.lines});
    } catch (...) {
        reader.failure_ = std::current_exception();
    }
}

void csv_quoted_row::on_row(int, void* self) noexcept { static_cast<csv_quoted_row*>(self)->row_ended_ = true; }

void csv_quoted_row::take(quote_fault fault) {
    if (csv_error(&parser_) != CSV_EPARSE) {
        throw std::bad_alloc();
    }
    row_.fault = fault;
}

void csv_quoted_row::rethrow() {
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

} // namespace bitstep::program
