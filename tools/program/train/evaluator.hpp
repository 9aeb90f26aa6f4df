// SPDX-License-Identifier: Apache-2.0
// How well weights fit rows: residual() of the library, then sums in double. For the report, the history and the picture.
#pragma once

#include "program/data/design_matrix.hpp"
#include "program/train/metrics.hpp"

#include <bitstep/bitstep.hpp>

#include <vector>

namespace bitstep::program {

template <class T>
class evaluator {
public:
    /// `data` stays the caller's and may have no rows.
    evaluator(const design_matrix<T>& data, const options& opts);

    std::size_t rows() const { return data_.rows; }
    bool has_rows() const { return data_.rows != 0; }

    /// has_rows() only. Residuals in T as `opts` says.
    fit_quality quality(const std::vector<T>& weights);

private:
    const design_matrix<T>& data_;
    options opts_;
    std::vector<T> residuals_;
};

} // namespace bitstep::program
