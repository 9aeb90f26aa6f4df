// SPDX-License-Identifier: Apache-2.0
// The fused pair on the rows of one panel: r = X w - y, then partial += X^T r, block by block of a few rows, so that the
// second half finds the block in cache and X comes from memory once (blocks of very long rows: from L3 the second time). Before: dot-inl.hpp. After: the tree over panels
// (../gradient.cpp), then reduce-inl.hpp.
//
// Which rows make a block and in which sequence they are read never changes a bit. From memory (Zen 4, one thread, idle
// host, share of the read roof; docs/performance.md has the whole story):
//   - X is read fastest in the sequence of its addresses, without prefetch instructions: the hardware follows one stream.
//     Several rows side by side give it nothing to follow (d = 256: 4 rows side by side 0.26, 2 in sequence 0.95).
//   - A block of up to 2 KB: the processor then begins the next block while it still updates with this one (d = 64: 1 KB
//     0.95; d = 256: 2 KB 0.95, 4 KB 0.35).
//   - Longer rows do not fit that window. There 8 rows side by side with prefetch of the next 8 are best, the odd rows by
//     one half and the even ones by the other (d = 4096: 0.81; one row in sequence 0.44).
//   - Rows that are in cache already want to be side by side: w and the partial are then loaded once for all of them.
#pragma once

#include "kernels/dot-inl.hpp"

namespace bitstep::internal {
namespace {

/// What the second half asks memory for, called once per vector of each row: nothing, or every other row of the next block.
template <class A>
struct ask_nothing {
    BITSTEP_INLINE void operator()(const typename A::value*, std::size_t, std::size_t) {}
};
template <class A>
struct ask_odd_rows {
    std::size_t ahead; ///< elements from a row to the same row of the next block
    BITSTEP_INLINE void operator()(const typename A::value* xj, std::size_t row, std::size_t j) {
        if (row % 2 == 1 && starts_line<A>(j)) prefetch(xj + ahead);
    }
};
/// partial = partial + x_0 r_0 + x_1 r_1 + ..., rows in order, for R rows.
template <class A, std::size_t R, class Ask>
BITSTEP_INLINE void update_partial(const typename A::value* x, std::size_t row_stride, std::size_t features,
                                   const typename A::sum (&residuals)[R], typename A::sum* partial, Ask ask) {
    typename A::factor r[R];
    for (std::size_t i = 0; i < R; ++i) r[i] = A::spread(residuals[i]);
    std::size_t j = 0;
    std::size_t index = 0;
    for (; j + A::lane_total <= features; j += A::lane_total, ++index) {
        typename A::sum_vector s = A::load_sum(partial, index);
        for (std::size_t i = 0; i < R; ++i) {
            const typename A::value* xj = x + i * row_stride + j;
            s = A::multiply_add(s, A::load(xj), r[i]);
            ask(xj, i, j);
        }
        A::store_sum(partial, index, s);
    }
    if (j < features) {
        typename A::sum_vector s = A::load_sum(partial, index);
        for (std::size_t i = 0; i < R; ++i) {
            s = A::multiply_add(s, A::load_first(x + i * row_stride + j, features - j), r[i]);
        }
        A::store_sum(partial, index, s);
    }
}

/// Dot products become residuals; their squares are added in the order of the rows.
template <class A, std::size_t R>
BITSTEP_INLINE void to_residuals(const typename A::value* y, typename A::sum (&dots)[R],
                                 square_t<typename A::sum>& squares) {
    for (std::size_t i = 0; i < R; ++i) dots[i] = A::minus(dots[i], y[i]);
    for (std::size_t i = 0; i < R; ++i) squares = A::add_square(squares, dots[i]);
}

/// R rows side by side. Prefetch: R more rows follow in the same buffer; each half asks for every other one of them, into
/// L2: rows a power of two apart share a set of L1 and would throw each other out.
template <class A, std::size_t R, bool Prefetch>
BITSTEP_INLINE void fused_block(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                const typename A::value* w, typename A::sum* partial,
                                square_t<typename A::sum>& squares) {
    const typename A::value* x = run.x + at * run.row_stride;
    const std::size_t ahead = R * run.row_stride;
    typename A::sum residuals[R];
    dot_rows<A, R, Prefetch>(x, run.row_stride, features, w, ahead, residuals);
    to_residuals<A, R>(run.y + at, residuals, squares);
    if constexpr (Prefetch) {
        update_partial<A, R>(x, run.row_stride, features, residuals, partial, ask_odd_rows<A>{ahead});
    } else {
        update_partial<A, R>(x, run.row_stride, features, residuals, partial, ask_nothing<A>{});
    }
}

/// As many blocks of R rows as fit; returns the rows done.
template <class A, std::size_t R>
BITSTEP_INLINE std::size_t fused_blocks(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                        const typename A::value* w, typename A::sum* partial,
                                        square_t<typename A::sum>& squares) {
    // One or two long rows would be thrown out of L2 by the next ones.
    constexpr bool may_prefetch = R > 2 && !sums_are_pairs<A>;
    for (; at + R <= run.rows; at += R) {
        if (may_prefetch && run.far && at + 2 * R <= run.rows + run.rows_after) {
            fused_block<A, R, may_prefetch>(run, at, features, w, partial, squares);
        } else {
            fused_block<A, R, false>(run, at, features, w, partial, squares);
        }
    }
    return at;
}

/// R short rows (features <= column_panel), their dot products one after another, so that X is read in the sequence of its
/// addresses.
template <class A, std::size_t R>
BITSTEP_INLINE void sequential_block(const row_run<typename A::value>& run, std::size_t at, std::size_t features,
                                     const typename A::value* w, typename A::sum* partial,
                                     square_t<typename A::sum>& squares) {
    constexpr std::size_t lanes = A::lane_total;
    const typename A::value* x = run.x + at * run.row_stride;
    typename A::sum_vector sums[R];
    for (std::size_t i = 0; i < R; ++i) {
        const typename A::value* xi = x + i * run.row_stride;
        typename A::sum_vector s = A::zero();
        std::size_t j = 0;
        for (; j + lanes <= features; j += lanes) s = A::multiply_add(s, A::load(xi + j), A::load(w + j));
        if (j < features) {
            s = A::multiply_add(s, A::load_first(xi + j, features - j), A::load_first(w + j, features - j));
        }
        sums[i] = s;
    }
    typename A::sum residuals[R];
    A::fold(sums, residuals);
    to_residuals<A, R>(run.y + at, residuals, squares);
    update_partial<A, R>(x, run.row_stride, features, residuals, partial, ask_nothing<A>{});
}

template <class A, std::size_t R>
BITSTEP_INLINE std::size_t sequential_blocks(const row_run<typename A::value>& run, std::size_t at,
                                             std::size_t features, const typename A::value* w, typename A::sum* partial,
                                             square_t<typename A::sum>& squares) {
    for (; at + R <= run.rows; at += R) sequential_block<A, R>(run, at, features, w, partial, squares);
    return at;
}

/// Blocks of at most 2 KB; of 1 KB where rows are so short that the fold of 8 costs more than it hides.
template <class A>
BITSTEP_INLINE void accumulate_short_rows(const row_run<typename A::value>& run, std::size_t features,
                                          const typename A::value* w, typename A::sum* partial,
                                          square_t<typename A::sum>& squares) {
    const std::size_t row_bytes = features * sizeof(typename A::value);
    std::size_t at = 0;
    if (row_bytes <= 128) at = sequential_blocks<A, 8>(run, at, features, w, partial, squares);
    if (row_bytes <= 512) at = sequential_blocks<A, 4>(run, at, features, w, partial, squares);
    if (row_bytes <= 1024) at = sequential_blocks<A, 2>(run, at, features, w, partial, squares);
    sequential_blocks<A, 1>(run, at, features, w, partial, squares);
}

/// Rows side by side per block: 8, but less where 8 would be more than 1 MB. A block beyond L2 is read again from L3, but several rows share the loads of w and the
/// partial (d = 65536, two threads: 22 GB/s with blocks of 256 KB, 27 with 1 MB and with 4 MB).
BITSTEP_INLINE std::size_t block_rows(std::size_t row_bytes) {
    constexpr std::size_t block_bytes = 1024 * 1024;
    std::size_t rows = 8;
    while (rows > 1 && rows * row_bytes > block_bytes) rows /= 2;
    return rows;
}

template <class A>
BITSTEP_INLINE void accumulate_rows(const row_run<typename A::value>& run, std::size_t features,
                                    const typename A::value* w, typename A::sum* partial,
                                    square_t<typename A::sum>& squares) {
    const std::size_t row_bytes = features * sizeof(typename A::value);
    if (run.far && row_bytes <= 2048) {
        accumulate_short_rows<A>(run, features, w, partial, squares);
        return;
    }
    const std::size_t most = block_rows(row_bytes);
    std::size_t at = 0;
    // From cache 4 of the longer rows are faster than 8, which lie in one set of L1 (d = 1024: 55 and 44 GB/s).
    if (most >= 8 && (run.far || row_bytes <= 1024)) at = fused_blocks<A, 8>(run, at, features, w, partial, squares);
    if (most >= 4) at = fused_blocks<A, 4>(run, at, features, w, partial, squares);
    if (most >= 2) at = fused_blocks<A, 2>(run, at, features, w, partial, squares);
    fused_blocks<A, 1>(run, at, features, w, partial, squares);
}

template <class A>
void accumulate(const row_run<typename A::value>& run, std::size_t features, const typename A::value* w, bool first,
                typename A::sum* partial, square_t<typename A::sum>& squares) {
    if (first) {
        for (std::size_t j = 0; j < features; j += A::lane_total) A::store_sum(partial, j / A::lane_total, A::zero());
    }
    if constexpr (sums_are_pairs<A>) {
        // Bound by their arithmetic wherever X lies, and each further form would be 5 to 20 KB of code.
        const std::size_t at = fused_blocks<A, 2>(run, 0, features, w, partial, squares);
        fused_blocks<A, 1>(run, at, features, w, partial, squares);
    } else {
        accumulate_rows<A>(run, features, w, partial, squares);
    }
}

} // namespace
} // namespace bitstep::internal
