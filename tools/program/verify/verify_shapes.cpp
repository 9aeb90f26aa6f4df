// SPDX-License-Identifier: Apache-2.0
#include "program/verify/verify_shapes.hpp"

namespace bitstep::program {

const std::vector<verify_shape>& verify_shapes() {
    constexpr auto spread = value_kind::spread;
    constexpr auto subnormal = value_kind::subnormal;
    constexpr auto non_finite = value_kind::non_finite;
    // Sizes are written out, not taken from numerics_panels(): a new panel length must not change what is computed here.
    static const std::vector<verify_shape> shapes = {
        // The smallest of everything; one feature, where a row is narrower than any register.
        {1, 1, 1, 1},
        {1, 1, 2, 1},
        {2, 1, 1, 1},
        {3, 2, 683, 1, spread},
        {1, 1, 4099, 1},
        // d around the 8 double and 16 float lanes: tails of a vector, the first full one, the first of two.
        {1, 1, 3, 2},
        {1, 2, 3, 7, spread},
        {2, 2, 3, 8},
        {3, 1, 5, 9, spread},
        {1, 1, 13, 15},
        {2, 1, 8, 16, spread},
        {1, 3, 6, 17},
        {5, 1, 3, 24, spread},
        {1, 2, 8, 31},
        {2, 2, 4, 32, spread},
        {1, 1, 17, 33},
        // N around row panels of 8, 16, 32 and 64, and around two of them: panel edges, the carry merge of the tree.
        {1, 1, 7, 5},
        {1, 1, 8, 5, spread},
        {3, 1, 3, 5},
        {1, 1, 15, 6},
        {1, 1, 16, 6, spread},
        {1, 1, 17, 6},
        {1, 1, 31, 12},
        {2, 2, 8, 12, spread},
        {3, 1, 11, 12},
        {1, 1, 63, 20},
        {2, 1, 32, 20, spread},
        {5, 1, 13, 20},
        {1, 1, 127, 18},
        {4, 2, 16, 18, spread},
        {3, 1, 43, 18},
        {1, 1, 257, 10, spread},
        // Steps as people run them, regrouped and with odd factors; many panels, deep trees.
        {4, 2, 32, 10},
        {8, 1, 32, 10, spread},
        {3, 5, 7, 11},
        {2, 3, 341, 9, spread},
        {1, 1, 3001, 4},
        {2, 1, 65, 65},
        {4, 4, 16, 100, spread},
        {7, 1, 11, 129},
        // d around powers of two, where column panels and blocks of the update may end.
        {1, 1, 9, 255},
        {1, 3, 3, 256, spread},
        {1, 1, 9, 257},
        {2, 1, 3, 511},
        {1, 1, 7, 512, spread},
        {1, 1, 5, 513},
        {1, 1, 5, 1023},
        {2, 2, 3, 1024, spread},
        {1, 1, 5, 1025},
        {1, 1, 3, 2047},
        {1, 1, 4, 2048, spread},
        {3, 1, 1, 2049},
        {1, 1, 3, 4095, spread},
        {1, 1, 2, 4096},
        {1, 1, 3, 4097, spread},
        {1, 1, 2, 8191},
        {1, 1, 2, 8193, spread},
        // Wide and odd: several column panels with a tail, and enough rows for a tree across threads; so many features
        // that elementwise work (Adam, EMA, the mean) goes out to threads.
        {1, 1, 67, 1281, spread},
        {1, 1, 13, 3001},
        {1, 1, 2, 20011},
        {2, 1, 1, 70001, spread},
        // Uneven shards: rows cross shard boundaries inside every panel, one shard is empty, rows are apart in memory.
        {1, 1, 2, 3, spread, true},
        {1, 1, 50, 7, spread, true},
        {1, 1, 201, 33, spread, true},
        {1, 1, 1031, 10, spread, true},
        {1, 1, 23, 1030, spread, true},
        // Below the normal numbers: a processor left in flush-to-zero mode.
        {1, 1, 19, 21, subnormal},
        {2, 2, 33, 70, subnormal},
        // NaN and infinities.
        {1, 1, 40, 11, non_finite},
        {1, 1, 70, 140, non_finite, true},
    };
    return shapes;
}

} // namespace bitstep::program
