// SPDX-License-Identifier: Apache-2.0
// What a file says of a tensor, and whether it can be true: of one tensor by itself, and of all tensors of a file against
// one another. Before: the header's text (safetensors.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bitstep::program {

struct tensor_info {
    std::string name;
    std::string dtype; ///< as the safetensors format spells it: "F32", "F64", "BF16", "I64", ...
    std::vector<std::uint64_t> shape;
    std::uint64_t elements = 0; ///< product of the shape; 1 for a scalar (no dimensions)
    std::uint64_t offset = 0;   ///< of its first byte, from the start of the data
    std::uint64_t bytes = 0;
};

/// Fills in elements and bytes from dtype and shape. input_error where the dtype is unknown, the product wraps, or the
/// elements do not fill whole bytes.
void measure_tensor(tensor_info& tensor);

/// input_error where two tensors have one name.
void refuse_equal_names(const std::vector<tensor_info>& tensors);

/// Sorts by offset. input_error where tensors overlap or leave gaps, or do not end where the data do. The offset and bytes
/// of each must not wrap when added.
void sort_and_check(std::vector<tensor_info>& tensors, std::uint64_t data_bytes);

/// `tensor "NAME": `, with which a complaint about it begins.
std::string of_tensor(const std::string& name);

} // namespace bitstep::program
