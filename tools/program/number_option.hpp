// SPDX-License-Identifier: Apache-2.0
// Options that are real numbers. CLI11's own conversion goes through long double, so that 0.002877 becomes another double
// on x86 than on AArch64; learning rates and their like reach digests and state files.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace bitstep::program {

/// `value` is the default, and becomes the double nearest to what the person writes (parse_number).
void add_number_option(CLI::App& subcommand, const std::string& name, double& value, const std::string& help);

} // namespace bitstep::program
