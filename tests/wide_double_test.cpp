// SPDX-License-Identifier: Apache-2.0
// Proves the stated range of wide mode on double: above 2^996, where Dekker's split overflows, and where error terms
// underflow, results keep the accuracy of plain double and no NaN appears that plain double would not give; kernels
// still equal the reference and the contract there.
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/contract_pair.hpp"
#include "support/oracle.hpp"
#include "support/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;
namespace mp = oracle::mp;

/// X around 2^x_exponent, w so that products are around 2^product_exponent, y small beside them.
dense_problem<double> make_at(int x_exponent, int product_exponent) {
    auto data = make_problem<double>(static_cast<std::uint64_t>(x_exponent + 5000), 67, 21, data_kind::uniform);
    for (double& value : data.x) {
        value *= power_of_two<double>(x_exponent);
    }
    for (double& value : data.w) {
        value *= power_of_two<double>(product_exponent - x_exponent);
    }
    for (double& value : data.y) {
        value *= power_of_two<double>(product_exponent - 2);
    }
    return data;
}

void expect_equal_everywhere(const dense_problem<double>& data) {
    const auto want = contract::residual<contract::pair>(data);
    for_each_arch(accumulate_mode::wide, [&](const bitstep::options& opts) {
        EXPECT_TRUE(same_bits(run_residual(placed_problem<double>(data, layout::numbered(3)), opts), want));
        return want.size();
    });
}

TEST(wide_double, huge_factors_keep_plain_accuracy) {
    for (const int exponent : {990, 996, 997, 1010, 1022}) {
        SCOPED_TRACE("X around 2^" + std::to_string(exponent));
        const auto data = make_at(exponent, 10);
        expect_equal_everywhere(data);
        const auto got = run_residual(placed_problem<double>(data, {}), reference_options(accumulate_mode::wide));
        for (std::size_t i = 0; i < data.rows; ++i) {
            const oracle::exact_row exact = oracle::row(data, i);
            EXPECT_LE(mp::abs(oracle::real(got[i]) - exact.residual), oracle::gamma<double>(20) * exact.magnitude)
                << "row " << i;
        }
    }
}

TEST(wide_double, huge_products_give_no_nan_of_their_own) {
    for (const int exponent : {900, 995, 1000, 1019, 1022}) {
        SCOPED_TRACE("products around 2^" + std::to_string(exponent));
        const auto data = make_at(500, exponent);
        expect_equal_everywhere(data);
        const auto wide = run_residual(placed_problem<double>(data, {}), reference_options(accumulate_mode::wide));
        const auto native = run_residual(placed_problem<double>(data, {}), reference_options(accumulate_mode::native));
        for (std::size_t i = 0; i < data.rows; ++i) {
            EXPECT_EQ(std::isfinite(wide[i]), std::isfinite(native[i])) << "row " << i;
            EXPECT_FALSE(std::isnan(wide[i])) << "row " << i;
        }
    }
}

TEST(wide_double, tiny_products_keep_plain_accuracy) {
    for (const int exponent : {-960, -1000, -1020}) {
        SCOPED_TRACE("products around 2^" + std::to_string(exponent));
        const auto data = make_at(-500, exponent);
        expect_equal_everywhere(data);
        const auto got = run_residual(placed_problem<double>(data, {}), reference_options(accumulate_mode::wide));
        const oracle::real underflow = 100 * oracle::real(std::numeric_limits<double>::denorm_min());
        for (std::size_t i = 0; i < data.rows; ++i) {
            const oracle::exact_row exact = oracle::row(data, i);
            EXPECT_LE(mp::abs(oracle::real(got[i]) - exact.residual),
                      oracle::gamma<double>(20) * exact.magnitude + underflow)
                << "row " << i;
        }
    }
}

TEST(wide_double, infinities_stay_infinities) {
    auto data = make_at(0, 0);
    data.x[0] = std::numeric_limits<double>::infinity();
    data.w[0] = 1;
    data.y[5] = -std::numeric_limits<double>::infinity();
    expect_equal_everywhere(data);
    const auto got = run_residual(placed_problem<double>(data, {}), reference_options(accumulate_mode::wide));
    EXPECT_EQ(got[0], std::numeric_limits<double>::infinity());
    EXPECT_EQ(got[5], std::numeric_limits<double>::infinity());
}

/// Residuals whose squares overflow, with rows whose do not: infinite as in plain double, where the correction's sign may differ.
TEST(wide_double, the_mean_squared_error_is_infinite_but_never_nan) {
    for (const std::size_t rows : {1U, 2U, 65U, 130U}) {
        dense_problem<double> data{
            rows, 1, std::vector<double>(rows, 1e-10), std::vector<double>(rows, -1e300), {-1e290}};
        if (rows > 2) data.y[rows - 1] = 1;
        for_each_arch_and_threads(accumulate_mode::wide, [&](const bitstep::options& opts) {
            double mse = 0;
            double g = 0;
            const bitstep::shard_view<double> shard{data.x.data(), data.y.data(), rows, 1};
            const bitstep::status done =
                bitstep::gradient<double>({&shard, 1, 1}, {data.w.data(), 1}, {&g, 1}, &mse, opts);
            EXPECT_TRUE(done.ok()) << done.message();
            EXPECT_EQ(mse, std::numeric_limits<double>::infinity());
            EXPECT_GT(g, 1e290);
            return std::size_t{1};
        });
    }
}

/// What wide mode is for: a sum, all in lane 0, that plain double gets wrong in every digit.
TEST(wide_double, recovers_what_plain_double_loses) {
    dense_problem<double> same_lane{1, 17, std::vector<double>(17, 0.0), {0}, std::vector<double>(17, 1.0)};
    same_lane.x[0] = 0x1p60;
    same_lane.x[8] = 1 + 0x1p-40;
    same_lane.x[16] = -0x1p60;
    const placed_problem<double> hard(same_lane, {});
    EXPECT_EQ(run_predict(hard, reference_options(accumulate_mode::wide))[0], 1 + 0x1p-40);
    EXPECT_EQ(run_predict(hard, reference_options(accumulate_mode::native))[0], 0.0);
}

} // namespace
} // namespace bitstep_test
