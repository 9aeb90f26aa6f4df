// SPDX-License-Identifier: Apache-2.0
// The tree that joins partial sums in the order of their index: a binary counter. Entry i climbs one level for each
// trailing one bit of i, the older sum always on the left; what is left at the end joins newest (smallest) first. That is
// the balanced tree over the entries padded with +0 to a power of two, with O(log n) live sums.
#pragma once

#include "double_double.hpp" // its operator+ must be seen from here

#include <cstddef>
#include <cstdint>

namespace bitstep::internal {
namespace {

template <class V>
class carry_tree {
public:
    /// The next entry, or the sum of the next 2^level entries; their index is a multiple of 2^level.
    BITSTEP_INLINE void push(V sum, std::size_t level = 0) {
        const std::uint64_t entries = std::uint64_t{1} << level;
        for (std::uint64_t bits = pushed_ >> level; (bits & 1U) != 0; bits >>= 1U, ++level) sum = level_[level] + sum;
        level_[level] = sum;
        pushed_ += entries;
    }

    /// The total; at least one sum was pushed.
    BITSTEP_INLINE V total() const {
        std::size_t level = 0;
        std::uint64_t bits = pushed_;
        for (; (bits & 1U) == 0; bits >>= 1U) ++level;
        V sum = level_[level];
        for (bits >>= 1U, ++level; bits != 0; bits >>= 1U, ++level) {
            if ((bits & 1U) != 0) sum = level_[level] + sum;
        }
        return sum;
    }

private:
    V level_[64];
    std::uint64_t pushed_ = 0;
};

} // namespace
} // namespace bitstep::internal
