// SPDX-License-Identifier: Apache-2.0
// The fused pair on the rows of one panel: r = X w - y, then partial += X^T r, block by block of a few rows, so that the
// second half finds the block in cache and X comes from memory once (blocks of very long rows: from L3 the second time).
// Before: dot-inl.hpp, update-inl.hpp, short_rows-inl.hpp. After: the tree over panels (../gradient.cpp), then
// reduce-inl.hpp.
//
// Which rows make a block, in which sequence they are read and what is prefetched never changes a bit; this file chooses
// what is fastest (Zen 4; docs/performance.md has what was tried):
//   - One or two logical vectors a row: short_rows-inl.hpp, resident.
//   - From cache (not run.far) up to 4 KB a row: side by side, so that w and the partial are loaded once for all, 8 rows
//     where their sums fit the registers and two blocks fit L1, else 4; half of the next block is prefetched into L1.
//   - From cache, longer: 16 at a time, column panel by column panel, four side by side.
//   - From memory up to 2 KB a row: in the sequence of their addresses and without prefetch instructions, because the
//     hardware follows one stream and several rows side by side give it nothing to follow.
//   - From memory, longer, and the rest of long rows from cache: 8 or 4 side by side, the next ones prefetched into L2.
#pragma once

#include "kernels/prefetch.hpp"
#include "kernels/short_rows-inl.hpp"

namespace bitstep::internal {
namespace {

/// As many blocks of R rows as fit, `Tile` rows side by side; returns the rows done.
template <class A, std::size_t R, std::size_t Tile, class Ahead>
BITSTEP_INLINE std::size_t fused_blocks(const fused_rows<A>& rows, std::size_t at) {
    const row_run<typename A::value>& run = rows.run;
    for (; at + R <= run.rows; at += R) {
        // The last block prefetches its own rows: one form of the loop for all.
        const std::size_t ahead = at + 2 * R <= run.rows + run.rows_after ? R * run.row_stride : 0;
        typename A::sum residuals[R];
        dot_rows<A, R, (Tile < row_tile<A> ? Tile : row_tile<A>)>(rows.x(at), run.row_stride, rows.features, rows.w,
                                                                  typename Ahead::dots(ahead), residuals);
        to_residuals<A, R>(rows.y(at), residuals, rows.squares);
        update_tiles<A, R, Tile>(rows.x(at), run.row_stride, rows.features, residuals, rows.partial,
                                 typename Ahead::update(ahead));
    }
    return at;
}

/// How many rows make a block that fits a core's own cache. A block beyond L2 is read again from L3, but several rows
/// share the loads of w and the partial (d = 65536, two threads: 22 GB/s with blocks of 256 KB, 27 with 1 MB and with 4
/// MB).
template <class A>
BITSTEP_INLINE std::size_t most_block_rows(std::size_t features) {
    return core_cache_bytes / (features * sizeof(typename A::value));
}

template <class A>
BITSTEP_INLINE std::size_t accumulate_from_cache(const fused_rows<A>& rows, std::size_t at) {
    if constexpr (row_tile<A> == 8) {
        if (rows.features <= features_in<A>(1024)) at = fused_blocks<A, 8, 8, ahead_into_l1<A>>(rows, at);
    }
    if (rows.features <= features_in<A>(4096)) return fused_blocks<A, 4, 4, ahead_into_l1<A>>(rows, at);
    if (most_block_rows<A>(rows.features) < 16) return at;
    return fused_blocks<A, 16, 4, nothing_ahead<A>>(rows, at);
}

template <class A>
BITSTEP_INLINE std::size_t accumulate_side_by_side(const fused_rows<A>& rows, std::size_t at) {
    const std::size_t most = most_block_rows<A>(rows.features);
    if (most >= 8) at = fused_blocks<A, 8, 8, ahead_into_l2<A>>(rows, at);
    if (most >= 4) at = fused_blocks<A, 4, 4, ahead_into_l2<A>>(rows, at);
    return at;
}

/// Nothing is prefetched for one row or two: where they make a block, the next ones would throw them out of L2.
template <class A>
BITSTEP_INLINE void accumulate_rest(const fused_rows<A>& rows, std::size_t at) {
    if (most_block_rows<A>(rows.features) >= 2) at = fused_blocks<A, 2, 2, nothing_ahead<A>>(rows, at);
    fused_blocks<A, 1, 1, nothing_ahead<A>>(rows, at);
}

template <class A>
BITSTEP_INLINE void accumulate_rows(const fused_rows<A>& rows) {
    std::size_t at = accumulate_resident<A>(rows);
    if (rows.run.far && rows.features <= most_sequential_features<A>) {
        accumulate_in_sequence<A>(rows, at);
        return;
    }
    if (!rows.run.far) at = accumulate_from_cache<A>(rows, at);
    at = accumulate_side_by_side<A>(rows, at);
    accumulate_rest<A>(rows, at);
}

template <class A>
void accumulate(const row_run<typename A::value>& run, std::size_t features, const typename A::value* w, bool first,
                typename A::sum* partial, square_t<typename A::sum>& squares) {
    if (first) {
        for (std::size_t j = 0; j < features; j += A::lane_total) A::store_sum(partial, j / A::lane_total, A::zero());
    }
    square_t<typename A::sum> total = squares; // a local one stays in a register
    const fused_rows<A> rows{run, features, w, partial, total};
    if constexpr (sums_are_pairs<A>) {
        // Bound by their arithmetic wherever X lies, and each further form would be 5 to 20 KB of code.
        accumulate_rest<A>(rows, 0);
    } else {
        accumulate_rows<A>(rows);
    }
    squares = total;
}

} // namespace
} // namespace bitstep::internal
