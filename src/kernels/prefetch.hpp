// SPDX-License-Identifier: Apache-2.0
// What a half of the fused pair prefetches while it computes: a functor, called once per vector of each of its rows.
#pragma once

#include "inline.hpp"
#include "numerics.hpp"

#include <cstddef>

namespace bitstep::internal {
namespace {

enum class cache { l1, l2 };
template <cache Into = cache::l2, class T>
BITSTEP_INLINE void prefetch(const T* p) {
    __builtin_prefetch(p, 0, Into == cache::l1 ? 3 : 2);
}

/// True for one vector per cache line of a row, so that each line is prefetched once.
template <class A>
BITSTEP_INLINE bool starts_line(std::size_t j) {
    constexpr std::size_t line = vector_bytes / sizeof(typename A::value);
    return A::lane_total >= line || j % line == 0;
}

template <class A>
struct no_prefetch {
    BITSTEP_INLINE explicit no_prefetch(std::size_t) {}
    BITSTEP_INLINE void operator()(const typename A::value*, std::size_t, std::size_t) const {}
};

/// The rows whose number is `First` modulo 2, `ahead` elements from here.
template <class A, cache Into, std::size_t First>
struct prefetch_every_other_row {
    std::size_t ahead;
    BITSTEP_INLINE explicit prefetch_every_other_row(std::size_t elements) : ahead(elements) {}
    BITSTEP_INLINE void operator()(const typename A::value* xj, std::size_t row, std::size_t j) const {
        if (row % 2 == First && starts_line<A>(j)) prefetch<Into>(xj + ahead);
    }
};

// What the two halves of a block prefetch of the next one. Figures: docs/performance.md, "What was tried for the
// gradient".

template <class A>
struct nothing_ahead {
    using dots = no_prefetch<A>;
    using update = no_prefetch<A>;
};
/// X is in L2 or L3. Half of the lines are better than all: the hardware brings their neighbours.
template <class A>
struct ahead_into_l1 {
    using dots = no_prefetch<A>;
    using update = prefetch_every_other_row<A, cache::l1, 0>;
};
/// X comes from memory. Not into L1: rows that lie a power of two apart share an L1 set, where eight of them and eight
/// prefetched ones throw each other out. Evenly over both halves, else the miss buffers fill up and drop what is asked
/// for.
template <class A>
struct ahead_into_l2 {
    using dots = prefetch_every_other_row<A, cache::l2, 0>;
    using update = prefetch_every_other_row<A, cache::l2, 1>;
};

} // namespace
} // namespace bitstep::internal
