// SPDX-License-Identifier: Apache-2.0
// The order of the rows: golden integers from a separate implementation (Python integers), and what an order must be.
#include "program/data/shuffle.hpp"
#include "program/split_mix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace bitstep_test {
namespace {

using bitstep::program::split_mix;
using order_of_rows = std::vector<std::size_t>;

order_of_rows shuffled(std::uint64_t seed, std::uint64_t epoch, std::size_t rows) {
    order_of_rows order(rows);
    bitstep::program::shuffle_rows(seed, epoch, order);
    return order;
}

TEST(shuffle_test, golden_orders) {
    EXPECT_EQ(shuffled(1, 0, 10), (order_of_rows{0, 8, 1, 4, 2, 3, 6, 9, 7, 5}));
    EXPECT_EQ(shuffled(1, 1, 10), (order_of_rows{4, 9, 7, 3, 5, 2, 0, 8, 6, 1}));
    EXPECT_EQ(shuffled(2, 0, 10), (order_of_rows{8, 9, 3, 4, 2, 7, 1, 0, 6, 5}));
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(shuffled(largest, largest, 7), (order_of_rows{3, 4, 5, 0, 6, 2, 1}));
}

TEST(shuffle_test, golden_order_of_many_rows) {
    std::uint64_t hash = 0;
    for (const std::size_t row : shuffled(1, 0, 20190)) {
        hash = hash * 31 + row;
    }
    EXPECT_EQ(hash, 7678234575648441133u);
}

TEST(shuffle_test, draws_made_ahead_are_those_made_one_by_one) {
    for (std::size_t rows = 0; rows < 200; ++rows) {
        order_of_rows order(rows);
        std::iota(order.begin(), order.end(), std::size_t{0});
        split_mix generator(split_mix(split_mix(3).next() + 4).next());
        for (std::size_t i = rows; i > 1; --i) {
            std::swap(order[i - 1], order[static_cast<std::size_t>(generator.below(i))]);
        }
        EXPECT_EQ(shuffled(3, 4, rows), order) << rows;
    }
}

TEST(shuffle_test, is_a_permutation) {
    for (const std::size_t rows : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{1000}}) {
        order_of_rows order = shuffled(5, 3, rows);
        std::sort(order.begin(), order.end());
        for (std::size_t i = 0; i < rows; ++i) {
            EXPECT_EQ(order[i], i);
        }
    }
}

TEST(shuffle_test, does_not_depend_on_what_the_vector_held) {
    order_of_rows order = shuffled(1, 0, 50);
    bitstep::program::shuffle_rows(1, 7, order);
    EXPECT_EQ(order, shuffled(1, 7, 50));
}

TEST(shuffle_test, three_rows_come_in_all_six_orders_about_equally_often) {
    int hits[3][3] = {};
    for (std::uint64_t epoch = 0; epoch < 6000; ++epoch) {
        const order_of_rows order = shuffled(11, epoch, 3);
        ++hits[order[0]][order[1]];
    }
    for (int first = 0; first < 3; ++first) {
        for (int second = 0; second < 3; ++second) {
            EXPECT_NEAR(hits[first][second], first == second ? 0 : 1000, first == second ? 0 : 150);
        }
    }
}

} // namespace
} // namespace bitstep_test
