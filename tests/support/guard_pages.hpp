// SPDX-License-Identifier: Apache-2.0
// An array between two pages that nobody may touch: one element outside on the guarded side ends the process. Inputs can
// also be made read-only, so that a write to them ends it too. POSIX only.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

namespace bitstep_test {

/// Which edge of its pages the array touches.
enum class page_edge { begin, end };

template <class T>
class guarded_buffer {
public:
    guarded_buffer(std::size_t size, page_edge edge) : size_(size) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t bytes = size * sizeof(T);
        inside_bytes_ = ((bytes + page - 1) / page) * page;
        mapped_bytes_ = inside_bytes_ + 2 * page;
        void* mapped = mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) {
            throw std::bad_alloc();
        }
        mapped_ = static_cast<unsigned char*>(mapped);
        inside_ = mapped_ + page;
        if (inside_bytes_ > 0 && mprotect(inside_, inside_bytes_, PROT_READ | PROT_WRITE) != 0) {
            throw std::bad_alloc();
        }
        data_ = reinterpret_cast<T*>(edge == page_edge::begin ? inside_ : inside_ + inside_bytes_ - bytes);
    }

    /// A filled, read-only array.
    guarded_buffer(const std::vector<T>& values, page_edge edge) : guarded_buffer(values.size(), edge) {
        if (!values.empty()) {
            std::memcpy(data_, values.data(), values.size() * sizeof(T));
        }
        if (inside_bytes_ > 0 && mprotect(inside_, inside_bytes_, PROT_READ) != 0) {
            throw std::bad_alloc();
        }
    }

    guarded_buffer(const guarded_buffer&) = delete;
    guarded_buffer& operator=(const guarded_buffer&) = delete;
    guarded_buffer(guarded_buffer&&) = delete;
    guarded_buffer& operator=(guarded_buffer&&) = delete;
    ~guarded_buffer() { munmap(mapped_, mapped_bytes_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::vector<T> values() const { return std::vector<T>(data_, data_ + size_); }

private:
    std::size_t size_;
    std::size_t inside_bytes_ = 0;
    std::size_t mapped_bytes_ = 0;
    unsigned char* mapped_ = nullptr;
    unsigned char* inside_ = nullptr;
    T* data_ = nullptr;
};

} // namespace bitstep_test
