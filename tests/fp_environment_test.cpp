// SPDX-License-Identifier: Apache-2.0
// Proves: whatever floating-point environment the caller has (denormals flushed, any rounding mode, traps on), in
// whichever thread, every verb gives the same bits and statuses, and hands the environment back exactly as it was,
// exception flags included.
#include "support/arch_threads.hpp"
#include "support/environments.hpp"
#include "support/every_verb.hpp"
#include "support/fp_state.hpp"
#include "support/refusal.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <initializer_list>
#include <limits>
#include <string>
#include <thread>

#if defined(BITSTEP_TESTS_WITH_OPENMP)
#include <omp.h>
#endif

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class fp_environment_test : public testing::Test {};
TYPED_TEST_SUITE(fp_environment_test, element_types, element_names);

/// The pool's threads exist before the environment is entered, or the host makes them in it, and they keep it. (Those that
/// a call of ours makes start in our environment, not in the caller's.) libgomp has a pool for each thread that starts
/// teams, so a new thread means a new pool.
enum class pool_made { before, after };

void make_pool([[maybe_unused]] int threads) {
#if defined(BITSTEP_TESTS_WITH_OPENMP)
#pragma omp parallel num_threads(threads)
    read_fp_state();
#endif
}

template <class T>
bool run_in_new_thread(const environment& of, pool_made when, every_verb<T>& verbs, const bitstep::options& opts,
                       verb_results<T>& got, verb_results<T>& later) {
    bool entered = false;
    std::thread caller([&] {
        if (when == pool_made::before) {
            verbs.run_all(opts);
        }
        verb_statuses status;
        entered = call_under(
            of, [&] { make_pool(opts.threads); }, [&] { verbs.run(opts, {}, status); });
        got = verbs.results(status);
        later = verbs.run_all(opts); // the caller's environment is clean again, the pool's threads keep theirs
    });
    caller.join();
    return entered;
}

template <class T>
std::size_t expect_same_under_each(every_verb<T>& verbs, const bitstep::options& opts, const verb_results<T>& want) {
    std::size_t entered = 0;
    for (const environment& of : environments()) {
        for (const pool_made when : {pool_made::before, pool_made::after}) {
            if (opts.threads == 1 && when == pool_made::before) {
                continue; // no pool
            }
            SCOPED_TRACE(std::string(of.name) + (when == pool_made::before ? ", pool before" : ", pool after"));
            verb_results<T> got;
            verb_results<T> later;
            if (run_in_new_thread(of, when, verbs, opts, got, later)) {
                ++entered;
                EXPECT_TRUE(same_results(got, want));
                EXPECT_TRUE(same_results(later, want)) << "a call after it, on the same threads";
            }
        }
    }
    return entered;
}

template <class T>
void expect_same_everywhere(every_verb<T>& verbs, std::initializer_list<int> teams) {
    for (const accumulate_mode mode : every_mode) {
        const verb_results<T> want = verbs.run_all(reference_options(mode));
        for (const bitstep::arch which : runnable_archs()) {
            for (const int threads : teams) {
                if (which == bitstep::arch::reference && threads > 1) {
                    continue; // serial
                }
                SCOPED_TRACE(std::string(bitstep::arch_name(which)) + ", " + std::to_string(threads) + " threads, " +
                             mode_name(mode));
                EXPECT_GT(expect_same_under_each(verbs, forced(which, threads, mode), want), 4U)
                    << "this test compared too little";
                if (testing::Test::HasFailure()) {
                    return; // the first failing combination is the one to read
                }
            }
        }
    }
}

template <class T>
void expect_same_everywhere(std::size_t rows, std::size_t features, data_kind kind) {
    every_verb<T> verbs(rows, features, kind, step_forms::all);
    expect_same_everywhere(verbs, {1, 3});
}

/// Columns are shared, so that each thread must compute, and every verb has three tasks (fewer where all is emulated).
constexpr std::size_t long_features = emulated ? 17001 : elements_of_three_tasks;

TYPED_TEST(fp_environment_test, usual_numbers) { expect_same_everywhere<TypeParam>(200, 45, data_kind::spread); }

/// Products and sums around the smallest normal number: every flush shows.
TYPED_TEST(fp_environment_test, tiny_numbers) { expect_same_everywhere<TypeParam>(200, 45, data_kind::tiny); }

/// In a pool's threads, in every verb.
TYPED_TEST(fp_environment_test, tiny_numbers_in_teams) {
    every_verb<TypeParam> verbs(3, long_features, data_kind::tiny);
    expect_same_everywhere(verbs, {3});
    if (library_has_threads) { // of the last run
        EXPECT_EQ(verbs.teams().most, 3);
        EXPECT_TRUE(emulated || verbs.teams().least == 3) << "a verb had no team";
    }
}

/// Denormal inputs, half of them: what denormals-are-zero takes away before anything is computed.
TYPED_TEST(fp_environment_test, denormal_numbers) { expect_same_everywhere<TypeParam>(200, 45, data_kind::denormal); }

/// NaN, infinities and overflow: traps must not spring, refusals must stay the same.
TYPED_TEST(fp_environment_test, special_numbers) { expect_same_everywhere<TypeParam>(70, 45, data_kind::special); }

/// Sums of zeros of both signs: a zero's sign is the first thing that rounding downward changes.
TYPED_TEST(fp_environment_test, zeros) { expect_same_everywhere<TypeParam>(200, 45, data_kind::zeros); }

/// Part of what a caller must find as it was: in C a square root of a negative number sets it, and so does a failing malloc.
TYPED_TEST(fp_environment_test, errno_is_handed_back) {
    for (const data_kind kind : {data_kind::usual, data_kind::special}) {
        every_verb<TypeParam> verbs(200, 45, kind);
        for (const accumulate_mode mode : every_mode) {
            for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
                TypeParam state[] = {1, 1, 1, -1}; // v < 0, and its check off
                const TypeParam grad = 0;
                verb_statuses status;
                errno = 1234;
                verbs.run(opts, {}, status);
                const int after_verbs = errno;
                const bitstep::status root =
                    bitstep::adam_ema_update<TypeParam>({&grad, 1}, quarters(state, 1), {}, unreported(opts));
                const int after_root = errno;
                EXPECT_EQ(after_verbs, 1234);
                EXPECT_EQ(after_root, 1234) << "a negative v";
                EXPECT_TRUE(root.ok() && state[0] != state[0]) << "no negative root was taken";
                return std::size_t{1};
            });
        }
    }
}

#if defined(BITSTEP_TESTS_WITH_OPENMP)
/// One call by a team whose threads, the caller's own too, are all in the environment before it and must be after it.
template <class T>
void expect_same_on_spoilt_pool(const environment& of, every_verb<T>& verbs, const bitstep::options& opts,
                                const verb_results<T>& want) {
    constexpr int team = 2; // a smaller team would end threads of the pool
    std::uint64_t before[team] = {};
    std::uint64_t after[team] = {};
    const default_fp_scope restore;
    const std::uint64_t clean = read_fp_state();
#pragma omp parallel num_threads(team)
    of.enter();
    if (!of.enter()) { // libomp gives the caller its own environment back, and hands it on to the pool with each region
        return;
    }
    const std::uint64_t spoilt = read_fp_state() ^ clean;
#pragma omp parallel num_threads(team)
    before[omp_get_thread_num()] = read_fp_state();
    verb_statuses status;
    verbs.run(opts, {}, status);
#pragma omp parallel num_threads(team)
    {
        after[omp_get_thread_num()] = read_fp_state();
        std::fesetenv(FE_DFL_ENV);
    }
    std::fesetenv(FE_DFL_ENV);
    EXPECT_TRUE(same_results(verbs.results(status), want));
    EXPECT_EQ(verbs.teams().most, team);
    for (int i = 0; i < team; ++i) {
        EXPECT_EQ((before[i] ^ clean) & spoilt, spoilt) << "pool thread " << i << " was not spoilt";
        EXPECT_EQ(before[i], after[i]) << "pool thread " << i;
    }
}

/// The pool belongs to the host as well: its threads come to us as the host's own regions left them, and go back so.
TYPED_TEST(fp_environment_test, pool_threads_that_the_host_has_changed) {
    every_verb<TypeParam> verbs(3, long_features, data_kind::tiny);
    std::size_t compared = 0;
    for (const accumulate_mode mode : every_mode) {
        const auto want = verbs.run_all(reference_options(mode));
        for (const bitstep::arch which : runnable_archs()) {
            if (which == bitstep::arch::reference) {
                continue; // serial
            }
            for (const environment& of : environments()) {
                if (of.is_mode) { // raised flags do not survive libomp's regions, and are the callers' test
                    SCOPED_TRACE(std::string(of.name) + ", " + bitstep::arch_name(which) + ", " + mode_name(mode));
                    ++compared;
                    expect_same_on_spoilt_pool(of, verbs, forced(which, 2, mode), want);
                }
            }
        }
    }
    EXPECT_GT(compared, 0U);
}
#endif

/// eps and lr below the smallest normal number are positive, also under denormals-are-zero, where eps > 0 is false.
TYPED_TEST(fp_environment_test, denormal_scalars_are_accepted_everywhere) {
    const auto smallest = static_cast<double>(std::numeric_limits<TypeParam>::denorm_min());
    every_verb<TypeParam> verbs(70, 45, data_kind::usual);
    verbs.hyper().eps = smallest;
    verbs.hyper().lr = smallest * 5;
    const auto want = verbs.run_all(reference_options(accumulate_mode::native));
    for (const int code : want.codes) {
        EXPECT_EQ(code, 0);
    }
    for (const environment& of : environments()) {
        verb_statuses status;
        const bitstep::options opts = forced(bitstep::arch::automatic, 1, accumulate_mode::native);
        if (call_under(of, [&] { verbs.run(opts, {}, status); })) {
            EXPECT_TRUE(same_results(verbs.results(status), want)) << of.name;
        }
    }
}

/// A value that rounds to zero or to infinity in T is refused whatever the rounding mode would make of it.
TYPED_TEST(fp_environment_test, refusals_do_not_depend_on_the_rounding_mode) {
    const double half_smallest = sizeof(TypeParam) == 4 ? 0x1p-150 : 0.0; // in double nothing positive rounds to 0
    const double too_large = sizeof(TypeParam) == 4 ? 0x1.ffffffp127 : std::numeric_limits<double>::infinity();
    const TypeParam grad = 1;
    for (const environment& of : environments()) {
        SCOPED_TRACE(of.name);
        TypeParam state[4] = {1, 2, 3, 4};
        watched_memory memory;
        memory.watch("state", state, 4);
        for (const auto& [hyper, name] :
             {std::pair<bitstep::hyper_parameters, const char*>{{0.1, 0.9, 0.999, half_smallest, 0.5, 1}, "eps"},
              {{0.1, 0.9, 0.999, too_large, 0.5, 1}, "eps"},
              {{too_large, 0.9, 0.999, 1e-8, 0.5, 1}, "lr"}}) {
            bitstep::status result;
            memory.remember();
            {
                const default_fp_scope restore;
                of.enter();
                result = bitstep::adam_ema_update<TypeParam>({&grad, 1}, quarters(state, 1), hyper);
            }
            expect_says(result, {bitstep::status_code::invalid_argument, {name}});
            memory.expect_unchanged();
        }
    }
}

} // namespace
} // namespace bitstep_test
