// SPDX-License-Identifier: Apache-2.0
// Proves what the gradient says about numbers at the limits: rows beyond 2^24 in the scaling rule, non-finite inputs
// refused and named, overflow told apart from them, an infinite mean squared error that is no error.
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/problem.hpp"
#include "support/refusal.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;
using bitstep::status_code;

template <class T>
class gradient_values_test : public testing::Test {};
TYPED_TEST_SUITE(gradient_values_test, element_types, element_names);

/// One buffer of 2^20 rows stands for every full shard: rows of one feature, `hits` of them with x = 1 and y = -1.
template <class T>
class many_rows {
public:
    many_rows(std::size_t rows, std::size_t hits)
        : x_(block, T(0)), y_(block, T(0)), x_hit_(hits, 1), y_hit_(hits, -1) {
        shards_.push_back({x_hit_.data(), y_hit_.data(), hits, 1});
        for (std::size_t left = rows - hits; left > 0;) {
            const std::size_t take = left < block ? left : block;
            shards_.push_back({x_.data(), y_.data(), take, 1});
            left -= take;
        }
    }
    bitstep::row_sequence<T> rows() const { return {shards_.data(), shards_.size(), 1}; }

private:
    static constexpr std::size_t block = std::size_t{1} << 20U;
    std::vector<T> x_, y_, x_hit_, y_hit_;
    std::vector<bitstep::shard_view<T>> shards_;
};

template <class T>
void expect_scaled(const many_rows<T>& data, std::size_t rows, double sum, const bitstep::options& opts) {
    const T weight = 0;
    const auto mse = static_cast<T>(sum / static_cast<double>(rows));
    const T native = T(2) * static_cast<T>(sum) / static_cast<T>(rows);
    const auto wide = static_cast<T>(2.0 * sum / static_cast<double>(rows));
    const std::vector<T> want = {opts.accumulate == accumulate_mode::native ? native : wide, mse};
    EXPECT_TRUE(same_bits(run_gradient<T>(data.rows(), {&weight, 1}, opts), want))
        << rows << " rows, " << bitstep::arch_name(opts.arch) << " " << mode_name(opts.accumulate);
}

/// S = hits, so g = 2 hits / N, with N rounded to the summing type once: 2^24 + 1 becomes 2^24 in float, 2^24 + 3
/// becomes 2^24 + 4, and stays itself in double.
TYPED_TEST(gradient_values_test, rows_beyond_2_to_the_24_scale_by_the_rounded_count) {
    const std::size_t hits = 3;
    for (const std::size_t more : {1U, 3U}) {
        if (emulated && more == 1) {
            continue;
        }
        const std::size_t rows = (std::size_t{1} << 24U) + more;
        const many_rows<TypeParam> data(rows, hits);
        for (const bitstep::arch which : runnable_archs()) {
            expect_scaled(data, rows, static_cast<double>(hits), forced(which, 2, accumulate_mode::native));
        }
        if (!too_long_here<TypeParam>(accumulate_mode::wide, rows)) {
            expect_scaled(data, rows, static_cast<double>(hits),
                          forced(bitstep::arch::automatic, 2, accumulate_mode::wide));
        }
    }
}

/// A 3 x 20 problem of ones with a zero target whose numbers a test changes, and what came of it.
template <class T>
struct small_case {
    static constexpr std::size_t rows = 70;
    static constexpr std::size_t features = 20;
    std::vector<T> x = std::vector<T>(rows * features, T(1));
    std::vector<T> y = std::vector<T>(rows, T(0));
    std::vector<T> w = std::vector<T>(features, T(1));
    std::vector<T> grad = std::vector<T>(features, T(77));
    T mse = T(77);

    bitstep::status run(const bitstep::options& opts) {
        const bitstep::shard_view<T> shard{x.data(), y.data(), rows, features};
        return bitstep::gradient<T>({&shard, 1, features}, {w.data(), features}, {grad.data(), features}, &mse, opts);
    }
};

template <class T>
void expect_refused_everywhere(const std::function<void(small_case<T>&)>& spoil, const refusal& wanted) {
    for (const accumulate_mode mode : every_mode) {
        for (const bitstep::arch which : runnable_archs()) {
            SCOPED_TRACE(std::string(bitstep::arch_name(which)) + " " + mode_name(mode));
            small_case<T> data;
            spoil(data);
            watched_memory memory;
            memory.watch("grad", data.grad.data(), data.grad.size());
            memory.watch("mse", &data.mse, 1);
            expect_refused(
                "gradient", [&] { return data.run(forced(which, 2, mode)); }, wanted, memory);
        }
    }
}

TYPED_TEST(gradient_values_test, non_finite_inputs_are_refused_and_named) {
    using limits = std::numeric_limits<TypeParam>;
    using data = small_case<TypeParam>;
    for (const TypeParam bad : {limits::quiet_NaN(), limits::infinity(), -limits::infinity()}) {
        SCOPED_TRACE(testing::PrintToString(bad));
        const std::string value = bad != bad ? "nan" : "inf";
        for (const std::size_t at : {std::size_t{0}, data::rows * data::features - 1, data::features * 64 + 17}) {
            expect_refused_everywhere<TypeParam>([&](data& d) { d.x[at] = bad; },
                                                 {status_code::non_finite, {"x must be finite", value}});
        }
        for (const std::size_t at : {std::size_t{0}, data::rows - 1}) {
            expect_refused_everywhere<TypeParam>([&](data& d) { d.y[at] = bad; },
                                                 {status_code::non_finite, {"y must be finite", value}});
        }
        for (const std::size_t at : {std::size_t{0}, data::features - 1}) {
            expect_refused_everywhere<TypeParam>([&](data& d) { d.w[at] = bad; },
                                                 {status_code::non_finite, {"w must be finite", value}});
        }
    }
}

/// A zero weight does not hide an infinity, a zero row does not hide an infinite target.
TYPED_TEST(gradient_values_test, zeros_do_not_hide_a_non_finite_input) {
    using data = small_case<TypeParam>;
    const TypeParam bad = std::numeric_limits<TypeParam>::infinity();
    expect_refused_everywhere<TypeParam>(
        [&](data& d) {
            std::fill(d.w.begin(), d.w.end(), TypeParam(0));
            d.x[5] = bad;
        },
        {status_code::non_finite, {"x must be finite"}});
    expect_refused_everywhere<TypeParam>(
        [&](data& d) {
            std::fill(d.x.begin(), d.x.end(), TypeParam(0));
            d.y[5] = bad;
        },
        {status_code::non_finite, {"y must be finite"}});
    expect_refused_everywhere<TypeParam>(
        [&](data& d) {
            std::fill(d.x.begin(), d.x.end(), TypeParam(0));
            d.w[5] = bad;
        },
        {status_code::non_finite, {"w must be finite"}});
}

TYPED_TEST(gradient_values_test, overflow_from_finite_data_is_an_error_of_its_own) {
    using data = small_case<TypeParam>;
    const TypeParam huge = std::numeric_limits<TypeParam>::max() / 2;
    expect_refused_everywhere<TypeParam>( // x r overflows in every type that could sum it, rounding included
        [&](data& d) {
            d.x[3] = huge;
            d.w[3] = huge;
        },
        {status_code::gradient_overflow, {"gradient"}});
    expect_refused_everywhere<TypeParam>( // in T the residual itself is inf - inf = NaN; in double x r is out of float
        [&](data& d) {
            d.x[3] = huge;
            d.w[3] = huge;
            d.x[4] = huge;
            d.w[4] = -huge;
            d.y[0] = huge;
        },
        {status_code::gradient_overflow, {"gradient"}});
}

TYPED_TEST(gradient_values_test, an_infinite_mean_squared_error_is_no_error) {
    const TypeParam big = power_of_two<TypeParam>(std::numeric_limits<TypeParam>::max_exponent * 3 / 4);
    const TypeParam small = power_of_two<TypeParam>(-std::numeric_limits<TypeParam>::max_exponent / 2);
    for (const accumulate_mode mode : every_mode) {
        for (const bitstep::arch which : runnable_archs()) {
            SCOPED_TRACE(std::string(bitstep::arch_name(which)) + " " + mode_name(mode));
            small_case<TypeParam> data;
            std::fill(data.x.begin(), data.x.end(), small);
            std::fill(data.w.begin(), data.w.end(), TypeParam(0));
            std::fill(data.y.begin(), data.y.end(), -big);
            expect_ok(data.run(forced(which, 1, mode)));
            EXPECT_TRUE(same_bits(data.mse, std::numeric_limits<TypeParam>::infinity()));
            EXPECT_TRUE(same_bits(data.grad, std::vector<TypeParam>(data.features, 2 * (small * big))));
        }
    }
}

/// On float the squares are summed in double, and only the result overflows.
TEST(gradient_values, the_mean_squared_error_of_float_sums_in_double) {
    for (const accumulate_mode mode : every_mode) {
        for (const bitstep::arch which : runnable_archs()) {
            small_case<float> data;
            std::fill(data.x.begin(), data.x.end(), 0.0F);
            std::fill(data.y.begin(), data.y.end(), 0.0F);
            data.y[0] = power_of_two<float>(66); // its square is out of float, the mean over 70 rows is not
            expect_ok(data.run(forced(which, 1, mode)));
            EXPECT_EQ(data.mse, static_cast<float>(power_of_two<double>(132) / 70.0));
            data.y[0] = power_of_two<float>(68); // now the mean is
            expect_ok(data.run(forced(which, 1, mode)));
            EXPECT_EQ(data.mse, std::numeric_limits<float>::infinity());
        }
    }
}

} // namespace
} // namespace bitstep_test
