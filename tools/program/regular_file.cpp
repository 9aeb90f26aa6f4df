// SPDX-License-Identifier: Apache-2.0
#include "program/regular_file.hpp"

#include "program/errors.hpp"
#include "program/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace bitstep::program {

// O_NONBLOCK: a FIFO without a writer must be refused, not waited for.
regular_file::regular_file(const std::string& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    struct stat about = {};
    std::string problem;
    if (descriptor_ < 0 || fstat(descriptor_, &about) != 0) {
        problem = std::strerror(errno);
    } else if (!S_ISREG(about.st_mode)) {
        problem = S_ISDIR(about.st_mode) ? "is a directory" : "is no regular file";
    }
    if (!problem.empty()) {
        if (descriptor_ >= 0) {
            close(descriptor_); // no destructor runs after a constructor that throws
        }
        refuse(problem);
    }
    size_ = static_cast<std::uint64_t>(about.st_size);
}

regular_file::~regular_file() { close(descriptor_); }

void regular_file::read_at(std::uint64_t offset, void* out, std::size_t size) const {
    char* to = static_cast<char*>(out);
    while (size > 0) {
        const ssize_t got = pread(descriptor_, to, size, static_cast<off_t>(offset));
        if (got == 0) {
            refuse("it has become shorter while it was read");
        }
        if (got > 0) {
            to += got;
            offset += static_cast<std::uint64_t>(got);
            size -= static_cast<std::size_t>(got);
        } else if (errno != EINTR) {
            refuse(std::strerror(errno));
        }
    }
}

void regular_file::refuse(const std::string& reason) const { throw input_error(printable_path(path_) + ": " + reason); }

} // namespace bitstep::program
