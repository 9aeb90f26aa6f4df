// SPDX-License-Identifier: Apache-2.0
// The rivals with Eigen, compiled once per instruction set. Eigen's templates are inline functions with one name whatever
// the flags, and a linker keeps one copy of each: BITSTEP_EIGEN renames the namespace per instruction set.
#include "rivals.hpp"

#define Eigen BITSTEP_EIGEN
#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace bitstep_bench {
namespace {

template <class T>
using const_array = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
template <class T>
using array = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;

template <class T>
void pair(const pair_block<T>& block) {
    using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
    using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto rows = static_cast<Eigen::Index>(block.rows);
    const auto features = static_cast<Eigen::Index>(block.features);
    const Eigen::Map<const matrix> x(block.x, rows, features);
    const Eigen::Map<const vector> y(block.y, rows);
    const Eigen::Map<const vector> w(block.w, features);
    Eigen::Map<vector> r(block.residual, rows);
    Eigen::Map<vector> grad(block.grad, features);
    r.noalias() = x * w;
    r = block.scale * (r - y);
    if (block.first) {
        grad.noalias() = x.transpose() * r;
    } else {
        grad.noalias() += x.transpose() * r;
    }
}

/// A block of all nine arrays stays in L1, so that memory sees one pass although Eigen needs one loop per array.
template <bool Folded, class T>
void update(const update_block<T>& all) {
    const bitstep::hyper_parameters& h = all.hyper;
    const auto t = static_cast<double>(h.t);
    const T correction1 = static_cast<T>(1 - std::pow(h.beta1, t));
    const T correction2 = static_cast<T>(1 - std::pow(h.beta2, t));
    const T step = static_cast<T>(h.lr) / correction1, inverse2 = 1 / correction2;
    const T lr = static_cast<T>(h.lr), eps = static_cast<T>(h.eps), decay = static_cast<T>(h.decay);
    const T beta1 = static_cast<T>(h.beta1), beta2 = static_cast<T>(h.beta2);
    const T rest1 = static_cast<T>(1 - h.beta1), rest2 = static_cast<T>(1 - h.beta2);
    const T rest = static_cast<T>(1 - h.decay);
    constexpr std::size_t block = 4096 / sizeof(T);
    for (std::size_t at = all.begin; at < all.end; at += block) {
        const auto size = static_cast<Eigen::Index>(std::min(block, all.end - at));
        const const_array<T> g(all.grad + at, size);
        const const_array<T> w(all.in[0] + at, size), ema(all.in[1] + at, size);
        const const_array<T> m(all.in[2] + at, size), v(all.in[3] + at, size);
        array<T> new_w(all.out[0] + at, size), new_ema(all.out[1] + at, size);
        array<T> new_m(all.out[2] + at, size), new_v(all.out[3] + at, size);
        new_m = beta1 * m + rest1 * g;
        new_v = beta2 * v + rest2 * g * g;
        if constexpr (Folded) {
            new_w = w - step * new_m / ((new_v * inverse2).sqrt() + eps);
        } else {
            new_w = w - lr * (new_m / correction1) / ((new_v / correction2).sqrt() + eps);
        }
        new_ema = decay * ema + rest * new_w;
    }
}

} // namespace

extern const eigen_set BITSTEP_RIVAL_SET;
const eigen_set BITSTEP_RIVAL_SET = {{&pair<float>, &update<false, float>, &update<true, float>},
                                     {&pair<double>, &update<false, double>, &update<true, double>}};

} // namespace bitstep_bench
