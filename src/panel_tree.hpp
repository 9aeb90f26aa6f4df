// SPDX-License-Identifier: Apache-2.0
// Stage 4: the balanced tree over the row panels of a subtree, or over all of them, by recursion: the left part is the
// largest power of two below. The same sums as the binary counter of docs/numerics.md, with each result already where
// it is wanted.
#pragma once

#include "numerics.hpp"
#include "partition.hpp"

#include <cstddef>

namespace bitstep::internal {

/// partial = the sum of the walk's next `panels` panels; returns their squares' sum. `level` has one partial gradient per
/// level below. The walk sums the panels that it can take at once, one at least, and joins two partials.
/// Not inlined into itself: GCC made 100 KB of code of it.
template <class Walk, class Sum>
[[gnu::noinline]] square_t<Sum> sum_panels(Walk& walk, std::size_t panels, Sum* partial, Sum* level) noexcept {
    square_t<Sum> squares{};
    if (walk.sum_at_once(panels, partial, squares)) return squares;
    const std::size_t left = left_part(panels);
    const square_t<Sum> older = sum_panels(walk, left, partial, level);
    const square_t<Sum> newer = sum_panels(walk, panels - left, level, level + walk.partial_size);
    walk.join(partial, level);
    return older + newer;
}

} // namespace bitstep::internal
