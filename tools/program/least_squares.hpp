// SPDX-License-Identifier: Apache-2.0
// The exact least-squares solution of the same design matrix, by Eigen: what training should come close to.
#pragma once

#include "program/design_matrix.hpp"
#include "program/metrics.hpp"

#include <cstddef>

namespace bitstep::program {

struct least_squares_fit {
    fit_quality quality;
    std::size_t rank = 0; ///< below the number of features where columns depend on one another
};

/// Complete orthogonal decomposition in double (rank-revealing; the shortest solution where there are many). Holds a
/// second X in double. Its last digits depend on Eigen's build; no digest covers it.
template <class T>
least_squares_fit solve_least_squares(const design_matrix<T>& data);

} // namespace bitstep::program
