// SPDX-License-Identifier: Apache-2.0
// The exact solution that `train --least-squares` shows beside what training reached.
#pragma once

#include "program/data/design_matrix.hpp"
#include "program/train/metrics.hpp"

#include <cstddef>

namespace bitstep::program {

struct least_squares_fit {
    fit_quality training;
    fit_quality test;     ///< where there are test rows
    std::size_t rank = 0; ///< less than d where columns depend on one another
};

/// The weights of least norm among those that minimize (1/N) |X w - y|^2 + l2 |w|^2, the bias (the last feature) left out
/// of the second term; by a complete orthogonal decomposition in double. Costs N d^2.
template <class T>
least_squares_fit solve_least_squares(const design_matrix<T>& training, const design_matrix<T>& test, double l2,
                                      bool bias);

} // namespace bitstep::program
