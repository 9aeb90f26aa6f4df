// SPDX-License-Identifier: Apache-2.0
// Proves: the team asked for is delivered where there is work for it; many callers at once, calls inside a foreign
// parallel region, and a forked child give equal bits; small work stays on the calling thread and starts no other.
#include "support/arch_threads.hpp"
#include "support/every_verb.hpp"
#include "support/forked.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class parallel_test : public testing::Test {};
TYPED_TEST_SUITE(parallel_test, element_types, element_names);

TYPED_TEST(parallel_test, large_work_gets_the_whole_team) {
    const std::size_t rows = 1024 * bitstep::numerics_panels().row_panel;
    const auto data = make_problem<TypeParam>(1, rows, 33, data_kind::usual);
    const placed_problem<TypeParam> placed(data, layout::numbered(1));
    for (const accumulate_mode mode : every_mode) {
        const auto gradients = run_gradient(placed, reference_options(mode));
        const auto predictions = run_predict(placed, reference_options(mode));
        const auto residuals = run_residual(placed, reference_options(mode));
        const auto check = [&](const auto& run, const std::vector<TypeParam>& want) {
            for_each_arch_and_threads(
                mode,
                [&](const bitstep::options& opts) {
                    EXPECT_TRUE(same_bits(run(opts), want));
                    return want.size();
                },
                team::full);
        };
        check([&](const bitstep::options& opts) { return run_gradient(placed, opts); }, gradients);
        check([&](const bitstep::options& opts) { return run_predict(placed, opts); }, predictions);
        check([&](const bitstep::options& opts) { return run_residual(placed, opts); }, residuals);
    }
}

TYPED_TEST(parallel_test, large_state_and_large_means_get_the_whole_team) {
    const std::size_t size = 3000017;
    const std::vector<TypeParam> flat(4 * size, TypeParam(0.25));
    const std::vector<TypeParam> grad(size, TypeParam(0.5));
    const auto tensor = make_workers<TypeParam>(1, 3, size / 3, data_kind::usual);
    std::vector<TypeParam> updated;
    for (const int threads : team_sizes) {
        SCOPED_TRACE(std::to_string(threads) + " threads");
        bitstep::run_report report;
        bitstep::options opts = forced(bitstep::arch::automatic, threads, accumulate_mode::native);
        opts.report = &report;
        std::vector<TypeParam> state = flat;
        expect_ok(bitstep::adam_ema_update<TypeParam>({grad.data(), size}, quarters(state.data(), size), {}, opts));
        EXPECT_EQ(report.threads, library_has_threads ? threads : 1) << "adam_ema_update";
        updated = updated.empty() ? state : updated;
        EXPECT_TRUE(same_bits(state, updated));
        const auto mean = run_mean<TypeParam>({tensor}, {}, opts);
        EXPECT_EQ(report.threads, library_has_threads ? threads : 1) << "allreduce_mean";
        EXPECT_TRUE(same_bits(mean, run_mean<TypeParam>({tensor}, {}, reference_options(accumulate_mode::native))));
    }
}

TYPED_TEST(parallel_test, eight_callers_at_once_give_equal_bits) {
    std::vector<bitstep::arch> archs = runnable_archs();
    for (const accumulate_mode mode : every_mode) {
        every_verb<TypeParam> alone(513, 67, data_kind::spread);
        const auto want = alone.run_all(reference_options(mode));
        std::vector<verb_results<TypeParam>> got(8);
        std::vector<std::thread> callers;
        for (std::size_t i = 0; i < got.size(); ++i) {
            callers.emplace_back([&, i] {
                every_verb<TypeParam> mine(513, 67, data_kind::spread);
                for (int repeat = 0; repeat < 10; ++repeat) {
                    got[i] =
                        mine.run_all(forced(archs[(i + static_cast<std::size_t>(repeat)) % archs.size()], 8, mode));
                }
            });
        }
        for (std::thread& caller : callers) {
            caller.join();
        }
        for (const auto& each : got) {
            EXPECT_TRUE(same_results(each, want)) << mode_name(mode);
        }
    }
}

#if defined(BITSTEP_TESTS_WITH_OPENMP)
TYPED_TEST(parallel_test, a_call_inside_a_foreign_parallel_region_is_serial_and_equal) {
    every_verb<TypeParam> alone(513, 67, data_kind::spread);
    const auto want = alone.run_all(reference_options(accumulate_mode::native));
    constexpr int team = 4;
    std::vector<verb_results<TypeParam>> got(team);
    std::vector<bitstep::run_report> reports(team);
#pragma omp parallel for num_threads(team) schedule(static, 1)
    for (int i = 0; i < team; ++i) {
        const auto at = static_cast<std::size_t>(i);
        every_verb<TypeParam> mine(513, 67, data_kind::spread);
        bitstep::options opts = forced(bitstep::arch::automatic, 8, accumulate_mode::native);
        opts.report = &reports[at];
        got[at] = mine.run_all(opts);
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_TRUE(same_results(got[i], want)) << "thread " << i;
        EXPECT_EQ(reports[i].threads, 1) << "thread " << i;
    }
}
#endif

TYPED_TEST(parallel_test, small_work_stays_serial_by_default) {
    every_verb<TypeParam> verbs(20, 30, data_kind::usual);
    bitstep::run_report report;
    bitstep::options opts;
    opts.threads = 8;
    opts.report = &report;
    const auto got = verbs.run_all(opts);
    EXPECT_EQ(report.threads, 1);
    EXPECT_TRUE(same_results(got, verbs.run_all(reference_options(accumulate_mode::native))));
}

TYPED_TEST(parallel_test, the_threshold_counts_bytes) {
    const std::size_t features = 64;
    const std::size_t rows = 4096;
    const auto data = make_problem<TypeParam>(2, rows, features, data_kind::usual);
    const placed_problem<TypeParam> placed(data, {});
    bitstep::run_report report;
    bitstep::options opts;
    opts.threads = 2;
    opts.report = &report;
    run_gradient(placed, opts);
    EXPECT_EQ(report.threads, library_has_threads ? 2 : 1) << "1 MiB and more is large";
    opts.serial_below_bytes = 2 * rows * (features + 2) * sizeof(TypeParam);
    run_gradient(placed, opts);
    EXPECT_EQ(report.threads, 1) << "below the threshold a call stays serial";
    opts.serial_below_bytes = rows * features * sizeof(TypeParam) / 2;
    run_gradient(placed, opts);
    EXPECT_EQ(report.threads, library_has_threads ? 2 : 1) << "above the threshold it does not";
}

std::size_t tasks_of_this_process() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        ++count;
    }
    return count;
}

/// In a child, because other tests of this process have started threads. "Never touches OpenMP" is seen by its threads.
TEST(parallel, small_work_starts_no_thread_and_large_work_does) {
    if (!std::filesystem::exists("/proc/self/task")) {
        GTEST_SKIP() << "no /proc here";
    }
    if (tasks_of_this_process() != 1) {
        GTEST_SKIP() << "threads already run in this process; CTest runs this case alone";
    }
    const child_result child = run_in_child([] {
        bitstep::options opts;
        opts.threads = 4;
        every_verb<float>(20, 30, data_kind::usual).run_all(opts);
        const std::size_t after_small = tasks_of_this_process();
        opts.serial_below_bytes = 0;
        every_verb<float>(5000, 30, data_kind::usual).run_all(opts);
        return std::to_string(after_small) + " " + std::to_string(tasks_of_this_process());
    });
    EXPECT_TRUE(child.exited_cleanly);
    EXPECT_EQ(child.text, library_has_threads ? "1 4" : "1 1");
}

/// A child of a process that has used threads has no pool, and libgomp would wait for it for ever.
TEST(parallel, a_forked_child_gives_equal_bits) {
    every_verb<float> verbs(5000, 30, data_kind::spread);
    const auto want = verbs.run_all(forced(bitstep::arch::automatic, 4, accumulate_mode::native));
    const child_result child = run_in_child([&] {
        const auto got = verbs.run_all(forced(bitstep::arch::automatic, 4, accumulate_mode::native));
        return std::string(same_results(got, want) ? "equal" : "different");
    });
    EXPECT_TRUE(child.exited_cleanly);
    EXPECT_EQ(child.text, "equal");
}

#if defined(_OPENMP)
// libgomp's pool is the host's as much as ours: a child must not wait for threads that another library had started.
TEST(parallel, a_child_of_a_host_that_used_openmp_gives_equal_bits) {
    every_verb<float> verbs(5000, 30, data_kind::spread);
    const auto want = verbs.run_all(forced(bitstep::arch::reference, 1, accumulate_mode::native));
    int host_threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : host_threads)
    host_threads += 1;
    EXPECT_GT(host_threads, 1);
    const child_result child = run_in_child([&] {
        const auto got = verbs.run_all(forced(bitstep::arch::automatic, 4, accumulate_mode::native));
        return std::string(same_results(got, want) ? "equal" : "different");
    });
    EXPECT_TRUE(child.exited_cleanly);
    EXPECT_EQ(child.text, "equal");
}
#endif

} // namespace
} // namespace bitstep_test
