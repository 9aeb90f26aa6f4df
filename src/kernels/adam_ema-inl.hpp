// SPDX-License-Identifier: Apache-2.0
// Adam and EMA, elementwise, in one pass over the state: reads 5 arrays, writes 4. The formulas of design section 1 as
// Python would evaluate them, one rounding per operation. Before: reduce-inl.hpp. After: the result.
#pragma once

#include "kernels/arithmetic.hpp"
#include "kernels/kernel_table.hpp"
#include "kernels/quotient.hpp"

namespace bitstep::internal {
namespace {

template <class T, class Arch>
struct adam_vectors {
    lanes<T, Arch> lr, beta1, one_minus_beta1, beta2, one_minus_beta2, eps, decay, one_minus_decay;
    divisor<T, Arch> correction1, correction2; // 1 - beta^t is in [2^-53, 1]

    BITSTEP_INLINE explicit adam_vectors(const adam_scalars<T>& s)
        : lr(s.lr), beta1(s.beta1), one_minus_beta1(s.one_minus_beta1), beta2(s.beta2),
          one_minus_beta2(s.one_minus_beta2), eps(s.eps), decay(s.decay), one_minus_decay(s.one_minus_decay),
          correction1(s.correction1), correction2(s.correction2) {}
};

template <class V>
struct adam_elements {
    V weights, ema, m, v;
};

template <class T, class Arch, class V = lanes<T, Arch>>
BITSTEP_INLINE adam_elements<V> update(const V& g, const adam_elements<V>& s, const adam_vectors<T, Arch>& k) {
    adam_elements<V> next;
    next.m = k.beta1 * s.m + k.one_minus_beta1 * g;
    next.v = k.beta2 * s.v + (k.one_minus_beta2 * g) * g;
    const V m_hat = next.m / k.correction1;
    const V v_hat = next.v / k.correction2;
    next.weights = s.weights - (k.lr * m_hat) / (square_root(v_hat) + k.eps);
    next.ema = k.decay * s.ema + k.one_minus_decay * next.weights;
    return next;
}

template <class T, class Arch>
void adam_ema(const adam_arrays<T>& arrays, const adam_scalars<T>& scalars, std::size_t first, std::size_t last) {
    using V = lanes<T, Arch>;
    const adam_arrays<T> a =
        arrays; // else the nine pointers are loaded again for every vector: its stores may alias them
    const adam_vectors<T, Arch> k(scalars);
    std::size_t j = first;
    for (; j + V::count <= last; j += V::count) {
        const adam_elements<V> s{V::load(a.weights_in + j), V::load(a.ema_in + j), V::load(a.m_in + j),
                                 V::load(a.v_in + j)};
        const adam_elements<V> next = update<T, Arch>(V::load(a.grad + j), s, k);
        next.weights.store(a.weights_out + j);
        next.ema.store(a.ema_out + j);
        next.m.store(a.m_out + j);
        next.v.store(a.v_out + j);
    }
    if (j < last) {
        const std::size_t n = last - j;
        const adam_elements<V> s{V::load_first(a.weights_in + j, n), V::load_first(a.ema_in + j, n),
                                 V::load_first(a.m_in + j, n), V::load_first(a.v_in + j, n)};
        const adam_elements<V> next = update<T, Arch>(V::load_first(a.grad + j, n), s, k);
        next.weights.store_first(a.weights_out + j, n);
        next.ema.store_first(a.ema_out + j, n);
        next.m.store_first(a.m_out + j, n);
        next.v.store_first(a.v_out + j, n);
    }
}

/// True where the four arrays of a state are finite and v is not below zero (-0 passes). x - x is 0 for finite x and NaN
/// else, so a sum tells; a sum per array, because one would wait for each of its own additions.
template <class T, class Arch>
bool valid_state(const state_arrays<T>& state, std::size_t size) {
    using V = lanes<T, Arch>;
    constexpr std::size_t arrays = 4;
    const T* const all[arrays] = {state.weights, state.ema, state.m, state.v};
    V not_finite[arrays];
    for (V& sum : not_finite) sum = V(T(0));
    V lowest_v(T(0));
    const auto add = [&](std::size_t array, const V& x) __attribute__((always_inline)) {
        not_finite[array] = not_finite[array] + (x - x);
        if (array == 3) lowest_v = lesser(lowest_v, x);
    };
    std::size_t j = 0;
    for (; j + V::count <= size; j += V::count) {
        for (std::size_t i = 0; i < arrays; ++i) add(i, V::load(all[i] + j));
    }
    if (j < size) {
        for (std::size_t i = 0; i < arrays; ++i) add(i, V::load_first(all[i] + j, size - j));
    }
    return all_zero((not_finite[0] + not_finite[1]) + (not_finite[2] + not_finite[3])) && !any_below_zero(lowest_v);
}

} // namespace
} // namespace bitstep::internal
