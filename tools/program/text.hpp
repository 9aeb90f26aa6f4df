// SPDX-License-Identifier: Apache-2.0
// Foreign text (file names, fields, column names) made fit for one line on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bitstep::program {

/// Control characters become '?', and what is longer than 60 bytes is cut (between UTF-8 characters) and ends in "...".
std::string printable(std::string_view text);

/// The same without the cut: a message must not lose the name of the file.
std::string printable_path(std::string_view path);

/// "a, b, c and 7 more": the first `most` of them, each through printable, and how many are left.
std::string listed(const std::vector<std::string>& names, std::size_t most);

/// The same through printable_path.
std::string listed_paths(const std::vector<std::string>& paths, std::size_t most);

/// Text of more than `longest` bytes is cut there (before a UTF-8 character that does not fit) and ends in "...".
std::string shortened(std::string_view text, std::size_t longest);

/// Of ASCII; the bytes of longer UTF-8 characters are none.
bool is_control(char c);

/// How many UTF-8 characters the text has: the columns it takes, but for wide and combining ones.
std::size_t character_count(std::string_view text);

} // namespace bitstep::program
