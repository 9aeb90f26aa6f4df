// SPDX-License-Identifier: Apache-2.0
// Stage 2, see partition.hpp.
#include "partition.hpp"

namespace bitstep::internal {

row_partition partition_rows(std::size_t rows, std::size_t least) noexcept {
    // Each subtree writes one partial gradient and the end reads it again. At 64 rows a panel that is 3 % of X's traffic
    // for subtrees of one panel and 0.8 % for four; few panels stay single so that there is work for every thread
    // (but for narrow rows, which are fastest `least` panels at a time and small work anyway).
    constexpr std::size_t most_subtrees = 256;
    constexpr std::size_t few_panels = 32;
    row_partition p;
    p.rows = rows;
    p.panels = rows / row_panel + (rows % row_panel != 0 ? 1 : 0);
    p.subtree_panels = p.panels > few_panels && least < 4 ? 4 : least;
    while ((p.panels - 1) / p.subtree_panels + 1 > most_subtrees) p.subtree_panels *= 2;
    p.subtrees = (p.panels - 1) / p.subtree_panels + 1;
    for (std::size_t n = p.subtree_panels; n > 1; n /= 2) ++p.levels;
    return p;
}

std::size_t left_part(std::size_t n) noexcept {
    std::size_t power = 1;
    while (power * 2 < n) power *= 2;
    return power;
}

} // namespace bitstep::internal
