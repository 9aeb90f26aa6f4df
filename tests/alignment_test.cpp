// SPDX-License-Identifier: Apache-2.0
// Proves: every array may start at any element within a 64-byte line, whatever its length: same bits, and not one byte
// around an output is written. (Beside a page that kills: bounds_test.cpp.)
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/problem.hpp"
#include "support/state.hpp"
#include "support/typed.hpp"
#include "support/workers.hpp"

#include <gtest/gtest.h>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class alignment_test : public testing::Test {};
TYPED_TEST_SUITE(alignment_test, element_types, element_names);

constexpr std::size_t longest = 200;

/// All arrays at one offset, where a vector load would be aligned for all or for none; and at offsets of their own.
template <class T>
std::vector<layout> layouts() {
    std::vector<layout> all;
    for (std::size_t i = 0; i < offsets_per_line<T>; ++i) {
        all.push_back({i, i, i, i, 0});
        all.push_back(layout::numbered(i));
    }
    return all;
}

template <class T>
std::vector<T> run_all(const placed_problem<T>& on, const bitstep::options& opts) {
    std::vector<T> all = run_gradient(on, opts);
    for (const std::vector<T>& part : {run_predict(on, opts), run_residual(on, opts)}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

TYPED_TEST(alignment_test, x_y_w_and_outputs) {
    std::size_t compared = 0;
    for (std::size_t d = 1; d <= longest; ++d) {
        const auto data = make_problem<TypeParam>(d, 3, d, data_kind::usual);
        for (const accumulate_mode mode : every_mode) {
            const auto want = run_all(placed_problem<TypeParam>(data, {}), reference_options(mode));
            for (const layout& where : layouts<TypeParam>()) {
                const placed_problem<TypeParam> placed(data, where);
                for (const bitstep::arch which : runnable_archs()) {
                    ASSERT_TRUE(same_bits(run_all(placed, forced(which, 1, mode)), want))
                        << bitstep::arch_name(which) << ", " << mode_name(mode) << ", d = " << d << ", X at element "
                        << where.x << " of a line, w at " << where.w;
                    compared += want.size();
                }
            }
        }
    }
    EXPECT_GT(compared, 0U) << "this test compared nothing";
}

TYPED_TEST(alignment_test, gradients_and_states) {
    std::size_t compared = 0;
    for (std::size_t d = 1; d <= longest; ++d) {
        const auto flat = make_state<TypeParam>(d, d, data_kind::usual);
        const std::vector<TypeParam> gradient(d, TypeParam(0.5));
        const auto updated = [&](std::size_t offset, const bitstep::options& opts) {
            const misaligned_buffer<TypeParam> grad(gradient, offset);
            placed_state<TypeParam> state(flat, offset);
            expect_ok(bitstep::adam_ema_update<TypeParam>({grad.data(), d}, state.view(), {}, opts));
            EXPECT_TRUE(state.marks_intact()) << "the update wrote outside the state";
            return state.flat();
        };
        const auto want = updated(0, reference_options(accumulate_mode::native));
        for (std::size_t offset = 0; offset < offsets_per_line<TypeParam>; ++offset) {
            for (const bitstep::arch which : runnable_archs()) {
                ASSERT_TRUE(same_bits(updated(offset, forced(which, 1, accumulate_mode::native)), want))
                    << bitstep::arch_name(which) << ", d = " << d << ", offset " << offset;
                compared += want.size();
            }
        }
    }
    EXPECT_GT(compared, 0U) << "this test compared nothing";
}

/// run_mean places each worker's vector at another offset and looks at the marks.
TYPED_TEST(alignment_test, means) {
    std::size_t compared = 0;
    for (std::size_t n = 1; n <= longest; ++n) {
        const auto tensor = make_workers<TypeParam>(n, 3, n, data_kind::usual);
        for (const accumulate_mode mode : every_mode) {
            const auto want = run_mean<TypeParam>({tensor}, {1, 2, 4}, reference_options(mode));
            for (std::size_t offset = 0; offset < offsets_per_line<TypeParam>; ++offset) {
                for (const bitstep::arch which : runnable_archs()) {
                    ASSERT_TRUE(
                        same_bits(run_mean<TypeParam>({tensor}, {1, 2, 4}, forced(which, 1, mode), offset), want))
                        << bitstep::arch_name(which) << ", " << mode_name(mode) << ", n = " << n << ", offset "
                        << offset;
                    compared += want.size();
                }
            }
        }
    }
    EXPECT_GT(compared, 0U) << "this test compared nothing";
}

} // namespace
} // namespace bitstep_test
