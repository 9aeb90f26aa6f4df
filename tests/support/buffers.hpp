// SPDX-License-Identifier: Apache-2.0
// Arrays at a chosen distance from a 64-byte line, as callers really pass them, with marked bytes on both sides that a
// write out of bounds would change. Under AddressSanitizer those bytes are poisoned, so that a read of one ends the process,
// too, within a line as well (guard_pages.hpp sees what crosses a page).
#pragma once

#include "sanitizers.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(BITSTEP_TEST_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace bitstep_test {

inline constexpr std::size_t line_bytes = 64;

/// Element-aligned addresses within a line: 16 in float, 8 in double.
template <class T>
inline constexpr std::size_t offsets_per_line = line_bytes / sizeof(T);

template <class T>
class misaligned_buffer {
public:
    /// `offset`: elements past a 64-byte line, taken modulo the elements of a line.
    misaligned_buffer(std::size_t size, std::size_t offset) : size_(size), bytes_(size * sizeof(T) + 4 * line_bytes) {
        const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data()) + line_bytes;
        const std::size_t to_line = (line_bytes - address % line_bytes) % line_bytes;
        begin_ = line_bytes + to_line + (offset % offsets_per_line<T>)*sizeof(T);
        for (std::size_t i = 0; i < bytes_.size(); i = next_outside(i)) {
            bytes_[i] = mark;
        }
        forbid_surroundings(true);
    }

    misaligned_buffer(const std::vector<T>& values, std::size_t offset) : misaligned_buffer(values.size(), offset) {
        if (!values.empty()) {
            std::memcpy(data(), values.data(), values.size() * sizeof(T));
        }
    }

    misaligned_buffer(misaligned_buffer&&) noexcept = default; // a moved vector keeps its address
    misaligned_buffer(const misaligned_buffer&) = delete;
    misaligned_buffer& operator=(const misaligned_buffer&) = delete;
    misaligned_buffer& operator=(misaligned_buffer&&) = delete;
    ~misaligned_buffer() = default;

    T* data() { return reinterpret_cast<T*>(bytes_.data() + begin_); }
    const T* data() const { return reinterpret_cast<const T*>(bytes_.data() + begin_); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    std::vector<T> values() const { return std::vector<T>(data(), data() + size_); }

    /// True while no byte around the array has changed.
    bool marks_intact() const {
        bool intact = true;
        forbid_surroundings(false);
        for (std::size_t i = 0; i < bytes_.size(); i = next_outside(i)) {
            intact = intact && bytes_[i] == mark;
        }
        forbid_surroundings(true);
        return intact;
    }

private:
    static constexpr unsigned char mark = 0xA5;

    /// AddressSanitizer knows the end to the byte, the start to 8 bytes.
    void forbid_surroundings([[maybe_unused]] bool on) const {
#if defined(BITSTEP_TEST_ADDRESS_SANITIZER)
        const std::size_t end = begin_ + size_ * sizeof(T);
        const auto change = on ? __asan_poison_memory_region : __asan_unpoison_memory_region;
        change(bytes_.data(), begin_);
        change(bytes_.data() + end, bytes_.size() - end);
#endif
    }

    std::size_t next_outside(std::size_t byte) const {
        return byte + 1 == begin_ ? begin_ + size_ * sizeof(T) : byte + 1;
    }

    std::size_t size_;
    std::size_t begin_ = 0;
    std::vector<unsigned char> bytes_;
};

} // namespace bitstep_test
