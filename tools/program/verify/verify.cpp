// SPDX-License-Identifier: Apache-2.0
// `bitstep verify`: its command line, and which kernel sets and thread counts run. The work: verify_suite.cpp.
#include "program/verify/verify.hpp"

#include "program/report_choice.hpp"
#include "program/run_choice.hpp"
#include "program/verify/verify_report.hpp"
#include "program/verify/verify_suite.hpp"
#include "program/whole_number.hpp"

#include <bitstep/bitstep.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace bitstep::program {
namespace {

constexpr const char* about = "Check that all kernel sets and thread counts give the same bits on this machine";

constexpr const char* footer =
    "Examples:\n"
    "  bitstep verify\n"
    "  bitstep verify --arch avx2,avx512 --threads 2\n"
    "  bitstep verify --json\n\n"
    "Computes a fixed table of shapes with every kernel set that runs here and several thread counts, and compares every\n"
    "number bit for bit with the scalar reference. The last line is a digest that is the same on every machine, the one\n"
    "of the numerics version (docs/numerics.md). Some seconds; team: the most threads that ran at a time.\n"
    "Shapes: edges of lanes, panels and shards, one to 4099 rows, one to 70001 features, in f32 and f64, native and wide;\n"
    "also subnormal numbers, NaN and infinities. --arch and --threads (or BITSTEP_ARCH and BITSTEP_NUM_THREADS) restrict\n"
    "what is compared; the digest, XXH3-128 over the reference's results, stays the same.\n"
    "Exit code 1: a difference, which the table names, or another digest than that of the numerics version.";

struct verify_options {
    std::vector<std::string> archs;
    std::vector<int> threads;
    report_choice report;
};

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

std::vector<arch> archs_to_run(const std::vector<std::string>& names) {
    const arch active = chosen_arch({}); // checks the environment, too
    std::vector<arch> archs;
    for (const std::string& name : names) {
        if (name.empty()) {
            throw input_error("--arch: an empty name");
        }
        archs.push_back(chosen_arch(name));
    }
    if (!archs.empty()) {
        return archs;
    }
    if (is_set("BITSTEP_ARCH")) {
        return {active};
    }
    for (const arch which : every_arch) {
        if (arch_runnable(which)) {
            archs.push_back(which);
        } else if (arch_compiled(which)) {
            fmt::print(stderr, "bitstep: {} is skipped: this machine cannot run it\n", arch_name(which));
        }
    }
    return archs;
}

std::vector<int> threads_to_run(const std::vector<int>& asked) {
    const int by_default = chosen_threads(0); // checks the environment, too
    if (!asked.empty()) {
        return asked;
    }
    if (is_set("BITSTEP_NUM_THREADS")) {
        return {by_default};
    }
    return {1, 2, 3, 7};
}

exit_code run(const verify_options& chosen) {
    const verify_outcome outcome = run_verify(archs_to_run(chosen.archs), threads_to_run(chosen.threads));
    if (chosen.report.json) {
        print_json(verify_json(outcome));
    } else {
        fmt::print("{}digest {}\n", chosen.report.quiet ? "" : verify_table(outcome), outcome.digest);
    }
    return verify_exit_code(outcome);
}

} // namespace

void add_verify(CLI::App& app, command& chosen) {
    const auto options = std::make_shared<verify_options>();
    CLI::App* verify = app.add_subcommand("verify", about);
    verify->footer(footer);
    verify
        ->add_option("--arch", options->archs,
                     "kernel sets to run, such as avx2 or avx2,avx512; default: all that run here")
        ->delimiter(',')
        ->type_name("NAME");
    verify->add_option("--threads", options->threads, "thread counts to run, such as 2 or 1,4; default: 1,2,3,7")
        ->delimiter(',')
        ->check(thread_count)
        ->type_name("N");
    add_report_options(*verify, options->report, "print the digest alone; the exit code tells the rest");
    verify->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

} // namespace bitstep::program
