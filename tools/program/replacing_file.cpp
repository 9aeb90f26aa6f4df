// SPDX-License-Identifier: Apache-2.0
#include "program/replacing_file.hpp"

#include "program/errors.hpp"
#include "program/text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace bitstep::program {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
constexpr mode_t permission_bits = 0777;

[[noreturn]] void fail(const std::string& shown, int error) {
    throw input_error(fmt::format("{}: {}", printable_path(shown), std::strerror(error)));
}

// The file that a chain of symbolic links leads to; it need not be there.
std::string target_of_links(const std::string& path) {
    constexpr int most_links = 40; // as in the kernel
    fs::path target = path;
    std::error_code error;
    for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
        const fs::path next = fs::read_symlink(target, error);
        if (error || links == most_links) {
            fail(path, error ? error.value() : ELOOP);
        }
        target = target.parent_path() / next; // an absolute `next` replaces it all
    }
    return target.string();
}

// Whether there is a file to replace, of which `old` is the state. Throws where it may not be replaced.
bool stat_old(const std::string& shown, const std::string& path, struct stat& old) {
    if (stat(path.c_str(), &old) != 0) {
        if (errno != ENOENT) {
            fail(shown, errno);
        }
        return false;
    }
    if (!S_ISREG(old.st_mode)) {
        throw input_error(printable_path(shown) + (S_ISDIR(old.st_mode) ? ": is a directory" : ": is no regular file"));
    }
    // A rename would not ask; whoever made the file read-only meant it.
    if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
        fail(shown, errno);
    }
    return true;
}

void write_all(const std::string& shown, int descriptor, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t written = ::write(descriptor, bytes, size);
        if (written > 0) {
            bytes += written;
            size -= static_cast<std::size_t>(written);
        } else if (written == 0 || errno != EINTR) {
            fail(shown, written == 0 ? EIO : errno);
        }
    }
}

// Whether `path` still names the file that is open: another process of the same number (in another container, on a
// shared folder) could have taken it for a leftover.
bool is_at(int descriptor, const std::string& path) {
    struct stat open_one = {};
    struct stat named = {};
    return fstat(descriptor, &open_one) == 0 && lstat(path.c_str(), &named) == 0 && open_one.st_dev == named.st_dev &&
           open_one.st_ino == named.st_ino;
}

// A folder, open so that it can be synced; -1 where this process may not read it.
class open_folder {
public:
    explicit open_folder(const fs::path& path)
        : descriptor_(open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
    ~open_folder() {
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
    }
    open_folder(const open_folder&) = delete;
    open_folder& operator=(const open_folder&) = delete;

    // EINVAL: a file system that cannot sync folders.
    bool sync() const { return descriptor_ < 0 || fsync(descriptor_) == 0 || errno == EINVAL; }

private:
    int descriptor_;
};

} // namespace

replacing_file::replacing_file(const std::string& path) : shown_(path) {
    if (fs::path(path).filename().empty()) {
        throw input_error(fmt::format("\"{}\" names no file", printable_path(path)));
    }
    struct stat old = {};
    // Through the links first: /dev/stdout leads to a pipe that has no name of its own.
    const bool there = stat_old(shown_, path, old);
    path_ = target_of_links(path);
    temporary_ = fmt::format("{}.{}.tmp", path_, getpid());
    buffer_.reserve(buffer_bytes);
    // Never more open than the old file, not even while it is being written.
    const mode_t mode = there ? old.st_mode & permission_bits : 0666;
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    descriptor_ = open(temporary_.c_str(), flags, mode);
    if (descriptor_ < 0 && errno == EEXIST && unlink(temporary_.c_str()) == 0) {
        descriptor_ = open(temporary_.c_str(), flags, mode);
    }
    if (descriptor_ < 0) {
        fail(shown_, errno);
    }
}

void replacing_file::write(const void* bytes, std::size_t size) {
    if (descriptor_ < 0) {
        throw std::logic_error("replacing_file: write after commit");
    }
    if (size == 0) {
        return;
    }
    if (buffer_.size() + size > buffer_bytes) {
        write_all(shown_, descriptor_, buffer_.data(), buffer_.size());
        buffer_.clear();
    }
    if (size >= buffer_bytes) {
        write_all(shown_, descriptor_, static_cast<const char*>(bytes), size);
    } else {
        buffer_.append(static_cast<const char*>(bytes), size);
    }
}

void replacing_file::commit() {
    if (descriptor_ < 0) {
        throw std::logic_error("replacing_file: commit twice");
    }
    write_all(shown_, descriptor_, buffer_.data(), buffer_.size());
    buffer_.clear();
    struct stat old = {};
    if (stat_old(shown_, path_, old)) {
        // Only the superuser may give files away; for others the new one stays theirs. Before fchmod, which it can undo.
        static_cast<void>(fchown(descriptor_, old.st_uid, old.st_gid) == 0);
        if (fchmod(descriptor_, old.st_mode & permission_bits) != 0) {
            fail(shown_, errno);
        }
    }
    const open_folder folder(fs::path(path_).parent_path());
    if (fsync(descriptor_) != 0) {
        fail(shown_, errno);
    }
    if (!is_at(descriptor_, temporary_)) {
        throw input_error(printable_path(shown_) + ": another process has replaced or removed the file being written");
    }
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        fail(shown_, errno);
    }
    close(std::exchange(descriptor_, -1));
    if (!folder.sync()) {
        throw input_error(fmt::format("{}: written, but its folder could not be synced: {}", printable_path(shown_),
                                      std::strerror(errno)));
    }
}

replacing_file::~replacing_file() {
    if (descriptor_ >= 0) {
        if (is_at(descriptor_, temporary_)) {
            unlink(temporary_.c_str());
        }
        close(descriptor_);
    }
}

} // namespace bitstep::program
