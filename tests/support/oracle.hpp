// SPDX-License-Identifier: Apache-2.0
// The truth: the same formulas in 320-bit binary floating point (Boost.Multiprecision), where rounding is far below
// anything under test. Beside each value stand the magnitudes that error bounds are made of.
#pragma once

#include "problem.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <limits>
#include <vector>

namespace bitstep_test::oracle {

namespace mp = boost::multiprecision;
// The exponent range is widened so that products of doubles neither overflow nor underflow.
using real =
    mp::number<mp::backends::cpp_bin_float<320, mp::backends::digit_base_2, void, std::int32_t, -262142, 262143>,
               mp::et_off>;

template <class T>
struct exact_gradient {
    std::vector<real> g;
    std::vector<real> sum_of_terms;    ///< 2/N sum_i |x_ij r_i|
    std::vector<real> sum_of_products; ///< 2/N sum_i |x_ij| (sum_k |x_ik w_k| + |y_i|)
    real mse = 0;
    real mse_of_products = 0; ///< 1/N sum_i |r_i| (sum_k |x_ik w_k| + |y_i|)
};

struct exact_row {
    real dot = 0;
    real residual = 0;
    real magnitude = 0; ///< sum_k |x_ik w_k| + |y_i|
};

template <class T>
exact_row row(const dense_problem<T>& on, std::size_t i) {
    exact_row of;
    for (std::size_t j = 0; j < on.features; ++j) {
        const real product = real(on.x[i * on.features + j]) * real(on.w[j]);
        of.dot += product;
        of.magnitude += mp::abs(product);
    }
    of.residual = of.dot - real(on.y[i]);
    of.magnitude += mp::abs(real(on.y[i]));
    return of;
}

template <class T>
exact_gradient<T> gradient(const dense_problem<T>& on) {
    exact_gradient<T> exact;
    exact.g.assign(on.features, 0);
    exact.sum_of_terms.assign(on.features, 0);
    exact.sum_of_products.assign(on.features, 0);
    for (std::size_t i = 0; i < on.rows; ++i) {
        const exact_row at = row(on, i);
        exact.mse += at.residual * at.residual;
        exact.mse_of_products += mp::abs(at.residual) * at.magnitude;
        for (std::size_t j = 0; j < on.features; ++j) {
            const real x(on.x[i * on.features + j]);
            exact.g[j] += x * at.residual;
            exact.sum_of_terms[j] += mp::abs(x * at.residual);
            exact.sum_of_products[j] += mp::abs(x) * at.magnitude;
        }
    }
    const real rows(on.rows);
    exact.mse /= rows;
    exact.mse_of_products /= rows;
    for (std::size_t j = 0; j < on.features; ++j) {
        exact.g[j] = 2 * exact.g[j] / rows;
        exact.sum_of_terms[j] = 2 * exact.sum_of_terms[j] / rows;
        exact.sum_of_products[j] = 2 * exact.sum_of_products[j] / rows;
    }
    return exact;
}

/// The distance of two neighbouring T around a value.
template <class T>
real ulp(const real& value) {
    if (value == 0) {
        return real(std::numeric_limits<T>::denorm_min());
    }
    int exponent = 0;
    mp::frexp(value, &exponent); // |value| in [2^(exponent-1), 2^exponent)
    const real step = mp::ldexp(real(1), exponent - std::numeric_limits<T>::digits);
    const real smallest(std::numeric_limits<T>::denorm_min());
    return step < smallest ? smallest : step;
}

/// |got - truth| in ulps of the truth.
template <class T>
double error_in_ulps(T got, const real& truth) {
    return static_cast<double>(mp::abs(real(got) - truth) / ulp<T>(truth));
}

/// beta^t, exact to 320 bits (t up to 2^63 costs 63 squarings, each a relative 2^-320).
inline real power(double beta, long long t) {
    real result = 1;
    real square = beta;
    for (long long rest = t; rest > 0; rest /= 2) {
        if (rest % 2 == 1) {
            result *= square;
        }
        square *= square;
        if (result == 0 || square < mp::ldexp(real(1), -200000)) {
            return rest > 1 ? real(0) : result; // far below the smallest double
        }
    }
    return result;
}

/// beta^t rounded to double once.
inline double power_as_double(double beta, long long t) { return static_cast<double>(power(beta, t)); }

/// gamma_k = k u / (1 - k u), Higham's constant for k roundings of unit u.
template <class T>
real gamma(std::size_t roundings) {
    const real ku = real(roundings) * mp::ldexp(real(1), -std::numeric_limits<T>::digits);
    return ku / (1 - ku);
}

} // namespace bitstep_test::oracle
