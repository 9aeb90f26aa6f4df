// SPDX-License-Identifier: Apache-2.0
// Gathering shuffled rows and dealing them to workers.
#include "program/data/step_buffer.hpp"

#include <gtest/gtest.h>

namespace bitstep_test {
namespace {

using bitstep::program::design_matrix;
using bitstep::program::step_buffer;

// Row i is (10 i, 10 i + 1) with target i.
design_matrix<double> numbered_rows(std::size_t rows) {
    design_matrix<double> data;
    data.rows = rows;
    data.features = 2;
    for (std::size_t i = 0; i < rows; ++i) {
        data.x.insert(data.x.end(), {10.0 * static_cast<double>(i), 10.0 * static_cast<double>(i) + 1});
        data.y.push_back(static_cast<double>(i));
    }
    return data;
}

// Rows per worker, after checking that worker by worker the targets follow `order`.
std::vector<std::size_t> dealt(std::size_t workers, const std::vector<std::size_t>& order) {
    const auto data = numbered_rows(20);
    step_buffer<double> buffer(order.size(), 2, workers);
    const auto rows = buffer.gather(data, order.data(), order.size());
    std::vector<std::size_t> lengths;
    std::size_t at = 0;
    for (std::size_t s = 0; s < rows.shard_count; ++s) {
        const auto& shard = rows.shards[s];
        lengths.push_back(shard.rows);
        for (std::size_t i = 0; i < shard.rows; ++i, ++at) {
            EXPECT_EQ(shard.y[i], static_cast<double>(order[at]));
            EXPECT_EQ(shard.x[i * shard.row_stride], 10.0 * static_cast<double>(order[at]));
            EXPECT_EQ(shard.x[i * shard.row_stride + 1], 10.0 * static_cast<double>(order[at]) + 1);
        }
    }
    EXPECT_EQ(at, order.size());
    EXPECT_EQ(rows.features, 2u);
    return lengths;
}

using lengths = std::vector<std::size_t>;

TEST(step_buffer_test, a_full_step_is_even) { EXPECT_EQ(dealt(3, {5, 1, 0, 19, 7, 2}), (lengths{2, 2, 2})); }
TEST(step_buffer_test, the_first_workers_get_one_more) {
    EXPECT_EQ(dealt(3, {5, 1, 0, 19, 7, 2, 3, 4}), (lengths{3, 3, 2}));
}
TEST(step_buffer_test, workers_without_rows_are_left_out) { EXPECT_EQ(dealt(5, {9, 8}), (lengths{1, 1})); }
TEST(step_buffer_test, one_worker_gets_all) { EXPECT_EQ(dealt(1, {9, 8, 7}), (lengths{3})); }

TEST(step_buffer_test, is_used_again_for_fewer_rows) {
    const auto data = numbered_rows(20);
    step_buffer<double> buffer(4, 2, 2);
    const std::size_t order[] = {3, 1, 2, 0};
    buffer.gather(data, order, 4);
    const auto rows = buffer.gather(data, order + 1, 3);
    ASSERT_EQ(rows.shard_count, 2u);
    EXPECT_EQ(rows.shards[0].rows, 2u);
    EXPECT_EQ(rows.shards[1].y[0], 0);
    EXPECT_EQ(buffer.x().rows, 3u);
    EXPECT_EQ(buffer.y().data[0], 1);
}

} // namespace
} // namespace bitstep_test
