// SPDX-License-Identifier: Apache-2.0
// `bitstep verify` as a process: passes here, with one digest however it is restricted.
#include "program/verify/verify_suite.hpp"
#include "run_program.hpp"

#include <bitstep/bitstep.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace bitstep_test {
namespace {

const std::vector<bitstep::arch> every_arch = {bitstep::arch::reference, bitstep::arch::baseline, bitstep::arch::avx2,
                                               bitstep::arch::avx512, bitstep::arch::neon64};

nlohmann::json report_of(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) {
    std::vector<std::string> all = {"verify", "--json"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const program_result result = run_program(all, environment);
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    return nlohmann::json::parse(result.out);
}

const std::string the_digest = bitstep::program::frozen_digest;

TEST(verify_program_test, compares_every_runnable_arch_with_four_thread_counts) {
    const program_result result = run_program({"verify"});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_EQ(result.digest(), the_digest) << result.out;
    const auto runnable =
        static_cast<std::size_t>(std::count_if(every_arch.begin(), every_arch.end(), bitstep::arch_runnable));
    EXPECT_EQ(result.out_lines().size(), 1 + 4 * runnable + 2) << result.out;
    EXPECT_EQ(count_of(result.out, "  equal\n"), 4 * runnable) << result.out;
}

TEST(verify_program_test, arch_restricts_what_runs_but_not_the_digest) {
    for (const bitstep::arch which : every_arch) {
        if (!bitstep::arch_runnable(which)) {
            continue;
        }
        const std::string name = bitstep::arch_name(which);
        const auto report = report_of({"--arch", name, "--threads", "2"});
        EXPECT_EQ(report["digest"], the_digest);
        ASSERT_EQ(report["runs"].size(), 1u);
        EXPECT_EQ(report["runs"][0]["arch"], name);
        EXPECT_EQ(report["runs"][0]["threads"], 2);
        EXPECT_EQ(report["runs"][0]["digest"], the_digest); // of what this arch gave
        EXPECT_GT(report["runs"][0]["numbers"], 100000);
    }
}

TEST(verify_program_test, lists_restrict_too) {
    const auto report = report_of({"--arch", "reference", "--threads", "1,4"});
    EXPECT_EQ(report["digest"], the_digest);
    ASSERT_EQ(report["runs"].size(), 2u);
    EXPECT_EQ(report["runs"][1]["threads"], 4);
}

TEST(verify_program_test, the_environment_restricts_too) {
    const auto report = report_of({}, {"BITSTEP_ARCH=reference", "BITSTEP_NUM_THREADS=3"});
    EXPECT_EQ(report["digest"], the_digest);
    ASSERT_EQ(report["runs"].size(), 1u);
    EXPECT_EQ(report["runs"][0]["arch"], "reference");
    EXPECT_EQ(report["runs"][0]["threads"], 3);
}

TEST(verify_program_test, quiet_leaves_the_digest_alone) {
    const program_result result = run_program({"verify", "--arch", "reference", "--threads", "1", "--quiet"});
    EXPECT_EQ(result.out, "digest " + the_digest + "\n");
    EXPECT_EQ(result.err, "");
}

} // namespace
} // namespace bitstep_test
