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

/// What all_finite knows after some vectors: x - x is 0 for finite x and NaN else, so a sum tells.
template <class T, class Arch>
struct finite_check {
    using V = lanes<T, Arch>;
    V sum;
    V lowest;
    BITSTEP_INLINE finite_check() : sum(T(0)), lowest(T(0)) {}
    BITSTEP_INLINE void add(const V& x) {
        sum = sum + (x - x);
        lowest = lesser(lowest, x);
    }
};

/// Four checks side by side: one would wait for each of its own additions (by perf 11 % of a step of 1 x 512 floats).
template <class T, class Arch, bool Nonnegative>
bool all_finite(const T* values, std::size_t size) {
    using V = lanes<T, Arch>;
    constexpr std::size_t ways = 4;
    finite_check<T, Arch> check[ways];
    std::size_t j = 0;
    for (; j + ways * V::count <= size; j += ways * V::count) {
        for (std::size_t i = 0; i < ways; ++i) check[i].add(V::load(values + j + i * V::count));
    }
    for (; j + V::count <= size; j += V::count) check[0].add(V::load(values + j));
    if (j < size) check[0].add(V::load_first(values + j, size - j));
    for (std::size_t i = 1; i < ways; ++i) {
        check[0].sum = check[0].sum + check[i].sum;
        check[0].lowest = lesser(check[0].lowest, check[i].lowest);
    }
    alignas(vector_bytes) T all[V::count];
    check[0].sum.store(all);
    return fold_halves(all) == 0 && !(Nonnegative && any_below_zero(check[0].lowest));
}

} // namespace
} // namespace bitstep::internal
