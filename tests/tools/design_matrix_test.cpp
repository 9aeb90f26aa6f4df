// SPDX-License-Identifier: Apache-2.0
// From table to X and y: columns, bias, standardization, rounding, faults.
#include "program/data/design_matrix.hpp"
#include "refusal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace bitstep_test {
namespace {

using namespace bitstep::program;

csv_table table_of(const std::string& text) { return parse_csv_table("t.csv", text); }

design_choice predicting(const std::string& target, bool bias, bool standardize) { return {target, bias, standardize}; }

std::vector<std::size_t> all_rows(const csv_table& table) {
    std::vector<std::size_t> rows(table.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
}

// As a training without test rows does it.
template <class T>
design_matrix<T> matrix_of(const csv_table& table, const design_choice& choice) {
    return make_design_matrix<T>(table, learn_design(table, choice, all_rows(table)), all_rows(table));
}

column_scale scale_of_first_feature(const csv_table& table) {
    return learn_design(table, predicting("y", true, true), all_rows(table)).scales[0];
}

TEST(design_matrix_test, takes_features_in_order_then_the_bias) {
    const auto data = matrix_of<double>(table_of("a,y,b\n1,10,2\n3,20,4\n"), predicting("y", true, false));
    EXPECT_EQ(learn_design(table_of("a,y,b\n1,10,2\n"), predicting("y", true, false), {0}).features,
              (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(data.x, (std::vector<double>{1, 2, 1, 3, 4, 1}));
    EXPECT_EQ(data.y, (std::vector<double>{10, 20}));
    EXPECT_EQ(data.rows, 2u);
    EXPECT_EQ(data.features, 3u);
}

TEST(design_matrix_test, without_bias) {
    const auto data = matrix_of<float>(table_of("y,b\n10,2\n20,4\n"), predicting("y", false, false));
    EXPECT_EQ(data.x, (std::vector<float>{2, 4}));
}

TEST(design_matrix_test, standardizes_by_population_deviation) {
    // 1, 2, 3, 6: mean 3, squares 4 + 1 + 0 + 9 = 14, deviation sqrt(14 / 4). The target and the bias stay.
    const auto data = matrix_of<double>(table_of("a,y\n1,5\n2,6\n3,7\n6,8\n"), predicting("y", true, true));
    const double deviation = std::sqrt(3.5);
    EXPECT_EQ(data.x, (std::vector<double>{-2 / deviation, 1, -1 / deviation, 1, 0, 1, 3 / deviation, 1}));
    EXPECT_EQ(data.y, (std::vector<double>{5, 6, 7, 8}));
}

TEST(design_matrix_test, sums_in_the_order_of_the_file) {
    // (1e16 + 1) + 1 stays 1e16 in double; another order would give 1e16 + 2. Three values: mean 1e16 / 3.
    const auto table = table_of("a,y\n1e16,0\n1,0\n1,0\n");
    EXPECT_EQ(scale_of_first_feature(table).mean, 1e16 / 3);
}

TEST(design_matrix_test, constant_columns_become_zero_whatever_their_sum_rounds_to) {
    const auto table = table_of("a,y\n0.1,1\n0.1,2\n0.1,3\n");
    EXPECT_NE((0.1 + 0.1 + 0.1) / 3, 0.1); // the trap
    const auto data = matrix_of<double>(table, predicting("y", false, true));
    EXPECT_EQ(data.x, (std::vector<double>{0, 0, 0}));
    EXPECT_EQ(scale_of_first_feature(table).deviation, 1);
}

TEST(design_matrix_test, rounds_to_float_once) {
    const auto data = matrix_of<float>(table_of("a,y\n1,0.1\n2,0.2\n4,0.3\n"), predicting("y", false, true));
    const double mean = 7.0 / 3;
    const double squares = (1 - mean) * (1 - mean) + (2 - mean) * (2 - mean) + (4 - mean) * (4 - mean);
    EXPECT_EQ(data.x[2], static_cast<float>((4 - mean) / std::sqrt(squares / 3)));
    EXPECT_EQ(data.y[2], 0.3f);
}

TEST(design_matrix_test, faults) {
    const auto table = table_of("a,y\n1,2\n1e39,3\n");
    EXPECT_EQ(refusal_of([&] { matrix_of<float>(table, predicting("z", true, true)); }),
              "t.csv:1: no column is called \"z\"; the columns are a, y");
    EXPECT_EQ(refusal_of([&] { matrix_of<float>(table, predicting("y", true, false)); }),
              "t.csv:3:1 (a): 1e+39 is outside the range of float; try --dtype f64");
    EXPECT_NO_THROW(matrix_of<double>(table, predicting("y", true, false)));
    const auto lonely = table_of("y\n1\n");
    EXPECT_EQ(refusal_of([&] { matrix_of<float>(lonely, predicting("y", false, true)); }),
              "t.csv:1:1 (y): the target is the only column, and with --no-bias nothing is left to learn from");
    EXPECT_EQ(matrix_of<float>(lonely, predicting("y", true, true)).x, std::vector<float>{1});
    const auto large = table_of("y,a\n1,1e308\n2,-1e308\n3,5\n");
    EXPECT_EQ(refusal_of([&] { matrix_of<double>(large, predicting("y", true, true)); }),
              "t.csv:1:2 (a): the values are too large to be standardized; try --no-standardize");
    const auto small = table_of("y,a\n1,1e-300\n2,2e-300\n");
    EXPECT_EQ(refusal_of([&] { matrix_of<double>(small, predicting("y", true, true)); }),
              "t.csv:1:2 (a): the values are too small to be standardized; try --no-standardize");
}

} // namespace
} // namespace bitstep_test
