// SPDX-License-Identifier: Apache-2.0
// Stage 2: shape -> panels and subtrees. A function of the shape and the type alone: the thread count must never come in.
// A subtree is an aligned run of 2^k row panels, the unit of work that one thread takes.
#pragma once

#include "numerics.hpp"

#include <cstddef>

namespace bitstep::internal {

struct row_partition {
    std::size_t rows = 0;
    std::size_t panels = 0;
    std::size_t subtree_panels = 1; ///< a power of two
    std::size_t subtrees = 0;
    std::size_t levels = 0; ///< partial sums that live at once below a subtree's own: log2(subtree_panels)
};

/// rows >= 1. `least`: panels of a subtree at least, a power of two.
row_partition partition_rows(std::size_t rows, std::size_t least = 1) noexcept;

/// Largest power of two below n, for n >= 2: the left part of the balanced tree over n entries.
std::size_t left_part(std::size_t n) noexcept;

/// Elementwise work over `size` elements goes out in tasks of this many.
inline constexpr std::size_t elements_per_task = 32 * 1024;
inline std::size_t task_count(std::size_t size) noexcept {
    return size / elements_per_task + (size % elements_per_task != 0 ? 1 : 0);
}

} // namespace bitstep::internal
