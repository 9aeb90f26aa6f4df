// SPDX-License-Identifier: Apache-2.0
// Proves: a caller's parallel_for, however it runs the tasks, gives the bits of every other way; it is called where there
// is work for a team and nowhere else, with no more tasks than threads, at most four times; calls may share it, and a
// forked child may use one; a workspace of the queried size is enough.
#include "support/arch_threads.hpp"
#include "support/every_verb.hpp"
#include "support/forked.hpp"
#include "support/pools.hpp"
#include "support/refusal.hpp"
#include "support/shapes.hpp"
#include "support/shared_pool.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class parallel_for_test : public testing::Test {};
TYPED_TEST_SUITE(parallel_for_test, element_types, element_names);

bitstep::options on_pool(const named_pool& of, void* pool, int threads, accumulate_mode mode) {
    bitstep::options opts = forced(bitstep::arch::automatic, threads, mode);
    opts.parallel_for = of.parallel_for;
    opts.pool = pool;
    return opts;
}

template <class T>
std::size_t step_bytes(std::size_t rows, std::size_t features, const bitstep::options& opts) {
    std::size_t bytes = 0;
    expect_ok(bitstep::distributed_step_workspace_bytes<T>(rows, features, opts, bytes));
    return bytes;
}

TYPED_TEST(parallel_for_test, every_pool_gives_equal_bits) {
    const shape shapes[] = {{1300, 9, "a subtree per thread"},
                            {8300, 2, "panels taken several at once"},
                            {70, 20481, "rows that OpenMP's threads would share by columns"},
                            {2, 70001, "fewer row panels than threads, several tasks for the update"}};
    for (const shape& of : shapes) {
        every_verb<TypeParam> verbs(of.rows, of.features, data_kind::spread);
        for (const accumulate_mode mode : every_mode) {
            if (too_long_here<TypeParam>(mode, of.rows * of.features)) {
                continue;
            }
            const auto want = verbs.run_all(reference_options(mode));
            for (const named_pool& each : every_pool) {
                for (const int threads : {1, 2, 3, 16}) {
                    if (emulated && threads % 2 == 0) {
                        continue;
                    }
                    SCOPED_TRACE(describe(of) + ", " + each.name + ", " + std::to_string(threads) + ", " +
                                 mode_name(mode));
                    counting_pool pool;
                    const bitstep::options opts = on_pool(each, &pool, threads, mode);
                    std::vector<unsigned char> scratch(step_bytes<TypeParam>(of.rows, of.features, opts));
                    const std::uint64_t before = read_fp_state();
                    const auto got = verbs.run_all(opts, {scratch.data(), scratch.size()});
                    ASSERT_EQ(read_fp_state(), before) << "the caller's environment was changed";
                    ASSERT_TRUE(same_results(got, want));
                    ASSERT_EQ(pool.calls > 0, threads > 1)
                        << "calls of the pool, or a thread's environment was changed";
                    ASSERT_LE(pool.largest, static_cast<std::size_t>(threads));
                }
            }
        }
    }
}

TYPED_TEST(parallel_for_test, callers_at_once_share_a_pool) {
    every_verb<TypeParam> alone(1300, 33, data_kind::spread);
    const auto want = alone.run_all(reference_options(accumulate_mode::native));
    std::vector<verb_results<TypeParam>> got(4);
    shared_pool pool(2, got.size());
    std::vector<std::thread> callers;
    for (auto& mine : got) {
        callers.emplace_back([&mine, &pool] {
            every_verb<TypeParam> verbs(1300, 33, data_kind::spread);
            mine = verbs.run_all(on_pool({"shared", shared_pool::parallel_for}, &pool, 3, accumulate_mode::native));
        });
    }
    for (std::thread& each : callers) {
        each.join();
    }
    EXPECT_TRUE(pool.was_shared()) << "no two calls were in the pool at once";
    for (const auto& each : got) {
        EXPECT_TRUE(same_results(each, want));
    }
}

/// Once for the panels, once for the sum of large partial gradients, once for the update; one is kept in reserve.
TYPED_TEST(parallel_for_test, a_step_calls_the_pool_at_most_four_times) {
    int most = 0;
    for (const shape& of : {shape{1300, 9, "a subtree per thread"}, shape{70, 20481, "long rows"},
                            shape{2, 70001, "few long rows"}, shape{560, 33001, "large partial gradients"}}) {
        const std::size_t d = of.features;
        const std::vector<TypeParam> data(of.rows * d, TypeParam(1) / 4);
        const bitstep::shard_view<TypeParam> shard{data.data(), data.data(), of.rows, d};
        const std::vector<TypeParam> flat(4 * d, TypeParam(1) / 2);
        const TypeParam* s = flat.data();
        std::vector<TypeParam> out(4 * d);
        for (const accumulate_mode mode : every_mode) {
            if (too_long_here<TypeParam>(mode, of.rows * d)) {
                continue;
            }
            counting_pool pool;
            expect_ok(bitstep::distributed_step<TypeParam>({&shard, 1, d}, {s, s + d, s + 2 * d, s + 3 * d, d}, {},
                                                           {out.data(), out.size()},
                                                           on_pool(every_pool[0], &pool, 3, mode)));
            EXPECT_LE(pool.calls, 4) << describe(of);
            most = std::max(most, pool.calls.load());
        }
    }
    EXPECT_EQ(most, 3) << "no shape of this test needs the pool for every stage";
}

TYPED_TEST(parallel_for_test, the_reference_leaves_the_pool_alone) {
    every_verb<TypeParam> verbs(1300, 33, data_kind::spread);
    counting_pool pool;
    bitstep::run_report report;
    bitstep::options opts = on_pool(every_pool[0], &pool, 4, accumulate_mode::native);
    opts.arch = bitstep::arch::reference;
    opts.report = &report;
    EXPECT_TRUE(same_results(verbs.run_all(opts), verbs.run_all(reference_options(accumulate_mode::native))));
    EXPECT_EQ(report.threads, 1);
    EXPECT_EQ(pool.calls, 0);
}

#if !defined(BITSTEP_TEST_THREAD_SANITIZER) // which refuses threads in a forked child
/// OpenMP's threads are gone in a child of a process that had used them, and calls are serial there; a pool's threads are
/// its owner's concern, so a pool that works in the child is used.
TYPED_TEST(parallel_for_test, a_forked_child_uses_its_pool) {
    every_verb<TypeParam> verbs(5000, 30, data_kind::spread);
    const auto want = verbs.run_all(forced(bitstep::arch::automatic, 4, accumulate_mode::native));
    const child_result child = run_in_child([&] {
        counting_pool pool;
        const auto got = verbs.run_all(on_pool(every_pool[2], &pool, 3, accumulate_mode::native));
        return std::string(same_results(got, want) ? "equal" : "different") + (pool.calls > 0 ? ", used" : ", unused");
    });
    EXPECT_TRUE(child.exited_cleanly);
    EXPECT_EQ(child.text, "equal, used");
}
#endif

TYPED_TEST(parallel_for_test, the_report_counts_tasks_and_small_work_leaves_the_pool_alone) {
    const auto data = make_problem<TypeParam>(1, 64 * 130, 33, data_kind::usual);
    const placed_problem<TypeParam> placed(data, {});
    counting_pool pool;
    bitstep::run_report report;
    bitstep::options opts = on_pool(every_pool[0], &pool, 4, accumulate_mode::native);
    opts.report = &report;
    run_gradient(placed, opts);
    EXPECT_EQ(report.threads, 4);
    EXPECT_GE(pool.calls, 1);
    EXPECT_LE(pool.calls, 2) << "once for the panels, once for the sum of their partial gradients";
    pool.calls = 0;
    opts.serial_below_bytes = 64 << 20;
    run_gradient(placed, opts);
    EXPECT_EQ(report.threads, 1);
    EXPECT_EQ(pool.calls, 0);
}

TYPED_TEST(parallel_for_test, threads_must_be_given) {
    counting_pool pool;
    TypeParam x = 1;
    TypeParam out = 77;
    for (const int threads : {0, -1, 1025}) {
        const bitstep::options opts = on_pool(every_pool[0], &pool, threads, accumulate_mode::native);
        const bitstep::status refused = bitstep::predict<TypeParam>({&x, 1, 1, 1}, {&x, 1}, {&out, 1}, opts);
        expect_says(refused, {bitstep::status_code::invalid_argument,
                              {"threads", "[1, 1024] where parallel_for is given", std::to_string(threads)}});
        std::size_t bytes = 7;
        EXPECT_EQ(bitstep::gradient_workspace_bytes<TypeParam>(1, 1, opts, bytes).code(),
                  bitstep::status_code::invalid_argument);
        EXPECT_EQ(bytes, 7U);
    }
    EXPECT_EQ(out, TypeParam(77));
    EXPECT_EQ(pool.calls, 0);
}

} // namespace
} // namespace bitstep_test
