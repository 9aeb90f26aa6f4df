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

/// What some vectors of a state showed: per array a sum of x - x, which is 0 while every x is finite and NaN else.
template <class V>
struct state_check {
    V weights, ema, m, v; // one sum would wait for each of its own additions
    V lowest_v;

    BITSTEP_INLINE state_check() : weights(0), ema(0), m(0), v(0), lowest_v(0) {}
    BITSTEP_INLINE void add(const V& w, const V& e, const V& m1, const V& v1) {
        weights = weights + (w - w);
        ema = ema + (e - e);
        m = m + (m1 - m1);
        v = v + (v1 - v1);
        lowest_v = lesser(lowest_v, v1);
    }
    BITSTEP_INLINE bool valid() const { return all_zero((weights + ema) + (m + v)) && !any_below_zero(lowest_v); }
};

/// True where the four arrays of a state are finite and v is not below zero (-0 passes).
template <class T, class Arch>
bool valid_state(const state_arrays<T>& state, std::size_t size) {
    using V = lanes<T, Arch>;
    const state_arrays<T> s = state;
    state_check<V> check;
    std::size_t j = 0;
    for (; j + V::count <= size; j += V::count) {
        check.add(V::load(s.weights + j), V::load(s.ema + j), V::load(s.m + j), V::load(s.v + j));
    }
    if (j < size) {
        const std::size_t n = size - j;
        check.add(V::load_first(s.weights + j, n), V::load_first(s.ema + j, n), V::load_first(s.m + j, n),
                  V::load_first(s.v + j, n));
    }
    return check.valid();
}

} // namespace
} // namespace bitstep::internal
