// SPDX-License-Identifier: Apache-2.0
// What docs/numerics.md implies for predict, residual and gradient: how rows are grouped and where they lie does not matter,
// rows do not know of one another, zeros join no sum.
#include "properties/drawn.hpp"

namespace bitstep_test {
namespace {

template <class T>
class gradient_properties : public testing::Test {};
TYPED_TEST_SUITE(gradient_properties, element_types, element_names);

// Panels are cut by the index in the flat row sequence, never by shard, thread or address.
TYPED_TEST(gradient_properties, shards_are_one_row_sequence) {
    using T = TypeParam;
    holds("shards are one row sequence", [] {
        const auto mode = draw_mode();
        const auto whole = draw_problem<T>(draw_kind());
        const auto want = gradient_of(whole, reference_options(mode));
        on_every_arch(mode, [&](const bitstep::options& opts) {
            const drawn_shards<T> shards(whole);
            require_same_bits(run_gradient<T>(shards.rows(), {whole.w.data(), whole.w.size()}, opts), want);
        });
    });
}

// Where an array begins and how far its rows are apart enters no formula.
TYPED_TEST(gradient_properties, addresses_and_strides_change_nothing) {
    using T = TypeParam;
    holds("addresses and strides change nothing", [] {
        const auto mode = draw_mode();
        const auto dense = draw_problem<T>(*rc::gen::element(data_kind::usual, data_kind::tiny, data_kind::spread));
        const placed_problem<T> packed(dense, layout{});
        const auto opts = reference_options(mode);
        const row_results<T> want{run_predict(packed, opts), run_residual(packed, opts), run_gradient(packed, opts)};
        on_every_arch(mode,
                      [&](const bitstep::options& forced) { require_same_results(results_of(dense, forced), want); });
    });
}

// A row's dot product is made of that row and w alone, however many rows are in flight.
TYPED_TEST(gradient_properties, predict_of_some_rows_is_some_of_predict) {
    using T = TypeParam;
    holds("predict of some rows is some of predict", [] {
        const auto mode = draw_mode();
        const auto all = draw_problem<T>(*rc::gen::element(data_kind::usual, data_kind::tiny, data_kind::special), 300);
        const auto predicted = predict_of(all, reference_options(mode));
        const auto left = residual_of(all, reference_options(mode));
        on_every_arch(mode, [&](const bitstep::options& opts) {
            auto some = draw_order(all.rows);
            some.resize(*rc::gen::element(draw_between(1, all.rows), all.rows));
            dense_problem<T> part{some.size(), all.features, {}, in_order(all.y, some), all.w};
            for (const std::size_t i : some) {
                part.x.insert(part.x.end(), &all.x[i * all.features], &all.x[i * all.features] + all.features);
            }
            require_same_bits(predict_of(part, opts), in_order(predicted, some));
            require_same_bits(residual_of(part, opts), in_order(left, some));
        });
    });
}

// Native: the dot product is T already, so the one subtraction is the same. (Wide subtracts before it rounds.)
TYPED_TEST(gradient_properties, native_residual_is_predict_minus_y) {
    using T = TypeParam;
    holds("native residual is predict minus y", [] {
        const auto on =
            draw_problem<T>(*rc::gen::element(data_kind::usual, data_kind::spread, data_kind::special), 300);
        on_every_arch(bitstep::accumulate_mode::native, [&](const bitstep::options& opts) {
            auto want = predict_of(on, opts);
            for (std::size_t i = 0; i < want.size(); ++i) want[i] = want[i] - on.y[i];
            require_same_bits(residual_of(on, opts), want);
        });
    });
}

// A feature of zeros adds +0 or -0 to a lane, and further panels add +0 to the tree: no sum is -0, so none changes. Feature j
// keeps its lane and its panel. Its own gradient is +0. The forms for narrow, short and long rows meet here.
TYPED_TEST(gradient_properties, features_of_zeros_behind_change_nothing_else) {
    using T = TypeParam;
    holds("features of zeros behind change nothing else", [] {
        const auto mode = draw_mode();
        const auto kind = draw_kind();
        const auto narrow = draw_problem<T>(kind, 1500);
        const std::size_t more = *rc::gen::oneOf(any_in_range<std::size_t>(1, 20), any_in_range<std::size_t>(1, 1100));
        split_mix64 random(draw_seed());
        dense_problem<T> wide{narrow.rows, narrow.features + more, {}, narrow.y, narrow.w};
        for (std::size_t k = 0; k < more; ++k) wide.w.push_back(draw<T>(random, kind));
        for (std::size_t i = 0; i < narrow.rows; ++i) {
            wide.x.insert(wide.x.end(), &narrow.x[i * narrow.features],
                          &narrow.x[i * narrow.features] + narrow.features);
            for (std::size_t k = 0; k < more; ++k) wide.x.push_back(random.index(2) == 0 ? T(0) : T(-0.0));
        }
        auto want = results_of(narrow, reference_options(mode));
        want.gradient.insert(want.gradient.end() - 1, more, T(0)); // before the mean squared error
        on_every_arch(mode, [&](const bitstep::options& opts) { require_same_results(results_of(wide, opts), want); });
    });
}

// Rows of zeros behind have the residual +0, so the sums stay; N alone grows. Twice N halves the quotient exactly.
TYPED_TEST(gradient_properties, rows_of_zeros_behind_change_the_count_alone) {
    using T = TypeParam;
    holds("rows of zeros behind change the count alone", [] {
        const auto mode = draw_mode();
        auto on = draw_problem<T>(draw_kind(), 1000);
        const int doublings = static_cast<int>(draw_between(1, 2));
        const auto want = scaled(gradient_of(on, reference_options(mode)), -doublings);
        on.rows <<= static_cast<unsigned>(doublings);
        on.x.resize(on.rows * on.features, T(0));
        on.y.resize(on.rows, T(0));
        on_every_arch(mode, [&](const bitstep::options& opts) { require_same_bits(gradient_of(on, opts), want); });
    });
}

// 2^j workers of 2^k whole panels each are 2^j equal subtrees of the balanced tree, and all divisions are by powers of two.
// (Other sizes give the same mathematics with other bits; so does wide, which rounds each worker's gradient.)
TYPED_TEST(gradient_properties, native_mean_of_gradients_of_equal_subtrees_is_the_gradient) {
    using T = TypeParam;
    holds("native mean of gradients of equal subtrees is the gradient", [] {
        const std::size_t features = draw_between(1, 40);
        const std::size_t workers = std::size_t{1} << draw_between(0, 2);
        const std::size_t each = std::size_t{64} << draw_between(0, 1);
        const auto whole = make_problem<T>(draw_seed(), workers * each, features, draw_kind());
        const auto want = gradient_of(whole, reference_options(bitstep::accumulate_mode::native));
        on_every_arch(bitstep::accumulate_mode::native, [&](const bitstep::options& opts) {
            worker_vectors<T> gradients;
            for (std::size_t i = 0; i < workers; ++i) {
                const placed_shard<T> shard(whole, i * each, each, layout::numbered(i));
                const auto view = shard.view();
                gradients.push_back(run_gradient<T>({&view, 1, features}, {whole.w.data(), features}, opts));
                gradients.back().pop_back(); // the mean squared error
            }
            require_same_bits(run_mean<T>({gradients}, {}, unreported(opts)),
                              std::vector<T>(want.begin(), want.end() - 1));
        });
    });
}

} // namespace
} // namespace bitstep_test
