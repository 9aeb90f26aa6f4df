// SPDX-License-Identifier: Apache-2.0
// Mean squared error and R2 against values worked out by hand.
#include "program/train/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bitstep_test {
namespace {

using bitstep::program::measure_fit;

TEST(metrics_test, worked_example) {
    const std::vector<float> y = {1, 2, 3, 6}; // mean 3, spread 14
    const auto fit = measure_fit(std::vector<float>{1, -1, 2, 1}, y);
    EXPECT_EQ(fit.mse, 7.0 / 4);
    EXPECT_EQ(fit.r2, 0.5);
}

TEST(metrics_test, a_constant_target_has_no_r2) {
    EXPECT_TRUE(std::isnan(measure_fit(std::vector<double>{1, 1}, std::vector<double>{4, 4}).r2));
}

TEST(metrics_test, sums_in_double) {
    // In float the squares of 2^-13 would vanish beside 1.
    std::vector<float> residuals(1025, 1.0f / 8192);
    residuals[0] = 1;
    EXPECT_EQ(measure_fit(residuals, std::vector<float>(1025, 0)).mse, (1 + 1024.0 / (8192.0 * 8192.0)) / 1025);
}

} // namespace
} // namespace bitstep_test
