// SPDX-License-Identifier: Apache-2.0
// Foreign text (file names, fields, column names) made fit for one line on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace bitstep::program {

/// Control characters become '?', and what is longer than 60 bytes is cut (between UTF-8 characters) and ends in "...".
std::string printable(std::string_view text);

} // namespace bitstep::program
