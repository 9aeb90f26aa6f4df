// SPDX-License-Identifier: Apache-2.0
#include "program/train/history.hpp"

#include "program/errors.hpp"
#include "program/replacing_file.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace bitstep::program {
namespace {

constexpr std::string_view header = "step,epoch,loss,test_loss,gradient_norm,lr,seconds,ema_loss,ema_test_loss\n";
constexpr std::size_t columns = 9;

[[noreturn]] void fail(const std::string& path) {
    throw input_error(fmt::format("{}: {}", printable_path(path), std::strerror(errno)));
}

std::string field(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

std::string line_of(const history_row& row) {
    return fmt::format("{},{},{},{},{},{},{:.3f},{},{}\n", row.step, row.epoch, field(row.loss), field(row.test_loss),
                       field(row.gradient_norm), field(row.lr), row.seconds, field(row.ema_loss),
                       field(row.ema_test_loss));
}

template <class Number>
bool read_number(std::string_view text, Number& value) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && stop == text.data() + text.size();
}

// What add() writes for NaN is an empty field, never "nan".
bool read_optional(std::string_view text, double& value) {
    return text.empty() || (read_number(text, value) && !std::isnan(value));
}

bool read_passed(std::string_view text, double& value) {
    return read_number(text, value) && std::isfinite(value) && value >= 0;
}

std::optional<history_row> parse_line(std::string_view line) {
    std::array<std::string_view, columns> fields;
    for (std::size_t i = 0; i < columns; ++i) {
        const std::size_t end = line.find(',');
        if ((end == std::string_view::npos) != (i + 1 == columns)) {
            return std::nullopt;
        }
        fields[i] = line.substr(0, end);
        line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
    history_row row;
    const bool well_formed = read_number(fields[0], row.step) && read_passed(fields[1], row.epoch) &&
                             read_optional(fields[2], row.loss) && read_optional(fields[3], row.test_loss) &&
                             read_optional(fields[4], row.gradient_norm) && read_optional(fields[5], row.lr) &&
                             read_passed(fields[6], row.seconds) && read_optional(fields[7], row.ema_loss) &&
                             read_optional(fields[8], row.ema_test_loss);
    return well_formed ? std::optional(row) : std::nullopt;
}

// The text of the file at `path`; none where there is no file.
std::optional<std::string> text_at(const std::string& path) {
    struct stat what {};
    if (stat(path.c_str(), &what) != 0) {
        if (errno == ENOENT) {
            return std::nullopt;
        }
        fail(path);
    }
    if (!S_ISREG(what.st_mode)) { // a pipe would block, a device can be neither read back nor cut
        throw input_error(printable_path(path) + (S_ISDIR(what.st_mode) ? ": is a directory" : ": is no regular file"));
    }
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        fail(path);
    }
    try {
        return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    } catch (const std::ios_base::failure&) { // what libstdc++'s buffer throws where read() fails
        throw input_error(printable_path(path) + ": cannot be read");
    }
}

// Neither --history DATA.csv nor a mistyped path may cost somebody a file. A run killed in its first moment leaves
// an empty file or a piece of the header.
bool begins_as_history(std::string_view text) {
    return text.substr(0, header.size()) == header.substr(0, std::min(text.size(), header.size()));
}

void expect_header(const std::string& path, std::string_view text) {
    if (!begins_as_history(text)) {
        const std::string_view first = text.substr(0, text.find('\n'));
        throw input_error(fmt::format("{}:1: not a history of bitstep: the header is \"{}\"", printable_path(path),
                                      printable(first)));
    }
}

// One write(2), so that a killed run leaves whole lines and perhaps the beginning of one.
void write_line(const std::string& path, std::string_view line, int flags) {
    const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666);
    if (file < 0) {
        fail(path);
    }
    errno = ENOSPC; // what a short write means
    const bool whole = write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    const int reason = errno;
    const bool closed = close(file) == 0; // NFS tells here that the disk is full
    if (!whole) {
        errno = reason;
    }
    if (!whole || !closed) {
        fail(path);
    }
}

} // namespace

void history::check(const std::string& path) {
    expect_header(path, text_at(path).value_or(""));
    const replacing_file probe(path); // never committed: leaves nothing
}

history history::begin(const std::string& path) {
    expect_header(path, text_at(path).value_or(""));
    write_line(path, header, O_CREAT | O_TRUNC);
    history begun;
    begun.path_ = path;
    return begun;
}

history history::resume(const std::string& path, std::uint64_t step) {
    const std::string text = text_at(path).value_or("");
    expect_header(path, text);
    if (text.size() < header.size()) {
        return begin(path);
    }
    history resumed;
    resumed.path_ = path;
    std::size_t kept = header.size(); // bytes that stay: the header and the rows up to `step`
    std::size_t line = 2;
    std::size_t at = kept;
    for (std::size_t end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1, ++line) {
        const std::optional<history_row> row = parse_line(std::string_view(text).substr(at, end - at));
        if (!row) {
            throw input_error(fmt::format("{}:{}: not a row of a history", printable_path(path), line));
        }
        if (!resumed.rows_.empty() && row->step <= resumed.rows_.back().step) {
            throw input_error(fmt::format("{}:{}: step {} comes after step {}", printable_path(path), line, row->step,
                                          resumed.rows_.back().step));
        }
        resumed.rows_.push_back(*row);
        kept = row->step <= step ? end + 1 : kept;
    }
    std::erase_if(resumed.rows_, [step](const history_row& row) { return row.step > step; });
    write_line(path, "", 0); // a file that takes no rows is told of before training
    if (kept != text.size()) {
        replacing_file shortened(path);
        shortened.write(text.data(), kept);
        shortened.commit();
    }
    return resumed;
}

void history::add(const history_row& row) {
    if (!rows_.empty() && row.step <= rows_.back().step) {
        throw std::logic_error(fmt::format("history: step {} after step {}", row.step, rows_.back().step));
    }
    if (!path_.empty()) {
        write_line(path_, line_of(row), 0);
    }
    rows_.push_back(row);
}

} // namespace bitstep::program
