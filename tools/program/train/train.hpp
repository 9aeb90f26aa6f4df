// SPDX-License-Identifier: Apache-2.0
// The subcommand `bitstep train`.
#pragma once

#include "program/command.hpp"

namespace bitstep::program {

void add_train(CLI::App& app, command& chosen);

} // namespace bitstep::program
