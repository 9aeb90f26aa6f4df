// SPDX-License-Identifier: Apache-2.0
// Differences between tensors as a table and as JSON, the same for `compare` and `allreduce --ring`.
#pragma once

#include "program/tensors/tensor_difference.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace bitstep::program {

/// Lines of one kind that are shown before "... and N more".
inline constexpr std::size_t most_lines = 20;

/// A line for each tensor that differs, then "N other tensors equal" where there are any. `pair` names the two sides:
/// "A / B".
std::string difference_table(const std::vector<compared_tensor>& compared, const std::string& pair);

/// One object for a tensor, equal or not; `a` and `b` are the keys of the two sides.
nlohmann::ordered_json difference_json(const compared_tensor& one, const char* a, const char* b);

/// "3 tensors", "1 tensor"
std::string counted(std::uint64_t count, const std::string& noun);

/// The first most_lines of them, a newline after each, then "... and N more".
std::string first_lines(const std::vector<std::string>& lines);

} // namespace bitstep::program
