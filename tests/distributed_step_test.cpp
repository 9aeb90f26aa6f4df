// SPDX-License-Identifier: Apache-2.0
// Proves: the step is gradient followed by adam_ema_update, bit for bit, on every kernel set and team; its functional and
// in-place forms agree and the functional one leaves its inputs alone; grouping the same rows as (W, A, B) or as uneven
// shards changes no bit; the worked examples and the limits of every hyper-parameter.
#include "support/arch_threads.hpp"
#include "support/bitwise.hpp"
#include "support/problem.hpp"
#include "support/state.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <functional>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;
using bitstep::hyper_parameters;

template <class T>
class distributed_step_test : public testing::Test {};
TYPED_TEST_SUITE(distributed_step_test, element_types, element_names);

const hyper_parameters usual{0.01, 0.9, 0.999, 1e-6, 0.995, 7};

/// State and data of one step; the state's weights are the problem's.
template <class T>
struct step_case {
    dense_problem<T> data;
    std::vector<T> flat; ///< [w, e, m, v]

    step_case(std::size_t rows, std::size_t features, data_kind kind)
        : data(make_problem<T>(rows + features, rows, features, kind)), flat(make_state<T>(rows, features, kind)) {
        std::copy(data.w.begin(), data.w.end(), flat.begin());
    }

    bitstep::worker_batches<T> batches(std::size_t workers, std::size_t micro_batches) const {
        return {data.x.data(), data.y.data(), workers, micro_batches, data.rows / workers / micro_batches,
                data.features};
    }
};

template <class T>
std::vector<T> run_step(const step_case<T>& on, std::size_t workers, std::size_t micro_batches,
                        const hyper_parameters& hyper, const bitstep::options& opts, std::size_t number = 0) {
    const placed_state<T> state(on.flat, number);
    misaligned_buffer<T> out(on.flat.size(), number);
    expect_ok(bitstep::distributed_step<T>(on.batches(workers, micro_batches), state.const_view(), hyper,
                                           {out.data(), out.size()}, opts));
    EXPECT_TRUE(out.marks_intact());
    EXPECT_TRUE(same_bits(state.flat(), on.flat)) << "the functional form changed its inputs";
    return out.values();
}

/// gradient(), then adam_ema_update() in place.
template <class T>
std::vector<T> run_stages(const step_case<T>& on, const hyper_parameters& hyper, const bitstep::options& opts) {
    std::vector<T> grad = run_gradient(placed_problem<T>(on.data, {}), opts);
    grad.pop_back();
    std::vector<T> flat = on.flat;
    expect_ok(bitstep::adam_ema_update<T>({grad.data(), grad.size()}, quarters(flat.data(), grad.size()), hyper, opts));
    return flat;
}

TYPED_TEST(distributed_step_test, equals_gradient_then_adam_ema_update) {
    for (const auto& [rows, features] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {6, 17}, {130, 83}, {66, 1500}, {3, 70001}}) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(features));
        const step_case<TypeParam> on(rows, features, data_kind::usual);
        std::size_t number = rows;
        for (const accumulate_mode mode : every_mode) {
            const auto want = run_stages(on, usual, reference_options(mode));
            for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
                EXPECT_TRUE(same_bits(run_step(on, 1, 1, usual, opts, number++), want));
                return want.size();
            });
        }
    }
}

template <class T>
void expect_in_place_equals_functional(std::size_t rows, std::size_t features, std::size_t workers,
                                       std::size_t micro_batches) {
    const step_case<T> on(rows, features, data_kind::usual);
    const placed_problem<T> placed(on.data, layout::numbered(4));
    for (const accumulate_mode mode : every_mode) {
        const auto want = run_step(on, 1, 1, usual, reference_options(mode));
        for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
            placed_state<T> by_batches(on.flat, 2);
            expect_ok(bitstep::distributed_step<T>(on.batches(workers, micro_batches), by_batches.view(), usual, opts));
            EXPECT_TRUE(same_bits(by_batches.flat(), want)) << "worker_batches, in place";
            EXPECT_TRUE(by_batches.marks_intact());
            placed_state<T> by_rows(on.flat, 3);
            expect_ok(bitstep::distributed_step<T>(placed.rows(), by_rows.view(), usual, opts));
            EXPECT_TRUE(same_bits(by_rows.flat(), want)) << "row_sequence, in place";
            EXPECT_TRUE(by_rows.marks_intact());
            return want.size();
        });
    }
}
TYPED_TEST(distributed_step_test, in_place_equals_functional) {
    expect_in_place_equals_functional<TypeParam>(130, 83, 2, 5);
    expect_in_place_equals_functional<TypeParam>(3, 70001, 3, 1); // the update has a team, too
}

TYPED_TEST(distributed_step_test, grouping_the_rows_changes_no_bit) {
    const step_case<TypeParam> on(240, 37, data_kind::spread);
    for (const accumulate_mode mode : every_mode) {
        const auto want = run_step(on, 1, 1, usual, reference_options(mode));
        const std::pair<std::size_t, std::size_t> groupings[] = {{1, 240}, {240, 1}, {8, 1}, {2, 4}, {1, 8}, {5, 3}};
        for (const auto& [workers, micro_batches] : groupings) {
            SCOPED_TRACE("W = " + std::to_string(workers) + ", A = " + std::to_string(micro_batches));
            for_each_arch_and_threads(mode, [&, w = workers, a = micro_batches](const bitstep::options& opts) {
                EXPECT_TRUE(same_bits(run_step(on, w, a, usual, opts), want));
                return want.size();
            });
        }
    }
}

TYPED_TEST(distributed_step_test, uneven_shards_change_no_bit) {
    const step_case<TypeParam> on(240, 37, data_kind::spread);
    const std::size_t d = on.data.features;
    for (const accumulate_mode mode : every_mode) {
        const auto want = run_step(on, 4, 2, usual, reference_options(mode));
        for (const auto& lengths :
             {std::vector<std::size_t>{100, 0, 139, 1}, std::vector<std::size_t>{0, 63, 65, 112}}) {
            std::vector<bitstep::shard_view<TypeParam>> shards;
            std::size_t first = 0;
            for (const std::size_t length : lengths) {
                shards.push_back({length > 0 ? &on.data.x[first * d] : nullptr,
                                  length > 0 ? &on.data.y[first] : nullptr, length, d});
                first += length;
            }
            ASSERT_EQ(first, on.data.rows);
            const bitstep::row_sequence<TypeParam> rows{shards.data(), shards.size(), d};
            for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
                const placed_state<TypeParam> state(on.flat, 1);
                misaligned_buffer<TypeParam> out(4 * d, 5);
                expect_ok(
                    bitstep::distributed_step<TypeParam>(rows, state.const_view(), usual, {out.data(), 4 * d}, opts));
                EXPECT_TRUE(same_bits(out.values(), want));
                return want.size();
            });
        }
    }
}

/// The functional form may read one array twice: a model's first average is its weights.
TYPED_TEST(distributed_step_test, functional_inputs_may_share_memory) {
    step_case<TypeParam> on(30, 9, data_kind::usual);
    std::copy_n(on.flat.begin(), 9, on.flat.begin() + 9);
    const auto want = run_step(on, 1, 1, usual, reference_options(accumulate_mode::native));
    const TypeParam* flat = on.flat.data();
    std::vector<TypeParam> out(36);
    expect_ok(bitstep::distributed_step<TypeParam>(on.batches(1, 1), {flat, flat, flat + 18, flat + 27, 9}, usual,
                                                   {out.data(), 36}));
    EXPECT_TRUE(same_bits(out, want));
}

TYPED_TEST(distributed_step_test, worked_example) {
    const TypeParam x = 1, y = 1, w = 0, e = 1, m = 0, v = 0;
    const hyper_parameters hyper{0.2, 0, 0, 2, 0.5, 1};
    for (const accumulate_mode mode : every_mode) {
        for_each_arch(mode, [&](const bitstep::options& opts) {
            std::vector<TypeParam> out(4, 0);
            expect_ok(bitstep::distributed_step<TypeParam>({&x, &y, 1, 1, 1, 1}, {&w, &e, &m, &v, 1}, hyper,
                                                           {out.data(), 4}, opts));
            const auto w_new = -(static_cast<TypeParam>(0.2) * TypeParam(-2)) / TypeParam(4);
            EXPECT_TRUE(same_bits(out, {w_new, TypeParam(0.5) + TypeParam(0.5) * w_new, TypeParam(-2), TypeParam(4)}));
            EXPECT_NEAR(static_cast<double>(out[0]), 0.1, 1e-8);
            EXPECT_NEAR(static_cast<double>(out[1]), 0.55, 1e-7);
            return out.size();
        });
    }
}

TYPED_TEST(distributed_step_test, lr_zero_leaves_the_weights_and_moves_the_rest) {
    const step_case<TypeParam> on(30, 9, data_kind::usual);
    hyper_parameters hyper = usual;
    hyper.lr = 0;
    const auto out = run_step(on, 1, 1, hyper, reference_options(accumulate_mode::native));
    for (std::size_t j = 0; j < 9; ++j) {
        EXPECT_EQ(out[j], on.flat[j]) << "weight " << j;
        EXPECT_NE(out[9 + j], on.flat[9 + j]) << "ema_weights " << j;
        EXPECT_NE(out[18 + j], on.flat[18 + j]) << "m " << j;
        EXPECT_NE(out[27 + j], on.flat[27 + j]) << "v " << j;
    }
}

TYPED_TEST(distributed_step_test, decay_zero_takes_the_weights_and_decay_one_keeps_the_average) {
    const step_case<TypeParam> on(30, 9, data_kind::usual);
    for (const accumulate_mode mode : every_mode) {
        hyper_parameters hyper = usual;
        hyper.decay = 0;
        const auto taken = run_step(on, 1, 1, hyper, reference_options(mode));
        hyper.decay = 1;
        const auto kept = run_step(on, 1, 1, hyper, reference_options(mode));
        for (std::size_t j = 0; j < 9; ++j) {
            EXPECT_EQ(taken[9 + j], taken[j]);
            EXPECT_EQ(kept[9 + j], on.flat[9 + j]);
            EXPECT_NE(kept[j], on.flat[j]) << "the weights must move in this test";
        }
    }
}

TYPED_TEST(distributed_step_test, betas_zero_forget_the_moments) {
    const step_case<TypeParam> on(32, 9, data_kind::usual);
    hyper_parameters hyper = usual;
    hyper.beta1 = hyper.beta2 = 0;
    const auto grad = run_gradient(placed_problem<TypeParam>(on.data, {}), reference_options(accumulate_mode::native));
    const auto out = run_step(on, 1, 1, hyper, reference_options(accumulate_mode::native));
    for (std::size_t j = 0; j < 9; ++j) {
        EXPECT_EQ(out[18 + j], grad[j]);
        EXPECT_EQ(out[27 + j], grad[j] * grad[j]);
    }
}

TYPED_TEST(distributed_step_test, every_t_is_used_as_given) {
    const step_case<TypeParam> on(30, 9, data_kind::usual);
    hyper_parameters hyper = usual;
    std::vector<std::vector<TypeParam>> results;
    for (const long long t : {1LL, 2LL, 1000000LL, 1LL << 53, LLONG_MAX}) {
        hyper.t = t;
        const auto want = run_stages(on, hyper, reference_options(accumulate_mode::native));
        for_each_arch(accumulate_mode::native, [&](const bitstep::options& opts) {
            EXPECT_TRUE(same_bits(run_step(on, 3, 2, hyper, opts), want)) << "t = " << t;
            return want.size();
        });
        for (const TypeParam value : want) {
            EXPECT_TRUE(std::isfinite(value)) << "t = " << t;
        }
        results.push_back(want);
    }
    EXPECT_NE(results[0], results[1]) << "t does not reach the bias correction";
    EXPECT_TRUE(same_bits(results[3], results[4])) << "beta^t is 0 from long before 2^53";
}

/// Overflow inside Adam is stored as IEEE gives it, here in v' and so in w' = w - lr m_hat / inf.
TYPED_TEST(distributed_step_test, overflow_inside_adam_is_no_error) {
    const TypeParam big = power_of_two<TypeParam>(std::numeric_limits<TypeParam>::max_exponent * 3 / 4);
    const TypeParam x = 1, w = 3, e = 1, m = 0, v = 0;
    const hyper_parameters hyper{0.5, 0, 0, 1, 0.5, 1};
    for_each_arch(accumulate_mode::native, [&](const bitstep::options& opts) {
        std::vector<TypeParam> out(4, 0);
        expect_ok(bitstep::distributed_step<TypeParam>({&x, &big, 1, 1, 1, 1}, {&w, &e, &m, &v, 1}, hyper,
                                                       {out.data(), 4}, opts));
        const TypeParam g = 2 * (w - big);
        EXPECT_TRUE(same_bits(out, {w, TypeParam(2), g, std::numeric_limits<TypeParam>::infinity()}));
        return out.size();
    });
}

} // namespace
} // namespace bitstep_test
