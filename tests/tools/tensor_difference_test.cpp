// SPDX-License-Identifier: Apache-2.0
// How two tensors differ: what counts as equal, NaN, the first element, and that pieces give what the whole gives.
#include "program/tensors/tensor_difference.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace bitstep_test {
namespace {

using namespace bitstep::program;

template <class T>
tensor_difference difference_of(const std::vector<T>& a, const std::vector<T>& b) {
    tensor_difference found;
    found.add(a.data(), b.data(), a.size());
    return found;
}

const float float_nan = std::numeric_limits<float>::quiet_NaN();
const float other_nan = std::bit_cast<float>(0xffc12345u);

TEST(tensor_difference_test, equal_bits_and_all_nans_are_equal) {
    EXPECT_EQ(difference_of<double>({1, -0.0, 3}, {1, -0.0, 3}).differing, 0u);
    const tensor_difference nans = difference_of<float>({1, float_nan, other_nan}, {1, other_nan, float_nan});
    EXPECT_EQ(nans.elements, 3u);
    EXPECT_EQ(nans.differing, 0u);
    EXPECT_EQ(nans.nan_against_number, 0u);
    EXPECT_EQ(difference_of<float>({}, {}).elements, 0u);
}

TEST(tensor_difference_test, counts_distances_and_the_first_element) {
    const tensor_difference found =
        difference_of<float>({5, 1, 0.1f, -0.0f, 2}, {5, 1, std::nextafter(0.1f, 1.0f), 0.0f, 4});
    EXPECT_EQ(found.elements, 5u);
    EXPECT_EQ(found.differing, 3u);
    EXPECT_EQ(found.nan_against_number, 0u);
    EXPECT_EQ(found.largest_distance, 1u << 23);
    EXPECT_EQ(found.first, 2u);
    EXPECT_EQ(found.first_a.value, "0.1");
    EXPECT_EQ(found.first_a.bits, "0x1.99999ap-4");
    EXPECT_EQ(found.first_b.value, "0.10000001");
    EXPECT_EQ(found.first_b.bits, "0x1.99999cp-4");
}

TEST(tensor_difference_test, nan_against_a_number_has_no_distance) {
    const tensor_difference found = difference_of<float>({float_nan, 1, 1}, {1, other_nan, 1});
    EXPECT_EQ(found.differing, 2u);
    EXPECT_EQ(found.nan_against_number, 2u);
    EXPECT_EQ(found.largest_distance, 0u);
    EXPECT_EQ(found.first_a.value, "nan");
    EXPECT_EQ(found.first_b.bits, "0x1p+0");
}

TEST(tensor_difference_test, pieces_give_what_the_whole_gives) {
    std::vector<double> a(1000, 1.0);
    std::vector<double> b = a;
    b[700] = std::numeric_limits<double>::infinity();
    b[701] = 2;
    const tensor_difference whole = difference_of(a, b);
    tensor_difference pieces;
    for (std::size_t i = 0; i < a.size(); i += 50) {
        pieces.add(a.data() + i, b.data() + i, 50);
    }
    EXPECT_EQ(pieces.elements, whole.elements);
    EXPECT_EQ(pieces.differing, 2u);
    EXPECT_EQ(pieces.first, 700u);
    EXPECT_EQ(pieces.largest_distance, whole.largest_distance);
    EXPECT_EQ(pieces.first_b.value, "inf");
}

TEST(tensor_difference_test, other_types_are_compared_as_bytes) {
    const std::vector<unsigned char> a = {0x80, 0x3f, 0x00, 0x40, 0x00, 0x40};
    const std::vector<unsigned char> b = {0x80, 0x3f, 0x01, 0x41, 0x00, 0x40};
    tensor_difference found;
    found.add(a.data(), b.data(), 3, 2);
    EXPECT_EQ(found.elements, 3u);
    EXPECT_EQ(found.differing, 1u);
    EXPECT_EQ(found.largest_distance, 0u);
    EXPECT_EQ(found.first, 1u);
    EXPECT_EQ(found.first_a.value, "");
    EXPECT_EQ(found.first_a.bits, "0x4000");
    EXPECT_EQ(found.first_b.bits, "0x4101");
}

TEST(tensor_difference_test, elements_below_a_byte_are_counted_in_bytes) {
    const auto unit = [](std::uint64_t elements, std::uint64_t bytes) {
        tensor_info tensor;
        tensor.elements = elements;
        tensor.bytes = bytes;
        return unit_size(tensor);
    };
    EXPECT_EQ(unit(3, 24), 8u);
    EXPECT_EQ(unit(3, 6), 2u);
    EXPECT_EQ(unit(4, 2), 1u); // F4
    EXPECT_EQ(unit(4, 3), 1u); // F6
    EXPECT_EQ(unit(0, 0), 1u);
}

// Two tensors in memory as files.
template <class T>
tensor_file file_of(const std::vector<T>& values, const char* dtype) {
    tensor_info all;
    all.dtype = dtype;
    all.elements = values.size();
    all.bytes = values.size() * sizeof(T);
    all.shape = {all.elements};
    return {"", {all}, {}, [&values](const tensor_info&, std::uint64_t first, void* out, std::size_t size) {
                std::memcpy(out, reinterpret_cast<const char*>(values.data()) + first, size);
            }};
}

TEST(tensor_difference_test, a_tensor_of_several_chunks_is_compared_and_hashed_whole) {
    std::vector<float> a(2 * file_chunk / sizeof(float) + 5);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<float>(i);
    }
    std::vector<float> b = a;
    b[file_chunk / sizeof(float)] += 1;
    b.back() = 0;
    const tensor_file in_a = file_of(a, "F32");
    const tensor_file in_b = file_of(b, "F32");
    digest sum_a;
    digest sum_b;
    const tensor_difference found = compare_tensors(in_a, in_a.tensors[0], &sum_a, in_b, in_b.tensors[0], &sum_b);
    EXPECT_EQ(found.elements, a.size());
    EXPECT_EQ(found.differing, 2u);
    EXPECT_EQ(found.first, file_chunk / sizeof(float));
    digest expected;
    expected.add(a);
    EXPECT_EQ(sum_a.hex(), expected.hex());
    EXPECT_EQ(file_digest(in_a), expected.hex());
    EXPECT_EQ(file_digest(in_b), sum_b.hex());
    EXPECT_NE(sum_a.hex(), sum_b.hex());
}

} // namespace
} // namespace bitstep_test
