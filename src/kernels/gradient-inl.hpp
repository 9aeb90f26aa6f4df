// SPDX-License-Identifier: Apache-2.0
// The fused pair on the rows of one panel: r = X w - y, then partial += X^T r, block by block of a few rows, so that the
// second half finds the block in cache and X comes from memory once (blocks of very long rows: from L3 the second time).
// Before: dot-inl.hpp, update-inl.hpp, short_rows-inl.hpp. After: the tree over panels (../gradient.cpp), then
// reduce-inl.hpp.
//
// Which rows make a block and in which sequence they are read never changes a bit. What is fastest (Zen 4, one thread;
// docs/performance.md has the whole story):
//   - Rows from cache side by side: w and the partial are loaded once for all of them. Half of the next block is asked for
//     while the partial is updated, as long as two blocks fit L1.
//   - Longer rows from cache: 16 at a time, column panel by column panel, four side by side.
//   - Rows of up to 2 KB from memory in the sequence of their addresses, without prefetch instructions: the hardware follows
//     one stream. Several rows side by side give it nothing to follow (d = 256: 4 rows side by side 0.26 of the read roof,
//     2 in sequence 0.95).
//   - Longer rows from memory: 8 side by side with prefetch of the next 8 (d = 4096: 0.81; one row in sequence 0.44).
#pragma once

#include "kernels/prefetch.hpp"
#include "kernels/short_rows-inl.hpp"

namespace bitstep::internal {
namespace {

/// As many blocks of R rows as fit, `Tile` rows side by side; returns the rows done.
template <class A, std::size_t R, std::size_t Tile, class How>
BITSTEP_INLINE std::size_t fused_blocks(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                        const typename A::value* w, typename A::sum* partial,
                                        square_t<typename A::sum>& squares) {
    const typename A::value* x = run.x + at * run.row_stride;
    for (; at + R <= run.rows; at += R, x += R * run.row_stride) {
        // The last block asks for its own rows, which costs nothing.
        const std::size_t ahead = at + 2 * R <= run.rows + run.rows_after ? R * run.row_stride : 0;
        typename A::sum residuals[R];
        dot_rows<A, R, (Tile < row_tile<A> ? Tile : row_tile<A>)>(x, run.row_stride, features, w,
                                                                  typename How::dots(ahead), residuals);
        to_residuals<A, R>(run.y + at, residuals, squares);
        update_tiles<A, R, Tile>(x, run.row_stride, features, residuals, partial, typename How::update(ahead));
    }
    return at;
}

/// How many rows make a block of at most 1 MB. A block beyond L2 is read again from L3, but several rows share the loads of w
/// and the partial (d = 65536, two threads: 22 GB/s with blocks of 256 KB, 27 with 1 MB and with 4 MB).
template <class A>
BITSTEP_INLINE std::size_t most_block_rows(std::size_t features) {
    return 1024 * 1024 / (features * sizeof(typename A::value));
}

template <class A>
BITSTEP_INLINE std::size_t accumulate_from_cache(const row_run<typename A::value>& run, std::size_t at,
                                                 std::size_t features, const typename A::value* w,
                                                 typename A::sum* partial, square_t<typename A::sum>& squares) {
    if constexpr (row_tile<A> == 8) {
        if (features <= features_in<A>(1024)) {
            at = fused_blocks<A, 8, 8, from_cache<A>>(run, at, features, w, partial, squares);
        }
    }
    if (features <= features_in<A>(4096))
        return fused_blocks<A, 4, 4, from_cache<A>>(run, at, features, w, partial, squares);
    if (most_block_rows<A>(features) < 16) return at;
    return fused_blocks<A, 16, 4, as_they_come<A>>(run, at, features, w, partial, squares);
}

template <class A>
BITSTEP_INLINE std::size_t accumulate_from_memory(const row_run<typename A::value>& run, std::size_t at,
                                                  std::size_t features, const typename A::value* w,
                                                  typename A::sum* partial, square_t<typename A::sum>& squares) {
    const std::size_t most = most_block_rows<A>(features);
    if (most >= 8) at = fused_blocks<A, 8, 8, from_memory<A>>(run, at, features, w, partial, squares);
    if (most >= 4) at = fused_blocks<A, 4, 4, from_memory<A>>(run, at, features, w, partial, squares);
    return at;
}

/// One row or two are not asked for ahead: where they make a block, the next ones would throw them out of L2.
template <class A>
BITSTEP_INLINE void accumulate_rest(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                    const typename A::value* w, typename A::sum* partial,
                                    square_t<typename A::sum>& squares) {
    if (most_block_rows<A>(features) >= 2) {
        at = fused_blocks<A, 2, 2, as_they_come<A>>(run, at, features, w, partial, squares);
    }
    fused_blocks<A, 1, 1, as_they_come<A>>(run, at, features, w, partial, squares);
}

template <class A>
BITSTEP_INLINE void accumulate_rows(const row_run<typename A::value>& run, std::size_t features,
                                    const typename A::value* w, typename A::sum* partial,
                                    square_t<typename A::sum>& squares) {
    std::size_t at = accumulate_resident<A>(run, features, w, partial, squares);
    if (run.far && features <= features_in<A>(2048)) {
        accumulate_in_sequence<A>(run, at, features, w, partial, squares);
        return;
    }
    if (!run.far) at = accumulate_from_cache<A>(run, at, features, w, partial, squares);
    at = accumulate_from_memory<A>(run, at, features, w, partial, squares);
    accumulate_rest<A>(run, at, features, w, partial, squares);
}

template <class A>
void accumulate(const row_run<typename A::value>& run, std::size_t features, const typename A::value* w, bool first,
                typename A::sum* partial, square_t<typename A::sum>& squares) {
    if (first) {
        for (std::size_t j = 0; j < features; j += A::lane_total) A::store_sum(partial, j / A::lane_total, A::zero());
    }
    if constexpr (sums_are_pairs<A>) {
        // Bound by their arithmetic wherever X lies, and each further form would be 5 to 20 KB of code.
        accumulate_rest<A>(run, 0, features, w, partial, squares);
    } else {
        accumulate_rows<A>(run, features, w, partial, squares);
    }
}

} // namespace
} // namespace bitstep::internal
