// SPDX-License-Identifier: Apache-2.0
// bitstep_adam_ema_update_*.
#include "call.hpp"

namespace bitstep::c_api {
namespace {

template <class T>
bitstep_status update(const T* grad, std::size_t features, const state_view<T>& state,
                      const bitstep_hyper_parameters* hyper, const bitstep_options* given) noexcept {
    call c(given);
    if (!c.needs_extent("features", features).needs_hyper(hyper).ok()) return c.refused();
    return c.done(bitstep::adam_ema_update<T>({grad, features}, state, c.hyper(), c.opts()));
}

} // namespace
} // namespace bitstep::c_api

extern "C" {

bitstep_status bitstep_adam_ema_update_f32(const float* grad, size_t features, float* weights, float* ema_weights,
                                           float* m, float* v, const bitstep_hyper_parameters* hyper,
                                           const bitstep_options* options) {
    return bitstep::c_api::update<float>(grad, features, {weights, ema_weights, m, v, features}, hyper, options);
}

bitstep_status bitstep_adam_ema_update_f64(const double* grad, size_t features, double* weights, double* ema_weights,
                                           double* m, double* v, const bitstep_hyper_parameters* hyper,
                                           const bitstep_options* options) {
    return bitstep::c_api::update<double>(grad, features, {weights, ema_weights, m, v, features}, hyper, options);
}

} // extern "C"
