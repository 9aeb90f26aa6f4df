// SPDX-License-Identifier: Apache-2.0
// The safetensors file format: 8 bytes little-endian length N, N bytes of JSON (tensor name -> dtype, shape, offsets of
// its bytes; "__metadata__": strings), then the tensors' bytes without gaps, little-endian, row-major.
// A file is foreign until proved otherwise: every length, offset and product is checked before anything is allocated or
// read by it, and what the format does not allow is refused with a reason. Source: the format's specification in the
// README of huggingface/safetensors.
#pragma once

#include "program/regular_file.hpp"
#include "program/replacing_file.hpp"
#include "program/tensors/tensor_info.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bitstep::program {

using tensor_metadata = std::map<std::string, std::string>;

struct safetensors_header {
    std::vector<tensor_info> tensors; ///< in the order of their bytes in the file
    tensor_metadata metadata;

    /// nullptr where there is none.
    const tensor_info* find(std::string_view name) const;
};

/// Most bytes of JSON that are read; the format's own limit.
inline constexpr std::uint64_t most_header_bytes = 100'000'000;

/// Limits of ours, far above what anybody writes: a short header must not become gigabytes of lengths or strings.
inline constexpr std::size_t most_dimensions = 256;
inline constexpr std::size_t most_metadata = 100'000;

/// The JSON of a file with `data_bytes` bytes after it. input_error, without a file name, where the text is not one
/// object of the format's form (a key twice, a member unknown or missing, nesting, a number that is no whole number >= 0,
/// invalid UTF-8, text after the end), a dtype is unknown, a shape's product wraps, a tensor's bytes are not elements x
/// size, tensors overlap or leave gaps, or their bytes do not end where the file does. Blanks after the object are
/// padding. Cost: O(n log n) time, memory a few times the text.
safetensors_header parse_safetensors_header(std::string_view json, std::uint64_t data_bytes);

/// An open file. Reads do not move a common position: const, and safe from several threads.
class safetensors_reader {
public:
    /// input_error "PATH: reason" where the file cannot be opened, is no regular file, is shorter than its header says,
    /// or parse_safetensors_header refuses it.
    explicit safetensors_reader(const std::string& path);

    const std::string& path() const { return file_.path(); }
    const safetensors_header& header() const { return header_; }

    /// Bytes [first, first + size) of the tensor into `out`. input_error where the file is shorter by now; the caller
    /// keeps within tensor.bytes.
    void read(const tensor_info& tensor, std::uint64_t first, void* out, std::size_t size) const;

private:
    regular_file file_;
    safetensors_header header_;
    std::uint64_t data_begin_ = 0; // where the tensors' bytes begin in the file
};

/// A new file, whole or not at all (replacing_file).
class safetensors_writer {
public:
    /// Writes the header. Of each tensor name, dtype and shape are used; their bytes follow in the order given. The
    /// header is padded with blanks so that the data begin at a multiple of 8 bytes. The same arguments give the same
    /// bytes everywhere. input_error, besides replacing_file's, where text is not UTF-8 or the reader would refuse the
    /// header.
    safetensors_writer(const std::string& path, std::vector<tensor_info> tensors, const tensor_metadata& metadata);

    /// The next bytes of the tensors. std::logic_error where they are more than the tensors have.
    void write(const void* bytes, std::size_t size);

    /// To be called once all bytes are written (std::logic_error where some are missing).
    void commit();

    /// Of the whole file.
    std::uint64_t file_bytes() const { return file_bytes_; }

private:
    replacing_file file_;
    std::uint64_t file_bytes_ = 0;
    std::uint64_t missing_ = 0; // bytes that are still to come
};

} // namespace bitstep::program
