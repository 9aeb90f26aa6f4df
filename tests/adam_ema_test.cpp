// SPDX-License-Identifier: Apache-2.0
// Proves for adam_ema_update: kernels equal the reference and the plain formulas (support/contract.hpp) bit for bit at
// every size, address and team; 1 - beta^t is one double subtraction after the correctly rounded power; special values
// give what IEEE says.
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/contract_pair.hpp"
#include "support/oracle.hpp"
#include "support/problem.hpp"
#include "support/state.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <climits>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;
using bitstep::hyper_parameters;

template <class T>
class adam_ema_test : public testing::Test {};
TYPED_TEST_SUITE(adam_ema_test, element_types, element_names);

template <class T>
std::vector<T> run_update(const std::vector<T>& grad, const std::vector<T>& flat, const hyper_parameters& hyper,
                          const bitstep::options& opts, std::size_t number = 0) {
    const misaligned_buffer<T> placed_grad(grad, number + 4);
    placed_state<T> state(flat, number);
    expect_ok(bitstep::adam_ema_update<T>({placed_grad.data(), grad.size()}, state.view(), hyper, opts));
    EXPECT_TRUE(state.marks_intact()) << "adam_ema_update wrote outside the state";
    EXPECT_TRUE(same_bits(placed_grad.values(), grad)) << "adam_ema_update changed the gradient";
    return state.flat();
}

template <class T>
std::vector<T> by_contract(const std::vector<T>& grad, const std::vector<T>& flat, const hyper_parameters& hyper) {
    const contract::step_scalars<T> scalars(hyper, oracle::power_as_double(hyper.beta1, hyper.t),
                                            oracle::power_as_double(hyper.beta2, hyper.t));
    return contract::adam_ema(grad, flat, scalars);
}

template <class T>
void expect_equals_contract(std::size_t size, data_kind kind, const hyper_parameters& hyper) {
    SCOPED_TRACE("d = " + std::to_string(size));
    split_mix64 random(size);
    const std::vector<T> grad = draw_many<T>(random, size, kind);
    const std::vector<T> flat = make_state<T>(size + 1, size, kind);
    const std::vector<T> want = by_contract(grad, flat, hyper);
    std::size_t number = size;
    const auto compare = [&](const bitstep::options& opts) {
        EXPECT_TRUE(same_bits(run_update(grad, flat, hyper, opts, number++), want));
        return want.size();
    };
    if (size >= elements_of_three_tasks) {
        for_each_arch_and_threads(accumulate_mode::native, compare);
    } else {
        for_each_arch(accumulate_mode::native, compare);
    }
}

const hyper_parameters usual{0.01, 0.9, 0.999, 1e-8, 0.995, 3};

TYPED_TEST(adam_ema_test, equals_the_plain_formulas_at_every_size) {
    for (std::size_t size = 1; size <= 70; ++size) {
        expect_equals_contract<TypeParam>(size, data_kind::spread, usual);
    }
    for (const std::size_t size : {255U, 256U, 257U, 1021U, 4095U, 4097U, 70001U}) {
        expect_equals_contract<TypeParam>(size, data_kind::spread, usual);
    }
}

TYPED_TEST(adam_ema_test, equals_the_plain_formulas_on_special_and_tiny_numbers) {
    for (const std::size_t size : {517U, 70001U}) { // the second is shared by a team
        expect_equals_contract<TypeParam>(size, data_kind::special, usual);
        expect_equals_contract<TypeParam>(size, data_kind::tiny, usual);
    }
}

TYPED_TEST(adam_ema_test, every_address_gives_the_same_bits) {
    split_mix64 random(1);
    const auto grad = draw_many<TypeParam>(random, 83, data_kind::spread);
    const auto flat = make_state<TypeParam>(2, 83);
    const auto want = by_contract(grad, flat, usual);
    for (const bitstep::arch which : runnable_archs()) {
        for (std::size_t number = 0; number < offsets_per_line<TypeParam>; ++number) {
            ASSERT_TRUE(
                same_bits(run_update(grad, flat, usual, forced(which, 1, accumulate_mode::native), number), want))
                << bitstep::arch_name(which) << ", layout " << number;
        }
    }
}

/// accumulate has nothing to sum here and must change nothing.
TYPED_TEST(adam_ema_test, wide_equals_native) {
    split_mix64 random(4);
    const auto grad = draw_many<TypeParam>(random, 83, data_kind::spread);
    const auto flat = make_state<TypeParam>(5, 83);
    for_each_arch(accumulate_mode::wide, [&](const bitstep::options& opts) {
        EXPECT_TRUE(same_bits(run_update(grad, flat, usual, opts), by_contract(grad, flat, usual)));
        return flat.size();
    });
}

/// beta^t as a training run meets it: each pair's bias correction shows in the bits of w'.
TYPED_TEST(adam_ema_test, powers_are_the_correctly_rounded_ones) {
    split_mix64 random(6);
    const auto grad = draw_many<TypeParam>(random, 16, data_kind::usual);
    const auto flat = make_state<TypeParam>(7, 16, data_kind::usual);
    std::vector<long long> steps = {100, 1000, 9999, 100000, 1000000};
    for (long long t = 1; t <= 64; ++t) {
        steps.push_back(t);
    }
    for (const auto& [beta1, beta2] : {std::pair{0.9, 0.999},
                                       {0.95, 0.98},
                                       {0.8, 0.9999},
                                       {0.5, 0.25},
                                       {0.99, 0.999999},
                                       {1.0 - 0x1p-53, 1.0 - 0x1p-40},
                                       {0x1p-53, 1e-300},
                                       {0.7, 0x1p-1074}}) {
        for (const long long t : steps) {
            const hyper_parameters hyper{0.01, beta1, beta2, 1e-3, 0.9, t};
            ASSERT_TRUE(same_bits(run_update(grad, flat, hyper, reference_options(accumulate_mode::native)),
                                  by_contract(grad, flat, hyper)))
                << "beta1 " << beta1 << ", beta2 " << beta2 << ", t " << t;
        }
    }
}

/// Where beta is so near 1 that t can reach anything, the page's order of squares fixes the bits.
TYPED_TEST(adam_ema_test, powers_follow_the_page_for_any_t) {
    split_mix64 random(8);
    const auto grad = draw_many<TypeParam>(random, 16, data_kind::usual);
    const auto flat = make_state<TypeParam>(9, 16, data_kind::usual);
    for (const double beta : {1.0 - 0x1p-53, 1.0 - 0x1p-50, 1.0 - 0x1.8p-40, 0.999999999, 0x1p-1074}) {
        for (const long long t : {1LL, 2LL, 3LL, 1LL << 31, (1LL << 53) - 1, 1LL << 53, (1LL << 53) + 1, LLONG_MAX}) {
            const hyper_parameters hyper{0.01, beta, beta, 1e-3, 0.9, t};
            const double power = contract::power(beta, t);
            EXPECT_TRUE(
                same_bits(run_update(grad, flat, hyper, reference_options(accumulate_mode::native)),
                          contract::adam_ema(grad, flat, contract::step_scalars<TypeParam>(hyper, power, power))))
                << "beta 1 - " << 1.0 - beta << ", t " << t;
            EXPECT_NEAR(power, oracle::power_as_double(beta, t), 0x1p-49) << "beta 1 - " << 1.0 - beta << ", t " << t;
        }
    }
}

TYPED_TEST(adam_ema_test, extreme_hyper_parameters_equal_the_plain_formulas) {
    const auto tiny = static_cast<double>(std::numeric_limits<TypeParam>::denorm_min());
    const auto huge = static_cast<double>(std::numeric_limits<TypeParam>::max());
    const hyper_parameters table[] = {
        {0, 0.9, 0.999, 1e-8, 0.999, 1}, // lr = 0
        {0.1, 0, 0, 1e-8, 0.999, 1},     // betas 0
        {0.1, 0.9, 0.999, 1e-8, 0, 1},   // decay = 0
        {0.1, 0.9, 0.999, 1e-8, 1, 1},   // decay = 1
        {0.1, 0.9, 0.999, 1e-8, 0.5, 1LL << 53},
        {0.1, 0.9, 0.999, 1e-8, 0.5, LLONG_MAX},
        {0.1, 0.9, 0.999, tiny, 0.5, 1},                             // the smallest eps that T can hold
        {huge, 0.9, 0.999, 1e-8, 0.5, 1},                            // the largest lr
        {0.1, 0.9, 0.999, huge, 0.5, 1},                             // the largest eps
        {0.1, 1.0 - 0x1p-53, 1.0 - 0x1p-53, 1e-8, 1.0 - 0x1p-53, 1}, // 1 - beta in double, 1 in float after rounding
    };
    for (const hyper_parameters& hyper : table) {
        SCOPED_TRACE("row " + std::to_string(&hyper - table));
        expect_equals_contract<TypeParam>(37, data_kind::usual, hyper);
    }
}

/// Zero gradient, zero moments: 0 / (0 + eps), never 0 / 0.
TYPED_TEST(adam_ema_test, all_zero_stays_zero) {
    const std::vector<TypeParam> grad(21, 0);
    const std::vector<TypeParam> flat(84, 0);
    for_each_arch(accumulate_mode::native, [&](const bitstep::options& opts) {
        EXPECT_TRUE(same_bits(run_update(grad, flat, usual, opts), flat));
        return flat.size();
    });
}

TYPED_TEST(adam_ema_test, check_state_accepts_a_good_state_and_changes_no_bit) {
    constexpr std::size_t size = elements_of_three_tasks;
    split_mix64 random(9);
    const auto grad = draw_many<TypeParam>(random, size, data_kind::spread);
    auto flat = make_state<TypeParam>(10, size);
    flat[3 * size + 5] = TypeParam(-0.0); // as a value, -0 is not negative
    const auto want = by_contract(grad, flat, usual);
    for_each_arch_and_threads(accumulate_mode::native, [&](const bitstep::options& opts) {
        bitstep::options checking = opts;
        checking.check_state = bitstep::check_mode::on;
        EXPECT_TRUE(same_bits(run_update(grad, flat, usual, checking), want));
        return flat.size();
    });
}

} // namespace
} // namespace bitstep_test
