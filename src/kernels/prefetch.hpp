// SPDX-License-Identifier: Apache-2.0
// What a half of the fused pair asks memory for while it computes: called once per vector of each of its rows.
#pragma once

#include "kernels/lanes.hpp"

namespace bitstep::internal {
namespace {

/// True for one vector per cache line of a row, so that each line is asked for once.
template <class A>
BITSTEP_INLINE bool starts_line(std::size_t j) {
    constexpr std::size_t line = vector_bytes / sizeof(typename A::value);
    return A::lane_total >= line || j % line == 0;
}

template <class A>
struct ask_nothing {
    BITSTEP_INLINE explicit ask_nothing(std::size_t) {}
    BITSTEP_INLINE void operator()(const typename A::value*, std::size_t, std::size_t) const {}
};

/// The rows whose number is `First` modulo 2, `ahead` elements from here.
template <class A, cache Into, std::size_t First>
struct ask_every_other_row {
    std::size_t ahead;
    BITSTEP_INLINE explicit ask_every_other_row(std::size_t elements) : ahead(elements) {}
    BITSTEP_INLINE void operator()(const typename A::value* xj, std::size_t row, std::size_t j) const {
        if (row % 2 == First && starts_line<A>(j)) prefetch<Into>(xj + ahead);
    }
};

/// How the rows of a block are asked for while the block before it is computed.
template <class A>
struct as_they_come {
    using dots = ask_nothing<A>;
    using update = ask_nothing<A>;
};
/// X is in L2 or L3. Half of the lines: the hardware brings their neighbours (d = 256: 0.51 of L2's own speed without, 0.59
/// with all lines, 0.64 with half of them).
template <class A>
struct from_cache {
    using dots = ask_nothing<A>;
    using update = ask_every_other_row<A, cache::l1, 0>;
};
/// Into L2, not L1: rows that lie a power of two apart share an L1 set, where eight of them and eight prefetched ones throw
/// each other out (d = 1024: 0.56 of the roof by prefetch into L1, 0.72 without any, 0.80 into L2). Evenly over both halves,
/// else the miss buffers fill up and drop what is asked for.
template <class A>
struct from_memory {
    using dots = ask_every_other_row<A, cache::l2, 0>;
    using update = ask_every_other_row<A, cache::l2, 1>;
};

} // namespace
} // namespace bitstep::internal
