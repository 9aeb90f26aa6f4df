// SPDX-License-Identifier: Apache-2.0
#include "program/train/least_squares.hpp"

#include <Eigen/Core>
#include <Eigen/QR>

#include <cmath>
#include <vector>

namespace bitstep::program {
namespace {

template <class T>
Eigen::MatrixXd x_of(const design_matrix<T>& data) {
    using row_major = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const row_major>(data.x.data(), static_cast<Eigen::Index>(data.rows),
                                       static_cast<Eigen::Index>(data.features))
        .template cast<double>();
}

template <class T>
Eigen::VectorXd y_of(const design_matrix<T>& data) {
    using column = Eigen::Matrix<T, Eigen::Dynamic, 1>;
    return Eigen::Map<const column>(data.y.data(), static_cast<Eigen::Index>(data.rows)).template cast<double>();
}

template <class T>
fit_quality quality_of(const design_matrix<T>& data, const Eigen::VectorXd& weights) {
    std::vector<double> residuals(data.rows);
    Eigen::Map<Eigen::VectorXd>(residuals.data(), static_cast<Eigen::Index>(data.rows)) =
        x_of(data) * weights - y_of(data);
    return measure_fit(residuals, data.y);
}

} // namespace

template <class T>
least_squares_fit solve_least_squares(const design_matrix<T>& training, const design_matrix<T>& test, double l2,
                                      bool bias) {
    Eigen::MatrixXd x = x_of(training);
    Eigen::VectorXd y = y_of(training);
    if (l2 > 0) { // the ridge term as rows of data: sqrt(N l2) w_j should be 0
        const Eigen::Index rows = x.rows();
        const Eigen::Index penalized = x.cols() - (bias ? 1 : 0);
        x.conservativeResize(rows + penalized, Eigen::NoChange);
        y.conservativeResize(rows + penalized);
        x.bottomRows(penalized).setZero();
        x.bottomRows(penalized).diagonal().setConstant(std::sqrt(static_cast<double>(rows) * l2));
        y.tail(penalized).setZero();
    }
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(x);
    const Eigen::VectorXd weights = decomposition.solve(y);
    least_squares_fit fit;
    fit.training = quality_of(training, weights);
    if (test.rows != 0) {
        fit.test = quality_of(test, weights);
    }
    fit.rank = static_cast<std::size_t>(decomposition.rank());
    return fit;
}

template least_squares_fit solve_least_squares(const design_matrix<float>&, const design_matrix<float>&, double, bool);
template least_squares_fit solve_least_squares(const design_matrix<double>&, const design_matrix<double>&, double,
                                               bool);

} // namespace bitstep::program
