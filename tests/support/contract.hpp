// SPDX-License-Identifier: Apache-2.0
// An independent reading of the arithmetic contract (design section 2), written from its text alone: plain scalar loops,
// one IEEE operation at a time, no thought for speed. It shares no line with the library, so where both give the same
// bits, the text is what both do. Acc is the type that sums: T itself in native mode, double in wide mode on float,
// a double-double pair (contract_pair.hpp) in wide mode on double.
#pragma once

#include "problem.hpp"
#include "state.hpp"

#include <bitstep/bitstep.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace bitstep_test::contract {

/// The operations of the type that sums; contract_pair.hpp has the double-double ones.
template <class Acc>
struct arithmetic {
    static constexpr std::size_t lanes = 64 / sizeof(Acc); ///< a logical vector is 64 bytes of the type that sums
    using square_sum = double;

    template <class T>
    static Acc product(T a, T b) {
        return static_cast<Acc>(a) * static_cast<Acc>(b);
    }
    template <class T>
    static Acc weighted(T g, long long count) {
        return static_cast<Acc>(count) * static_cast<Acc>(g);
    }
    template <class T>
    static Acc minus(Acc a, T y) {
        return a - static_cast<Acc>(y);
    }
    template <class T>
    static Acc times(Acc r, T x) {
        return static_cast<Acc>(x) * r;
    }
    static double square(Acc r) { return static_cast<double>(r) * static_cast<double>(r); }
    static Acc twice(Acc sum) { return static_cast<Acc>(2) * sum; }
    static Acc divided(Acc sum, std::size_t by) { return sum / static_cast<Acc>(by); }
    template <class T>
    static T rounded(Acc sum) {
        return static_cast<T>(sum);
    }
};

/// The tree: carry merge as in a binary counter, the older operand on the left; at the end the newest merges first.
template <class Acc>
class carry_merge {
public:
    void push(Acc leaf) {
        std::size_t level = 0;
        for (std::size_t n = count_; n % 2 == 1; n /= 2, ++level) {
            leaf = partials_[level] + leaf;
        }
        partials_[level] = leaf;
        ++count_;
    }

    Acc total() const {
        Acc sum{};
        bool started = false;
        for (std::size_t level = 0, n = count_; n > 0; n /= 2, ++level) {
            if (n % 2 == 1) {
                sum = started ? partials_[level] + sum : partials_[level];
                started = true;
            }
        }
        return sum;
    }

private:
    Acc partials_[64] = {};
    std::size_t count_ = 0;
};

/// x . w: lane l takes the elements j = l (mod lanes) in rising order, lanes fold by halves, panels enter the tree.
template <class Acc, class T>
Acc dot(const T* x, const T* w, std::size_t features) {
    constexpr std::size_t lanes = arithmetic<Acc>::lanes;
    const std::size_t panel = bitstep::numerics_panels().column_panel;
    carry_merge<Acc> tree;
    for (std::size_t begin = 0; begin < features; begin += panel) {
        Acc lane[lanes] = {};
        for (std::size_t j = begin; j < std::min(features, begin + panel); ++j) {
            lane[j % lanes] = lane[j % lanes] + arithmetic<Acc>::product(x[j], w[j]);
        }
        for (std::size_t half = lanes / 2; half > 0; half /= 2) {
            for (std::size_t l = 0; l < half; ++l) {
                lane[l] = lane[l] + lane[l + half];
            }
        }
        tree.push(lane[0]);
    }
    return tree.total();
}

template <class Acc, class T>
std::vector<T> predict(const dense_problem<T>& on) {
    std::vector<T> out;
    for (std::size_t i = 0; i < on.rows; ++i) {
        out.push_back(arithmetic<Acc>::template rounded<T>(dot<Acc>(&on.x[i * on.features], on.w.data(), on.features)));
    }
    return out;
}

/// Unrounded residuals.
template <class Acc, class T>
std::vector<Acc> residuals(const dense_problem<T>& on) {
    std::vector<Acc> r;
    for (std::size_t i = 0; i < on.rows; ++i) {
        r.push_back(arithmetic<Acc>::minus(dot<Acc>(&on.x[i * on.features], on.w.data(), on.features), on.y[i]));
    }
    return r;
}

template <class Acc, class T>
std::vector<T> residual(const dense_problem<T>& on) {
    std::vector<T> out;
    for (const Acc r : residuals<Acc>(on)) {
        out.push_back(arithmetic<Acc>::template rounded<T>(r));
    }
    return out;
}

/// sum over rows of term(i): in order within a row panel, panels in the tree.
template <class Acc, class Term>
Acc sum_over_rows(std::size_t rows, Term term) {
    const std::size_t panel = bitstep::numerics_panels().row_panel;
    carry_merge<Acc> tree;
    for (std::size_t begin = 0; begin < rows; begin += panel) {
        Acc sum{};
        for (std::size_t i = begin; i < std::min(rows, begin + panel); ++i) {
            sum = sum + term(i);
        }
        tree.push(sum);
    }
    return tree.total();
}

/// The gradient's d elements, then the mean squared error.
template <class Acc, class T>
std::vector<T> gradient(const dense_problem<T>& on) {
    using op = arithmetic<Acc>;
    using squares = typename op::square_sum;
    const std::vector<Acc> r = residuals<Acc>(on);
    std::vector<T> out;
    for (std::size_t j = 0; j < on.features; ++j) {
        const Acc sum =
            sum_over_rows<Acc>(on.rows, [&](std::size_t i) { return op::times(r[i], on.x[i * on.features + j]); });
        out.push_back(op::template rounded<T>(op::divided(op::twice(sum), on.rows)));
    }
    const squares sum = sum_over_rows<squares>(on.rows, [&](std::size_t i) { return op::square(r[i]); });
    out.push_back(arithmetic<squares>::template rounded<T>(arithmetic<squares>::divided(sum, on.rows)));
    return out;
}

/// The mean over workers; counts empty: each counts once.
template <class Acc, class T>
std::vector<T> mean(const std::vector<std::vector<T>>& workers, std::vector<long long> counts = {}) {
    using op = arithmetic<Acc>;
    if (counts.empty()) {
        counts.assign(workers.size(), 1);
    }
    long long divisor = 0;
    long long total = 0;
    for (const long long count : counts) {
        divisor = std::gcd(divisor, count);
    }
    for (const long long count : counts) {
        total += count / divisor;
    }
    std::vector<T> out(workers[0].size());
    for (std::size_t j = 0; j < out.size(); ++j) {
        carry_merge<Acc> tree;
        for (std::size_t i = 0; i < workers.size(); ++i) {
            tree.push(Acc{} + op::weighted(workers[i][j], counts[i] / divisor));
        }
        out[j] = op::template rounded<T>(op::divided(tree.total(), static_cast<std::size_t>(total)));
    }
    return out;
}

/// Adam's and EMA's scalars, each rounded to T once. The powers beta^t come from outside: see oracle.hpp.
template <class T>
struct step_scalars {
    T lr, eps, beta1, beta2, decay, rest1, rest2, rest_decay, correction1, correction2;

    step_scalars(const bitstep::hyper_parameters& hyper, double beta1_power, double beta2_power)
        : lr(static_cast<T>(hyper.lr)), eps(static_cast<T>(hyper.eps)), beta1(static_cast<T>(hyper.beta1)),
          beta2(static_cast<T>(hyper.beta2)), decay(static_cast<T>(hyper.decay)),
          rest1(static_cast<T>(1.0 - hyper.beta1)), rest2(static_cast<T>(1.0 - hyper.beta2)),
          rest_decay(static_cast<T>(1.0 - hyper.decay)), correction1(static_cast<T>(1.0 - beta1_power)),
          correction2(static_cast<T>(1.0 - beta2_power)) {}
};

/// [w', e', m', v'] from a flat [w, e, m, v].
template <class T>
std::vector<T> adam_ema(const std::vector<T>& grad, std::vector<T> flat, const step_scalars<T>& by) {
    const bitstep::state_view<T> state = quarters(flat.data(), grad.size());
    for (std::size_t j = 0; j < grad.size(); ++j) {
        const T g = grad[j];
        const T m = (by.beta1 * state.m[j]) + (by.rest1 * g);
        const T v = (by.beta2 * state.v[j]) + ((by.rest2 * g) * g);
        const T m_hat = m / by.correction1;
        const T v_hat = v / by.correction2;
        const T w = state.weights[j] - (by.lr * m_hat) / (std::sqrt(v_hat) + by.eps);
        state.ema_weights[j] = (by.decay * state.ema_weights[j]) + (by.rest_decay * w);
        state.weights[j] = w;
        state.m[j] = m;
        state.v[j] = v;
    }
    return flat;
}

} // namespace bitstep_test::contract
