// SPDX-License-Identifier: Apache-2.0
// A file that is written whole or not at all: into a new file beside it, synced, then renamed over the old one. Whoever
// is killed on the way, or runs out of disk, leaves the previous file as it was. Used for states, tensors, predictions,
// pictures.
#pragma once

#include <cstddef>
#include <string>

namespace bitstep::program {

class replacing_file {
public:
    /// Creates "<path>.<process id>.tmp" in the folder of `path` (of its target where `path` is a symbolic link, which
    /// stays one). What is at `path` stays until commit(). input_error "PATH: reason" where that cannot be done, or where
    /// `path` is there and no regular file, or may not be written. One at a time for a path and process: a file of that
    /// name is taken for one that a killed process of the same number left, and replaced.
    explicit replacing_file(const std::string& path);

    /// input_error where the disk takes no more. Buffered.
    void write(const void* bytes, std::size_t size);

    /// Writes out, gives it the old one's permissions (else what umask leaves) and, where this process may, its owner,
    /// syncs the file, renames it to `path`, syncs the folder. input_error where one of these fails; the old file is then
    /// still there, unless only the last one failed. To be called once; nothing may be written after it.
    void commit();

    /// The file being written, for a process that writes it by name: into it, not by putting another in its place, which
    /// commit() refuses.
    const std::string& temporary_path() const { return temporary_; }

    /// Without commit(): removes the new file.
    ~replacing_file();
    replacing_file(const replacing_file&) = delete;
    replacing_file& operator=(const replacing_file&) = delete;

private:
    std::string shown_;     // the path as the person wrote it
    std::string path_;      // where it leads
    std::string temporary_; // beside that
    int descriptor_ = -1;
    std::string buffer_;
};

} // namespace bitstep::program
