// SPDX-License-Identifier: Apache-2.0
// Moving lanes between native registers: several rows' lanes folded at once, and blocks transposed. Moves only, so what is
// added to what stays as the contract says: one fold of R rows takes the additions of R folds, in fewer instructions.
// The compilers' own shuffles, written once for all registers: xsimd's zip_lo means other lanes in other versions.
// Used by lanes.hpp alone.
#pragma once

#include "inline.hpp"

#include <cstddef>
#include <utility> // std::index_sequence

namespace bitstep::internal {
namespace {

/// Element number of the concatenation (a, b) that goes to each place. Lanes move most cheaply within blocks of 128 bits.
struct shuffle_rule {
    std::size_t size;  ///< elements of a register
    std::size_t block; ///< elements of 128 bits
};

/// Whole 128-bit blocks: of each run of `run` elements the first half (part = 0) or the second; a's, then b's.
constexpr std::size_t halves_of_runs(const shuffle_rule& s, std::size_t run, std::size_t part, std::size_t place) {
    const std::size_t half = run / 2;
    const std::size_t from = place % (s.size / 2);
    return (place < s.size / 2 ? 0 : s.size) + from / half * run + part * half + from % half;
}
/// Within each block: a and b take turns, over the first half of the block's elements or the second.
constexpr std::size_t turns_in_blocks(const shuffle_rule& s, std::size_t part, std::size_t place) {
    const std::size_t in_block = place % s.block;
    return (place % 2 == 0 ? 0 : s.size) + place / s.block * s.block + part * (s.block / 2) + in_block / 2;
}
constexpr std::size_t fold_source(const shuffle_rule& s, std::size_t run, std::size_t part, std::size_t place) {
    return run > s.block ? halves_of_runs(s, run, part, place) : turns_in_blocks(s, part, place);
}

template <class Batch>
inline constexpr shuffle_rule rule_of{Batch::size, 16 / sizeof(typename Batch::value_type)};

/// Places of (a, b) by fold_source. Batch converts to and from the compiler's vector type.
template <class Batch, std::size_t Run, std::size_t Part, std::size_t... Place>
BITSTEP_INLINE Batch pick(const Batch& a, const Batch& b, std::index_sequence<Place...>) {
    using native = typename Batch::register_type;
    constexpr shuffle_rule rule = rule_of<Batch>;
#if __has_builtin(__builtin_shufflevector)
    return Batch(__builtin_shufflevector(static_cast<native>(a), static_cast<native>(b),
                                         static_cast<int>(fold_source(rule, Run, Part, Place))...));
#else
    using index = decltype(static_cast<native>(a) == static_cast<native>(b));
    return Batch(__builtin_shuffle(static_cast<native>(a), static_cast<native>(b),
                                   index{static_cast<int>(fold_source(rule, Run, Part, Place))...}));
#endif
}
template <class Batch, std::size_t Run, std::size_t Part>
BITSTEP_INLINE Batch pick(const Batch& a, const Batch& b) {
    return pick<Batch, Run, Part>(a, b, std::make_index_sequence<Batch::size>());
}

/// a and b hold runs of `Run` lanes, each run a row's. Folds every run by its halves: l + (l + Run/2).
template <std::size_t Run, class Batch>
BITSTEP_INLINE Batch fold_pair(const Batch& a, const Batch& b) {
    return pick<Batch, Run, 0>(a, b) + pick<Batch, Run, 1>(a, b);
}

/// rows[0] becomes the sums of Rows registers' lanes; row r's stands at place r * size / Rows. Rows: at least the
/// blocks of a register. Pairs are chosen so that the rows come out in order: while whole blocks move, neighbours at
/// the distance that fills the blocks in order; within blocks, from far to near. Fewer rows than lanes: the last one is
/// paired with itself.
template <std::size_t Rows, std::size_t Run, std::size_t Live, class Batch>
BITSTEP_INLINE void fold_rows(Batch (&rows)[Rows]) {
    if constexpr (Run > 1) {
        constexpr shuffle_rule rule = rule_of<Batch>;
        constexpr std::size_t pairs = Live == 1 ? 1 : Live / 2;
        constexpr std::size_t apart = Live == 1 ? 0 : Run > rule.block ? Rows * rule.block / rule.size : pairs;
        for (std::size_t i = 0; i < pairs; ++i) {
            const std::size_t from = apart == 0 ? 0 : i / apart * 2 * apart + i % apart;
            rows[i] = fold_pair<Run>(rows[from], rows[from + apart]);
        }
        fold_rows<Rows, Run / 2, pairs>(rows);
    }
}

/// size rows of size elements: afterwards rows[j] holds what was element j of each. Within blocks first, then the blocks.
template <class Batch>
BITSTEP_INLINE void transpose_registers(Batch (&rows)[Batch::size]) {
    constexpr shuffle_rule rule = rule_of<Batch>;
    constexpr std::size_t block = rule.block;
    constexpr std::size_t blocks = rule.size / block;
    static_assert(blocks <= 4 && block <= 4, "SSE, NEON, AVX or AVX-512 registers of float or double");
    for (std::size_t step = 1; step < block; step *= 2) {
        Batch next[rule.size];
        for (std::size_t first = 0; first < rule.size; first += block) {
            for (std::size_t i = 0; i < block / 2; ++i) {
                const Batch& a = rows[first + i];
                const Batch& b = rows[first + i + block / 2];
                next[first + 2 * i] = pick<Batch, block, 0>(a, b);
                next[first + 2 * i + 1] = pick<Batch, block, 1>(a, b);
            }
        }
        for (std::size_t i = 0; i < rule.size; ++i) rows[i] = next[i];
    }
    if constexpr (blocks > 1) {
        for (std::size_t c = 0; c < block;
             ++c) { // rows[g * block + c] has column c of each block, of rows g * block + ...
            Batch low[blocks / 2];
            Batch high[blocks / 2];
            for (std::size_t i = 0; i < blocks / 2; ++i) {
                const Batch& a = rows[2 * i * block + c];
                const Batch& b = rows[(2 * i + 1) * block + c];
                low[i] = pick<Batch, rule.size, 0>(a, b);
                high[i] = pick<Batch, rule.size, 1>(a, b);
            }
            if constexpr (blocks == 2) {
                rows[c] = low[0];
                rows[block + c] = high[0];
            } else {
                rows[c] = pick<Batch, rule.size / 2, 0>(low[0], low[1]);
                rows[block + c] = pick<Batch, rule.size / 2, 1>(low[0], low[1]);
                rows[2 * block + c] = pick<Batch, rule.size / 2, 0>(high[0], high[1]);
                rows[3 * block + c] = pick<Batch, rule.size / 2, 1>(high[0], high[1]);
            }
        }
    }
}

} // namespace
} // namespace bitstep::internal
