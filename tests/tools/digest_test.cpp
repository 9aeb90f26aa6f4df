// SPDX-License-Identifier: Apache-2.0
// The digest: known answers, byte order, NaN, and that every bit counts.
#include "program/digest.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace bitstep_test {
namespace {

using bitstep::program::canonical_bits;
using bitstep::program::digest;

template <class T>
std::string hex_of(const std::vector<T>& values) {
    digest sum;
    sum.add(values);
    return sum.hex();
}

TEST(digest_test, of_nothing_is_the_published_value_for_no_bytes) {
    EXPECT_EQ(digest().hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(digest_test, bytes_are_little_endian) {
    digest integers;
    integers.add_integer(0x400000003f800000u); // the bytes 00 00 80 3f, 00 00 00 40
    EXPECT_EQ(hex_of<float>({1.0f, 2.0f}), integers.hex());
    digest from_double;
    from_double.add_integer(0x3ff0000000000000u);
    EXPECT_EQ(hex_of<double>({1.0}), from_double.hex());
}

TEST(digest_test, every_bit_counts) {
    EXPECT_NE(hex_of<float>({0.0f}), hex_of<float>({-0.0f}));
    EXPECT_NE(hex_of<double>({1.0}), hex_of<double>({1.0 + std::numeric_limits<double>::epsilon()}));
    EXPECT_NE(hex_of<float>({1.0f, 2.0f}), hex_of<float>({2.0f, 1.0f}));
}

template <class T>
void expect_one_nan() {
    const T quiet = std::numeric_limits<T>::quiet_NaN();
    EXPECT_EQ(canonical_bits(quiet), canonical_bits(-quiet));
    EXPECT_EQ(hex_of<T>({T{1}, quiet}), hex_of<T>({T{1}, -quiet}));
    EXPECT_NE(hex_of<T>({quiet}), hex_of<T>({std::numeric_limits<T>::infinity()}));
}

TEST(digest_test, all_nans_are_one) {
    expect_one_nan<float>();
    expect_one_nan<double>();
    EXPECT_EQ(canonical_bits(std::numeric_limits<float>::quiet_NaN()), 0x7fc00000u);
    EXPECT_EQ(canonical_bits(std::numeric_limits<double>::quiet_NaN()), 0x7ff8000000000000u);
}

TEST(digest_test, how_the_numbers_are_cut_into_calls_is_no_matter) {
    std::vector<float> values(5000); // more than the digest converts at a time
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = i % 7 == 0 ? -std::numeric_limits<float>::quiet_NaN() : static_cast<float>(i);
    }
    std::string bytes;
    for (const float value : values) {
        const std::uint32_t bits = canonical_bits(value);
        for (unsigned i = 0; i < 4; ++i) {
            bytes.push_back(static_cast<char>(bits >> (8 * i)));
        }
    }
    digest whole;
    whole.add(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    EXPECT_EQ(hex_of(values), whole.hex());
    digest pieces;
    pieces.add(values.data(), 1);
    pieces.add(values.data() + 1, 3000);
    EXPECT_NE(pieces.hex(), whole.hex()); // looking does not end it
    pieces.add(values.data() + 3001, 0);
    pieces.add(values.data() + 3001, 1999);
    EXPECT_EQ(pieces.hex(), whole.hex());
}

} // namespace
} // namespace bitstep_test
