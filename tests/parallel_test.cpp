// SPDX-License-Identifier: Apache-2.0
// Proves: the team asked for is delivered where there is work for it; small work stays on the calling thread and starts no
// other, and a default team has a CPU for each thread. (Callers in awkward places: openmp_test.cpp and fork_test.cpp.)
#include "support/arch_threads.hpp"
#include "support/every_verb.hpp"
#include "support/forked.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <string>
#if defined(_OPENMP) && defined(__linux__)
#include <omp.h>
#include <sched.h>
#endif

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
        if (too_long_here<TypeParam>(mode, rows * 33)) {
            continue;
        }
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

TYPED_TEST(parallel_test, the_team_grows_with_the_work) {
    constexpr std::size_t half = 512 * 1024; // bytes of work per thread, at the threshold below
    constexpr std::size_t features = 256;
    for (const std::size_t threads : {2U, 3U, 4U, 6U}) {
        const std::size_t rows = threads * half / (features * sizeof(TypeParam));
        const std::vector<TypeParam> x(rows * features, TypeParam(1));
        std::vector<TypeParam> out(rows);
        bitstep::run_report report;
        bitstep::options opts;
        opts.threads = 6;
        opts.serial_below_bytes = 2 * half;
        opts.report = &report;
        expect_ok(bitstep::predict<TypeParam>({x.data(), rows, features, features}, {x.data(), features},
                                              {out.data(), rows}, opts));
        EXPECT_EQ(report.threads, library_has_threads ? static_cast<int>(threads) : 1);
    }
}

/// In a child, because other tests of this process have started threads. "Never touches OpenMP" is seen by its threads.
TEST(parallel, small_work_starts_no_thread_and_large_work_does) {
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

#if defined(_OPENMP) && defined(__linux__)
/// The team of one large prediction; 0 threads are the default.
int team_of(int threads) {
    const std::vector<float> x(512 * 4096, 1.0F);
    std::vector<float> out(512);
    bitstep::run_report report;
    bitstep::options opts;
    opts.threads = threads;
    opts.report = &report;
    expect_ok(bitstep::predict<float>({x.data(), 512, 4096, 4096}, {x.data(), 4096}, {out.data(), 512}, opts));
    return report.threads;
}

/// A process of its own that asks OpenMP for far more threads than there are CPUs.
template <class Body>
void in_a_child_with_a_large_default(Body body) {
    if (tasks_of_this_process() != 1) {
        GTEST_SKIP() << "threads already run in this process; CTest runs this case alone";
    }
    const child_result child = run_in_child([&] {
        unsetenv("BITSTEP_NUM_THREADS");
        omp_set_num_threads(64);
        return std::string(body());
    });
    EXPECT_TRUE(child.exited_cleanly);
    EXPECT_EQ(child.text, "as it should be");
}

cpu_set_t mask_of_this_thread() {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    return mask;
}

/// One of the CPUs that this thread may run on.
void narrow_to_one_cpu() {
    const cpu_set_t all = mask_of_this_thread();
    std::size_t cpu = 0;
    while (!CPU_ISSET(cpu, &all)) {
        ++cpu;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

TEST(parallel, the_default_team_fits_the_cpus_and_an_explicit_one_is_delivered) {
    in_a_child_with_a_large_default([] {
        const int cpus = omp_get_num_procs();
        if (team_of(0) != (cpus < 64 ? cpus : 64)) {
            return "the default team is not one thread per CPU";
        }
        int active = 0;
        if (!bitstep::active_threads(active).ok() || active != (cpus < 64 ? cpus : 64)) {
            return "active_threads() tells something else";
        }
        narrow_to_one_cpu();
        if (omp_get_num_procs() == 1 && team_of(0) != 1) { // libomp does not look again
            return "the default team does not follow the affinity mask";
        }
        return team_of(3) == 3 ? "as it should be" : "three threads were asked for and not delivered";
    });
}

TEST(parallel, a_workspace_sized_on_one_cpu_fits_on_all) {
    in_a_child_with_a_large_default([] {
        const std::size_t rows = 8192;
        const std::size_t features = 64;
        const std::vector<float> x(rows * features, 0.5F);
        std::vector<float> grad(features);
        const cpu_set_t all = mask_of_this_thread();
        narrow_to_one_cpu();
        std::size_t bytes = 0;
        if (!bitstep::gradient_workspace_bytes<float>(rows, features, {}, bytes).ok()) {
            return "no size";
        }
        sched_setaffinity(0, sizeof all, &all);
        std::vector<char> scratch(bytes);
        const bitstep::shard_view<float> shard{x.data(), x.data(), rows, features};
        return bitstep::gradient<float>({&shard, 1, features}, {x.data(), features}, {grad.data(), features}, nullptr,
                                        {}, {scratch.data(), bytes})
                       .ok()
                   ? "as it should be"
                   : "too small";
    });
}
#endif

} // namespace
} // namespace bitstep_test
