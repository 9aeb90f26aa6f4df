// SPDX-License-Identifier: Apache-2.0
#include "program/data/csv_rows.hpp"

#include "program/data/parse_number.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace bitstep::program {
namespace {

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

// As libcsv trims what is not quoted.
std::string_view trimmed(std::string_view field) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = field.find_first_not_of(blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : field.substr(first, field.find_last_not_of(blanks) - first + 1);
}

class row_parser {
public:
    row_parser(const csv_block& block, std::size_t columns, csv_method method)
        : block_(block), columns_(columns), method_(method), at_(block.text.data()), end_(at_ + block.text.size()) {}

    csv_rows parse() {
        if (block_.cut_row != 0) {
            cut_row();
        }
        while (at_ != end_ && !rows_.fault) {
            if (blank_line()) {
                continue;
            }
            if (method_ == csv_method::libcsv_alone || !plain_row()) {
                quoted_row(quoted_.read({at_, rest()}));
            }
        }
        return std::move(rows_);
    }

private:
    std::size_t rest() const { return static_cast<std::size_t>(end_ - at_); }

    bool blank_line() {
        const char* const stop = std::find_if(at_, end_, [](char c) { return c != ' ' && c != '\t'; });
        if (stop != end_ && !is_line_end(*stop)) {
            return false;
        }
        end_line(stop);
        return true;
    }

    // False, and nothing happened, where the row holds a quotation mark; it may then go on over line ends.
    bool plain_row() {
        const std::size_t values_before = rows_.values.size();
        const char* at = at_;
        std::size_t column = 0;
        for (;; ++column) {
            double value = 0;
            const char* stop = common_number(at, value);
            if (stop == nullptr) {
                stop = std::find_if(at, end_, [](char c) { return c == ',' || is_line_end(c); });
                const std::string_view field(at, static_cast<std::size_t>(stop - at));
                if (field.find('"') != std::string_view::npos) {
                    rows_.values.resize(values_before);
                    return false;
                }
                if (column < columns_ && !number(trimmed(field), rows_.line_count, column, value)) {
                    return true;
                }
            }
            if (column < columns_) {
                rows_.values.push_back(value);
            }
            at = stop;
            if (at == end_ || *at != ',') {
                break;
            }
            ++at;
        }
        end_row(column + 1, rows_.line_count);
        end_line(at);
        return true;
    }

    // The end of a field that is a number, neither more nor less; null for all others.
    const char* common_number(const char* at, double& value) const {
        const auto [stop, error] = std::from_chars(at, end_, value);
        const bool is_whole = stop == end_ || *stop == ',' || is_line_end(*stop);
        return is_whole && error == std::errc() && std::isfinite(value) ? stop : nullptr;
    }

    void quoted_row(const csv_row& row) {
        for (std::size_t column = 0; column < std::min(row.fields.size(), columns_); ++column) {
            const csv_field& field = row.fields[column];
            double value = 0;
            if (!number(field.text, rows_.line_count + field.line, column, value)) {
                return;
            }
            rows_.values.push_back(value);
        }
        if (row.fault != quote_fault::none) {
            rows_.fault = fault_of_quote(row, rows_.line_count);
            return;
        }
        end_row(row.fields.size(), rows_.line_count + row.lines - 1);
        rows_.line_count += row.lines;
        at_ += row.bytes;
    }

    // The row may be long only because of a misplaced mark.
    void cut_row() {
        if (block_.text.find('"') != std::string::npos) {
            const csv_row& row = quoted_.read(block_.text);
            if (row.fault == quote_fault::misplaced) {
                quoted_row(row);
                return;
            }
        }
        rows_.fault = fault_of_cut_row(block_);
    }

    // False, and the fault is set, where the field is no number.
    bool number(std::string_view field, std::size_t line, std::size_t column, double& value) {
        const parsed_number parsed = parse_number(field);
        value = parsed.value;
        if (parsed.problem == nullptr) {
            return true;
        }
        const bool blank = field.find_first_not_of(" \t") == std::string_view::npos;
        const std::string shown = blank ? "the field" : '"' + printable(field) + '"';
        rows_.fault = csv_fault{line, column, shown + ' ' + parsed.problem};
        return false;
    }

    void end_row(std::size_t fields, std::size_t line) {
        if (fields != columns_) {
            rows_.fault = csv_fault{line, std::min(fields, columns_),
                                    fmt::format("fields: {} in this row, {} in the header", fields, columns_)};
        }
        rows_.lines.push_back(line);
    }

    // `at` is the line's end or the block's.
    void end_line(const char* at) {
        at_ = at + (at == end_ ? 0 : at + 1 != end_ && at[0] == '\r' && at[1] == '\n' ? 2 : 1);
        ++rows_.line_count;
    }

    const csv_block& block_;
    const std::size_t columns_;
    const csv_method method_;
    const char* at_;
    const char* const end_;
    csv_quoted_row quoted_;
    csv_rows rows_;
};

} // namespace

csv_rows parse_csv_rows(const csv_block& block, std::size_t columns, csv_method method) {
    return row_parser(block, columns, method).parse();
}

csv_fault fault_of_cut_row(const csv_block& block) {
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    const bool quoted = std::count(block.text.begin(), block.text.end(), '"') % 2 != 0;
    return {0, csv_fault::whole_line,
            fmt::format("{} {} MiB", quoted ? "a quotation mark is not closed for" : "a line is longer than",
                        block.cut_row / mebibyte)};
}

csv_fault fault_of_quote(const csv_row& row, std::size_t line) {
    return {line, row.fields.size(),
            row.fault == quote_fault::misplaced ? "a quotation mark out of place" : "a quotation mark is never closed"};
}

} // namespace bitstep::program
