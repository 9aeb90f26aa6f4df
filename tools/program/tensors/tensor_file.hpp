// SPDX-License-Identifier: Apache-2.0
// A file of named tensors as `compare` and `allreduce` see it: a safetensors file, or an array without a header as one
// tensor without a name. Also its digest, which these two share with `train`.
#pragma once

#include "program/digest.hpp"
#include "program/tensors/safetensors.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bitstep::program {

/// Bytes that are read and worked on at a time; a multiple of every element size.
inline constexpr std::size_t file_chunk = std::size_t{1} << 20;

struct tensor_file {
    std::string path;
    std::vector<tensor_info> tensors;
    tensor_metadata metadata;
    std::function<void(const tensor_info& tensor, std::uint64_t first, void* out, std::size_t size)> read;

    std::uint64_t bytes() const;    ///< of all tensors
    std::uint64_t elements() const; ///< of all tensors
};

/// input_error where the file is no safetensors file.
tensor_file open_safetensors(const std::string& path);

/// The whole file as one tensor of little-endian numbers; dtype F32 or F64. input_error where it is no regular file, or
/// its bytes are no whole number of elements.
tensor_file open_raw(const std::string& path, const std::string& dtype);

/// The number of steps behind a whole state (state_layout.hpp): the marker and "t" in its metadata, all four tensors.
/// Nothing for any other file.
std::optional<std::uint64_t> state_steps(const tensor_file& file);

/// Where a tensor stands in the digest of its file: by name; in a state in the order of state_tensors, and whatever else
/// there is behind them, which the digest leaves out.
struct digest_place {
    int rank = 0;
    std::string name;

    bool covered() const { return rank < 4; }
    bool operator<(const digest_place& other) const {
        return rank != other.rank ? rank < other.rank : name < other.name;
    }
};
digest_place place_in_digest(bool state, const std::string& name);

/// Adds the canonical bytes of a tensor (digest.hpp; types other than F32 and F64 as they are).
void add_tensor(digest& sum, const tensor_file& file, const tensor_info& tensor);

/// The digest of a file: over its tensors in the order of digest_place, then, for a state, its number of steps.
std::string file_digest(const tensor_file& file);

/// The name for people; "(unnamed)" where it is empty.
std::string shown_name(const tensor_info& tensor);

/// "F32 [2, 3]"
std::string form_of(const tensor_info& tensor);

/// "[2, 3]"; "[]" for a scalar.
std::string shape_text(const std::vector<std::uint64_t>& shape);

/// Calls work(T{}) with the type in which elements of this dtype are compared and hashed: float, double, else unsigned
/// char.
template <class Work>
auto with_type_of(const tensor_info& tensor, const Work& work) {
    if (tensor.dtype == "F32") {
        return work(float{});
    }
    if (tensor.dtype == "F64") {
        return work(double{});
    }
    using byte = unsigned char;
    return work(byte{});
}

} // namespace bitstep::program
