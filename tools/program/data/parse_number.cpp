// SPDX-License-Identifier: Apache-2.0
#include "program/data/parse_number.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace bitstep::program {

parsed_number parse_number(std::string_view field) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = field.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {0, "is empty, expected a number"};
    }
    field = field.substr(first, field.find_last_not_of(blanks) - first + 1);
    if (field.front() == '+' && field.size() > 1 && field[1] != '-') {
        field.remove_prefix(1);
    }

    parsed_number number;
    const char* const end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, number.value, std::chars_format::general);
    if (error == std::errc::invalid_argument || stop != end) {
        number.problem = "is not a number";
    } else if (error == std::errc::result_out_of_range) {
        number.problem = "is outside the range of a double";
    } else if (!std::isfinite(number.value)) {
        number.problem = "is not finite";
    }
    return number;
}

} // namespace bitstep::program
