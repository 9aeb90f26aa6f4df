// SPDX-License-Identifier: Apache-2.0
// One field of a CSV file to one double. Independent of the locale; the whole field must be the number.
#pragma once

#include <string_view>

namespace bitstep::program {

struct parsed_number {
    double value = 0;
    const char* problem =
        nullptr; ///< null where it worked; else what to say about the field, such as "is not a number"
};

/// Blanks around the number and one leading '+' are allowed (spreadsheets and printf("%+g") write it). Decimal notation
/// only: no hexadecimal, no decimal comma, no thousands separators. NaN and infinities are refused, as is what no double
/// can hold.
parsed_number parse_number(std::string_view field);

} // namespace bitstep::program
