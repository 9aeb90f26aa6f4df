// SPDX-License-Identifier: Apache-2.0
// What `allreduce` says about its outcome, to people and to programs.
#pragma once

#include "program/tensors/allreduce_run.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace bitstep::program {

std::string allreduce_text(const allreduce_plan& plan, const allreduce_outcome& outcome);
nlohmann::ordered_json allreduce_json(const allreduce_plan& plan, const allreduce_outcome& outcome);

} // namespace bitstep::program
