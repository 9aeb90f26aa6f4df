// SPDX-License-Identifier: Apache-2.0
// Stage 3: scratch memory. A layout adds up aligned arrays with overflow checks; a scratch hands them out, from the
// caller's workspace or from one allocation.
#pragma once

#include <bitstep/options.hpp>
#include <bitstep/status.hpp>

#include "numerics.hpp"

#include <cstddef>
#include <cstdint>

namespace bitstep::internal {

/// Sizes first: offsets of arrays within one block, each on a cache line of its own.
class layout {
public:
    /// Offset of `count` elements of T.
    template <class T>
    std::size_t add(std::size_t count) noexcept {
        const std::size_t at = bytes_;
        std::size_t size = 0;
        overflow_ |= __builtin_mul_overflow(count, sizeof(T), &size);
        overflow_ |= __builtin_add_overflow(size, vector_bytes - 1, &size);
        overflow_ |= __builtin_add_overflow(bytes_, size / vector_bytes * vector_bytes, &bytes_);
        return at;
    }
    /// Bytes to ask for, with room to align any start.
    std::size_t bytes() const noexcept { return bytes_ + vector_bytes; }
    bool empty() const noexcept { return bytes_ == 0; }
    bool overflows() const noexcept { return overflow_ || bytes_ > SIZE_MAX / 2; }

private:
    std::size_t bytes_ = 0;
    bool overflow_ = false;
};

/// The one that asks for more, for ways of which only one is taken.
inline layout larger(const layout& a, const layout& b) noexcept {
    return a.overflows() || (!b.overflows() && a.bytes() >= b.bytes()) ? a : b;
}

/// The block itself: the caller's, or our own until the call ends.
class scratch {
public:
    scratch() = default;
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;
    ~scratch();

    /// Takes the caller's workspace where it is given and large enough; allocates where it is empty.
    status acquire(const workspace& given, const layout& need) noexcept;

    template <class T>
    T* at(std::size_t offset) const noexcept {
        return reinterpret_cast<T*>(start_ + offset);
    }

private:
    std::byte* start_ = nullptr;
    void* owned_ = nullptr;
};

} // namespace bitstep::internal
