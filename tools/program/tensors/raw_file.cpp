// SPDX-License-Identifier: Apache-2.0
// `compare --raw`: an array without a header as a tensor_file.
#include "program/errors.hpp"
#include "program/tensors/tensor_file.hpp"
#include "program/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace bitstep::program {
namespace {

class raw_file {
public:
    explicit raw_file(const std::string& path)
        : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (descriptor_ < 0) {
            fail(std::strerror(errno));
        }
    }
    ~raw_file() {
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
    }
    raw_file(const raw_file&) = delete;
    raw_file& operator=(const raw_file&) = delete;

    std::uint64_t size() const {
        struct stat about {};
        if (fstat(descriptor_, &about) != 0) {
            fail(std::strerror(errno));
        }
        if (!S_ISREG(about.st_mode)) {
            fail("is no regular file");
        }
        return static_cast<std::uint64_t>(about.st_size);
    }

    void read(std::uint64_t first, char* out, std::size_t size) const {
        while (size != 0) {
            const ssize_t got = pread(descriptor_, out, size, static_cast<off_t>(first));
            if (got < 0 && errno == EINTR) {
                continue;
            }
            if (got <= 0) {
                fail(got == 0 ? "became shorter while it was read" : std::strerror(errno));
            }
            out += got;
            first += static_cast<std::uint64_t>(got);
            size -= static_cast<std::size_t>(got);
        }
    }

    [[noreturn]] void fail(const std::string& reason) const {
        throw input_error(fmt::format("{}: {}", printable(path_), reason));
    }

private:
    std::string path_;
    int descriptor_;
};

} // namespace

tensor_file open_raw(const std::string& path, const std::string& dtype) {
    const auto file = std::make_shared<const raw_file>(path);
    tensor_info all;
    all.dtype = dtype;
    all.bytes = file->size();
    const std::uint64_t element = dtype == "F64" ? 8 : 4;
    if (all.bytes % element != 0) {
        file->fail(fmt::format("{} bytes are no whole number of {} elements", all.bytes, dtype));
    }
    all.elements = all.bytes / element;
    all.shape = {all.elements};
    return {path, {all}, {}, [file](const tensor_info&, std::uint64_t first, void* out, std::size_t size) {
                file->read(first, static_cast<char*>(out), size);
            }};
}

} // namespace bitstep::program
