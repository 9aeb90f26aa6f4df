// SPDX-License-Identifier: Apache-2.0
// The way of a CSV file into a csv_table: blocks are read one after another, parsed several at a time, and appended in
// their order.
#include "program/data/csv_table.hpp"
#include "program/data/csv_table_builder.hpp"
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
#include <utility>

namespace bitstep::program {
namespace {

struct parsed_block {
    csv_rows rows;
    std::size_t bytes;
};

// At most `threads` blocks are being parsed; each waits there for its turn.
class parse_queue {
public:
    parse_queue(csv_table_builder& table, const csv_reading& how)
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

    csv_table_builder& table_;
    csv_method method_;
    std::size_t threads_;
    std::deque<std::future<parsed_block>> pending_;
};

csv_table read_table(const std::string& path, const csv_blocks::source& source, std::size_t file_bytes,
                     const csv_reading& how) {
    csv_blocks blocks(source, how.block_bytes, how.longest_row);
    csv_block block;
    csv_table_builder table(path, file_bytes);
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
        throw input_error(printable_path(path) + ": is a directory");
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    const int error = errno; // before anything else can set it
    if (!file) {
        throw input_error(fmt::format("{}: {}", printable_path(path), std::strerror(error)));
    }
    const auto source = [&](char* to, std::size_t count) {
        file.read(to, static_cast<std::streamsize>(count));
        if (file.bad()) {
            throw input_error(printable_path(path) + ": cannot be read");
        }
        return static_cast<std::size_t>(file.gcount());
    };
    std::error_code unknown; // of pipes and devices
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    return read_table(path, source, unknown ? 0 : static_cast<std::size_t>(bytes), how);
}

} // namespace bitstep::program
