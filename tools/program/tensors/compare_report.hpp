// SPDX-License-Identifier: Apache-2.0
// What `compare` says about its findings, to people and to programs.
#pragma once

#include "program/tensors/comparison.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace bitstep::program {

std::string compare_text(const tensor_file& a, const tensor_file& b, const comparison& found);
nlohmann::ordered_json compare_json(const tensor_file& a, const tensor_file& b, const comparison& found);

} // namespace bitstep::program
