// SPDX-License-Identifier: Apache-2.0
// Proves: C gives the bits of C++, every verb and form, over a table of shapes, in both modes, with OpenMP's threads and
// with every kind of caller's pool.
#include "c_calls.hpp"

#include "support/arch_threads.hpp"
#include "support/environments.hpp"
#include "support/pools.hpp"
#include "support/shapes.hpp"
#include "support/typed.hpp"

#include <string>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class c_same_bits_test : public testing::Test {};
TYPED_TEST_SUITE(c_same_bits_test, element_types, element_names);

template <class T>
std::vector<shape> shapes() {
    std::vector<shape> all = lane_shapes<T>();
    for (const shape& each : panel_shapes()) {
        all.push_back(each);
    }
    all.push_back({3, 30001, "rows long enough to be shared by columns"});
    return all;
}

TYPED_TEST(c_same_bits_test, every_verb_and_form_over_every_shape) {
    for (const shape& of : shapes<TypeParam>()) {
        every_verb<TypeParam> in_cpp(of.rows, of.features, data_kind::spread, step_forms::all);
        for (const accumulate_mode mode : every_mode) {
            for (const int threads : {1, 3}) {
                SCOPED_TRACE(describe(of) + ", " + mode_name(mode) + ", " + std::to_string(threads));
                const auto want = in_cpp.run_all(forced(bitstep::arch::automatic, threads, mode));
                c_calls<TypeParam> calls(of.rows, of.features, data_kind::spread);
                calls.options.accumulate = static_cast<int>(mode);
                calls.options.threads = threads;
                calls.options.serial_below_bytes = 0;
                calls.give_workspace();
                ASSERT_TRUE(same_results(calls.run_all(), want));
            }
        }
    }
}

TYPED_TEST(c_same_bits_test, every_pool) {
    const shape pooled[] = {{1300, 9, "a subtree per thread"}, {70, 20481, "what OpenMP's threads share by columns"}};
    for (const shape& of : pooled) {
        every_verb<TypeParam> in_cpp(of.rows, of.features, data_kind::spread, step_forms::all);
        const auto want = in_cpp.run_all(reference_options(accumulate_mode::native));
        for (const named_pool& each : every_pool) {
            SCOPED_TRACE(describe(of) + ", " + each.name);
            counting_pool pool;
            c_calls<TypeParam> calls(of.rows, of.features, data_kind::spread);
            calls.options.threads = 5;
            calls.options.serial_below_bytes = 0;
            calls.options.parallel_for = each.parallel_for;
            calls.options.pool = &pool;
            calls.give_workspace();
            ASSERT_TRUE(same_results(calls.run_all(), want));
            EXPECT_GT(pool.calls, 0);
            EXPECT_LE(pool.largest, 5U);
        }
    }
}

/// The C interface itself handles numbers, too, before the guard of the call within: it must not compute with them.
TYPED_TEST(c_same_bits_test, whatever_environment_the_caller_has) {
    for (const data_kind kind : {data_kind::denormal, data_kind::special}) {
        every_verb<TypeParam> in_cpp(200, 45, kind, step_forms::all);
        const auto want = in_cpp.run_all(reference_options(accumulate_mode::native));
        c_calls<TypeParam> calls(200, 45, kind);
        for (const environment& of : environments()) {
            calls.run_all();
            verb_results<TypeParam> got;
            if (call_under(of, [&] { got = calls.run_all(); })) {
                EXPECT_TRUE(same_results(got, want)) << of.name;
            }
        }
    }
}

TYPED_TEST(c_same_bits_test, null_options_and_workspace_are_the_defaults) {
    every_verb<TypeParam> in_cpp(300, 77, data_kind::usual, step_forms::all);
    c_calls<TypeParam> calls(300, 77, data_kind::usual);
    calls.options_argument = nullptr;
    calls.workspace_argument = nullptr;
    EXPECT_TRUE(same_results(calls.run_all(), in_cpp.run_all({})));
}

TYPED_TEST(c_same_bits_test, counts_and_sums_and_traces) {
    const long long counts[] = {1, 0, 3};
    c_calls<TypeParam> calls(2, 50, data_kind::spread);
    calls.counts = counts;
    ASSERT_EQ(calls.take_mean(), BITSTEP_OK);
    EXPECT_TRUE(same_bits(calls.mean, run_mean<TypeParam>({calls.workers}, {1, 0, 3}, {})));

    calls.op = BITSTEP_RING_SUM;
    ASSERT_EQ(calls.ring(), BITSTEP_OK);
    std::vector<std::vector<TypeParam>> finals(3, std::vector<TypeParam>(50));
    TypeParam* outputs[] = {finals[0].data(), finals[1].data(), finals[2].data()};
    std::vector<bitstep::ring_event> trace(bitstep::ring_event_count(3));
    expect_ok(bitstep::simulate_ring_allreduce<TypeParam>(calls.inputs.data(), 3, 50, bitstep::ring_op::sum, outputs,
                                                          trace.data()));
    EXPECT_TRUE(same_bits(calls.finals[1], finals[1]));
    ASSERT_EQ(calls.trace.size(), trace.size());
    ASSERT_EQ(trace.size(), 12U);
    for (std::size_t i = 0; i < trace.size(); ++i) {
        EXPECT_EQ(calls.trace[i].phase, static_cast<int>(trace[i].phase));
        EXPECT_EQ(calls.trace[i].round, trace[i].round);
        EXPECT_EQ(calls.trace[i].sender, trace[i].sender);
        EXPECT_EQ(calls.trace[i].receiver, trace[i].receiver);
        EXPECT_EQ(calls.trace[i].chunk, trace[i].chunk);
    }
}

TYPED_TEST(c_same_bits_test, queries_agree) {
    bitstep_options options = BITSTEP_OPTIONS_INIT;
    options.threads = 4;
    bitstep::options in_cpp;
    in_cpp.threads = 4;
    using c = verbs_of<TypeParam>;
    std::size_t got = 0;
    std::size_t want = 0;
    ASSERT_EQ(c::gradient_bytes(100000, 33, &options, &got), BITSTEP_OK);
    expect_ok(bitstep::gradient_workspace_bytes<TypeParam>(100000, 33, in_cpp, want));
    EXPECT_EQ(got, want);
    ASSERT_EQ(c::step_bytes(100000, 33, &options, &got), BITSTEP_OK);
    expect_ok(bitstep::distributed_step_workspace_bytes<TypeParam>(100000, 33, in_cpp, want));
    EXPECT_EQ(got, want);
    ASSERT_EQ(c::mean_bytes(1000, 8, &got), BITSTEP_OK);
    expect_ok(bitstep::allreduce_mean_workspace_bytes<TypeParam>(1000, 8, want));
    EXPECT_EQ(got, want);
}

} // namespace
} // namespace bitstep_test
