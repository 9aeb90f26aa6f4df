// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the header of a safetensors file, the one text that the program reads from strangers and then believes
// offsets of. Sanitizers catch what the parser does wrong; the checks below catch what it wrongly accepts.
#include "fuzz.hpp"
#include "program/errors.hpp"
#include "program/tensors/safetensors.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace bitstep_fuzz {
namespace {

using bitstep::program::safetensors_header;
using bitstep::program::tensor_info;

void require(bool holds) {
    if (!holds) {
        __builtin_trap();
    }
}

// Backwards, by division, which cannot wrap: the bits shared out among the elements leave the size of one.
void check_size(const tensor_info& tensor) {
    if (std::count(tensor.shape.begin(), tensor.shape.end(), 0u) > 0) {
        require(tensor.elements == 0 && tensor.bytes == 0);
        return;
    }
    require(tensor.bytes <= UINT64_MAX / 8);
    std::uint64_t bits = tensor.bytes * 8;
    for (const std::uint64_t length : tensor.shape) {
        require(bits % length == 0);
        bits /= length;
    }
    require(bits == 4 || bits == 6 || bits == 8 || bits == 16 || bits == 32 || bits == 64);
    require(tensor.dtype != "F32" || bits == 32);
    require(tensor.dtype != "F64" || bits == 64);
    require(tensor.elements == tensor.bytes * 8 / bits);
}

void check_header(const safetensors_header& header, std::uint64_t data_bytes) {
    std::uint64_t end = 0;
    std::vector<std::string_view> names;
    for (const tensor_info& tensor : header.tensors) {
        check_size(tensor);
        require(tensor.offset == end && tensor.bytes <= data_bytes - end);
        end += tensor.bytes;
        names.push_back(tensor.name);
    }
    require(end == data_bytes);
    std::sort(names.begin(), names.end());
    require(std::adjacent_find(names.begin(), names.end()) == names.end());
    require(header.tensors.empty() || header.find(header.tensors.back().name) == &header.tensors.back());
}

} // namespace

bool safetensors(const std::uint8_t* bytes, std::size_t size) {
    if (size < 8) {
        return false;
    }
    std::uint64_t data_bytes = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        data_bytes |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes) + 8, size - 8);
    try {
        check_header(bitstep::program::parse_safetensors_header(text, data_bytes), data_bytes);
        return true;
    } catch (const bitstep::program::input_error& error) {
        const std::string_view said = error.what();
        require(!said.empty() && said.size() < 300 && said.find('\n') == std::string_view::npos);
        return false;
    }
}

} // namespace bitstep_fuzz

#ifdef BITSTEP_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    bitstep_fuzz::safetensors(bytes, size);
    return 0;
}
#endif
