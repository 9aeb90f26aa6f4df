// SPDX-License-Identifier: Apache-2.0
// Checks of options that count something. CLI11's own conversion would let "-1" wrap, too large a number saturate, and
// "010" be octal.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace bitstep::program {

/// A CLI::Validator: decimal digits only, no leading zero, from `least` to `most`.
class whole_number : public CLI::Validator {
public:
    explicit whole_number(std::uint64_t least, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
};

/// Refuses "": a variable of a shell that is not set must not look like an option that is not given.
inline const CLI::Validator
    not_empty([](std::string& text) { return text.empty() ? "must not be empty" : std::string(); }, "");

inline const whole_number positive(1);
inline const whole_number not_negative(0);
inline const whole_number thread_count(1, 1024);

} // namespace bitstep::program
