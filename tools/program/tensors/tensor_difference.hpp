// SPDX-License-Identifier: Apache-2.0
// How two tensors of one shape and type differ, found in one pass, piece by piece: for `compare`, and for what a ring
// all-reduce does differently.
#pragma once

#include "program/digest.hpp"
#include "program/tensors/tensor_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bitstep::program {

/// One element for people: "0.1" and "0x1.99999ap-4"; of a type without arithmetic here only its bits, "0x3dcd".
struct shown_element {
    std::string value;
    std::string bits;
};
shown_element show(float value);
shown_element show(double value);

/// Equal bits are equal, and every NaN equals every NaN (payloads are not promised). NaN against a number differs without
/// a distance. -0 and +0 differ, by one step (ulp_distance.hpp).
struct tensor_difference {
    std::uint64_t elements = 0;
    std::uint64_t differing = 0;
    std::uint64_t nan_against_number = 0; ///< of the differing ones
    std::uint64_t largest_distance = 0;   ///< over the others; 0 for types other than float and double
    std::uint64_t first = 0;              ///< index of the first that differs, where one does
    shown_element first_a;
    shown_element first_b;

    /// The next elements of both.
    void add(const float* a, const float* b, std::size_t count);
    void add(const double* a, const double* b, std::size_t count);
    /// ... of any type of so many bytes, compared as bytes.
    void add(const unsigned char* a, const unsigned char* b, std::size_t count, std::size_t element_size);
};

struct compared_tensor {
    tensor_info tensor;
    tensor_difference difference;
};

/// Counts over all of them, and the largest distance; no first element.
tensor_difference total_of(const std::vector<compared_tensor>& compared);

/// Bytes that are compared at a time: an element, or one byte where elements are smaller than that or no whole bytes.
std::size_t unit_size(const tensor_info& tensor);

/// Reads both tensors once, file_chunk bytes at a time. They have the same dtype and shape. The bytes of each also go to its
/// digest, where one is given.
tensor_difference compare_tensors(const tensor_file& a, const tensor_info& in_a, digest* sum_a, const tensor_file& b,
                                  const tensor_info& in_b, digest* sum_b);

} // namespace bitstep::program
