// SPDX-License-Identifier: Apache-2.0
// The order of floating-point numbers: steps between neighbours, across zero, to infinity, and the longest way.
#include "program/tensors/ulp_distance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace bitstep_test {
namespace {

using bitstep::program::place_in_order;
using bitstep::program::ulp_distance;

template <class T>
class ulp_distance_test : public testing::Test {};
using number_types = testing::Types<float, double>;
TYPED_TEST_SUITE(ulp_distance_test, number_types);

TYPED_TEST(ulp_distance_test, known_steps) {
    using T = TypeParam;
    using limits = std::numeric_limits<T>;
    const T tiny = limits::denorm_min();
    const std::uint64_t binade = std::uint64_t{1} << (limits::digits - 1); // numbers in [1, 2)
    struct row {
        T a;
        T b;
        std::uint64_t steps;
    };
    const std::vector<row> rows = {
        {T(1), T(1), 0},
        {T(1), std::nextafter(T(1), T(2)), 1},
        {T(1), std::nextafter(T(1), T(0)), 1},
        {T(1), T(2), binade},
        {T(-1), T(-2), binade},
        {T(0), T(0), 0},
        {-T(0), -T(0), 0},
        {-T(0), T(0), 1},
        {T(0), tiny, 1},
        {-T(0), tiny, 2},
        {-tiny, tiny, 3},
        {tiny, 3 * tiny, 2},
        {limits::min(), std::nextafter(limits::min(), T(0)), 1},
        {T(0), limits::min(), binade},
        {limits::max(), limits::infinity(), 1},
        {limits::lowest(), -limits::infinity(), 1},
        {limits::infinity(), limits::infinity(), 0},
    };
    for (const row& one : rows) {
        EXPECT_EQ(ulp_distance(one.a, one.b), one.steps) << one.a << " and " << one.b;
        EXPECT_EQ(ulp_distance(one.b, one.a), one.steps) << one.b << " and " << one.a;
    }
}

TYPED_TEST(ulp_distance_test, places_rise_with_the_numbers) {
    using T = TypeParam;
    using limits = std::numeric_limits<T>;
    const std::vector<T> rising = {
        -limits::infinity(),  limits::lowest(), T(-2), T(-1), -limits::min(), -limits::denorm_min(), -T(0), T(0),
        limits::denorm_min(), limits::min(),    T(1),  T(2),  limits::max(),  limits::infinity()};
    for (std::size_t i = 1; i < rising.size(); ++i) {
        EXPECT_LT(place_in_order(rising[i - 1]), place_in_order(rising[i])) << rising[i - 1] << " and " << rising[i];
    }
}

TEST(ulp_distance_extremes_test, the_longest_way_fits_64_bits) {
    const float largest = std::numeric_limits<float>::infinity();
    EXPECT_EQ(ulp_distance(-largest, largest), 4278190081u); // 2 x 0x7f800000 and one for the two zeros
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(ulp_distance(-infinite, infinite), 18437736874454810625u);
}

} // namespace
} // namespace bitstep_test
