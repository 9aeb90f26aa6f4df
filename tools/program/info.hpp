// SPDX-License-Identifier: Apache-2.0
// The subcommand `bitstep info`.
#pragma once

#include "program/command.hpp"

namespace bitstep::program {

void add_info(CLI::App& app, command& chosen);

} // namespace bitstep::program
