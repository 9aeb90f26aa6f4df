// SPDX-License-Identifier: Apache-2.0
// Numbers of the plan: the learning rate without the platform's cosine, ranges in the words of the options.
#include "program/errors.hpp"
#include "program/train/training_plan.hpp"
#include "refusal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace bitstep_test {
namespace {

using namespace bitstep::program;

TEST(training_plan_test, a_constant_rate_is_the_rate) {
    EXPECT_EQ(learning_rate(lr_schedule::constant, 0.3, 17, 100), 0.3);
}

TEST(training_plan_test, the_cosine_rate_begins_at_lr_and_falls_to_nearly_nothing) {
    EXPECT_EQ(learning_rate(lr_schedule::cosine, 0.3, 1, 100), 0.3);
    double before = 1;
    for (int t = 1; t <= 1000; ++t) {
        const double rate = learning_rate(lr_schedule::cosine, 0.3, t, 1000);
        EXPECT_NEAR(rate, 0.15 * (1 + std::cos(3.141592653589793 * (t - 1) / 1000)), 2e-16) << t;
        EXPECT_LT(rate, before);
        EXPECT_GT(rate, 0);
        before = rate;
    }
}

// Computed once by the order that the header states, in Python's doubles: the bits are the promise.
TEST(training_plan_test, the_cosine_rate_has_these_bits) {
    EXPECT_EQ(learning_rate(lr_schedule::cosine, 0.01, 2, 7), 0x1.377469cbbf49fp-7);
    EXPECT_EQ(learning_rate(lr_schedule::cosine, 0.01, 5, 7), 0x1.fd87579eacb0bp-9);
    EXPECT_EQ(learning_rate(lr_schedule::cosine, 0.01, 7, 7), 0x1.039aaaf21fdc1p-11);
    EXPECT_EQ(learning_rate(lr_schedule::cosine, 1e-3, 123456, 1000003), 0x1.f8d151fa02281p-11);
}

template <class T>
std::string refusal(const training_plan& plan) {
    return refusal_of([&] { check_plan<T>(plan); });
}

TEST(training_plan_test, ranges_are_named_by_the_option) {
    struct row {
        void (*change)(training_plan&);
        const char* message;
    };
    const row rows[] = {
        {[](training_plan& plan) { plan.hyper.lr = -1; }, "--lr must be >= 0 and finite, got -1"},
        {[](training_plan& plan) { plan.hyper.beta1 = 1; }, "--beta1 must be in [0, 1), got 1"},
        {[](training_plan& plan) { plan.hyper.beta2 = -0.5; }, "--beta2 must be in [0, 1), got -0.5"},
        {[](training_plan& plan) { plan.hyper.eps = 0; }, "--eps must be > 0 and finite, got 0"},
        {[](training_plan& plan) { plan.hyper.decay = 2; }, "--ema-decay must be in [0, 1], got 2"},
        {[](training_plan& plan) { plan.l2 = -1; }, "--l2 must be >= 0 and finite, got -1"},
        {[](training_plan& plan) { plan.l2 = std::numeric_limits<double>::quiet_NaN(); },
         "--l2 must be >= 0 and finite, got nan"},
    };
    for (const row& each : rows) {
        training_plan plan;
        each.change(plan);
        EXPECT_EQ(refusal<float>(plan), each.message);
        EXPECT_EQ(refusal<double>(plan), each.message);
    }
    EXPECT_EQ(refusal<float>({}), "");
    training_plan large;
    large.l2 = 1e38; // fits float, twice as much does not
    EXPECT_EQ(refusal<double>(large), "");
    large.l2 = 3e38;
    EXPECT_NE(refusal<float>(large), "");
}

} // namespace
} // namespace bitstep_test
