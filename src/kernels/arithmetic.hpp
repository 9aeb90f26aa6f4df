// SPDX-License-Identifier: Apache-2.0
// What one element costs in each accumulate mode: how T enters, how a product joins a sum, how sums fold and end.
// Algorithms (*-inl.hpp) are written once over these. Before: lanes.hpp. Next: dot-inl.hpp.
//
//   mode           elements    sums                      kept residual
//   native         T           T                         T
//   wide float     double      double                    double
//   wide double    double      double-double, products   double-double
//                              compensated
#pragma once

#include "double_double.hpp"
#include "kernels/lanes.hpp"

namespace bitstep::internal {
namespace {

/// native, and wide float: one machine number per sum. `Sum` is T or double.
template <class T, class Sum, class Arch>
struct arithmetic {
    using value = T;
    using sum = Sum;
    using arch = Arch;
    using vector = lanes<Sum, Arch>;
    using sum_vector = vector;
    using factor = vector;
    static constexpr std::size_t lane_total = lane_count<Sum>;

    static BITSTEP_INLINE vector load(const T* p) {
        if constexpr (sizeof(T) == sizeof(Sum)) {
            return vector::load(p);
        } else {
            return load_widened<Arch>(p);
        }
    }
    static BITSTEP_INLINE vector load_first(const T* p, std::size_t n) {
        if constexpr (sizeof(T) == sizeof(Sum)) {
            return vector::load_first(p, n);
        } else {
            return load_widened_first<Arch>(p, n);
        }
    }
    static BITSTEP_INLINE sum_vector zero() { return sum_vector(Sum(0)); }
    static BITSTEP_INLINE factor spread(Sum r) { return factor(r); }
    static BITSTEP_INLINE sum_vector multiply_add(const sum_vector& s, const vector& x, const vector& w) {
        return s + x * w;
    }
    static BITSTEP_INLINE sum_vector add(const sum_vector& s, const vector& x) { return s + x; }
    /// out[r] = the lanes of row r, folded.
    template <std::size_t R>
    static BITSTEP_INLINE void fold(const sum_vector (&rows)[R], Sum (&out)[R]) {
        fold_lanes(rows, out);
    }

    /// Vector number `index` of an array of sums (padded to whole vectors).
    static BITSTEP_INLINE sum_vector load_sum(const Sum* p, std::size_t index) {
        return sum_vector::load(p + index * lane_total);
    }
    static BITSTEP_INLINE void store_sum(Sum* p, std::size_t index, const sum_vector& s) {
        s.store(p + index * lane_total);
    }

    static BITSTEP_INLINE Sum minus(Sum dot, T y) { return dot - static_cast<Sum>(y); }
    static BITSTEP_INLINE T round(Sum s) { return static_cast<T>(s); }
    static BITSTEP_INLINE double add_square(double total, Sum r) {
        return total + static_cast<double>(r) * static_cast<double>(r);
    }

    static BITSTEP_INLINE sum_vector twice(const sum_vector& s) { return s * sum_vector(Sum(2)); }
    /// lane_total results, each rounded once to T.
    static BITSTEP_INLINE void round_all(const sum_vector& s, T* out) {
        if constexpr (sizeof(T) == sizeof(Sum)) {
            s.store(out);
        } else {
            alignas(vector_bytes) Sum all[lane_total];
            s.store(all);
            for (std::size_t l = 0; l < lane_total; ++l) out[l] = static_cast<T>(all[l]);
        }
    }
    /// s / n
    static BITSTEP_INLINE void divide(const sum_vector& s, Sum n, T* out) { round_all(s / sum_vector(n), out); }
};

/// wide double: sums and residuals are pairs.
template <class Arch>
struct arithmetic<double, double_double, Arch> {
    using value = double;
    using sum = double_double;
    using vector = lanes<double, Arch>;
    using sum_vector = pair_sum<vector>;
    using factor = pair_sum<vector>;
    static constexpr std::size_t lane_total = lane_count<double_double>;

    static BITSTEP_INLINE vector load(const double* p) { return vector::load(p); }
    static BITSTEP_INLINE vector load_first(const double* p, std::size_t n) { return vector::load_first(p, n); }
    static BITSTEP_INLINE sum_vector zero() { return {vector(0.0), vector(0.0)}; }
    static BITSTEP_INLINE factor spread(const double_double& r) { return {vector(r.hi), vector(r.lo)}; }
    static BITSTEP_INLINE sum_vector multiply_add(const sum_vector& s, const vector& x, const vector& w) {
        return s + two_product(x, w);
    }
    static BITSTEP_INLINE sum_vector multiply_add(const sum_vector& s, const vector& x, const factor& r) {
        return s + multiply(r, x);
    }
    static BITSTEP_INLINE sum_vector add(const sum_vector& s, const vector& x) {
        return s + sum_vector{x, vector(0.0)};
    }
    template <std::size_t R>
    static BITSTEP_INLINE void fold(const sum_vector (&rows)[R], double_double (&out)[R]) {
        for (std::size_t r = 0; r < R; ++r) out[r] = fold_one(rows[r]);
    }
    static BITSTEP_INLINE double_double fold_one(const sum_vector& s) {
        alignas(vector_bytes) double hi[lane_total];
        alignas(vector_bytes) double lo[lane_total];
        s.hi.store(hi);
        s.lo.store(lo);
        double_double all[lane_total];
        for (std::size_t l = 0; l < lane_total; ++l) all[l] = {hi[l], lo[l]};
        return fold_halves(all);
    }

    /// An array of sums is kept in blocks of eight `hi` followed by their eight `lo`.
    static BITSTEP_INLINE sum_vector load_sum(const double_double* p, std::size_t index) {
        const double* block = &p[index * lane_total].hi;
        return {vector::load(block), vector::load(block + lane_total)};
    }
    static BITSTEP_INLINE void store_sum(double_double* p, std::size_t index, const sum_vector& s) {
        double* block = &p[index * lane_total].hi;
        s.hi.store(block);
        s.lo.store(block + lane_total);
    }

    static BITSTEP_INLINE double_double minus(const double_double& dot, double y) {
        return dot + double_double{-y, 0.0};
    }
    static BITSTEP_INLINE double round(const double_double& s) { return s.hi + s.lo; }
    static BITSTEP_INLINE double_double add_square(const double_double& total, const double_double& r) {
        return total + multiply(r, r);
    }

    static BITSTEP_INLINE sum_vector twice(const sum_vector& s) { return {s.hi * vector(2.0), s.lo * vector(2.0)}; }
    static BITSTEP_INLINE void divide(const sum_vector& s, double n, double* out) {
        divide_and_round(s, vector(n)).store(out);
    }
};

/// wide double. Its arithmetic is ten times as long, so it gets fewer forms of each algorithm: code, not time, is the
/// limit.
template <class A>
inline constexpr bool sums_are_pairs = sizeof(typename A::sum) > sizeof(double);

} // namespace
} // namespace bitstep::internal
