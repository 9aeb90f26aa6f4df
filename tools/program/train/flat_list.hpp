// SPDX-License-Identifier: Apache-2.0
// JSON arrays of strings or of numbers as text, as the metadata of a state hold them. Read without building a tree, so
// that hostile nesting costs nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bitstep::program {

/// input_error where a string is not valid UTF-8.
std::string list_as_json(const std::vector<std::string>& values);

/// Finite numbers, as number_text writes them.
std::string list_as_json(const std::vector<double>& values);

/// Nothing where the text is anything but one flat array of strings.
std::optional<std::vector<std::string>> strings_of(const std::string& json);

/// ... of finite numbers.
std::optional<std::vector<double>> numbers_of(const std::string& json);

} // namespace bitstep::program
