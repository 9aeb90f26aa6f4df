// SPDX-License-Identifier: Apache-2.0
// The subcommand `bitstep allreduce`.
#pragma once

#include "program/command.hpp"

namespace bitstep::program {

void add_allreduce(CLI::App& app, command& chosen);

} // namespace bitstep::program
