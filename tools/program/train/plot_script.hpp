// SPDX-License-Identifier: Apache-2.0
// A picture as commands for gnuplot, data included, that write it to standard output. Before: plot_curves; next: plot,
// which runs them.
#pragma once

#include "program/train/plot_curves.hpp"

#include <string>
#include <vector>

namespace bitstep::program {

enum class picture_format { svg, png };

/// `title` may hold anything: nothing in it is a command or a mark-up. `curves` must not be empty.
std::string plot_script(picture_format format, const std::string& title, const std::vector<curve>& curves);

} // namespace bitstep::program
