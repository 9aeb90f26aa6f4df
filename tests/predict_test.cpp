// SPDX-License-Identifier: Apache-2.0
// Proves for predict and residual: kernels equal the reference bit for bit at every shape, address and team; the
// reference gives the contract's bits; residual is predict minus y in native mode; NaN and infinities propagate to the
// rows they belong to and to no other.
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/contract_pair.hpp"
#include "support/problem.hpp"
#include "support/shapes.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class predict_test : public testing::Test {};
TYPED_TEST_SUITE(predict_test, element_types, element_names);

template <class T>
void expect_equals_reference(const shape& of, data_kind kind) {
    SCOPED_TRACE(describe(of));
    const auto data = make_problem<T>(of.rows * 17 + of.features, of.rows, of.features, kind);
    wandering_problem<T> wandering(data, of.rows);
    for (const accumulate_mode mode : every_mode) {
        if (too_long_here<T>(mode, of.rows * of.features)) {
            continue;
        }
        const placed_problem<T> at_home(data, {});
        const std::vector<T> predicted = run_predict(at_home, reference_options(mode));
        const std::vector<T> residuals = run_residual(at_home, reference_options(mode));
        for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
            const placed_problem<T>& placed = wandering.next();
            EXPECT_TRUE(same_bits(run_predict(placed, opts), predicted)) << "predict";
            EXPECT_TRUE(same_bits(run_residual(placed, opts), residuals)) << "residual";
            return predicted.size();
        });
    }
}

TYPED_TEST(predict_test, kernels_equal_the_reference_around_the_lanes) {
    for (const shape& of : lane_shapes<TypeParam>()) {
        expect_equals_reference<TypeParam>(of, data_kind::spread);
    }
}

TYPED_TEST(predict_test, kernels_equal_the_reference_around_the_column_panel) {
    for (const shape& of : panel_shapes()) {
        expect_equals_reference<TypeParam>(of, data_kind::usual);
    }
    for (const shape& of : long_shapes()) {
        expect_equals_reference<TypeParam>(of, data_kind::usual);
    }
}

TYPED_TEST(predict_test, kernels_equal_the_reference_on_special_and_tiny_numbers) {
    expect_equals_reference<TypeParam>({67, 5, "NaN from a padded lane"}, data_kind::special);
    expect_equals_reference<TypeParam>({997, 77, "denormals flushed, in any thread"}, data_kind::tiny);
}

TYPED_TEST(predict_test, every_address_gives_the_same_bits) {
    const auto data = make_problem<TypeParam>(8, 9, 83, data_kind::spread);
    for (const accumulate_mode mode : every_mode) {
        const auto want = run_residual(placed_problem<TypeParam>(data, {}), reference_options(mode));
        for (const bitstep::arch which : runnable_archs()) {
            for (std::size_t offset = 0; offset < offsets_per_line<TypeParam>; ++offset) {
                for (const layout& where : {layout{offset, 0, 0, 0, 0}, layout{0, offset, 0, 0, 0},
                                            layout{0, 0, offset, 0, 1}, layout{0, 0, 0, offset, 7}}) {
                    const placed_problem<TypeParam> placed(data, where);
                    ASSERT_TRUE(same_bits(run_residual(placed, forced(which, 1, mode)), want))
                        << bitstep::arch_name(which) << " at offset " << offset << " " << mode_name(mode);
                }
            }
        }
    }
}

TYPED_TEST(predict_test, the_reference_gives_the_bits_of_the_contract) {
    auto shapes = lane_shapes<TypeParam>();
    const auto longer = panel_shapes();
    shapes.insert(shapes.end(), longer.begin(), longer.end());
    for (const shape& of : shapes) {
        SCOPED_TRACE(describe(of));
        const auto data = make_problem<TypeParam>(of.rows + 3 * of.features, of.rows, of.features, data_kind::spread);
        const placed_problem<TypeParam> placed(data, {});
        const auto native = reference_options(accumulate_mode::native);
        EXPECT_TRUE(same_bits(run_predict(placed, native), contract::predict<TypeParam>(data)));
        EXPECT_TRUE(same_bits(run_residual(placed, native), contract::residual<TypeParam>(data)));
        using wide_sum = contract::wide_sum<TypeParam>;
        const auto wide = reference_options(accumulate_mode::wide);
        EXPECT_TRUE(same_bits(run_predict(placed, wide), contract::predict<wide_sum>(data)));
        EXPECT_TRUE(same_bits(run_residual(placed, wide), contract::residual<wide_sum>(data)));
    }
}

TYPED_TEST(predict_test, native_residual_is_predict_minus_y) {
    const auto data = make_problem<TypeParam>(21, 133, 301, data_kind::spread);
    const placed_problem<TypeParam> placed(data, layout::numbered(7));
    for_each_arch_and_threads(accumulate_mode::native, [&](const bitstep::options& opts) {
        auto want = run_predict(placed, opts);
        for (std::size_t i = 0; i < want.size(); ++i) {
            want[i] -= data.y[i];
        }
        EXPECT_TRUE(same_bits(run_residual(placed, opts), want));
        return want.size();
    });
}

TYPED_TEST(predict_test, residual_may_overwrite_y) {
    const auto data = make_problem<TypeParam>(22, 2053, 41, data_kind::spread);
    const placed_problem<TypeParam> placed(data, {});
    for (const accumulate_mode mode : every_mode) {
        const auto want = run_residual(placed, reference_options(mode));
        for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
            misaligned_buffer<TypeParam> y(data.y, 3);
            expect_ok(
                bitstep::residual<TypeParam>(placed.x(), {y.data(), y.size()}, placed.w(), {y.data(), y.size()}, opts));
            EXPECT_TRUE(same_bits(y.values(), want));
            EXPECT_TRUE(y.marks_intact());
            return want.size();
        });
    }
}

/// One NaN, one +inf, one inf - inf, one overflow: each in its own row; all other rows stay finite.
TYPED_TEST(predict_test, non_finite_values_propagate_to_their_rows_alone) {
    using limits = std::numeric_limits<TypeParam>;
    auto data = make_problem<TypeParam>(23, 133, 53, data_kind::usual);
    for (std::size_t j = 0; j < data.features; ++j) {
        data.w[j] = 1;
    }
    data.x[3 * 53 + 52] = limits::quiet_NaN();
    data.x[64 * 53 + 7] = limits::infinity();
    data.x[65 * 53 + 0] = limits::infinity();
    data.x[65 * 53 + 40] = -limits::infinity();
    data.x[132 * 53 + 1] = -limits::infinity();
    data.y[10] = limits::infinity();
    data.y[64] = limits::infinity(); // inf - inf
    for (const accumulate_mode mode : every_mode) {
        for_each_arch(mode, [&](const bitstep::options& opts) {
            const placed_problem<TypeParam> placed(data, layout::numbered(9));
            const auto predicted = run_predict(placed, opts);
            const auto residuals = run_residual(placed, opts);
            for (std::size_t i = 0; i < data.rows; ++i) {
                const bool predict_nan = i == 3 || i == 65;
                EXPECT_EQ(std::isnan(predicted[i]), predict_nan) << "predict, row " << i;
                EXPECT_EQ(std::isinf(predicted[i]), i == 64 || i == 132) << "predict, row " << i;
                EXPECT_EQ(std::isnan(residuals[i]), predict_nan || i == 64) << "residual, row " << i;
                EXPECT_EQ(std::isinf(residuals[i]), i == 10 || i == 132) << "residual, row " << i;
            }
            EXPECT_TRUE(same_bits(predicted[64], limits::infinity()));
            EXPECT_TRUE(same_bits(predicted[132], -limits::infinity()));
            EXPECT_TRUE(same_bits(residuals[10], -limits::infinity()));
            return predicted.size();
        });
    }
}

/// x . w = 0 with terms of both signs of zero: a sum starts at +0, so no result is -0.
TYPED_TEST(predict_test, a_sum_is_never_minus_zero) {
    dense_problem<TypeParam> data{3, 5, std::vector<TypeParam>(15, TypeParam(-0.0)), std::vector<TypeParam>(3, 0),
                                  std::vector<TypeParam>(5, 1)};
    for (const accumulate_mode mode : every_mode) {
        for_each_arch(mode, [&](const bitstep::options& opts) {
            const placed_problem<TypeParam> placed(data, {});
            EXPECT_TRUE(same_bits(run_predict(placed, opts), std::vector<TypeParam>(3, TypeParam(0))));
            return data.rows;
        });
    }
}

} // namespace
} // namespace bitstep_test
