// SPDX-License-Identifier: Apache-2.0
// The subcommand `bitstep verify`.
#pragma once

#include "program/command.hpp"

namespace bitstep::program {

void add_verify(CLI::App& app, command& chosen);

} // namespace bitstep::program
