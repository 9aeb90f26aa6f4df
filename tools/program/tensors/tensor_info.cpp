// SPDX-License-Identifier: Apache-2.0
#include "program/tensors/tensor_info.hpp"

#include "program/errors.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace bitstep::program {
namespace {

// 0 where the dtype is unknown. The F4 and F6 types are packed: their tensors must fill whole bytes.
unsigned dtype_bits(std::string_view dtype) {
    struct row {
        std::string_view name;
        unsigned bits;
    };
    static constexpr std::array<row, 22> table{
        {{"F32", 32},    {"F64", 64},    {"BF16", 16},   {"F16", 16},    {"I64", 64},        {"I32", 32},
         {"I16", 16},    {"I8", 8},      {"U64", 64},    {"U32", 32},    {"U16", 16},        {"U8", 8},
         {"BOOL", 8},    {"C64", 64},    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E5M2FNUZ", 8}, {"F8_E4M3FNUZ", 8},
         {"F8_E8M0", 8}, {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"F4", 4}}};
    const auto* found = std::find_if(table.begin(), table.end(), [&](const row& r) { return r.name == dtype; });
    return found == table.end() ? 0 : found->bits;
}

} // namespace

void measure_tensor(tensor_info& tensor) {
    const unsigned bits = dtype_bits(tensor.dtype);
    if (bits == 0) {
        throw input_error(of_tensor(tensor.name) + fmt::format("dtype \"{}\" is unknown", printable(tensor.dtype)));
    }
    // A dimension of 0 makes it empty whatever the others are; without it their product could wrap on the way.
    const bool empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0u) != tensor.shape.end();
    std::uint64_t all_bits = empty ? 0 : bits; // never fewer than elements: one check of the product is enough
    for (const std::uint64_t length : tensor.shape) {
        if (!empty && __builtin_mul_overflow(all_bits, length, &all_bits)) {
            throw input_error(of_tensor(tensor.name) + "the product of its shape is too large");
        }
    }
    if (all_bits % 8 != 0) {
        throw input_error(of_tensor(tensor.name) + "its elements do not fill whole bytes");
    }
    tensor.elements = all_bits / bits;
    tensor.bytes = all_bits / 8;
}

// By sorting, not hashing: nobody can choose names that make it slow.
void refuse_equal_names(const std::vector<tensor_info>& tensors) {
    std::vector<const std::string*> names;
    names.reserve(tensors.size());
    for (const tensor_info& tensor : tensors) {
        names.push_back(&tensor.name);
    }
    std::sort(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a < *b; });
    const auto twice =
        std::adjacent_find(names.begin(), names.end(), [](const auto* a, const auto* b) { return *a == *b; });
    if (twice != names.end()) {
        throw input_error(of_tensor(**twice) + "it is there twice");
    }
}

void sort_and_check(std::vector<tensor_info>& tensors, std::uint64_t data_bytes) {
    // At one offset, empty tensors stand before the one that has bytes.
    const auto before = [](const tensor_info& a, const tensor_info& b) {
        return a.offset != b.offset ? a.offset < b.offset : a.bytes < b.bytes;
    };
    std::stable_sort(tensors.begin(), tensors.end(), before);
    std::uint64_t end = 0;
    for (const tensor_info& tensor : tensors) {
        if (tensor.offset != end) {
            throw input_error(of_tensor(tensor.name) +
                              fmt::format("its bytes begin at {}, where those before it {} at {}", tensor.offset,
                                          tensor.offset < end ? "overlap it and end" : "leave a gap and end", end));
        }
        end += tensor.bytes; // no wrap: both are data_offsets
        if (end > data_bytes) {
            throw input_error(
                of_tensor(tensor.name) +
                fmt::format("its bytes end at {}, but the file holds only {} bytes of data", end, data_bytes));
        }
    }
    if (end != data_bytes) {
        throw input_error(
            fmt::format("its tensors end at byte {} of the data, but the file holds {}", end, data_bytes));
    }
}

std::string of_tensor(const std::string& name) { return fmt::format("tensor \"{}\": ", printable(name)); }

} // namespace bitstep::program
