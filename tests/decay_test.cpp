// SPDX-License-Identifier: Apache-2.0
// Proves: moments that decay through the subnormal numbers, as those of a parameter without gradients do, have the same
// bits on every kernel set and every team, step by step. beta * m rounds to m again at a few units of the smallest number
// where beta > 1/2, so a moment that once was not zero stays subnormal for ever and only a beta up to 1/2 brings it to zero.
#include <bitstep/adam_ema_update.hpp>

#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/problem.hpp"
#include "support/state.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class decay_test : public testing::Test {};
TYPED_TEST_SUITE(decay_test, element_types, element_names);

constexpr int steps = 10000;

/// Moments that start at every size: some reach the subnormal numbers within ten steps, some after thousands.
template <class T>
std::vector<T> decaying_state(std::size_t size) {
    std::vector<T> flat = make_state<T>(size, size, data_kind::usual);
    const int lowest = std::numeric_limits<T>::min_exponent;
    for (std::size_t i = 0; i < size; ++i) {
        const T scale = power_of_two<T>(lowest + 8 - static_cast<int>(i % 17) * lowest / 16);
        flat[2 * size + i] *= scale;
        flat[3 * size + i] *= scale;
    }
    return flat;
}

bitstep::hyper_parameters hyper_at(int step) {
    bitstep::hyper_parameters hyper;
    hyper.beta1 = step % 4000 < 3000 ? 0.9 : 0.5; // below, what was stuck moves on to zero
    hyper.beta2 = 0.99;
    hyper.decay = 0.9999;
    hyper.t = step + 1;
    return hyper;
}

struct moments_seen {
    std::size_t subnormal = 0;
    std::size_t zero = 0;
};

template <class T>
moments_seen count_moments(const std::vector<T>& flat) {
    moments_seen seen;
    for (std::size_t i = flat.size() / 2; i < flat.size(); ++i) {
        seen.subnormal += std::fpclassify(flat[i]) == FP_SUBNORMAL ? 1 : 0;
        seen.zero += flat[i] == T(0) ? 1 : 0;
    }
    return seen;
}

/// The states after each tenth of the steps with a zero gradient (of either sign), one after another.
template <class T>
std::vector<T> states_on_the_way(std::size_t size, int last, const bitstep::options& opts) {
    std::vector<T> flat = decaying_state<T>(size);
    std::vector<T> all;
    std::vector<T> grad(size);
    for (std::size_t i = 0; i < size; ++i) {
        grad[i] = i % 2 == 0 ? T(0.0) : T(-0.0);
    }
    for (int step = 0; step < last; ++step) {
        const bitstep::status done =
            bitstep::adam_ema_update<T>({grad.data(), size}, quarters(flat.data(), size), hyper_at(step), opts);
        if (!done.ok()) {
            ADD_FAILURE() << done.message();
            break;
        }
        if ((step + 1) % (last / 10) == 0) {
            all.insert(all.end(), flat.begin(), flat.end());
        }
    }
    return all;
}

TYPED_TEST(decay_test, ten_thousand_steps_without_a_gradient) {
    constexpr std::size_t size = 77;
    const auto want = states_on_the_way<TypeParam>(size, steps, reference_options(accumulate_mode::native));
    const moments_seen on_the_way = count_moments(std::vector<TypeParam>(want.begin(), want.begin() + 4 * size));
    const moments_seen at_last = count_moments(std::vector<TypeParam>(want.end() - 4 * size, want.end()));
    EXPECT_GT(on_the_way.subnormal, 0U) << "no moment was subnormal: this test proved nothing";
    EXPECT_GT(at_last.subnormal, 0U);
    EXPECT_GT(at_last.zero, 0U) << "no moment reached zero";
    for (const bitstep::arch which : runnable_archs()) {
        SCOPED_TRACE(bitstep::arch_name(which));
        EXPECT_TRUE(
            same_bits(states_on_the_way<TypeParam>(size, steps, forced(which, 1, accumulate_mode::native)), want));
    }
}

/// With fewer steps.
TYPED_TEST(decay_test, every_team) {
    constexpr std::size_t size = elements_of_three_tasks;
    constexpr int few = 20;
    const auto want = states_on_the_way<TypeParam>(size, few, reference_options(accumulate_mode::native));
    EXPECT_GT(count_moments(want).subnormal, 0U) << "no moment was subnormal: this test proved nothing";
    for_each_arch_and_threads(accumulate_mode::native, [&](const bitstep::options& opts) {
        EXPECT_TRUE(same_bits(states_on_the_way<TypeParam>(size, few, opts), want));
        return want.size();
    });
}

/// The formula by hand, for one moment that is stuck: 4 * 2^-149 (or 2^-1074) times 0.9 rounds to itself.
TYPED_TEST(decay_test, a_moment_can_be_stuck_at_four_units) {
    const TypeParam unit = std::numeric_limits<TypeParam>::denorm_min();
    for (const bitstep::arch which : runnable_archs()) {
        TypeParam state[] = {1, 1, 4 * unit, 4 * unit};
        const TypeParam grad = 0;
        expect_ok(bitstep::adam_ema_update<TypeParam>({&grad, 1}, quarters(state, 1), {0, 0.9, 0.5, 1e-8, 0.5, 1},
                                                      forced(which, 1, accumulate_mode::native)));
        EXPECT_EQ(state[2], 4 * unit) << bitstep::arch_name(which);
        EXPECT_EQ(state[3], 2 * unit) << bitstep::arch_name(which);
    }
}

} // namespace
} // namespace bitstep_test
