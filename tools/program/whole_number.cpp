// SPDX-License-Identifier: Apache-2.0
#include "program/whole_number.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace bitstep::program {

whole_number::whole_number(std::uint64_t least) : Validator("") {
    func_ = [least](std::string& text) -> std::string {
        std::uint64_t value = 0;
        const char* end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data(), end, value);
        const bool plain = parsed.ec == std::errc() && parsed.ptr == end && (text.size() == 1 || text[0] != '0');
        if (plain && value >= least) {
            return {};
        }
        return fmt::format("must be a whole number >= {}, got \"{}\"", least, text);
    };
}

} // namespace bitstep::program
