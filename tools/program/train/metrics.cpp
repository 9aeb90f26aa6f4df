// SPDX-License-Identifier: Apache-2.0
#include "program/train/metrics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace bitstep::program {

std::string mse_text(double mse) { return std::isnan(mse) ? "nan" : fmt::format("{:.8g}", mse); }
std::string r2_text(double r2) { return std::isnan(r2) ? "n/a" : fmt::format("{:.4f}", r2); }

template <class T>
double sum_of_squares(const std::vector<T>& values, double centre) {
    double sum = 0;
    for (const T value : values) {
        const double difference = static_cast<double>(value) - centre;
        sum += difference * difference;
    }
    return sum;
}

template <class R, class T>
fit_quality measure_fit(const std::vector<R>& residuals, const std::vector<T>& y) {
    const auto count = static_cast<double>(y.size());
    const double mean = std::accumulate(y.begin(), y.end(), 0.0) / count;
    const double spread = sum_of_squares(y, mean);
    const double error = sum_of_squares(residuals);
    return {error / count, spread > 0 ? 1 - error / spread : std::numeric_limits<double>::quiet_NaN()};
}

template double sum_of_squares(const std::vector<float>&, double);
template double sum_of_squares(const std::vector<double>&, double);
template fit_quality measure_fit(const std::vector<float>&, const std::vector<float>&);
template fit_quality measure_fit(const std::vector<double>&, const std::vector<float>&);
template fit_quality measure_fit(const std::vector<double>&, const std::vector<double>&);

} // namespace bitstep::program
