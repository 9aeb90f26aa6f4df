// SPDX-License-Identifier: Apache-2.0
// The tree over partial gradients: two of them into one, and the last ones into the gradient. Elementwise, so columns
// may be cut anywhere. Before: gradient-inl.hpp. After: adam_ema-inl.hpp.
#pragma once

#include "kernels/arithmetic.hpp"
#include "kernels/carry_tree.hpp"
#include "kernels/kernel_table.hpp"

namespace bitstep::internal {
namespace {

template <class A>
void merge(typename A::sum* older, const typename A::sum* newer, std::size_t vectors) {
    for (std::size_t i = 0; i < vectors; ++i) {
        A::store_sum(older, i, A::load_sum(older, i) + A::load_sum(newer, i));
    }
}

/// sums / n, one rounding to T each.
template <class A>
class quotient_of_sums {
public:
    using number = scalar_t<typename A::sum>;

    /// For n a power of two, s / n and s * (1 / n) are the rounding of one and the same number.
    BITSTEP_INLINE explicit quotient_of_sums(number n) : n_(n) {
        const auto whole = static_cast<std::uint64_t>(n); // n is an integer below 2^64
        exact_ = sizeof(typename A::sum) == sizeof(number) && (whole & (whole - 1)) == 0;
        reciprocal_ = exact_ ? number(1) / n : number(0);
    }
    BITSTEP_INLINE void store(const typename A::sum_vector& s, typename A::value* out) const {
        if constexpr (sizeof(typename A::sum) == sizeof(number)) {
            if (exact_) return A::round_all(s * typename A::sum_vector(reciprocal_), out);
        }
        A::divide(s, n_, out);
    }

private:
    number n_;
    number reciprocal_;
    bool exact_;
};

/// The tree over vector number `index` of all partials.
template <class A>
BITSTEP_INLINE typename A::sum_vector join_partials(const typename A::sum* partials, std::size_t count,
                                                    std::size_t stride, std::size_t index) {
    if (count == 1) return A::load_sum(partials, index);
    carry_tree<typename A::sum_vector> tree;
    for (std::size_t p = 0; p < count; ++p) tree.push(A::load_sum(partials + p * stride, index));
    return tree.total();
}

/// Elements [first, last), first a multiple of the lanes. Whether all are finite is kept per lane: one sum for all
/// would be a chain of additions (by perf 34 % of a step of 1 x 512 floats).
template <class A>
bool finish(const typename A::sum* partials, std::size_t partial_count, std::size_t partial_stride,
            scalar_t<typename A::sum> n, std::size_t first, std::size_t last, typename A::value* grad) {
    using value = typename A::value;
    constexpr std::size_t at_once = A::lane_total;
    const quotient_of_sums<A> over_n(n);
    typename A::vector not_finite(0); // stays 0 while g - g is 0 for every element, else becomes NaN
    alignas(vector_bytes) value rest[at_once];
    for (std::size_t j = first; j < last; j += at_once) {
        const bool whole = last - j >= at_once;
        value* g = whole ? grad + j : rest;
        over_n.store(A::twice(join_partials<A>(partials, partial_count, partial_stride, j / at_once)), g);
        if (!whole) {
            for (std::size_t l = last - j; l < at_once; ++l) rest[l] = 0; // padding, whatever it became
            for (std::size_t l = 0; j + l < last; ++l) grad[j + l] = rest[l];
        }
        const typename A::vector x = A::load(g);
        not_finite = not_finite + (x - x);
    }
    return all_zero(not_finite);
}

} // namespace
} // namespace bitstep::internal
