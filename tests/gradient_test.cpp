// SPDX-License-Identifier: Apache-2.0
// Proves: every kernel set, on every team size, at every address and stride, gives the gradient and the mean squared
// error of the reference bit for bit; the reference gives the bits of the contract's text (support/contract.hpp); exact
// inputs give exact results; the cut of the rows into shards changes nothing.
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/contract_pair.hpp"
#include "support/problem.hpp"
#include "support/shapes.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class gradient_test : public testing::Test {};
TYPED_TEST_SUITE(gradient_test, element_types, element_names);

/// One shape: the reference once, then all kernel sets and teams, each time at other addresses.
template <class T>
void expect_equals_reference(const shape& of, data_kind kind) {
    SCOPED_TRACE(describe(of));
    const auto data = make_problem<T>(of.rows * 31 + of.features, of.rows, of.features, kind);
    wandering_problem<T> placed(data, of.rows + of.features);
    for (const accumulate_mode mode : every_mode) {
        if (too_long_here<T>(mode, of.rows * of.features)) {
            continue;
        }
        const std::vector<T> want = run_gradient(placed_problem<T>(data, {}), reference_options(mode));
        for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
            EXPECT_TRUE(same_bits(run_gradient(placed.next(), opts), want));
            return want.size();
        });
    }
}

/// Cuts the rows of one problem into shards of these lengths, each in a buffer of its own.
template <class T>
std::vector<T> run_in_shards(const dense_problem<T>& data, const std::vector<std::size_t>& lengths,
                             const bitstep::options& opts) {
    std::vector<std::unique_ptr<placed_shard<T>>> owned;
    std::vector<bitstep::shard_view<T>> views;
    std::size_t first = 0;
    for (const std::size_t length : lengths) {
        if (length == 0) {
            views.push_back({nullptr, nullptr, 0, 0});
        } else {
            owned.push_back(std::make_unique<placed_shard<T>>(data, first, length, layout::numbered(first)));
            views.push_back(owned.back()->view());
        }
        first += length;
    }
    EXPECT_EQ(first, data.rows) << "the test cut its rows wrongly";
    return run_gradient<T>({views.data(), views.size(), data.features}, {data.w.data(), data.features}, opts);
}

TYPED_TEST(gradient_test, kernels_equal_the_reference_around_the_lanes) {
    for (const shape& of : lane_shapes<TypeParam>()) {
        expect_equals_reference<TypeParam>(of, data_kind::spread);
    }
}

TYPED_TEST(gradient_test, kernels_equal_the_reference_around_the_column_panel) {
    for (const shape& of : panel_shapes()) {
        expect_equals_reference<TypeParam>(of, data_kind::usual);
    }
}

TYPED_TEST(gradient_test, kernels_equal_the_reference_on_long_rows) {
    for (const shape& of : long_shapes()) {
        if (emulated && of.rows * of.features > 5000000) {
            continue;
        }
        expect_equals_reference<TypeParam>(of, data_kind::usual);
    }
}

TYPED_TEST(gradient_test, kernels_equal_the_reference_for_every_short_row) {
    const std::size_t panel = bitstep::numerics_panels().row_panel;
    for (std::size_t features = 1; features <= 2 * native_lanes<TypeParam>() + 2; ++features) {
        for (const std::size_t rows : {std::size_t{1}, panel - 1, 3 * panel + 1}) {
            const auto data = make_problem<TypeParam>(rows + features, rows, features, data_kind::spread);
            for (const accumulate_mode mode : every_mode) {
                const auto want = run_gradient(placed_problem<TypeParam>(data, {}), reference_options(mode));
                for (const bitstep::arch which : runnable_archs()) {
                    const placed_problem<TypeParam> placed(data, layout::numbered(rows + features));
                    ASSERT_TRUE(same_bits(run_gradient(placed, forced(which, 2, mode)), want))
                        << rows << " x " << features << " " << bitstep::arch_name(which) << " " << mode_name(mode);
                }
            }
        }
    }
}

/// Rows of row_bytes, in one shard and in three: every kernel set on one thread.
template <class T>
void expect_equals_reference_in_shards(std::size_t rows, std::size_t row_bytes, accumulate_mode mode) {
    const std::size_t features = row_bytes / sizeof(T);
    const auto data = make_problem<T>(row_bytes, rows, features, data_kind::spread);
    const auto want = run_gradient(placed_problem<T>(data, {}), reference_options(mode));
    const std::vector<std::size_t> lengths{rows / 2 + 2, 2, rows - rows / 2 - 4};
    for (const bitstep::arch which : runnable_archs()) {
        const placed_problem<T> placed(data, layout::numbered(features));
        EXPECT_TRUE(same_bits(run_gradient(placed, forced(which, 1, mode)), want))
            << row_bytes << " bytes a row, " << bitstep::arch_name(which) << " " << mode_name(mode);
        EXPECT_TRUE(same_bits(run_in_shards(data, lengths, forced(which, 1, mode)), want))
            << row_bytes << " bytes a row in shards, " << bitstep::arch_name(which) << " " << mode_name(mode);
    }
}

/// Blocks of 16, 8, 4, 2 or 1 rows by the length of a row, the next one prefetched or not; a rest of rows and of columns.
TYPED_TEST(gradient_test, kernels_equal_the_reference_on_rows_of_every_length_from_cache) {
    for (const std::size_t row_bytes :
         {64U, 136U, 1000U, 1024U, 1032U, 4096U, 4104U, 12008U, 65536U, 65544U, 131080U}) {
        for (const accumulate_mode mode : every_mode) {
            expect_equals_reference_in_shards<TypeParam>(59, row_bytes, mode);
        }
    }
    for (const std::size_t row_bytes : {262152U, 524296U, 1048584U}) {
        expect_equals_reference_in_shards<TypeParam>(7, row_bytes, accumulate_mode::native);
    }
}

/// X above 16 MB is read by other forms of the kernels: rows in sequence, 4, 2 or 1 to a block, or side by side with
/// prefetch. (The wide mode of double has one form for all.)
TYPED_TEST(gradient_test, kernels_equal_the_reference_from_memory) {
    constexpr std::size_t far = 16 * 1024 * 1024;
    for (const std::size_t row_bytes :
         {32U, 64U, 80U, 128U, 136U, 400U, 520U, 1000U, 1032U, 2048U, 2056U, 12008U, 131080U, 262152U}) {
        if (emulated && row_bytes != 64 && row_bytes != 136 && row_bytes != 520 && row_bytes != 2048 &&
            row_bytes != 131080) {
            continue; // one row length for each of the forms
        }
        const std::size_t rows = far / row_bytes + 9;
        expect_equals_reference_in_shards<TypeParam>(rows, row_bytes, accumulate_mode::native);
        if (sizeof(TypeParam) == sizeof(float)) {
            expect_equals_reference_in_shards<TypeParam>(rows, row_bytes, accumulate_mode::wide);
        }
    }
}

/// Rows shorter than a logical vector are worked on a panel per lane where enough whole panels lie end to end: two groups and
/// a rest; padded rows and shards that cut a group must take the other way and give the same bits.
TYPED_TEST(gradient_test, kernels_equal_the_reference_on_narrow_rows_a_panel_per_lane) {
    const std::size_t lanes = native_lanes<TypeParam>();
    const std::size_t group = lanes * bitstep::numerics_panels().row_panel;
    for (std::size_t features = 1; features <= lanes; ++features) {
        const auto kind = features % 2 == 0 ? data_kind::spread : data_kind::tiny;
        const auto data =
            make_problem<TypeParam>(features, 2 * group + (features == 1 ? 32 * group : 69), features, kind);
        for (const accumulate_mode mode : every_mode) {
            const auto want = run_gradient(placed_problem<TypeParam>(data, {}), reference_options(mode));
            for (const bitstep::arch which : runnable_archs()) {
                for (const layout& where : {layout{}, layout{features, 1, 2, 3, 0}, layout{0, 0, 0, 0, 1}}) {
                    const placed_problem<TypeParam> placed(data, where);
                    ASSERT_TRUE(same_bits(run_gradient(placed, forced(which, 2, mode)), want))
                        << features << " " << bitstep::arch_name(which) << " " << mode_name(mode);
                }
                const std::vector<std::size_t> lengths{group + 3, group - 1, data.rows - 2 * group - 2};
                ASSERT_TRUE(same_bits(run_in_shards(data, lengths, forced(which, 1, mode)), want))
                    << features << " in shards, " << bitstep::arch_name(which) << " " << mode_name(mode);
            }
        }
    }
}

/// Dot products and targets that are zeros of both signs: the kernels may drop a "+0 +" only where no bit shows it.
TYPED_TEST(gradient_test, kernels_equal_the_reference_on_zeros_of_both_signs) {
    const TypeParam zeros[] = {TypeParam(0.0), TypeParam(-0.0), TypeParam(1), TypeParam(-1)};
    const std::size_t lanes = native_lanes<TypeParam>();
    const std::size_t group = lanes * bitstep::numerics_panels().row_panel;
    for (const std::size_t features : {std::size_t{1}, std::size_t{3}, std::size_t{7}, lanes, lanes + 1, 2 * lanes,
                                       std::size_t{40}, std::size_t{1030}}) {
        const std::size_t rows = features < lanes ? group : 83;
        auto data = make_problem<TypeParam>(features, rows, features, data_kind::integers);
        for (std::size_t i = 0; i < data.x.size(); ++i) data.x[i] = zeros[(i * 7 + i / 5) % 4];
        for (std::size_t i = 0; i < rows; ++i) data.y[i] = zeros[i % 3];
        for (std::size_t j = 0; j < features; ++j) data.w[j] = zeros[j % 2];
        for (const accumulate_mode mode : every_mode) {
            const auto want = run_gradient(placed_problem<TypeParam>(data, {}), reference_options(mode));
            for (const bitstep::arch which : runnable_archs()) {
                EXPECT_TRUE(same_bits(run_gradient(placed_problem<TypeParam>(data, {}), forced(which, 1, mode)), want))
                    << features << " " << bitstep::arch_name(which) << " " << mode_name(mode);
            }
        }
    }
}

TYPED_TEST(gradient_test, kernels_equal_the_reference_on_tiny_numbers) {
    const std::size_t panel = bitstep::numerics_panels().row_panel;
    expect_equals_reference<TypeParam>({2 * panel + 3, 45, "denormals flushed, in any thread"}, data_kind::tiny);
}

TYPED_TEST(gradient_test, every_address_gives_the_same_bits) {
    const auto data = make_problem<TypeParam>(5, 70, 83, data_kind::spread);
    for (const accumulate_mode mode : every_mode) {
        const auto want = run_gradient(placed_problem<TypeParam>(data, {}), reference_options(mode));
        for (const bitstep::arch which : runnable_archs()) {
            for (std::size_t offset = 0; offset < offsets_per_line<TypeParam>; ++offset) {
                for (const layout& where : {layout{offset, 0, 0, 0, 0}, layout{0, offset, 0, 0, 0},
                                            layout{0, 0, offset, 0, 1}, layout{0, 0, 0, offset, 13}}) {
                    const placed_problem<TypeParam> placed(data, where);
                    ASSERT_TRUE(same_bits(run_gradient(placed, forced(which, 1, mode)), want))
                        << bitstep::arch_name(which) << " at offset " << offset << " " << mode_name(mode);
                }
            }
        }
    }
}

template <class T>
std::vector<T> contract_gradient(const dense_problem<T>& data, accumulate_mode mode) {
    return mode == accumulate_mode::native ? contract::gradient<T>(data)
                                           : contract::gradient<contract::wide_sum<T>>(data);
}

TYPED_TEST(gradient_test, the_reference_gives_the_bits_of_the_contract) {
    auto shapes = lane_shapes<TypeParam>();
    const auto longer = panel_shapes();
    shapes.insert(shapes.end(), longer.begin(), longer.end());
    std::size_t compared = 0;
    for (const shape& of : shapes) {
        SCOPED_TRACE(describe(of));
        const auto data = make_problem<TypeParam>(of.rows + 7 * of.features, of.rows, of.features, data_kind::spread);
        for (const accumulate_mode mode : every_mode) {
            const auto want = contract_gradient(data, mode);
            EXPECT_TRUE(same_bits(run_gradient(placed_problem<TypeParam>(data, {}), reference_options(mode)), want))
                << mode_name(mode);
            compared += want.size();
        }
    }
    EXPECT_GT(compared, 0U);
}

/// Small integers, the number of rows a power of two: every sum and the division are exact in any order.
TYPED_TEST(gradient_test, exact_integers_give_exact_gradients) {
    for (const std::size_t features : {std::size_t{5}, std::size_t{83}, std::size_t{2000}}) {
        const std::size_t rows = 256;
        const auto data = make_problem<TypeParam>(features, rows, features, data_kind::integers);
        std::vector<long long> sums(features + 1, 0);
        for (std::size_t i = 0; i < rows; ++i) {
            long long r = -static_cast<long long>(data.y[i]);
            for (std::size_t j = 0; j < features; ++j) {
                r += static_cast<long long>(data.x[i * features + j]) * static_cast<long long>(data.w[j]);
            }
            for (std::size_t j = 0; j < features; ++j) {
                sums[j] += 2 * static_cast<long long>(data.x[i * features + j]) * r;
            }
            sums[features] += r * r;
        }
        std::vector<TypeParam> want;
        for (const long long sum : sums) {
            want.push_back(static_cast<TypeParam>(static_cast<double>(sum) / static_cast<double>(rows)));
        }
        for (const accumulate_mode mode : every_mode) {
            for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
                EXPECT_TRUE(same_bits(run_gradient(placed_problem<TypeParam>(data, layout::numbered(3)), opts), want));
                return want.size();
            });
        }
    }
}

TYPED_TEST(gradient_test, the_cut_into_shards_changes_no_bit) {
    const std::size_t panel = bitstep::numerics_panels().row_panel;
    const std::size_t rows = 4 * panel + 5;
    const auto data = make_problem<TypeParam>(11, rows, 75, data_kind::spread);
    const std::vector<std::vector<std::size_t>> cuts = {
        {rows},
        {panel, panel, panel, panel, 5},
        {1, 0, rows - 1},
        {10, 0, 0, 0, panel, 0, 0, rows - panel - 10, 0, 0}, // several empty ones in a row, also at a panel's middle
        {0, 0, panel - 1, 2, 0, 2 * panel + 1, panel + 3, 0},
        std::vector<std::size_t>(rows, 1),
    };
    for (const accumulate_mode mode : every_mode) {
        const auto want = run_gradient(placed_problem<TypeParam>(data, {}), reference_options(mode));
        for (const auto& lengths : cuts) {
            SCOPED_TRACE(std::to_string(lengths.size()) + " shards");
            for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
                EXPECT_TRUE(same_bits(run_in_shards(data, lengths, opts), want));
                return want.size();
            });
        }
    }
}

TYPED_TEST(gradient_test, the_mean_squared_error_may_be_left_out) {
    const auto data = make_problem<TypeParam>(12, 70, 20, data_kind::usual);
    const placed_problem<TypeParam> placed(data, {});
    for (const accumulate_mode mode : every_mode) {
        auto want = run_gradient(placed, reference_options(mode));
        want.pop_back();
        std::vector<TypeParam> got(20);
        expect_ok(bitstep::gradient<TypeParam>(placed.rows(), placed.w(), {got.data(), 20}, nullptr,
                                               reference_options(mode)));
        EXPECT_TRUE(same_bits(got, want));
    }
}

} // namespace
} // namespace bitstep_test
