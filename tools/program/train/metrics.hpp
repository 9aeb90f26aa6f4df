// SPDX-License-Identifier: Apache-2.0
// How good a fit is, from its residuals: for train's own weights and for the exact solution beside them.
#pragma once

#include <string>
#include <vector>

namespace bitstep::program {

struct fit_quality {
    double mse = 0; ///< mean squared error
    double r2 = 0;  ///< 1 - (sum of squared residuals) / (sum of (y - mean y)^2); NaN where y is constant
};

/// For people: "18.893995", "0.0687"; "nan" without a sign, "n/a" where y is constant.
std::string mse_text(double mse);
std::string r2_text(double r2);

/// Sum of (value - centre)^2 in double, in the order of the vector, starting from 0.
template <class T>
double sum_of_squares(const std::vector<T>& values, double centre = 0);

/// R is the type of the residuals, T that of the targets. mean y is the sum of y in double, in order, divided by N.
template <class R, class T>
fit_quality measure_fit(const std::vector<R>& residuals, const std::vector<T>& y);

} // namespace bitstep::program
