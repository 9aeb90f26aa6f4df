// SPDX-License-Identifier: Apache-2.0
// Mirrors ../predict.cpp.
#include "reference/predict.hpp"

#include "reference/scalar.hpp"

namespace bitstep::internal::reference {

template <class T, class Sum>
void predict(const row_run<T>& run, std::size_t features, const T* w, T* out) noexcept {
    for (std::size_t i = 0; i < run.rows; ++i) {
        const Sum sum = dot<Sum>(run.x + i * run.row_stride, w, features);
        out[i] = round<T>(run.y == nullptr ? sum : minus(sum, run.y[i]));
    }
}

template void predict<float, float>(const row_run<float>&, std::size_t, const float*, float*) noexcept;
template void predict<float, double>(const row_run<float>&, std::size_t, const float*, float*) noexcept;
template void predict<double, double>(const row_run<double>&, std::size_t, const double*, double*) noexcept;
template void predict<double, double_double>(const row_run<double>&, std::size_t, const double*, double*) noexcept;

} // namespace bitstep::internal::reference
