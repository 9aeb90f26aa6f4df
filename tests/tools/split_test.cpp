// SPDX-License-Identifier: Apache-2.0
// Which rows are kept back: how many, the same for the same seed, every row on one side.
#include "program/data/shuffle.hpp"
#include "program/data/split.hpp"
#include "program/errors.hpp"
#include "refusal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace bitstep_test {
namespace {

using namespace bitstep::program;

TEST(split_test, without_a_fraction_all_rows_are_trained_on) {
    const row_split split = split_rows(3, 0, 1);
    EXPECT_EQ(split.training, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_TRUE(split.test.empty());
}

TEST(split_test, every_row_is_on_one_side_in_the_order_of_the_file) {
    const row_split split = split_rows(1001, 0.25, 7);
    EXPECT_EQ(split.test.size(), 250u); // floor(250.25)
    EXPECT_TRUE(std::is_sorted(split.training.begin(), split.training.end()));
    EXPECT_TRUE(std::is_sorted(split.test.begin(), split.test.end()));
    std::vector<std::size_t> all = split.training;
    all.insert(all.end(), split.test.begin(), split.test.end());
    std::sort(all.begin(), all.end());
    for (std::size_t row = 0; row < 1001; ++row) {
        EXPECT_EQ(all.at(row), row);
    }
}

TEST(split_test, takes_the_first_rows_of_an_epoch_that_no_training_reaches) {
    std::vector<std::size_t> order(10);
    shuffle_rows(3, std::numeric_limits<std::uint64_t>::max(), order);
    std::vector<std::size_t> expected(order.begin(), order.begin() + 3);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(split_rows(10, 0.3, 3).test, expected);
    EXPECT_NE(split_rows(1000, 0.3, 4).test, split_rows(1000, 0.3, 3).test);
}

TEST(split_test, a_side_without_rows_is_refused) {
    EXPECT_EQ(refusal_of([] { split_rows(10, 0.05, 1); }), "--test-fraction 0.05 of 10 rows leaves none to test");
    EXPECT_THROW(split_rows(1, 0.999, 1), input_error);
}

} // namespace
} // namespace bitstep_test
