// SPDX-License-Identifier: Apache-2.0
#include "program/verify/verify_report.hpp"

#include <fmt/format.h>

namespace bitstep::program {
namespace {

std::string verdict(const verify_run& run) {
    if (run.differences != 0) {
        return fmt::format("{} results differ; first: {}", run.differences, run.first_difference);
    }
    if (run.numbers == 0) {
        return "compared nothing";
    }
    if (run.which != arch::reference && run.team < run.threads) { // reference knows no threads
        return fmt::format("equal, but no more than {} of {} threads ran", run.team, run.threads);
    }
    return "equal";
}

} // namespace

std::string verify_table(const verify_outcome& outcome) {
    std::string table = fmt::format("{:<10} {:>7} {:>5} {:>7} {:>9}  {}\n", "arch", "threads", "team", "shapes",
                                    "numbers", "against reference, 1 thread");
    for (const verify_run& run : outcome.runs) {
        table += fmt::format("{:<10} {:>7} {:>5} {:>7} {:>9}  {}\n", arch_name(run.which), run.threads, run.team,
                             run.shapes, run.numbers, verdict(run));
    }
    if (!outcome.compared_anything()) {
        table += "nothing was compared\n";
    }
    table += outcome.as_frozen() ? fmt::format("these are the bits of numerics version {}\n", numerics_version())
                                 : fmt::format("NOT the bits of numerics version {}, whose digest is {}\n",
                                               numerics_version(), frozen_digest);
    return table;
}

nlohmann::ordered_json verify_json(const verify_outcome& outcome) {
    nlohmann::ordered_json report;
    report["version"] = version();
    report["numerics_version"] = numerics_version();
    report["equal"] = outcome.equal();
    report["as_numerics_version"] = outcome.as_frozen();
    report["runs"] = nlohmann::ordered_json::array();
    for (const verify_run& run : outcome.runs) {
        report["runs"].push_back({{"arch", arch_name(run.which)},
                                  {"threads", run.threads},
                                  {"team", run.team},
                                  {"shapes", run.shapes},
                                  {"numbers", run.numbers},
                                  {"differences", run.differences},
                                  {"first_difference", run.first_difference},
                                  {"digest", run.digest}});
    }
    report["digest"] = outcome.digest;
    return report;
}

exit_code verify_exit_code(const verify_outcome& outcome) {
    return outcome.equal() && outcome.as_frozen() ? exit_code::done : exit_code::difference;
}

} // namespace bitstep::program
