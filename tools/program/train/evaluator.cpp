// SPDX-License-Identifier: Apache-2.0
#include "program/train/evaluator.hpp"

#include "program/run_choice.hpp"

namespace bitstep::program {

template <class T>
evaluator<T>::evaluator(const design_matrix<T>& data, const options& opts)
    : data_(data), opts_(opts), residuals_(data.rows) {}

template <class T>
fit_quality evaluator<T>::quality(const std::vector<T>& weights) {
    const matrix_view<const T> x{data_.x.data(), data_.rows, data_.features, data_.features};
    const vector_view<const T> y{data_.y.data(), data_.rows};
    require_ok(residual(x, y, {weights.data(), weights.size()}, {residuals_.data(), residuals_.size()}, opts_));
    return measure_fit(residuals_, data_.y);
}

template class evaluator<float>;
template class evaluator<double>;

} // namespace bitstep::program
