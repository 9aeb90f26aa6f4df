// SPDX-License-Identifier: Apache-2.0
// Proves: gradient, predict and residual take every error exit with its code and a message that names argument, rule and
// value, and write nothing; the workspace queries refuse what the calls would.
#include "support/arch_threads.hpp"
#include "support/problem.hpp"
#include "support/refusal.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace bitstep_test {
namespace {

using bitstep::status_code;

template <class T>
class validate_data_test : public testing::Test {};
TYPED_TEST_SUITE(validate_data_test, element_types, element_names);

/// Arguments of the three verbs that read X: 24 rows of 5 features.
template <class T>
struct data_call {
    static constexpr std::size_t rows_count = 24;
    static constexpr std::size_t d = 5;
    dense_problem<T> data = make_problem<T>(1, rows_count, d, data_kind::usual);
    std::vector<T> result = std::vector<T>(rows_count + 1, T(77));
    bitstep::options opts;

    void watch_all(watched_memory& memory) const {
        memory.watch("X", data.x.data(), data.x.size());
        memory.watch("y", data.y.data(), data.y.size());
        memory.watch("w", data.w.data(), data.w.size());
        memory.watch("result", result.data(), result.size());
    }
};

template <class T>
struct gradient_call : data_call<T> {
    using base = data_call<T>;
    bitstep::shard_view<T> shard{base::data.x.data(), base::data.y.data(), base::rows_count, base::d};
    bitstep::row_sequence<T> rows{&shard, 1, base::d};
    bitstep::vector_view<const T> w{base::data.w.data(), base::d};
    bitstep::vector_view<T> grad{base::result.data(), base::d};
    T* mse = base::result.data() + base::d;
    bitstep::workspace scratch;

    bitstep::status run() { return bitstep::gradient<T>(rows, w, grad, mse, base::opts, scratch); }
};

TYPED_TEST(validate_data_test, gradient) {
    using call = gradient_call<TypeParam>;
    const auto null = status_code::null_pointer;
    const auto shape = status_code::invalid_shape;
    const auto overlap = status_code::overlap;
    expect_table_refused<call>({
        {"shards", [](call& c) { c.rows.shards = nullptr; }, {null, {"shards", "null"}}},
        {"x", [](call& c) { c.shard.x = nullptr; }, {null, {"shards[0].x", "null"}}},
        {"y", [](call& c) { c.shard.y = nullptr; }, {null, {"shards[0].y", "null"}}},
        {"w", [](call& c) { c.w.data = nullptr; }, {null, {"w must", "null"}}},
        {"grad", [](call& c) { c.grad.data = nullptr; }, {null, {"grad must", "null"}}},
        {"no shards", [](call& c) { c.rows.shard_count = 0; }, {shape, {"rows", "got 0"}}},
        {"an empty shard alone", [](call& c) { c.shard.rows = 0; }, {shape, {"rows", "got 0"}}},
        {"d = 0", [](call& c) { c.rows.features = c.w.size = c.grad.size = 0; }, {shape, {"features", "got 0"}}},
        {"row_stride", [](call& c) { c.shard.row_stride = 4; }, {shape, {"row_stride", "5", "got 4"}}},
        {"size of w", [](call& c) { c.w.size = 4; }, {shape, {"w.size", "5", "got 4"}}},
        {"size of grad", [](call& c) { c.grad.size = 6; }, {shape, {"grad.size", "5", "got 6"}}},
        {"bytes of X", [](call& c) { c.shard.row_stride = SIZE_MAX / 3; }, {shape, {"shards[0].x", "2^63 bytes"}}},
        {"bytes of X, by d",
         [](call& c) { c.rows.features = c.w.size = c.grad.size = c.shard.row_stride = SIZE_MAX / 4; },
         {shape, {"2^63 bytes"}}},
        {"threads", [](call& c) { c.opts.threads = 1025; }, {status_code::invalid_argument, {"threads", "got 1025"}}},
        {"accumulate",
         [](call& c) { c.opts.accumulate = static_cast<bitstep::accumulate_mode>(-1); },
         {status_code::invalid_argument, {"accumulate", "got -1"}}},
        {"grad on w", [](call& c) { c.grad.data = c.data.w.data(); }, {overlap, {"grad", "w"}}},
        {"grad in X", [](call& c) { c.grad.data = c.data.x.data() + 117; }, {overlap, {"grad", "shards[0].x"}}},
        {"grad before X",
         [](call& c) {
             c.shard.x = c.result.data() + 4;
             c.shard.rows = 1;
             c.mse = nullptr;
         },
         {overlap, {"grad", "shards[0].x"}}},
        {"grad in y", [](call& c) { c.grad.data = c.data.y.data() + 1; }, {overlap, {"grad", "shards[0].y"}}},
        {"mse in grad", [](call& c) { c.mse = c.result.data() + 2; }, {overlap, {"mse", "grad"}}},
        {"mse in w", [](call& c) { c.mse = c.data.w.data() + 4; }, {overlap, {"mse", "w"}}},
        {"workspace on the list of shards",
         [](call& c) {
             c.scratch = {&c.shard, sizeof(c.shard)};
         },
         {overlap, {"workspace", "shards"}}},
        {"the report in grad",
         [](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(c.result.data()); },
         {overlap, {"grad", "options.report"}}},
        {"mse in the report",
         [](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(c.mse); },
         {overlap, {"mse", "options.report"}}},
        {"the report in X",
         [](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(c.data.x.data() + 2); },
         {overlap, {"options.report", "shards[0].x"}}},
        {"the report in w",
         [](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(c.data.w.data()); },
         {overlap, {"options.report", "w"}}},
        {"mse in the options",
         [](call& c) { c.mse = reinterpret_cast<TypeParam*>(&c.opts.pool); },
         {overlap, {"mse", "options"}}},
        {"mse in y", [](call& c) { c.mse = c.data.y.data(); }, {overlap, {"mse", "shards[0].y"}}},
        {"workspace",
         [](call& c) {
             c.scratch = {c.result.data() + 10, 1};
         },
         {status_code::workspace_too_small, {"workspace", "got 1"}}},
        {"workspace without memory",
         [](call& c) {
             c.scratch = {nullptr, 4096};
         },
         {null, {"workspace.data", "null", "4096 bytes"}}},
        {"NaN in X",
         [](call& c) { c.data.x[7] = std::numeric_limits<TypeParam>::quiet_NaN(); },
         {status_code::non_finite, {"shards[0].x", "finite", "nan", "row 1", "feature 2"}}},
        {"inf in y",
         [](call& c) { c.data.y[23] = std::numeric_limits<TypeParam>::infinity(); },
         {status_code::non_finite, {"shards[0].y", "finite", "inf", "row 23"}}},
        {"inf in w",
         [](call& c) { c.data.w[4] = std::numeric_limits<TypeParam>::infinity(); },
         {status_code::non_finite, {"w must be finite", "inf", "element 4"}}},
    });
}

template <class T>
struct predict_call : data_call<T> {
    using base = data_call<T>;
    bitstep::matrix_view<const T> x{base::data.x.data(), base::rows_count, base::d, base::d};
    bitstep::vector_view<const T> w{base::data.w.data(), base::d};
    bitstep::vector_view<T> out{base::result.data(), base::rows_count};

    bitstep::status run() { return bitstep::predict<T>(x, w, out, base::opts); }
};

template <class T>
struct residual_call : predict_call<T> {
    bitstep::vector_view<const T> y{predict_call<T>::base::data.y.data(), predict_call<T>::base::rows_count};

    bitstep::status run() { return bitstep::residual<T>(this->x, y, this->w, this->out, this->opts); }
};

/// The exits that predict and residual share.
template <class T, class Call>
void expect_matrix_rows_refused() {
    using call = Call;
    const auto null = status_code::null_pointer;
    const auto shape = status_code::invalid_shape;
    const auto overlap = status_code::overlap;
    expect_table_refused<call>({
        {"x", [](call& c) { c.x.data = nullptr; }, {null, {"x.data must", "null"}}},
        {"w", [](call& c) { c.w.data = nullptr; }, {null, {"w must", "null"}}},
        {"out", [](call& c) { c.out.data = nullptr; }, {null, {"out must", "null"}}},
        {"N = 0", [](call& c) { c.x.rows = c.out.size = 0; }, {shape, {"rows", "got 0"}}},
        {"d = 0", [](call& c) { c.x.cols = c.w.size = 0; }, {shape, {"cols", "got 0"}}},
        {"row_stride", [](call& c) { c.x.row_stride = 4; }, {shape, {"row_stride", "5", "got 4"}}},
        {"size of w", [](call& c) { c.w.size = 6; }, {shape, {"w.size", "5", "got 6"}}},
        {"size of out", [](call& c) { c.out.size = 23; }, {shape, {"out.size", "24", "got 23"}}},
        {"bytes of X", [](call& c) { c.x.row_stride = SIZE_MAX / 3; }, {shape, {"x", "2^63 bytes"}}},
        {"threads", [](call& c) { c.opts.threads = -1; }, {status_code::invalid_argument, {"threads", "got -1"}}},
        {"accumulate",
         [](call& c) { c.opts.accumulate = static_cast<bitstep::accumulate_mode>(9); },
         {status_code::invalid_argument, {"accumulate", "got 9"}}},
        {"arch",
         [](call& c) { c.opts.arch = static_cast<bitstep::arch>(-3); },
         {status_code::arch_unavailable, {"arch", "got -3"}}},
        {"out in x", [](call& c) { c.out.data = c.data.x.data() + 90; }, {overlap, {"out", "x"}}},
        {"out is x", [](call& c) { c.out.data = c.data.x.data(); }, {overlap, {"out", "x"}}},
        {"out on w", [](call& c) { c.w.data = c.result.data() + 23; }, {overlap, {"out", "w"}}},
        {"the report in out",
         [](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(c.result.data()); },
         {overlap, {"out", "options.report"}}},
        {"the report in x",
         [](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(c.data.x.data() + 4); },
         {overlap, {"options.report", "x"}}},
        {"out over the options",
         [](call& c) { c.out.data = reinterpret_cast<T*>(&c.opts); },
         {overlap, {"out", "options"}}},
    });
}

TYPED_TEST(validate_data_test, predict) {
    using call = predict_call<TypeParam>;
    expect_matrix_rows_refused<TypeParam, call>();
    expect_table_refused<call>({
        {"N d wraps",
         [](call& c) { c.x.rows = c.out.size = std::size_t{1} << 63U; },
         {status_code::invalid_shape, {"2^63 bytes"}}},
    });
}

TYPED_TEST(validate_data_test, residual) {
    using call = residual_call<TypeParam>;
    expect_matrix_rows_refused<TypeParam, call>();
    expect_table_refused<call>({
        {"y", [](call& c) { c.y.data = nullptr; }, {status_code::null_pointer, {"y must", "null"}}},
        {"size of y", [](call& c) { c.y.size = 25; }, {status_code::invalid_shape, {"y.size", "24", "got 25"}}},
        {"out in part on y", [](call& c) { c.y.data = c.result.data() + 1; }, {status_code::overlap, {"out", "y"}}},
    });
}

TYPED_TEST(validate_data_test, workspace_queries) {
    const auto refuse = [](std::size_t rows, std::size_t features, const bitstep::options& opts,
                           const refusal& wanted) {
        std::size_t bytes = 4711;
        expect_says(bitstep::gradient_workspace_bytes<TypeParam>(rows, features, opts, bytes), wanted);
        expect_says(bitstep::distributed_step_workspace_bytes<TypeParam>(rows, features, opts, bytes), wanted);
        EXPECT_EQ(bytes, 4711U) << "a refused query wrote its output";
    };
    for (const bitstep::accumulate_mode mode : every_mode) {
        bitstep::options opts;
        opts.accumulate = mode;
        opts.threads = 2;
        refuse(0, 5, opts, {status_code::invalid_shape, {"rows", "got 0"}});
        refuse(5, 0, opts, {status_code::invalid_shape, {"features", "got 0"}});
        refuse(SIZE_MAX, SIZE_MAX, opts, {status_code::invalid_shape, {"2^63 bytes"}});
        refuse(1, SIZE_MAX / sizeof(TypeParam) / 2, opts, {status_code::invalid_shape, {"2^63 bytes"}});
        refuse(std::size_t{1} << 32U, std::size_t{1} << 32U, opts, {status_code::invalid_shape, {"2^63 bytes"}});
        opts.threads = 1025;
        refuse(5, 5, opts, {status_code::invalid_argument, {"threads", "got 1025"}});
        opts.threads = 1;
        opts.arch = static_cast<bitstep::arch>(99);
        refuse(5, 5, opts, {status_code::arch_unavailable, {"arch", "got 99"}});
    }
    bitstep::options opts;
    opts.accumulate = static_cast<bitstep::accumulate_mode>(5);
    refuse(5, 5, opts, {status_code::invalid_argument, {"accumulate", "got 5"}});
    bitstep::run_report report{bitstep::arch::neon64, 77};
    opts = {};
    opts.report = &report;
    std::size_t bytes = 0;
    expect_ok(bitstep::gradient_workspace_bytes<TypeParam>(5, 5, opts, bytes));
    expect_ok(bitstep::distributed_step_workspace_bytes<TypeParam>(5, 5, opts, bytes));
    EXPECT_EQ(report.ran, bitstep::arch::neon64) << "a query ran nothing";
    EXPECT_EQ(report.threads, 77);
}

} // namespace
} // namespace bitstep_test
