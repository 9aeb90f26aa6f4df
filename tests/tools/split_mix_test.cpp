// SPDX-License-Identifier: Apache-2.0
// The generator against published outputs, and its ranges.
#include "program/split_mix.hpp"

#include <gtest/gtest.h>

namespace bitstep_test {
namespace {

using bitstep::program::split_mix;

TEST(split_mix_test, gives_the_published_outputs_for_1234567) {
    split_mix bits(1234567);
    for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                         4593380528125082431u, 16408922859458223821u}) {
        EXPECT_EQ(bits.next(), expected);
    }
}

TEST(split_mix_test, a_range_above_half_refuses_about_half_of_the_draws) {
    // 2^64 mod (2^63 + 1) = 2^63 - 1: of the first five outputs above the third and the fifth are kept.
    const std::uint64_t bound = (std::uint64_t{1} << 63) + 1;
    split_mix bits(1234567);
    EXPECT_EQ(bits.below(bound), 9817491932198370423u - bound);
    EXPECT_EQ(bits.below(bound), 16408922859458223821u - bound);
}

TEST(split_mix_test, refuses_exactly_the_draws_below_2_to_the_64_mod_the_range) {
    split_mix bits(5);
    split_mix draws(5);
    split_mix shifts(6);
    for (int i = 0; i < 10000; ++i) {
        const std::uint64_t bound = (shifts.next() >> (shifts.next() % 64)) | 1;
        std::uint64_t draw = draws.next();
        while (draw < (0u - bound) % bound) {
            draw = draws.next();
        }
        ASSERT_EQ(bits.below(bound), draw % bound) << bound;
    }
}

TEST(split_mix_test, small_ranges_are_hit_everywhere_and_never_left) {
    split_mix bits(1);
    int hits[6] = {};
    for (int i = 0; i < 6000; ++i) {
        const std::uint64_t value = bits.below(6);
        ASSERT_LT(value, 6u);
        ++hits[value];
    }
    for (const int count : hits) {
        EXPECT_NEAR(count, 1000, 150);
    } // five standard deviations
    EXPECT_EQ(bits.below(1), 0u);
}

} // namespace
} // namespace bitstep_test
