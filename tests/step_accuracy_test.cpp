// SPDX-License-Identifier: Apache-2.0
// Proves that Adam and EMA are close to the truth: every element of w', e', m', v' against the formulas in 320 bits with
// the hyper-parameters as given, within bounds made of the roundings on its way.
//
// Derivation, in units of u (T's rounding unit), first order, each bound then doubled:
//   m': beta1, 1 - beta1, two products, a sum: 4 u M with M = |beta1 m| + |(1 - beta1) g|;
//   v': no term is negative, so 5 u v'; 1 - beta^t: c = u + 2^-53 (1 + beta^t / (1 - beta^t)) for T and for double's power;
//   the step s = lr m_hat / (sqrt(v_hat) + eps): lr M_hat / (...) times (4 u) from m', and |s| times
//   (c1 + u) + 2 u (lr and its product) + (5 u + c2 + u) / 2 + u (root) + 2 u (eps and the sum) + u (division).
#include "support/arch_threads.hpp"
#include "support/oracle.hpp"
#include "support/problem.hpp"
#include "support/state.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bitstep_test {
namespace {

using oracle::real;
namespace mp = oracle::mp;

template <class T>
class step_accuracy_test : public testing::Test {};
TYPED_TEST_SUITE(step_accuracy_test, element_types, element_names);

struct exact_update {
    real w, e, m, v;
    real w_bound, e_bound, m_bound, v_bound;
};

template <class T>
exact_update update(T grad, T w, T e, T m, T v, const bitstep::hyper_parameters& by) {
    const real u = mp::ldexp(real(1), -std::numeric_limits<T>::digits);
    const real power1 = oracle::power(by.beta1, by.t);
    const real power2 = oracle::power(by.beta2, by.t);
    const real double_u = mp::ldexp(real(1), -53);
    const real correction1_error = u + double_u * (1 + power1 / (1 - power1));
    const real correction2_error = u + double_u * (1 + power2 / (1 - power2));
    const real g(grad);
    exact_update to;
    const real old_m = real(by.beta1) * real(m);
    const real new_m = (1 - real(by.beta1)) * g;
    const real magnitude = mp::abs(old_m) + mp::abs(new_m);
    to.m = old_m + new_m;
    to.m_bound = 2 * (4 * u * magnitude);
    to.v = real(by.beta2) * real(v) + (1 - real(by.beta2)) * g * g;
    to.v_bound = 2 * (5 * u * to.v);
    const real scale = real(by.lr) / (mp::sqrt(to.v / (1 - power2)) + real(by.eps)) / (1 - power1);
    const real step = scale * to.m;
    to.w = real(w) - step;
    const real relative = correction1_error + u + 2 * u + (6 * u + correction2_error) / 2 + u + 2 * u + u;
    to.w_bound = 2 * (u * mp::abs(to.w) + 4 * u * scale * magnitude + relative * mp::abs(step));
    const real old_e = real(by.decay) * real(e);
    const real new_e = (1 - real(by.decay)) * to.w;
    to.e = old_e + new_e;
    to.e_bound = 2 * (4 * u * (mp::abs(old_e) + mp::abs(new_e)) + (1 - real(by.decay)) * to.w_bound);
    return to;
}

TYPED_TEST(step_accuracy_test, every_output_is_within_its_bound) {
    const std::size_t size = 300;
    split_mix64 random(3);
    const auto grad = draw_many<TypeParam>(random, size, data_kind::spread);
    const auto flat = make_state<TypeParam>(4, size);
    double worst = 0;
    for (const bitstep::hyper_parameters& hyper : {bitstep::hyper_parameters{0.01, 0.9, 0.999, 1e-8, 0.995, 1},
                                                   {0.3, 0.9, 0.999, 1e-4, 0.5, 1000},
                                                   {1e-3, 0, 0, 1e-8, 0, 7},
                                                   {1e-3, 0.5, 0.99, 1.0, 1, 1000000},
                                                   {10, 0.99, 0.9999, 1e-3, 0.9, 10}}) {
        SCOPED_TRACE("t = " + std::to_string(hyper.t));
        auto got = flat;
        expect_ok(bitstep::adam_ema_update<TypeParam>({grad.data(), size}, quarters(got.data(), size), hyper,
                                                      reference_options(bitstep::accumulate_mode::native)));
        const auto was = quarters(flat.data(), size);
        const auto is = quarters(got.data(), size);
        for (std::size_t j = 0; j < size; ++j) {
            const exact_update to =
                update<TypeParam>(grad[j], was.weights[j], was.ema_weights[j], was.m[j], was.v[j], hyper);
            EXPECT_LE(mp::abs(real(is.m[j]) - to.m), to.m_bound) << "m, element " << j;
            EXPECT_LE(mp::abs(real(is.v[j]) - to.v), to.v_bound) << "v, element " << j;
            EXPECT_LE(mp::abs(real(is.weights[j]) - to.w), to.w_bound) << "weights, element " << j;
            EXPECT_LE(mp::abs(real(is.ema_weights[j]) - to.e), to.e_bound) << "ema_weights, element " << j;
            worst = std::max(worst, static_cast<double>(mp::abs(real(is.weights[j]) - to.w) / to.w_bound));
        }
    }
    EXPECT_GT(worst, 0.01) << "bounds this loose prove nothing";
    this->RecordProperty("worst_ratio_to_bound", std::to_string(worst));
}

} // namespace
} // namespace bitstep_test
