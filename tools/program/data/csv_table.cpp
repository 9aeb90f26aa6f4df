// SPDX-License-Identifier: Apache-2.0
#include "program/data/csv_table.hpp"

#include "program/errors.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <unordered_map>
#include <utility>

namespace bitstep::program {
namespace {

std::string place_name(const std::string& path, std::size_t line, std::size_t column, const std::string& name) {
    return fmt::format("{}:{}:{} ({})", printable(path), line, column + 1, printable(name));
}

// The table while it grows by one block after another, in the order of the file.
class table_builder {
public:
    // `file_bytes`: 0 where that is not known.
    table_builder(const std::string& path, std::size_t file_bytes) : file_bytes_(file_bytes) { table_.path = path; }

    // Moves the header to the table, and blank lines before it out of the block. False where the block has nothing else.
    bool take_header(csv_block& block) {
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

    void append(const csv_rows& rows, std::size_t bytes) {
        if (rows.fault) {
            fail(*rows.fault);
        }
        if (table_.lines.empty() && !rows.lines.empty()) {
            reserve(rows, static_cast<double>(file_bytes_) / static_cast<double>(bytes));
        }
        table_.values.insert(table_.values.end(), rows.values.begin(), rows.values.end());
        for (const std::size_t line : rows.lines) {
            table_.lines.push_back(line_count_ + line + 1);
        }
        line_count_ += rows.line_count;
    }

    csv_table finish() {
        if (table_.names.empty()) {
            throw input_error(printable(table_.path) + ": the file is empty");
        }
        if (table_.lines.empty()) {
            throw input_error(fmt::format("{}:{}: a header but no rows", printable(table_.path), line_count_));
        }
        return std::move(table_);
    }

    std::size_t columns() const { return table_.columns(); }

private:
    void add_name(const csv_field& field) {
        const auto [earlier, is_new] = first_use_.emplace(field.text, table_.names.size());
        if (!is_new) {
            fail({field.line, table_.names.size(), fmt::format("column {} has the same name", earlier->second + 1)},
                 field.text);
        }
        table_.names.push_back(field.text);
    }

    // A vector that doubles holds three times what it needs while it moves. Memory that is never touched costs nothing.
    void reserve(const csv_rows& first, double blocks) {
        const double rows = static_cast<double>(first.lines.size()) * blocks * 1.03;
        table_.lines.reserve(static_cast<std::size_t>(rows));
        table_.values.reserve(static_cast<std::size_t>(rows) * columns());
    }

    [[noreturn]] void fail(const csv_fault& fault, const std::string& name_beyond = "beyond the last column") const {
        const std::size_t line = line_count_ + fault.line + 1;
        if (fault.column == csv_fault::whole_line) {
            throw input_error(fmt::format("{}:{}: {}", printable(table_.path), line, fault.problem));
        }
        const std::string& name = fault.column < columns() ? table_.names[fault.column] : name_beyond;
        throw input_error(place_name(table_.path, line, fault.column, name) + ": " + fault.problem);
    }

    csv_table table_;
    std::size_t file_bytes_;
    std::size_t line_count_ = 0;                             // of what the table already holds
    std::unordered_map<std::string, std::size_t> first_use_; // header name -> column
};

struct parsed_block {
    csv_rows rows;
    std::size_t bytes;
};

// At most `threads` blocks are being parsed; each waits there for its turn.
class parse_queue {
public:
    parse_queue(table_builder& table, const csv_reading& how)
        : table_(table), method_(how.method),
          threads_(how.threads != 0 ? how.threads : std::max(1u, std::thread::hardware_concurrency())) {}

    void push(csv_block block) {
        if (pending_.size() == threads_) {
            append_first();
        }
        // `deferred`, too: where no thread can be had, this one parses.
        const std::launch policy = threads_ == 1 ? std::launch::deferred : std::launch::async | std::launch::deferred;
        pending_.push_back(std::async(policy, [text = std::move(block), columns = table_.columns(), method = method_] {
            return parsed_block{parse_csv_rows(text, columns, method), text.text.size()};
        }));
    }

    void finish() {
        while (!pending_.empty()) {
            append_first();
        }
    }

private:
    void append_first() {
        const parsed_block block = pending_.front().get();
        pending_.pop_front();
        table_.append(block.rows, block.bytes);
    }

    table_builder& table_;
    csv_method method_;
    std::size_t threads_;
    std::deque<std::future<parsed_block>> pending_;
};

csv_table read_table(const std::string& path, const csv_blocks::source& source, std::size_t file_bytes,
                     const csv_reading& how) {
    csv_blocks blocks(source, how.block_bytes, how.longest_row);
    csv_block block;
    table_builder table(path, file_bytes);
    parse_queue queue(table, how);
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    bool more = blocks.next(block);
    if (block.text.starts_with(byte_order_mark)) {
        block.text.erase(0, byte_order_mark.size());
    }
    while (more && !table.take_header(block)) {
        more = blocks.next(block);
    }
    while (more) {
        queue.push(std::move(block));
        try {
            more = blocks.next(block);
        } catch (...) {
            queue.finish(); // a fault before the place that cannot be read comes first
            throw;
        }
    }
    queue.finish();
    return table.finish();
}

} // namespace

std::string csv_table::place(std::size_t row, std::size_t column) const {
    return place_name(path, lines[row], column, names[column]);
}

csv_table parse_csv_table(const std::string& path, std::string_view text, const csv_reading& how) {
    const std::size_t size = text.size();
    const auto source = [&text](char* to, std::size_t count) {
        const std::size_t copied = text.copy(to, count);
        text.remove_prefix(copied);
        return copied;
    };
    return read_table(path, source, size, how);
}

csv_table read_csv_table(const std::string& path, const csv_reading& how) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        throw input_error(printable(path) + ": is a directory");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw input_error(fmt::format("{}: {}", printable(path), std::strerror(errno)));
    }
    const auto source = [&](char* to, std::size_t count) {
        file.read(to, static_cast<std::streamsize>(count));
        if (file.bad()) {
            throw input_error(printable(path) + ": cannot be read");
        }
        return static_cast<std::size_t>(file.gcount());
    };
    std::error_code unknown; // of pipes and devices
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    return read_table(path, source, unknown ? 0 : static_cast<std::size_t>(bytes), how);
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
