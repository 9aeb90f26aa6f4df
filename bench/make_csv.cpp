// SPDX-License-Identifier: Apache-2.0
// bitstep_make_csv ROWS [FEATURES]: a CSV file to stdout, for csv_speed. The same bytes on every machine: SplitMix64 and
// integers alone. Columns x0, x1, ... hold numbers of 6 to 9 digits with 1 to 6 of them behind the point, y is linear in
// them plus noise.
#include "program/split_mix.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using bitstep::program::split_mix;

constexpr std::array<std::int64_t, 10> power = {1,      10,      100,      1000,      10000,
                                                100000, 1000000, 10000000, 100000000, 1000000000};

// Appends units / 10^decimals as people write it: -12345 with 3 decimals is "-12.345".
void append(std::string& text, std::int64_t units, std::size_t decimals) {
    if (units < 0) {
        text += '-';
        units = -units;
    }
    std::array<char, 24> digits{};
    text.append(digits.data(), std::to_chars(digits.begin(), digits.end(), units / power[decimals]).ptr);
    text += '.';
    // A leading 1 keeps the zeros behind the point.
    const auto end = std::to_chars(digits.begin(), digits.end(), units % power[decimals] + power[decimals]).ptr;
    text.append(digits.data() + 1, end);
}

void append_row(std::string& text, split_mix& generator, std::size_t features) {
    std::int64_t target = 0; // in thousandths
    for (std::size_t j = 0; j < features; ++j) {
        const std::size_t digits = 6 + j % 4;
        const auto range = static_cast<std::uint64_t>(2 * power[digits]);
        const std::int64_t units = static_cast<std::int64_t>(generator.below(range)) - power[digits];
        const auto weight = static_cast<std::int64_t>(j % 5) - 2;
        target += weight * (units / power[digits - 3]);
        append(text, units, 1 + j % 6);
        text += ',';
    }
    target += static_cast<std::int64_t>(generator.below(1000)) - 500;
    append(text, target, 3);
    text += '\n';
}

} // namespace

int main(int count, char** arguments) {
    const std::size_t rows = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 0;
    const std::size_t features = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 20;
    if (rows == 0 || features == 0) {
        std::fputs("usage: bitstep_make_csv ROWS [FEATURES] > FILE\n", stderr);
        return 2;
    }
    std::string text;
    for (std::size_t j = 0; j < features; ++j) {
        text += 'x';
        text += std::to_string(j);
        text += ',';
    }
    text += "y\n";
    split_mix generator(1);
    constexpr std::size_t full = std::size_t{1} << 20;
    for (std::size_t row = 0; row < rows; ++row) {
        append_row(text, generator, features);
        if (text.size() >= full || row + 1 == rows) {
            if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
                std::perror("bitstep_make_csv");
                return 2;
            }
            text.clear();
        }
    }
    return std::fflush(stdout) == 0 ? 0 : 2;
}
