// SPDX-License-Identifier: Apache-2.0
#include "program/whole_number.hpp"

#include "program/text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace bitstep::program {

whole_number::whole_number(std::uint64_t least, std::uint64_t most) : Validator("") {
    func_ = [least, most](std::string& text) -> std::string {
        std::uint64_t value = 0;
        const char* end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data(), end, value);
        const bool plain = parsed.ec == std::errc() && parsed.ptr == end && (text.size() == 1 || text[0] != '0');
        if (plain && value >= least && value <= most) {
            return {};
        }
        const std::string range = most == std::numeric_limits<std::uint64_t>::max()
                                      ? fmt::format(">= {}", least)
                                      : fmt::format("from {} to {}", least, most);
        return fmt::format("must be a whole number {}, got \"{}\"", range, printable(text));
    };
}

} // namespace bitstep::program
