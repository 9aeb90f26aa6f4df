// SPDX-License-Identifier: Apache-2.0
// A number for files that other programs read: the fewest decimal digits that give the same number back (as Python's repr,
// without ".0"), the same on every machine. NaN loses the sign that some processors give it.
#pragma once

#include <fmt/format.h>

#include <string>

namespace bitstep::program {

template <class T>
std::string number_text(T value) {
    return value != value ? "nan" : fmt::format("{}", value);
}

} // namespace bitstep::program
