// SPDX-License-Identifier: Apache-2.0
// Verify must be able to fail: differences of every sort are found, named and end in exit code 1; so does comparing
// nothing.
#include "program/verify/verify_report.hpp"
#include "program/verify/verify_suite.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace bitstep_test {
namespace {

using namespace bitstep::program;
using bitstep::arch;
using bitstep::status;
using bitstep::status_code;

using results = std::vector<operation_result<float>>;

results some_results() {
    return {{"gradient", status(), {1.0f, 2.0f, std::numeric_limits<float>::quiet_NaN()}, {arch::baseline, 2}},
            {"ring sum", status(), {0.0f}, {}, false}};
}

verify_run compared(const results& got) {
    verify_run run;
    run.which = arch::baseline;
    run.threads = 2;
    compare_results(some_results(), got, "THE SHAPE", run);
    return run;
}

verify_outcome outcome_of(const verify_run& run) { return {{run}, frozen_digest}; }

TEST(verify_suite_test, equal_results_are_equal) {
    results got = some_results();
    got[0].values[2] = -got[0].values[2]; // another NaN is no difference
    const verify_run run = compared(got);
    EXPECT_EQ(run.differences, 0u);
    EXPECT_EQ(run.numbers, 4u);
    EXPECT_EQ(run.shapes, 1u);
    EXPECT_EQ(run.team, 2);
    EXPECT_EQ(verify_exit_code(outcome_of(run)), exit_code::done);
}

TEST(verify_suite_test, one_bit_is_a_difference) {
    results got = some_results();
    got[0].values[1] = std::nextafter(2.0f, 3.0f);
    const verify_run run = compared(got);
    EXPECT_EQ(run.differences, 1u);
    EXPECT_EQ(run.first_difference, "gradient on THE SHAPE, element 1: 40000001, reference 40000000");
    const verify_outcome outcome = outcome_of(run);
    EXPECT_EQ(verify_exit_code(outcome), exit_code::difference);
    EXPECT_NE(verify_table(outcome).find("1 results differ; first: gradient on THE SHAPE"), std::string::npos);
    EXPECT_FALSE(verify_json(outcome)["equal"].get<bool>());
}

TEST(verify_suite_test, a_team_smaller_than_asked_is_told) {
    verify_run run = compared(some_results());
    EXPECT_NE(verify_table(outcome_of(run)).find("  equal\n"), std::string::npos);
    run.threads = 7;
    EXPECT_NE(verify_table(outcome_of(run)).find("equal, but no more than 2 of 7 threads ran"), std::string::npos);
}

TEST(verify_suite_test, the_sign_of_zero_is_a_difference) {
    results got = some_results();
    got[1].values[0] = -0.0f;
    EXPECT_EQ(compared(got).first_difference, "ring sum on THE SHAPE, element 0: 80000000, reference 00000000");
}

TEST(verify_suite_test, another_status_is_a_difference) {
    results got = some_results();
    got[0].returned = status(status_code::non_finite, "why");
    got[0].values.clear();
    EXPECT_EQ(compared(got).first_difference, "gradient on THE SHAPE: returned code 5 \"why\", reference 0 \"\"");
}

TEST(verify_suite_test, missing_results_are_a_difference) {
    results got = some_results();
    got.pop_back();
    EXPECT_EQ(compared(got).differences, 1u);
}

TEST(verify_suite_test, equal_bits_of_the_wrong_kernels_are_a_difference) {
    results got = some_results();
    got[0].ran.ran = arch::reference;
    EXPECT_EQ(compared(got).first_difference, "gradient on THE SHAPE: ran on reference with 2 threads");
    got = some_results();
    got[0].ran = {};
    EXPECT_EQ(compared(got).differences, 1u); // told nothing of what ran
}

TEST(verify_suite_test, other_bits_than_the_numerics_versions_are_a_difference) {
    const verify_run run = compared(some_results());
    const verify_outcome outcome{{run}, std::string(32, '0')};
    EXPECT_TRUE(outcome.equal());
    EXPECT_EQ(verify_exit_code(outcome), exit_code::difference);
    EXPECT_NE(verify_table(outcome).find("NOT the bits of numerics version 1"), std::string::npos);
    EXPECT_EQ(verify_table(outcome_of(run)).find("NOT"), std::string::npos);
    EXPECT_FALSE(verify_json(outcome)["as_numerics_version"].get<bool>());
}

TEST(verify_suite_test, comparing_nothing_is_no_success) {
    EXPECT_EQ(verify_exit_code(outcome_of(verify_run{})), exit_code::difference);
    EXPECT_EQ(verify_exit_code(verify_outcome{}), exit_code::difference);
    EXPECT_NE(verify_table(verify_outcome{}).find("nothing was compared"), std::string::npos);
}

} // namespace
} // namespace bitstep_test
