// SPDX-License-Identifier: Apache-2.0
// The subcommand `bitstep predict`.
#pragma once

#include "program/command.hpp"

namespace bitstep::program {

void add_predict(CLI::App& app, command& chosen);

} // namespace bitstep::program
