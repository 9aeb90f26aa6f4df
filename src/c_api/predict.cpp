// SPDX-License-Identifier: Apache-2.0
// bitstep_predict_* and bitstep_residual_*.
#include "data.hpp"

namespace bitstep::c_api {
namespace {

template <class T>
bitstep_status predict(const c_matrix<T>* x, const T* w, T* out, const bitstep_options* given) noexcept {
    call c(given);
    if (!c.needs("x", x).ok()) return c.refused();
    return c.done(bitstep::predict<T>(twin_of_matrix<T>(*x), {w, x->cols}, {out, x->rows}, c.opts()));
}

template <class T>
bitstep_status residual(const c_matrix<T>* x, const T* y, const T* w, T* out, const bitstep_options* given) noexcept {
    call c(given);
    if (!c.needs("x", x).ok()) return c.refused();
    return c.done(bitstep::residual<T>(twin_of_matrix<T>(*x), {y, x->rows}, {w, x->cols}, {out, x->rows}, c.opts()));
}

} // namespace
} // namespace bitstep::c_api

extern "C" {

bitstep_status bitstep_predict_f32(const bitstep_matrix_f32* x, const float* w, float* out,
                                   const bitstep_options* options) {
    return bitstep::c_api::predict<float>(x, w, out, options);
}

bitstep_status bitstep_predict_f64(const bitstep_matrix_f64* x, const double* w, double* out,
                                   const bitstep_options* options) {
    return bitstep::c_api::predict<double>(x, w, out, options);
}

bitstep_status bitstep_residual_f32(const bitstep_matrix_f32* x, const float* y, const float* w, float* out,
                                    const bitstep_options* options) {
    return bitstep::c_api::residual<float>(x, y, w, out, options);
}

bitstep_status bitstep_residual_f64(const bitstep_matrix_f64* x, const double* y, const double* w, double* out,
                                    const bitstep_options* options) {
    return bitstep::c_api::residual<double>(x, y, w, out, options);
}

} // extern "C"
