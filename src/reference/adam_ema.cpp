// SPDX-License-Identifier: Apache-2.0
// Mirrors ../adam_ema.cpp.
#include "reference/adam_ema.hpp"

#include <cmath>

namespace bitstep::internal::reference {

template <class T>
void adam_ema(const adam_arrays<T>& a, const adam_scalars<T>& k, std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
        const T g = a.grad[j];
        const T m = k.beta1 * a.m_in[j] + k.one_minus_beta1 * g;
        const T v = k.beta2 * a.v_in[j] + (k.one_minus_beta2 * g) * g;
        const T m_hat = m / k.correction1;
        const T v_hat = v / k.correction2;
        const T w = a.weights_in[j] - (k.lr * m_hat) / (std::sqrt(v_hat) + k.eps);
        const T ema = k.decay * a.ema_in[j] + k.one_minus_decay * w;
        a.weights_out[j] = w;
        a.ema_out[j] = ema;
        a.m_out[j] = m;
        a.v_out[j] = v;
    }
}

template void adam_ema(const adam_arrays<float>&, const adam_scalars<float>&, std::size_t, std::size_t);
template void adam_ema(const adam_arrays<double>&, const adam_scalars<double>&, std::size_t, std::size_t);

} // namespace bitstep::internal::reference
