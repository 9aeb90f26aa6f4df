// SPDX-License-Identifier: Apache-2.0
// The subcommand `bitstep compare`.
#pragma once

#include "program/command.hpp"

namespace bitstep::program {

void add_compare(CLI::App& app, command& chosen);

} // namespace bitstep::program
