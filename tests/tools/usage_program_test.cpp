// SPDX-License-Identifier: Apache-2.0
// The command line of every subcommand: help that helps, mistakes that end in one line and exit code 2.
#include "run_program.hpp"

#include <bitstep/bitstep.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace bitstep_test {
namespace {

void expect_help(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    const program_result result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    for (const std::string& part : parts) {
        EXPECT_NE(result.out.find(part), std::string::npos) << part;
    }
}

TEST(usage_program_test, help_shows_examples_and_defaults) {
    expect_help({"--help"},
                {"train", "verify", "compare", "allreduce", "info", "Examples:", "Exit codes:", "BITSTEP_NUM_THREADS"});
    expect_help({"verify", "--help"}, {"Examples:", "--arch", "--threads", "default: 1,2,3,7", "--json", "digest"});
    expect_help({"info", "--help"}, {"Examples:", "--json"});
    expect_help({"--version"}, {"bitstep "});
}

TEST(usage_program_test, mistakes_on_the_command_line) {
    expect_refusal(run_program({}), {"a command is missing", "train, ", "verify, ", "bitstep --help"});
    expect_refusal(run_program({"trian"}), {"\"trian\" is no command", "train, ", "bitstep --help"});
    expect_refusal(run_program({""}), {"no command"});
    expect_refusal(run_program({"--jason"}), {"bitstep --help"});
    expect_refusal(run_program({"info", "--jason"}), {"--jason", "bitstep info --help"});
    expect_refusal(run_program({"verify", "--threads", "0"}), {"--threads", "1024"});
    expect_refusal(run_program({"verify", "--threads", "two"}), {"--threads", "two"});
    expect_refusal(run_program({"verify", "--arch", ""}), {"--arch"});
}

TEST(usage_program_test, an_unknown_arch_lists_the_valid_names) {
    expect_refusal(run_program({"verify", "--arch", "avx3"}), {"avx3", "reference"});
    for (const char* subcommand : {"verify", "info"}) {
        expect_refusal(run_program({subcommand}, {"BITSTEP_ARCH=avx3"}), {"avx3", "reference"});
    }
}

TEST(usage_program_test, a_known_arch_that_cannot_run_lists_those_that_can) {
    for (const bitstep::arch which : {bitstep::arch::avx2, bitstep::arch::neon64}) {
        if (bitstep::arch_runnable(which)) {
            continue;
        } // at most one of the two runs
        const std::string name = bitstep::arch_name(which);
        expect_refusal(run_program({"verify", "--arch", name}), {name, "runnable", "reference"});
        expect_refusal(run_program({"info"}, {"BITSTEP_ARCH=" + name}), {name, "runnable", "reference"});
    }
}

TEST(usage_program_test, a_bad_number_of_threads_in_the_environment) {
    for (const char* subcommand : {"verify", "info"}) {
        for (const char* value : {"BITSTEP_NUM_THREADS=two", "BITSTEP_NUM_THREADS=0", "BITSTEP_NUM_THREADS=2x"}) {
            expect_refusal(run_program({subcommand}, {value}), {"BITSTEP_NUM_THREADS"});
        }
    }
}

TEST(usage_program_test, output_that_cannot_be_written_is_no_success) {
    if (!std::filesystem::exists("/dev/full")) {
        GTEST_SKIP() << "no /dev/full here";
    }
    const program_result result = run_program_into("/dev/full", {"info"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.err, "bitstep: the output could not be written\n");
}

} // namespace
} // namespace bitstep_test
