// SPDX-License-Identifier: Apache-2.0
// Proves: names and kernel sets match both ways, "runnable" is honest, a forced set really ran, and an unknown or
// unavailable one is an error that lists what would run. One case per kernel set is reported as skipped where it cannot
// run here. (The environment variables: environment_test.cpp.)
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/problem.hpp"
#include "support/refusal.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <string>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;
using bitstep::arch;
using bitstep::status_code;

class each_arch : public testing::TestWithParam<arch> {};
INSTANTIATE_TEST_SUITE_P(dispatch, each_arch, testing::ValuesIn(every_arch),
                         [](const testing::TestParamInfo<arch>& of) {
                             return std::string(bitstep::arch_name(of.param));
                         });

TEST_P(each_arch, runs_when_forced) {
    if (!bitstep::arch_compiled(GetParam())) {
        GTEST_SKIP() << bitstep::arch_name(GetParam()) << ": not compiled";
    }
    if (!bitstep::arch_runnable(GetParam())) {
        GTEST_SKIP() << bitstep::arch_name(GetParam()) << ": not runnable here";
    }
    const auto data = make_problem<float>(1, 70, 40, data_kind::usual);
    const placed_problem<float> placed(data, {});
    bitstep::run_report report;
    bitstep::options opts = forced(GetParam(), 1, accumulate_mode::native);
    opts.report = &report;
    const auto got = run_gradient(placed, opts);
    EXPECT_EQ(report.ran, GetParam());
    EXPECT_EQ(report.threads, 1);
    EXPECT_TRUE(same_bits(got, run_gradient(placed, reference_options(accumulate_mode::native))));
}

TEST(dispatch, a_set_that_cannot_run_here_is_refused) {
    const auto data = make_problem<float>(1, 2, 3, data_kind::usual);
    const placed_problem<float> placed(data, {});
    std::size_t refused = 0;
    for (const arch which : every_arch) {
        if (bitstep::arch_runnable(which)) {
            continue;
        }
        const refusal wanted{status_code::arch_unavailable, {bitstep::arch_name(which), "runnable", "reference"}};
        std::vector<float> out(2, 77.0F);
        watched_memory memory;
        memory.watch("out", out.data(), out.size());
        expect_refused(
            bitstep::arch_name(which),
            [&] {
                return bitstep::predict<float>(placed.x(), placed.w(), {out.data(), 2},
                                               forced(which, 1, accumulate_mode::native));
            },
            wanted, memory);
        ++refused;
    }
    EXPECT_GT(refused, 0U) << "AArch64 and x86-64 sets cannot both run";
}

TEST_P(each_arch, name_and_value_match_both_ways) {
    EXPECT_STRNE(bitstep::arch_name(GetParam()), "");
    EXPECT_STRNE(bitstep::arch_name(GetParam()), "automatic");
    arch found = arch::automatic;
    expect_ok(bitstep::arch_from_name(bitstep::arch_name(GetParam()), found));
    EXPECT_EQ(found, GetParam());
    if (bitstep::arch_runnable(GetParam())) {
        EXPECT_TRUE(bitstep::arch_compiled(GetParam())) << "runnable without being compiled";
    }
}

TEST(dispatch, names_are_the_documented_ones) {
    EXPECT_STREQ(bitstep::arch_name(arch::automatic), "automatic");
    EXPECT_STREQ(bitstep::arch_name(arch::reference), "reference");
    EXPECT_STREQ(bitstep::arch_name(arch::baseline), "baseline");
    EXPECT_STREQ(bitstep::arch_name(arch::avx2), "avx2");
    EXPECT_STREQ(bitstep::arch_name(arch::avx512), "avx512");
    EXPECT_STREQ(bitstep::arch_name(arch::neon64), "neon64");
}

TEST(dispatch, reference_always_runs) {
    EXPECT_TRUE(bitstep::arch_compiled(arch::reference));
    EXPECT_TRUE(bitstep::arch_runnable(arch::reference));
    ASSERT_FALSE(runnable_archs().empty());
}

TEST(dispatch, unknown_names_are_refused_with_the_list_of_valid_ones) {
    for (const char* name : {"sse9", "", "automatic", "Reference", "avx2 ", "avx", "avx5122"}) {
        SCOPED_TRACE(name);
        arch found = arch::neon64;
        const bitstep::status result = bitstep::arch_from_name(name, found);
        expect_says(result, {status_code::arch_unavailable, {name}});
        EXPECT_EQ(found, arch::neon64) << "the output has changed although the call failed";
        for (const arch which : runnable_archs()) {
            EXPECT_NE(std::string(result.message()).find(bitstep::arch_name(which)), std::string::npos)
                << "the message does not list " << bitstep::arch_name(which) << ": " << result.message();
        }
    }
    arch found = arch::neon64;
    EXPECT_FALSE(bitstep::arch_from_name(nullptr, found).ok());
    EXPECT_FALSE(bitstep::arch_from_name(std::string(5000, 'a').c_str(), found).ok());
}

TEST(dispatch, values_outside_the_enumeration_are_refused) {
    const auto data = make_problem<double>(1, 2, 3, data_kind::usual);
    const placed_problem<double> placed(data, {});
    for (const int value : {-1, 6, 99, INT_MAX, INT_MIN}) {
        const auto which = static_cast<arch>(value);
        EXPECT_FALSE(bitstep::arch_compiled(which)) << value;
        EXPECT_FALSE(bitstep::arch_runnable(which)) << value;
        EXPECT_NE(bitstep::arch_name(which), nullptr) << value;
        std::vector<double> out(2, 77.0);
        watched_memory memory;
        memory.watch("out", out.data(), out.size());
        expect_refused(
            "predict",
            [&] {
                return bitstep::predict<double>(placed.x(), placed.w(), {out.data(), 2},
                                                forced(which, 1, accumulate_mode::native));
            },
            {status_code::arch_unavailable, {"arch", "got " + std::to_string(value)}}, memory);
    }
}

TEST(dispatch, the_active_arch_is_what_automatic_runs) {
    arch active = arch::automatic;
    expect_ok(bitstep::active_arch(active));
    EXPECT_TRUE(bitstep::arch_runnable(active));
    EXPECT_NE(active, arch::automatic);
    const auto data = make_problem<double>(1, 2, 3, data_kind::usual);
    bitstep::run_report report;
    bitstep::options opts;
    opts.report = &report;
    run_predict(placed_problem<double>(data, {}), opts);
    EXPECT_EQ(report.ran, active);
    EXPECT_EQ(report.threads, 1) << "tiny work must stay on the calling thread";
}

TEST(dispatch, versions_and_panels_are_sane) {
    EXPECT_STRNE(bitstep::version(), "");
    EXPECT_EQ(bitstep::numerics_version(), 1);
    const bitstep::panel_lengths panels = bitstep::numerics_panels();
    EXPECT_EQ(panels.float_lanes, 16U);
    EXPECT_EQ(panels.double_lanes, 8U);
    EXPECT_GT(panels.column_panel, 0U);
    EXPECT_EQ(panels.column_panel % panels.float_lanes, 0U) << "a panel must not cut a logical vector";
    EXPECT_GE(panels.row_panel, 1U);
    EXPECT_LE(panels.row_panel, 64U) << "design: accuracy and parallelism suffer above 64";
}

} // namespace
} // namespace bitstep_test
