// SPDX-License-Identifier: Apache-2.0
// A regular file open for reading: whatever else a path can lead to (a folder, a pipe that never answers, a device without
// an end) is refused at once. Used for files of tensors, which are read by offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bitstep::program {

/// Reads do not move a common position: const, and safe from several threads.
class regular_file {
public:
    /// input_error "PATH: reason" where it cannot be opened or is no regular file.
    explicit regular_file(const std::string& path);
    ~regular_file();
    regular_file(const regular_file&) = delete;
    regular_file& operator=(const regular_file&) = delete;

    const std::string& path() const { return path_; }
    std::uint64_t size() const { return size_; } ///< in bytes, when it was opened

    /// Bytes [offset, offset + size) into `out`. input_error where the file ends before that, or cannot be read.
    void read_at(std::uint64_t offset, void* out, std::size_t size) const;

    /// Throws input_error "PATH: reason".
    [[noreturn]] void refuse(const std::string& reason) const;

private:
    std::string path_;
    std::uint64_t size_ = 0;
    int descriptor_;
};

} // namespace bitstep::program
