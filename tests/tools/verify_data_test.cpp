// SPDX-License-Identifier: Apache-2.0
// The data of `verify`: the same on every machine (golden digests), of the promised kinds, and shapes at every edge.
#include "program/digest.hpp"
#include "program/verify/verify_data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

namespace bitstep_test {
namespace {

using namespace bitstep::program;

template <class T>
std::string digest_of_all_data() {
    digest sum;
    const auto& shapes = verify_shapes();
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const auto data = make_verify_data<T>(shapes[i], i);
        for (const auto* part : {&data.x, &data.y, &data.weights, &data.ema_weights, &data.m, &data.v}) {
            sum.add(*part);
        }
        for (const long long count : data.counts) {
            sum.add_integer(static_cast<std::uint64_t>(count));
        }
    }
    return sum.hex();
}

TEST(verify_data_test, golden_digests) {
    EXPECT_EQ(digest_of_all_data<float>(), "1d6e7a40a810549568ec43c997f2139e");
    EXPECT_EQ(digest_of_all_data<double>(), "d1b3b1c99d1a1c4133493ccaa5b919bb");
}

TEST(verify_data_test, first_value_by_hand) {
    // SplitMix64 from state 0 begins with e220a8397b1dcdaf (published); its first 24 or 53 bits, less half, scaled to 1.
    EXPECT_EQ(make_verify_data<float>(verify_shapes()[0], 0).x[0], (0xe220a8 - 0x800000) / 8388608.0f);
    const auto leading = static_cast<double>((0xe220a8397b1dcdafu >> 11) - (std::uint64_t{1} << 52));
    EXPECT_EQ(make_verify_data<double>(verify_shapes()[0], 0).x[0], leading / 4503599627370496.0);
}

template <class T>
void expect_promises(const verify_shape& shape, std::size_t index) {
    const auto data = make_verify_data<T>(shape, index);
    std::size_t rows = 0;
    std::size_t special = 0;
    for (const auto& shard : data.shards) {
        for (std::size_t i = 0; i < shard.rows; ++i) {
            for (std::size_t j = 0; j < shape.features; ++j) {
                const T value = shard.x[i * shard.row_stride + j];
                special += std::isfinite(value) ? 0 : 1;
                if (shape.values == value_kind::subnormal) {
                    EXPECT_LE(std::abs(value), std::numeric_limits<T>::min());
                }
            }
        }
        rows += shard.rows;
    }
    EXPECT_EQ(rows, shape.rows());
    EXPECT_EQ(special > 0, shape.values == value_kind::non_finite) << "shape " << index;
    for (const T value : data.v) {
        EXPECT_GE(value, 0);
    }
    long long total = 0;
    for (const long long count : data.counts) {
        total += count;
    }
    EXPECT_GT(total, 0);
    EXPECT_EQ(data.counts.size(), data.worker_vectors.size());
}

TEST(verify_data_test, every_shape_is_as_promised) {
    const auto& shapes = verify_shapes();
    ASSERT_GT(shapes.size(), 50u);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        expect_promises<float>(shapes[i], i);
        expect_promises<double>(shapes[i], i);
    }
}

TEST(verify_data_test, shapes_stand_at_the_edges_of_the_numerics) {
    std::set<std::size_t> features;
    std::set<std::size_t> rows;
    for (const auto& shape : verify_shapes()) {
        features.insert(shape.features);
        rows.insert(shape.rows());
    }
    const bitstep::panel_lengths panels = bitstep::numerics_panels();
    for (const std::size_t edge : {panels.float_lanes, panels.double_lanes, panels.column_panel}) {
        for (const std::size_t d : {edge - 1, edge, edge + 1}) {
            EXPECT_EQ(features.count(d), 1u) << "d = " << d;
        }
    }
    for (const std::size_t n :
         {panels.row_panel - 1, panels.row_panel, panels.row_panel + 1, 2 * panels.row_panel + 1}) {
        EXPECT_EQ(rows.count(n), 1u) << "N = " << n;
    }
}

} // namespace
} // namespace bitstep_test
