// SPDX-License-Identifier: Apache-2.0
// --json and --quiet, the same for every subcommand that reports: one JSON object on standard output for programs, or
// only what cannot be left out.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <string>

namespace bitstep::program {

struct report_choice {
    bool json = false;
    bool quiet = false;
};

/// `quiet_help` says what is still printed.
void add_report_options(CLI::App& subcommand, report_choice& chosen, const std::string& quiet_help);

/// One object and a newline on standard output; text that is not UTF-8 is mended, NaN and infinities become null.
void print_json(const nlohmann::ordered_json& report);

} // namespace bitstep::program
