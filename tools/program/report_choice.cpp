// SPDX-License-Identifier: Apache-2.0
#include "program/report_choice.hpp"

#include <fmt/format.h>

namespace bitstep::program {

void add_report_options(CLI::App& subcommand, report_choice& chosen, const std::string& quiet_help) {
    subcommand.add_flag("--json", chosen.json, "print one JSON object, for programs; progress goes to standard error");
    subcommand.add_flag("--quiet", chosen.quiet, quiet_help + "; with --json: no progress");
}

void print_json(const nlohmann::ordered_json& report) {
    fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

} // namespace bitstep::program
