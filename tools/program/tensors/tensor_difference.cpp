// SPDX-License-Identifier: Apache-2.0
#include "program/tensors/tensor_difference.hpp"

#include "program/tensors/ulp_distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace bitstep::program {
namespace {

template <class T>
shown_element show_number(T value) {
    if (value != value) {
        return {"nan", "nan"};
    }
    char bits[64];
    std::snprintf(bits, sizeof(bits), "%a", static_cast<double>(value));
    return {fmt::format("{}", value), bits};
}

// The bytes as one number: little-endian in the file, the highest digit first here.
shown_element show_bytes(const unsigned char* bytes, std::size_t size) {
    std::string text = "0x";
    for (std::size_t i = size; i-- > 0;) {
        text += fmt::format("{:02x}", bytes[i]);
    }
    return {"", text};
}

template <class T>
void add_numbers(tensor_difference& sum, const T* a, const T* b, std::size_t count) {
    // Equal stretches are the usual case, and memcmp is as fast as memory.
    const bool all_equal = count == 0 || std::memcmp(a, b, count * sizeof(T)) == 0;
    for (std::size_t i = 0; !all_equal && i < count; ++i) {
        const bool nan_a = a[i] != a[i];
        const bool nan_b = b[i] != b[i];
        const std::uint64_t distance = nan_a || nan_b ? 0 : ulp_distance(a[i], b[i]);
        if (distance == 0 && nan_a == nan_b) {
            continue;
        }
        if (sum.differing++ == 0) {
            sum.first = sum.elements + i;
            sum.first_a = show(a[i]);
            sum.first_b = show(b[i]);
        }
        sum.nan_against_number += nan_a != nan_b ? 1 : 0;
        sum.largest_distance = std::max(sum.largest_distance, distance);
    }
    sum.elements += count;
}

} // namespace

shown_element show(float value) { return show_number(value); }
shown_element show(double value) { return show_number(value); }

void tensor_difference::add(const float* a, const float* b, std::size_t count) { add_numbers(*this, a, b, count); }
void tensor_difference::add(const double* a, const double* b, std::size_t count) { add_numbers(*this, a, b, count); }

void tensor_difference::add(const unsigned char* a, const unsigned char* b, std::size_t count,
                            std::size_t element_size) {
    const bool all_equal = count == 0 || std::memcmp(a, b, count * element_size) == 0;
    for (std::size_t i = 0; !all_equal && i < count; ++i) {
        const unsigned char* one = a + i * element_size;
        const unsigned char* other = b + i * element_size;
        if (std::memcmp(one, other, element_size) != 0 && differing++ == 0) {
            first = elements + i;
            first_a = show_bytes(one, element_size);
            first_b = show_bytes(other, element_size);
        }
    }
    elements += count;
}

tensor_difference total_of(const std::vector<compared_tensor>& compared) {
    tensor_difference total;
    for (const compared_tensor& one : compared) {
        total.elements += one.difference.elements;
        total.differing += one.difference.differing;
        total.nan_against_number += one.difference.nan_against_number;
        total.largest_distance = std::max(total.largest_distance, one.difference.largest_distance);
    }
    return total;
}

std::size_t unit_size(const tensor_info& tensor) {
    const bool whole = tensor.elements != 0 && tensor.bytes % tensor.elements == 0;
    return whole ? static_cast<std::size_t>(tensor.bytes / tensor.elements) : 1;
}

tensor_difference compare_tensors(const tensor_file& a, const tensor_info& in_a, digest* sum_a, const tensor_file& b,
                                  const tensor_info& in_b, digest* sum_b) {
    return with_type_of(in_a, [&](auto type) {
        using element = decltype(type);
        tensor_difference difference;
        std::vector<element> x(std::min<std::uint64_t>(file_chunk, in_a.bytes) / sizeof(element));
        std::vector<element> y(x.size());
        for (std::uint64_t first = 0; first < in_a.bytes; first += file_chunk) {
            const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(file_chunk, in_a.bytes - first));
            a.read(in_a, first, x.data(), size);
            b.read(in_b, first, y.data(), size);
            if (sum_a != nullptr) {
                sum_a->add(x.data(), size / sizeof(element));
            }
            if (sum_b != nullptr) {
                sum_b->add(y.data(), size / sizeof(element));
            }
            if constexpr (std::is_same_v<element, unsigned char>) {
                difference.add(x.data(), y.data(), size / unit_size(in_a), unit_size(in_a));
            } else {
                difference.add(x.data(), y.data(), size / sizeof(element));
            }
        }
        return difference;
    });
}

} // namespace bitstep::program
