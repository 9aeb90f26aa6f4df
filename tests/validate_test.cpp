// SPDX-License-Identifier: Apache-2.0
// Proves: distributed_step takes every error exit with its code and a message that names argument, rule and value, in
// each of its four forms, and leaves X, y, the state and out as they were, byte for byte.
#include "support/step_call.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <limits>

namespace bitstep_test {
namespace {

using bitstep::status_code;

template <class T>
class validate_test : public testing::Test {};
TYPED_TEST_SUITE(validate_test, element_types, element_names);

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TYPED_TEST(validate_test, null_pointers) {
    using call = step_call<TypeParam>;
    const auto code = status_code::null_pointer;
    expect_rows_refused<TypeParam>({
        {"worker_xs", [](call& c) { c.batches.worker_xs = nullptr; }, {code, {"worker_xs", "null"}}, has_batches},
        {"worker_ys", [](call& c) { c.batches.worker_ys = nullptr; }, {code, {"worker_ys", "null"}}, has_batches},
        {"shards", [](call& c) { c.rows.shards = nullptr; }, {code, {"shards", "null"}}, has_rows},
        {"x of a shard", [](call& c) { c.shards[2].x = nullptr; }, {code, {"shards[2].x", "null"}}, has_rows},
        {"y of a shard", [](call& c) { c.shards[0].y = nullptr; }, {code, {"shards[0].y", "null"}}, has_rows},
        {"weights", [](call& c) { c.state.weights = nullptr; }, {code, {"weights", "null"}}},
        {"ema_weights", [](call& c) { c.state.ema_weights = nullptr; }, {code, {"ema_weights", "null"}}},
        {"m", [](call& c) { c.state.m = nullptr; }, {code, {"m must", "null"}}},
        {"v", [](call& c) { c.state.v = nullptr; }, {code, {"v must", "null"}}},
        {"out", [](call& c) { c.out.data = nullptr; }, {code, {"out", "null"}}, is_functional},
    });
}

TYPED_TEST(validate_test, extents) {
    using call = step_call<TypeParam>;
    const auto code = status_code::invalid_shape;
    expect_rows_refused<TypeParam>({
        {"W = 0", [](call& c) { c.batches.workers = 0; }, {code, {"workers must be >= 1", "got 0"}}, has_batches},
        {"A = 0", [](call& c) { c.batches.micro_batches = 0; }, {code, {"micro_batches must", "got 0"}}, has_batches},
        {"B = 0", [](call& c) { c.batches.examples = 0; }, {code, {"examples must", "got 0"}}, has_batches},
        {"d = 0",
         [](call& c) {
             c.batches.features = c.rows.features = c.state.features = 0;
             c.out.size = 0;
         },
         {code, {"features must be >= 1", "got 0"}}},
        {"no rows at all", [](call& c) { c.rows.shard_count = 0; }, {code, {"rows", ">= 1", "got 0"}}, has_rows},
        {"empty shards alone",
         [](call& c) { c.shards[0].rows = c.shards[2].rows = 0; },
         {code, {"rows", "got 0"}},
         has_rows},
        {"row_stride < d",
         [](call& c) { c.shards[2].row_stride = 4; },
         {code, {"shards[2].row_stride", "features = 5", "got 4"}},
         has_rows},
        {"state of another size",
         [](call& c) {
             c.state.features = 4;
             c.out.size = 16;
         },
         {code, {"state.features", "5", "got 4"}}},
        {"out too short", [](call& c) { c.out.size = 19; }, {code, {"out.size", "20", "got 19"}}, is_functional},
        {"out too long", [](call& c) { c.out.size = 21; }, {code, {"out.size", "20", "got 21"}}, is_functional},
    });
}

/// Products that wrap: a wrapped product could look small and pass, and the tiny buffers would be overrun.
TYPED_TEST(validate_test, extents_that_overflow) {
    using call = step_call<TypeParam>;
    const auto code = status_code::invalid_shape;
    constexpr std::size_t half = std::size_t{1} << 32U;
    expect_rows_refused<TypeParam>({
        {"W A wraps to 0",
         [](call& c) {
             c.batches.workers = half;
             c.batches.micro_batches = half;
         },
         {code, {"workers", "micro_batches", "fit", "4294967296"}},
         has_batches},
        {"W A B wraps",
         [](call& c) {
             c.batches.workers = std::size_t{1} << 30U;
             c.batches.micro_batches = std::size_t{1} << 30U;
             c.batches.examples = 24;
         },
         {code, {"examples", "fit", "24"}},
         has_batches},
        {"W A B wraps to 0", [](call& c) { c.batches.workers = std::size_t{1} << 62U; }, {code, {"fit"}}, has_batches},
        {"bytes of X wrap",
         [](call& c) { c.batches.workers = SIZE_MAX / sizeof(TypeParam) / 12 / 5 + 1; },
         {code, {"worker_xs", "2^63 bytes"}},
         has_batches},
        {"4 d wraps to 0",
         [](call& c) {
             c.batches.features = c.rows.features = c.state.features = std::size_t{1} << 62U;
             for (auto& shard : c.shards) {
                 shard.row_stride = c.rows.features;
             }
             c.out.size = 0;
         },
         {code, {"2^63 bytes"}}},
        {"row_stride times rows wraps",
         [](call& c) { c.shards[0].row_stride = SIZE_MAX / 4; },
         {code, {"shards[0].x", "2^63 bytes"}},
         has_rows},
        {"rows of all shards together wrap",
         [](call& c) {
             c.rows.features = c.state.features = 1;
             c.out.size = 4;
             for (auto& shard : c.shards) {
                 shard = {c.data.x.data(), c.data.y.data(), SIZE_MAX / 2 / sizeof(TypeParam), 1};
             }
             c.rows.shard_count = 17;
         },
         {code, {"shards", "rows", "fit"}},
         has_rows},
    });
}

TYPED_TEST(validate_test, hyper_parameters) {
    using call = step_call<TypeParam>;
    const auto code = status_code::invalid_argument;
    std::vector<step_row<TypeParam>> table;
    const auto add = [&](const char* label, double bitstep::hyper_parameters::*member, double value, const char* rule,
                         const char* shown) {
        table.push_back({label, [=](call& c) { c.hyper.*member = value; }, {code, {label, rule, shown}}});
    };
    using hyper = bitstep::hyper_parameters;
    add("lr", &hyper::lr, -0x1p-1074, ">= 0", "got -");
    add("lr", &hyper::lr, -1, ">= 0", "got -1");
    add("lr", &hyper::lr, nan, ">= 0", "nan");
    add("lr", &hyper::lr, infinity, "finite", "got inf");
    for (const auto member : {&hyper::beta1, &hyper::beta2}) {
        const char* name = member == &hyper::beta1 ? "beta1" : "beta2";
        add(name, member, 1, "must be in [0, 1)", "got 1");
        add(name, member, -0.25, "must be in [0, 1)", "got -0.25");
        add(name, member, nan, "must be in [0, 1)", "nan");
        add(name, member, infinity, "must be in [0, 1)", "got inf");
    }
    add("eps", &hyper::eps, 0, "> 0", "got 0");
    add("eps", &hyper::eps, -1e-8, "> 0", "got -1e-08");
    add("eps", &hyper::eps, nan, "> 0", "nan");
    add("eps", &hyper::eps, infinity, "finite", "got inf");
    add("decay", &hyper::decay, -0.5, "must be in [0, 1]", "got -0.5");
    add("decay", &hyper::decay, 1.5, "must be in [0, 1]", "got 1.5");
    add("decay", &hyper::decay, nan, "must be in [0, 1]", "nan");
    for (const long long t : {0LL, -1LL, LLONG_MIN}) {
        table.push_back({"t", [=](call& c) { c.hyper.t = t; }, {code, {"t must be >= 1", "got"}}});
    }
    expect_rows_refused<TypeParam>(table);
}

/// In float what rounds to zero or infinity is refused too.
TEST(validate, hyper_parameters_that_float_cannot_hold) {
    using call = step_call<float>;
    const auto code = status_code::invalid_argument;
    expect_rows_refused<float>({
        {"eps", [](call& c) { c.hyper.eps = 1e-60; }, {code, {"eps", "> 0", "float", "1e-60"}}},
        {"eps", [](call& c) { c.hyper.eps = 0x1p-150; }, {code, {"eps", "> 0", "float"}}}, // a tie, to even: zero
        {"eps", [](call& c) { c.hyper.eps = 1e300; }, {code, {"eps", "finite", "float", "1e+300"}}},
        {"lr", [](call& c) { c.hyper.lr = 1e300; }, {code, {"lr", "finite", "float", "1e+300"}}},
        {"lr", [](call& c) { c.hyper.lr = 0x1.ffffffp127; }, {code, {"lr", "finite", "float"}}}, // a tie: infinity
    });
    step_call<double> fine;
    fine.hyper.eps = 1e-60;
    fine.hyper.lr = 1e300;
    expect_ok(fine.run(step_form::batches_to_out));
}

TYPED_TEST(validate_test, options_and_workspace) {
    using call = step_call<TypeParam>;
    const auto code = status_code::invalid_argument;
    expect_rows_refused<TypeParam>({
        {"threads", [](call& c) { c.opts.threads = -1; }, {code, {"threads", "1024", "got -1"}}},
        {"threads", [](call& c) { c.opts.threads = 1025; }, {code, {"threads", "1024", "got 1025"}}},
        {"threads", [](call& c) { c.opts.threads = INT_MIN; }, {code, {"threads", "1024", "got -2147483648"}}},
        {"arch",
         [](call& c) { c.opts.arch = static_cast<bitstep::arch>(99); },
         {status_code::arch_unavailable, {"arch", "got 99"}}},
        {"accumulate",
         [](call& c) { c.opts.accumulate = static_cast<bitstep::accumulate_mode>(2); },
         {code, {"accumulate", "got 2"}}},
        {"check_state",
         [](call& c) { c.opts.check_state = static_cast<bitstep::check_mode>(3); },
         {code, {"check_state", "got 3"}}},
        {"workspace too small",
         [](call& c) {
             std::size_t bytes = 0;
             expect_ok(bitstep::distributed_step_workspace_bytes<TypeParam>(24, 5, c.opts, bytes));
             c.scratch = {c.scratch_bytes.data(), bytes - 1};
         },
         {status_code::workspace_too_small, {"workspace"}}},
        {"workspace of no bytes",
         [](call& c) {
             c.scratch = {c.scratch_bytes.data(), 0};
         },
         {status_code::workspace_too_small, {"workspace", "got 0"}}},
    });
}

TYPED_TEST(validate_test, state_values) {
    using call = step_call<TypeParam>;
    const auto bad = std::numeric_limits<TypeParam>::quiet_NaN();
    const auto inf = std::numeric_limits<TypeParam>::infinity();
    const auto non_finite = status_code::non_finite;
    const auto invalid = status_code::invalid_argument;
    expect_rows_refused<TypeParam>({
        {"weights", [=](call& c) { c.state.weights[4] = bad; }, {non_finite, {"weights", "finite", "nan"}}},
        {"weights", [=](call& c) { c.state.weights[0] = inf; }, {non_finite, {"weights", "finite", "inf"}}},
        {"ema_weights", [=](call& c) { c.state.ema_weights[0] = bad; }, {non_finite, {"ema_weights", "finite", "nan"}}},
        {"m", [=](call& c) { c.state.m[4] = -inf; }, {non_finite, {"m must be finite", "-inf"}}},
        {"v", [=](call& c) { c.state.v[2] = inf; }, {non_finite, {"v must be finite", "inf"}}},
        {"v", [=](call& c) { c.state.v[2] = bad; }, {non_finite, {"v must be finite", "nan"}}},
        {"v", [=](call& c) { c.state.v[4] = TypeParam(-0.5); }, {invalid, {"v must be >= 0", "got -0.5"}}},
        {"v",
         [=](call& c) { c.state.v[0] = -std::numeric_limits<TypeParam>::denorm_min(); },
         {invalid, {"v must be >= 0"}}},
    });
}

TYPED_TEST(validate_test, data_values) {
    using call = step_call<TypeParam>;
    const auto bad = std::numeric_limits<TypeParam>::quiet_NaN();
    const auto huge = std::numeric_limits<TypeParam>::max() / 2;
    const auto non_finite = status_code::non_finite;
    expect_rows_refused<TypeParam>({
        {"worker_xs",
         [=](call& c) { c.data.x[119] = bad; },
         {non_finite, {"worker_xs must be finite", "nan"}},
         has_batches},
        {"worker_ys",
         [=](call& c) { c.data.y[0] = bad; },
         {non_finite, {"worker_ys must be finite", "nan"}},
         has_batches},
        {"x of a shard",
         [=](call& c) { c.data.x[119] = bad; },
         {non_finite, {"shards[2].x must be finite", "nan"}},
         has_rows},
        {"y of a shard",
         [=](call& c) { c.data.y[0] = bad; },
         {non_finite, {"shards[0].y must be finite", "nan"}},
         has_rows},
        {"weights, unchecked state",
         [=](call& c) {
             c.state.weights[3] = bad;
             c.opts.check_state = bitstep::check_mode::off;
         },
         {non_finite, {"weights must be finite", "nan"}}},
        {"overflow",
         [=](call& c) {
             c.data.x[7] = huge;
             c.state.weights[2] = huge;
         },
         {status_code::gradient_overflow, {"gradient", "finite"}}},
    });
}

TYPED_TEST(validate_test, overlaps) {
    using call = step_call<TypeParam>;
    const auto code = status_code::overlap;
    const auto write_x = [](call& c, std::size_t at) { return c.data.x.data() + at; };
    expect_rows_refused<TypeParam>({
        {"out on weights", [](call& c) { c.out.data = c.flat.data(); }, {code, {"out", "weights"}}, is_functional},
        {"out's last on v's first",
         [](call& c) { c.state.v = c.out_values.data() + 19; },
         {code, {"out", "v"}},
         is_functional},
        {"out in X", [=](call& c) { c.out.data = write_x(c, 100); }, {code, {"out", "x"}}, is_functional},
        {"out on y", [](call& c) { c.out.data = c.data.y.data(); }, {code, {"out", "y"}}, is_functional},
        {"m is v", [](call& c) { c.state.m = c.state.v; }, {code, {"m", "v"}}, is_in_place},
        {"ema is weights",
         [](call& c) { c.state.ema_weights = c.state.weights; },
         {code, {"ema_weights"}},
         is_in_place},
        {"m in part on v", [](call& c) { c.state.m = c.state.v - 1; }, {code, {"m", "v"}}, is_in_place},
        {"weights in X", [=](call& c) { c.state.weights = write_x(c, 115); }, {code, {"weights", "x"}}, is_in_place},
        {"m on y", [](call& c) { c.state.m = c.data.y.data() + 19; }, {code, {"m", "y"}}, is_in_place},
        {"workspace on X",
         [=](call& c) {
             c.scratch = {write_x(c, 0), c.data.x.size() * sizeof(TypeParam)};
         },
         {code, {"workspace", "x"}}},
        {"workspace on the state",
         [](call& c) {
             c.scratch = {c.flat.data(), c.flat.size() * sizeof(TypeParam)};
         },
         {code, {"workspace", "weights"}}},
        {"workspace on the scalars",
         [](call& c) {
             c.scratch = {&c.hyper, sizeof c.hyper};
         },
         {code, {"workspace", "hyper"}}},
        {"out on the options",
         [](call& c) { c.out.data = reinterpret_cast<TypeParam*>(&c.opts); },
         {code, {"out", "options"}},
         is_functional},
        {"v on the scalars",
         [](call& c) { c.state.v = reinterpret_cast<TypeParam*>(&c.hyper); },
         {code, {"v must", "hyper"}},
         is_in_place},
        {"the report in out",
         [](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(c.out_values.data() + 18); },
         {code, {"out", "options.report"}},
         is_functional},
        {"the report in the state",
         [](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(c.state.m); },
         {code, {"options.report", "m"}}},
        {"the report in X",
         [=](call& c) { c.opts.report = reinterpret_cast<bitstep::run_report*>(write_x(c, 2)); },
         {code, {"options.report", "x"}}},
        {"workspace on out",
         [](call& c) {
             c.scratch = {c.out_values.data(), c.out_values.size() * sizeof(TypeParam)};
         },
         {code, {"workspace", "out"}},
         is_functional},
    });
}

} // namespace
} // namespace bitstep_test
