// SPDX-License-Identifier: Apache-2.0
#include "program/csv_table.hpp"

#include "program/errors.hpp"
#include "program/parse_number.hpp"
#include "program/text.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <unordered_map>

namespace bitstep::program {
namespace {

std::string place_name(const std::string& path, std::size_t line, std::size_t column, const std::string& name) {
    return fmt::format("{}:{}:{} ({})", printable(path), line, column + 1, printable(name));
}

// Receives fields and row ends from libcsv. What its methods throw is kept until libcsv, which is C, has returned.
class table_builder {
public:
    explicit table_builder(const std::string& path) { table_.path = path; }

    // Physical lines go in one at a time: libcsv does not count them.
    void parse_line(csv_parser& parser, std::string_view line) {
        ++line_;
        if (!row_open_) {
            row_begin_ = line_;
        }
        row_open_ = row_open_ || line.find_first_not_of(" \t\r\n") != std::string_view::npos;
        const std::size_t used = csv_parse(&parser, line.data(), line.size(), on_field, on_row, this);
        rethrow();
        if (used != line.size()) {
            fail_at_quote(parser, "a quotation mark out of place");
        }
    }

    csv_table finish(csv_parser& parser) {
        const bool failed = csv_fini(&parser, on_field, on_row, this) != 0;
        rethrow();
        if (failed) {
            fail_at_quote(parser, "a quotation mark is never closed");
        }
        if (table_.names.empty()) {
            throw input_error(printable(table_.path) + ": the file is empty");
        }
        if (table_.lines.empty()) {
            throw input_error(fmt::format("{}:{}: a header but no rows", printable(table_.path), line_));
        }
        return std::move(table_);
    }

private:
    static void on_field(void* text, std::size_t size, void* self) {
        static_cast<table_builder*>(self)->guarded([&](table_builder& builder) {
            builder.add_field({static_cast<const char*>(text), size});
        });
    }
    static void on_row(int, void* self) {
        static_cast<table_builder*>(self)->guarded([](table_builder& builder) { builder.end_row(); });
    }

    template <class Action>
    void guarded(Action action) {
        if (failure_) {
            return;
        }
        try {
            action(*this);
        } catch (...) {
            failure_ = std::current_exception();
        }
    }

    void rethrow() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

    void add_field(std::string_view text) {
        const std::size_t column = fields_in_row_++;
        if (reading_header_) {
            add_name(column, std::string(text));
            return;
        }
        if (column >= table_.columns()) {
            return;
        } // end_row counts and refuses
        const parsed_number number = parse_number(text);
        if (number.problem != nullptr) {
            const bool blank = text.find_first_not_of(" \t") == std::string_view::npos;
            throw input_error(fmt::format("{}: {} {}", place_name(table_.path, line_, column, table_.names[column]),
                                          blank ? "the field" : '"' + printable(text) + '"', number.problem));
        }
        table_.values.push_back(number.value);
    }

    void add_name(std::size_t column, std::string name) {
        const auto [earlier, is_new] = first_use_.emplace(name, column);
        if (!is_new) {
            throw input_error(fmt::format("{}: column {} has the same name",
                                          place_name(table_.path, line_, column, name), earlier->second + 1));
        }
        table_.names.push_back(std::move(name));
    }

    void end_row() {
        if (reading_header_) {
            table_.header_line = line_;
            reading_header_ = false;
        } else if (fields_in_row_ == table_.columns()) {
            table_.lines.push_back(line_);
        } else {
            fail_at_ragged_row();
        }
        fields_in_row_ = 0;
        row_open_ = false;
    }

    [[noreturn]] void fail_at_ragged_row() const {
        const std::size_t first_odd = std::min(fields_in_row_, table_.columns());
        const std::string name = first_odd < table_.columns() ? table_.names[first_odd] : "beyond the last column";
        throw input_error(fmt::format("{}: fields: {} in this row, {} in the header",
                                      place_name(table_.path, line_, first_odd, name), fields_in_row_,
                                      table_.columns()));
    }

    [[noreturn]] void fail_at_quote(csv_parser& parser, const char* problem) const {
        if (csv_error(&parser) != CSV_EPARSE) {
            throw std::bad_alloc();
        }
        const std::size_t column = fields_in_row_;
        const std::string name = column < table_.columns() ? table_.names[column] : "no name";
        throw input_error(fmt::format("{}: {}", place_name(table_.path, row_begin_, column, name), problem));
    }

    csv_table table_;
    std::unordered_map<std::string, std::size_t> first_use_; // header name -> column
    std::size_t line_ = 0;                                   // the line being parsed, counting from 1
    bool row_open_ = false;                                  // inside a row; quoted fields may span lines
    std::size_t row_begin_ = 1;                              // the line on which that row began
    std::size_t fields_in_row_ = 0;
    bool reading_header_ = true;
    std::exception_ptr failure_;
};

struct parser_owner {
    csv_parser parser;
    parser_owner() {
        if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
            throw std::bad_alloc();
        }
    }
    ~parser_owner() { csv_free(&parser); }
    parser_owner(const parser_owner&) = delete;
    parser_owner& operator=(const parser_owner&) = delete;
};

// Length of the first line with its end: LF, CRLF or a lone CR.
std::size_t line_length(std::string_view text) {
    const std::size_t end = text.find_first_of("\r\n");
    if (end == std::string_view::npos) {
        return text.size();
    }
    return text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n' ? end + 2 : end + 1;
}

} // namespace

std::string csv_table::place(std::size_t row, std::size_t column) const {
    return place_name(path, lines[row], column, names[column]);
}

csv_table parse_csv_table(const std::string& path, std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.substr(0, byte_order_mark.size()) == byte_order_mark) {
        text.remove_prefix(byte_order_mark.size());
    }
    parser_owner owner;
    table_builder builder(path);
    while (!text.empty()) {
        const std::size_t length = line_length(text);
        builder.parse_line(owner.parser, text.substr(0, length));
        text.remove_prefix(length);
    }
    return builder.finish(owner.parser);
}

csv_table read_csv_table(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        throw input_error(printable(path) + ": is a directory");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw input_error(fmt::format("{}: {}", printable(path), std::strerror(errno)));
    }
    std::string text;
    try {
        text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    } catch (const std::ios_base::failure&) { // what libstdc++'s buffer throws where read() fails
        throw input_error(printable(path) + ": cannot be read");
    }
    return parse_csv_table(path, text);
}

std::size_t find_column(const csv_table& table, const std::string& name) {
    const auto found = std::find(table.names.begin(), table.names.end(), name);
    if (found != table.names.end()) {
        return static_cast<std::size_t>(found - table.names.begin());
    }
    constexpr std::size_t most = 30;
    std::string list;
    for (std::size_t i = 0; i < table.columns() && i < most; ++i) {
        list += (i == 0 ? "" : ", ") + printable(table.names[i]);
    }
    throw input_error(fmt::format("{}:{}: no column is called \"{}\"; the columns are {}{}", printable(table.path),
                                  table.header_line, printable(name), list, table.columns() > most ? ", ..." : ""));
}

} // namespace bitstep::program
