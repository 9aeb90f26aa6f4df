// SPDX-License-Identifier: Apache-2.0
// The edge shapes: sizes at, below and above every block of the contract, each with the bug it would catch.
#pragma once

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace bitstep_test {

struct shape {
    std::size_t rows;
    std::size_t features;
    const char* catches;
};

inline std::ostream& operator<<(std::ostream& out, const shape& of) {
    return out << of.rows << " x " << of.features << " (" << of.catches << ")";
}

inline std::string describe(const shape& of) {
    return std::to_string(of.rows) + " x " + std::to_string(of.features) + ", would catch: " + of.catches;
}

/// Lanes of the logical vector that accumulates T natively.
template <class T>
std::size_t native_lanes() {
    const bitstep::panel_lengths panels = bitstep::numerics_panels();
    return sizeof(T) == 4 ? panels.float_lanes : panels.double_lanes;
}

/// Around the lanes: short rows, with row counts around the row panel.
template <class T>
std::vector<shape> lane_shapes() {
    const std::size_t lanes = native_lanes<T>();
    const std::size_t panel = bitstep::numerics_panels().row_panel;
    return {
        {1, 1, "a loop that needs two of anything"},
        {panel, 1, "a whole panel of the shortest rows"},
        {5 * panel + 3, 1, "short rows packed several to a vector, with a rest"},
        {3, lanes - 1, "a tail that is the whole row"},
        {panel - 1, lanes - 1, "a panel's unrolled rows with a rest, tails only"},
        {2, lanes, "a tail of length zero taken all the same"},
        {panel, lanes, "whole panel, whole vector: no rest at all"},
        {3, lanes + 1, "a tail of one lane"},
        {panel + 1, lanes + 1, "a second row panel of one row"},
        {lanes + 1, 2 * lanes - 1, "wide mode's second vector cut at the wrong lane"},
        {2 * panel + 1, 2 * lanes + 1, "the odd panel merged first instead of last"},
        {7, 3 * lanes + 5, "unrolled column blocks with a rest"},
        {3 * panel + 5, 67, "three panels: the tree's merge order"},
        {1021, 37, "many panels, all numbers odd"},
        {17 * panel + 11, 9, "a subtree for each of 16 threads, and one more"},
    };
}

/// Around the column panel: long rows, few of them.
inline std::vector<shape> panel_shapes() {
    const std::size_t columns = bitstep::numerics_panels().column_panel;
    const std::size_t rows = bitstep::numerics_panels().row_panel;
    return {
        {3, columns - 1, "a panel's tail"},
        {2, columns, "an empty second panel"},
        {3, columns + 1, "a second panel of one element"},
        {1, 2 * columns + 1, "one row: nothing but the tree over column panels"},
        {rows + 1, 2 * columns + 1, "column tree and row tree together"},
        {5, 3 * columns + 77, "an odd number of column panels, tail within lanes"},
        {rows + 3, 5 * columns + 13, "the panel sums of one row used for another"},
    };
}

/// Rows so long that the columns may be split over threads.
inline std::vector<shape> long_shapes() {
    return {
        {3, 300001, "columns split over threads, odd length"},
        {bitstep::numerics_panels().row_panel + 1, 70001, "columns split, and two row panels"},
        {3 * bitstep::numerics_panels().row_panel + 9, 46081, "columns split, a tree of panels, blocks with a rest"},
    };
}

} // namespace bitstep_test
