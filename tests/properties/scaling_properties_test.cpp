// SPDX-License-Identifier: Apache-2.0
// Signs and powers of two: round to nearest is symmetric, and scaling by a power of two is exact where nothing over- or
// underflows. The data are multiples of 2^-29 (float) or 2^-58 below 2^6, and exponents stay within +-8, so no product of x, w
// and a residual comes near the range's ends, error terms of the wide mode of double included.
#include "properties/drawn.hpp"

namespace bitstep_test {
namespace {

template <class T>
class scaling_properties : public testing::Test {};
TYPED_TEST_SUITE(scaling_properties, element_types, element_names);

inline int draw_exponent() { return static_cast<int>(draw_between(0, 16)) - 8; }

/// The gradient scaled by one power of two, the mean squared error by another.
template <class T>
std::vector<T> scaled_parts(const std::vector<T>& gradient, int exponent, int mse_exponent) {
    auto made = scaled(gradient, exponent);
    made.back() = gradient.back() * power_of_two<T>(mse_exponent);
    return made;
}

// x 2^a times w 2^-a is the same product: predictions and residuals stay, and with them the mean squared error; g gets 2^a.
TYPED_TEST(scaling_properties, features_and_weights_by_opposite_powers) {
    using T = TypeParam;
    holds("features and weights by opposite powers", [] {
        const auto mode = draw_mode();
        auto on = draw_problem<T>(data_kind::usual);
        const int a = draw_exponent();
        auto want = results_of(on, reference_options(mode));
        want.gradient = scaled_parts(want.gradient, a, 0);
        on.x = scaled(on.x, a);
        on.w = scaled(on.w, -a);
        on_every_arch(mode, [&](const bitstep::options& opts) { require_same_results(results_of(on, opts), want); });
    });
}

// The same for each feature with a power of its own: the lanes' sums hold the same products.
TYPED_TEST(scaling_properties, each_feature_by_a_power_of_its_own) {
    using T = TypeParam;
    holds("each feature by a power of its own", [] {
        const auto mode = draw_mode();
        auto on = draw_problem<T>(data_kind::usual);
        auto want = gradient_of(on, reference_options(mode));
        split_mix64 random(draw_seed());
        for (std::size_t j = 0; j < on.features; ++j) {
            const int a = static_cast<int>(random.integer(-8, 8));
            const T sign = random.index(2) == 0 ? T(1) : T(-1); // with both negated, too
            on.w[j] = sign * on.w[j] * power_of_two<T>(-a);
            want[j] = T(0) + sign * want[j] * power_of_two<T>(a);
            for (std::size_t i = 0; i < on.rows; ++i) {
                T& x = on.x[i * on.features + j];
                x = sign * x * power_of_two<T>(a);
            }
        }
        on_every_arch(mode, [&](const bitstep::options& opts) { require_same_bits(gradient_of(on, opts), want); });
    });
}

// Residuals get 2^a, their squares 2^2a.
TYPED_TEST(scaling_properties, targets_and_weights_by_one_power) {
    using T = TypeParam;
    holds("targets and weights by one power", [] {
        const auto mode = draw_mode();
        auto on = draw_problem<T>(data_kind::usual);
        const int a = draw_exponent();
        const auto left = scaled(residual_of(on, reference_options(mode)), a);
        const auto want = scaled_parts(gradient_of(on, reference_options(mode)), a, 2 * a);
        on.y = scaled(on.y, a);
        on.w = scaled(on.w, a);
        on_every_arch(mode, [&](const bitstep::options& opts) {
            require_same_bits(residual_of(on, opts), left);
            require_same_bits(gradient_of(on, opts), want);
        });
    });
}

// Every rounding of -a is minus that of a; only a zero keeps its sign, being +0 plus something.
TYPED_TEST(scaling_properties, negated_targets_and_weights_negate_the_gradient) {
    using T = TypeParam;
    holds("negated targets and weights negate the gradient", [] {
        const auto mode = draw_mode();
        auto on = draw_problem<T>(draw_kind());
        const auto before = gradient_of(on, reference_options(mode));
        auto want = negated(before);
        want.back() = before.back();
        on.y = negated(on.y);
        on.w = negated(on.w);
        on_every_arch(mode, [&](const bitstep::options& opts) { require_same_bits(gradient_of(on, opts), want); });
    });
}

} // namespace
} // namespace bitstep_test
