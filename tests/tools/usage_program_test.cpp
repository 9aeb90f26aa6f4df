// SPDX-License-Identifier: Apache-2.0
// The command line of every subcommand: help that helps, mistakes that end in one line and exit code 2.
#include "run_program.hpp"

#include <bitstep/bitstep.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace bitstep_test {
namespace {

struct command {
    std::string name;
    std::string options; // beside --help
};

const std::vector<command> commands = {
    {"verify", "--arch --threads --json --quiet"},
    {"compare", "--raw --json --quiet"},
    {"allreduce", "--counts --ring --accumulate --threads --arch --json --quiet"},
    {"info", "--json"},
#ifdef BITSTEP_TEST_HAS_TRAIN
    {"train", "--target --test-fraction --bias --no-bias --standardize --no-standardize --workers --accum --batch "
              "--epochs --seed --lr --lr-schedule --beta1 --beta2 --eps --ema-decay --l2 --save --save-every --resume "
              "--history --history-every --plot --least-squares --json --quiet --dtype --accumulate --threads --arch"},
    {"predict", "--output --ema --threads --arch --json --quiet"},
#endif
};

void expect_help(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    const program_result result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    for (const std::string& part : parts) {
        EXPECT_NE(result.out.find(part), std::string::npos) << part << "\nis missing in\n" << result.out;
    }
}

TEST(usage_program_test, the_main_help_names_every_command) {
    std::vector<std::string> parts = {"Examples:", "Exit codes:", "BITSTEP_NUM_THREADS"};
    for (const command& one : commands) {
        parts.push_back("\n  " + one.name + "  "); // where a line of the list begins
    }
    expect_help({"--help"}, parts);
    expect_help({"--version"}, {"bitstep "});
}

TEST(usage_program_test, the_help_of_a_command_has_examples_and_every_option) {
    for (const command& one : commands) {
        SCOPED_TRACE(one.name);
        std::vector<std::string> parts = {"Examples:\n  bitstep " + one.name};
        for (const std::string& option : words(one.options)) {
            parts.push_back("\n  " + option); // where its description stands, not just another's mention of it
        }
        expect_help({one.name, "--help"}, parts);
    }
}

// ... and none that the table above lacks, so that a new option comes with its test.
TEST(usage_program_test, the_help_of_a_command_has_no_other_option) {
    for (const command& one : commands) {
        const std::string help = run_program({one.name, "--help"}).out;
        EXPECT_EQ(count_of(help, "\n  --"), words(one.options).size()) << help;
    }
}

TEST(usage_program_test, help_shows_defaults) { expect_help({"verify", "--help"}, {"default: 1,2,3,7", "digest"}); }

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

// A variable of a shell that is not set must not look like an option that is not given, nor like 0.
TEST(usage_program_test, empty_values_are_refused) {
    for (const char* option : {"--arch", "--threads"}) {
        expect_refusal(run_program({"verify", option, ""}), {option});
    }
#ifdef BITSTEP_TEST_HAS_TRAIN
    for (const char* option : {"--lr", "--l2", "--save", "--resume", "--plot", "--history", "--arch"}) {
        expect_refusal(run_program({"train", "a", "--target", "y", option, ""}), {option});
    }
    expect_refusal(run_program({"predict", "a", "b", "--output", ""}), {"--output"});
#endif
}

TEST(usage_program_test, text_with_line_ends_still_makes_one_line) {
    expect_refusal(run_program({"info", "--js\non"}), {"--js?on"});
    expect_refusal(run_program({"verify", "--threads", "1\n2"}), {"1?2"});
    expect_refusal(run_program({"verify", "--arch", "a\nb"}), {"a?b"});
    expect_refusal(run_program({"verify"}, {"BITSTEP_ARCH=a\nb"}), {"a?b"});
    expect_refusal(run_program({"compare", "no\nfile", "b"}), {"no?file"});
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
