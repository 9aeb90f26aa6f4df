// SPDX-License-Identifier: Apache-2.0
// What a picture of a training shows, before any drawing: which curves there are, thinned, and which part of the
// vertical axis. Next: plot_script.
#pragma once

#include "program/train/history.hpp"

#include <string>
#include <vector>

namespace bitstep::program {

struct curve_point {
    double epoch;
    double loss; ///< NaN is a gap
};

struct curve {
    std::string name; ///< "EMA weights, test"
    bool averaged;    ///< of the averaged weights
    bool test;        ///< over the test rows
    double last;      ///< the latest known loss, perhaps infinite
    std::vector<curve_point> points;
};

/// The curves that have a finite value. Of many rows the lowest and the highest of each of 1,000 stretches stay, so
/// that no spike is lost, and the first and the last.
std::vector<curve> curves_of(const std::vector<history_row>& rows);

struct loss_axis {
    double low;
    double high;
    bool log;
};

/// One axis, or two: all losses, and where the start squeezes what comes later into a line, an enlarged second one that
/// holds the later half. `curves` must not be empty.
std::vector<loss_axis> loss_axes(const std::vector<curve>& curves);

} // namespace bitstep::program
