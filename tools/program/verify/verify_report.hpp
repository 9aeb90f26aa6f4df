// SPDX-License-Identifier: Apache-2.0
// What `verify` says about its outcome, to people and to programs, and the exit code.
#pragma once

#include "program/errors.hpp"
#include "program/verify/verify_suite.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace bitstep::program {

std::string verify_table(const verify_outcome& outcome); ///< without the digest
nlohmann::ordered_json verify_json(const verify_outcome& outcome);

/// done only where every run compared something, nothing differed, and the digest is that of the numerics version.
exit_code verify_exit_code(const verify_outcome& outcome);

} // namespace bitstep::program
