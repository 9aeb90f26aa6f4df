// SPDX-License-Identifier: Apache-2.0
// The course of a training as a picture, by gnuplot as a process: training and test loss of the weights and of their
// average over the epochs. Before: history; the parts: plot_curves (what to show), plot_script (how).
#pragma once

#include "program/train/history.hpp"

#include <string>
#include <vector>

namespace bitstep::program {

struct plot_choice {
    std::string path;  ///< ends in .svg or .png
    std::string title; ///< such as "bitstep train randhie.csv --target mdvis"; any text, the first 90 bytes are shown
};

/// input_error where the path ends in neither .svg nor .png (in any case), or its folder is missing. To be called
/// before training.
void check_plot_path(const std::string& path);

/// Draws the picture (replacing_file). Returns "" or, where it was left out, the reason in one line, such as "gnuplot
/// is not installed (Debian: gnuplot-nox)": a picture must not end a training.
std::string draw_plot(const plot_choice& choice, const std::vector<history_row>& rows);

} // namespace bitstep::program
