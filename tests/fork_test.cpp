// SPDX-License-Identifier: Apache-2.0
// Proves: a child forked from a process that has used threads, from whichever thread and whatever the others were doing,
// gives equal bits and statuses and does not hang; so does the child's child. libgomp's threads do not exist in the child,
// and a team would wait for them for ever: calls are serial there. A child of a process without threads has teams.
#include "support/arch_threads.hpp"
#include "support/every_verb.hpp"
#include "support/forked.hpp"
#include "support/sanitizers.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#if defined(BITSTEP_TESTS_WITH_OPENMP)
#include <omp.h>
#endif

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class fork_test : public testing::Test {};
TYPED_TEST_SUITE(fork_test, element_types, element_names);

/// Subtrees of rows for a team; and rows so long that every verb, the elementwise ones too, has three tasks.
constexpr std::size_t rows = 400;
constexpr std::size_t features = 17;
constexpr std::size_t long_rows = 3;
constexpr std::size_t long_features = elements_of_three_tasks;

/// What a child has to say: every verb under every team size, mode and kernel set, beside what the parent computed.
template <class T>
class family {
public:
    family() {
        for (const accumulate_mode mode : every_mode) {
            want_.push_back(verbs_.run_all(reference_options(mode)));
            want_long_.push_back(long_verbs_.run_all(reference_options(mode)));
        }
    }

    /// A pool of threads in this process, whether the library's or the host's.
    void use_threads() {
        EXPECT_TRUE(
            same_results(verbs_.run_all(forced(bitstep::arch::automatic, 4, accumulate_mode::native)), want_[0]));
        EXPECT_EQ(compare_long(accumulate_mode::native), "equal");
    }

    /// "equal", or what differs first.
    std::string compare() {
        for (const accumulate_mode mode : every_mode) {
            for (const bitstep::arch which : runnable_archs()) {
                for (const int threads : {1, 2, 3, 8}) {
                    const std::string text = compare_one(which, threads, mode);
                    if (text != "equal") {
                        return text;
                    }
                }
            }
            const std::string text = compare_long(mode);
            if (text != "equal") {
                return text;
            }
        }
        return "equal";
    }

    std::string compare_one(bitstep::arch which, int threads, accumulate_mode mode) {
        const auto& want = want_[mode == accumulate_mode::wide ? 1 : 0];
        const auto same = same_results(verbs_.run_all(forced(which, threads, mode)), want);
        return same ? "equal"
                    : std::string(bitstep::arch_name(which)) + ", " + std::to_string(threads) + " threads, " +
                          mode_name(mode) + ": " + same.message();
    }

    std::string compare_long(accumulate_mode mode) {
        const auto& want = want_long_[mode == accumulate_mode::wide ? 1 : 0];
        const auto same = same_results(long_verbs_.run_all(forced(bitstep::arch::automatic, 3, mode)), want);
        return same ? "equal" : std::string("long rows, ") + mode_name(mode) + ": " + same.message();
    }

    /// The team that calls asking for three get here, every verb at least.
    int team() {
        EXPECT_EQ(compare_long(accumulate_mode::native), "equal");
        return long_verbs_.teams().least;
    }

private:
    every_verb<T> verbs_{rows, features, data_kind::spread, step_forms::all};
    std::vector<verb_results<T>> want_;
    every_verb<T> long_verbs_{long_rows, long_features, data_kind::spread};
    std::vector<verb_results<T>> want_long_;
};

void expect_child_says(const child_result& child, const std::string& text) {
    EXPECT_TRUE(child.exited_cleanly);
    EXPECT_EQ(child.text, text);
}

TYPED_TEST(fork_test, after_use) {
    family<TypeParam> all;
    all.use_threads();
    expect_child_says(run_in_child([&] { return all.compare() + " " + std::to_string(all.team()); }), "equal 1");
    all.use_threads(); // the parent's pool is as it was
}

#if defined(BITSTEP_TESTS_WITH_OPENMP)
/// libgomp's pool is the host's as much as ours: a child must not wait for threads that another library had started.
TYPED_TEST(fork_test, after_the_host_used_openmp) {
    family<TypeParam> all;
    int host_threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : host_threads)
    host_threads += 1;
    EXPECT_GT(host_threads, 1);
    expect_child_says(run_in_child([&] { return all.compare(); }), "equal");
}
#endif

TYPED_TEST(fork_test, the_childs_child) {
    family<TypeParam> all;
    all.use_threads();
    expect_child_says(run_in_child([&] {
                          const std::string mine = all.compare();
                          const child_result child = run_in_child([&] { return all.compare(); }, 20);
                          return mine + ", " + child.text + (child.exited_cleanly ? "" : " and died");
                      }),
                      "equal, equal");
}

/// From a thread that is not the first, after it and another have both used their pools.
TYPED_TEST(fork_test, from_another_thread) {
    family<TypeParam> all;
    all.use_threads();
    child_result child;
    std::thread forking([&] {
        all.use_threads();
        child = run_in_child([&] { return all.compare(); });
    });
    forking.join();
    expect_child_says(child, "equal");
}

/// While another thread is in a call: whatever it held at that moment, nobody in the child will ever release.
TYPED_TEST(fork_test, while_another_thread_is_in_a_call) {
    family<TypeParam> all;
    all.use_threads();
    std::atomic<bool> stop{false};
    std::atomic<int> calls{0};
    std::thread caller([&] {
        every_verb<TypeParam> mine(rows, features, data_kind::usual);
        while (!stop) {
            mine.run_all(forced(bitstep::arch::automatic, 2, accumulate_mode::native));
            ++calls;
        }
    });
    while (calls == 0) {
        std::this_thread::yield();
    }
    for (int i = 0; i < 5; ++i) {
        expect_child_says(
            run_in_child([&] { return all.compare_one(bitstep::arch::automatic, 2, accumulate_mode::native); }),
            "equal");
    }
    stop = true;
    caller.join();
}

#if !defined(BITSTEP_TEST_THREAD_SANITIZER) // which refuses threads in a forked child
/// A thread that the child itself starts is no better off than the child.
TYPED_TEST(fork_test, a_new_thread_in_the_child) {
    family<TypeParam> all;
    all.use_threads();
    expect_child_says(run_in_child([&] {
                          std::string text;
                          std::thread([&] { text = all.compare(); }).join();
                          return text;
                      }),
                      "equal");
}
#endif

/// Nothing was lost in this fork. Alone in its process under CTest; the child then is the parent of after_use.
TYPED_TEST(fork_test, without_threads_before) {
    if (tasks_of_this_process() != 1) {
        GTEST_SKIP() << "threads already run in this process; CTest runs this case alone";
    }
    family<TypeParam> all;
    expect_child_says(run_in_child([&] {
                          const int team = all.team();
                          const std::string mine = all.compare();
                          const child_result child =
                              run_in_child([&] { return all.compare() + " " + std::to_string(all.team()); }, 20);
                          return std::to_string(team) + ", " + mine + ", " + child.text;
                      }),
                      library_has_threads ? "3, equal, equal 1" : "1, equal, equal 1");
}

} // namespace
} // namespace bitstep_test
