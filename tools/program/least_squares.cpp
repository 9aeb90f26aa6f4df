// SPDX-License-Identifier: Apache-2.0
#include "program/least_squares.hpp"

#include <Eigen/Core>
#include <Eigen/QR>

#include <vector>

namespace bitstep::program {

template <class T>
least_squares_fit solve_least_squares(const design_matrix<T>& data) {
    using row_major = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using column = Eigen::Matrix<T, Eigen::Dynamic, 1>;
    const auto rows = static_cast<Eigen::Index>(data.rows);
    const auto features = static_cast<Eigen::Index>(data.features);
    const Eigen::MatrixXd x = Eigen::Map<const row_major>(data.x.data(), rows, features).template cast<double>();
    const Eigen::VectorXd y = Eigen::Map<const column>(data.y.data(), rows).template cast<double>();

    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(x);
    const Eigen::VectorXd weights = decomposition.solve(y);
    std::vector<double> residuals(data.rows);
    Eigen::Map<Eigen::VectorXd>(residuals.data(), rows) = x * weights - y;
    return {measure_fit(residuals, data.y), static_cast<std::size_t>(decomposition.rank())};
}

template least_squares_fit solve_least_squares(const design_matrix<float>&);
template least_squares_fit solve_least_squares(const design_matrix<double>&);

} // namespace bitstep::program
