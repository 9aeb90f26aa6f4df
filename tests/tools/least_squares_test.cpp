// SPDX-License-Identifier: Apache-2.0
// The exact solution beside what training reached: problems solved by hand, with and without a ridge term.
#include "program/train/least_squares.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bitstep_test {
namespace {

using namespace bitstep::program;

// x by rows; as many features as fill them.
template <class T>
design_matrix<T> data_of(const std::vector<T>& x, const std::vector<T>& y) {
    design_matrix<T> data;
    data.rows = y.size();
    data.features = x.size() / y.size();
    data.x.assign(x.begin(), x.end());
    data.y.assign(y.begin(), y.end());
    return data;
}

TEST(least_squares_test, finds_an_exact_line_and_its_rank) {
    const auto data = data_of<double>({1, 1, 2, 1, 3, 1}, {5, 7, 9}); // y = 2 x + 3
    const least_squares_fit fit = solve_least_squares(data, {}, 0, true);
    EXPECT_NEAR(fit.training.mse, 0, 1e-25);
    EXPECT_NEAR(fit.training.r2, 1, 1e-12);
    EXPECT_EQ(fit.rank, 2u);
}

TEST(least_squares_test, copes_with_columns_that_depend_on_one_another) {
    const auto data = data_of<float>({1, 2, 1, 2, 4, 1, 3, 6, 1, 4, 8, 1}, {5, 6, 9, 8});
    const least_squares_fit fit = solve_least_squares(data, {}, 0, true);
    EXPECT_EQ(fit.rank, 2u);
    EXPECT_NEAR(fit.training.r2, 0.72, 1e-6); // of y on the first alone: slope 1.2, 1.2^2 * 5 / 10
}

// w = sum(x y) / (sum(x^2) + N l2) = 20 / (14 + 3 * 2) = 1: residuals 0, 0 and 2. Without the term, w = 10 / 7.
TEST(least_squares_test, the_ridge_term_counts_once_for_each_row) {
    const auto data = data_of<double>({1, 2, 3}, {1, 2, 5});
    const auto elsewhere = data_of<double>({10, -4}, {11, -4});
    const least_squares_fit fit = solve_least_squares(data, elsewhere, 2, false);
    EXPECT_NEAR(fit.training.mse, 4.0 / 3, 1e-12);
    EXPECT_NEAR(fit.training.r2, 7.0 / 13, 1e-12); // 1 - 4 / (26 / 3)
    EXPECT_NEAR(fit.test.mse, 0.5, 1e-12);
    EXPECT_EQ(fit.rank, 1u);
    EXPECT_NEAR(solve_least_squares(data, {}, 0, false).training.mse, (30 - 400.0 / 14) / 3, 1e-12);
}

// w = 5 / (2 + 3 * 1) = 1 and b = mean(y) = 3: residuals 1, 1 and -2.
TEST(least_squares_test, the_bias_is_not_in_the_ridge_term) {
    const auto data = data_of<double>({-1, 1, 0, 1, 1, 1}, {1, 2, 6});
    EXPECT_NEAR(solve_least_squares(data, {}, 1, true).training.mse, 2, 1e-12);
    EXPECT_GT(solve_least_squares(data, {}, 1, false).training.mse, 3); // as two features: b = 9 / (3 + 3)
}

} // namespace
} // namespace bitstep_test
