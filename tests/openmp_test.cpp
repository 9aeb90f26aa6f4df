// SPDX-License-Identifier: Apache-2.0
// Proves: whatever OpenMP has been told (its variables are read once, when a process starts: CMakeLists.txt runs this
// program once for each) and wherever in a program of its own regions, tasks and threads a caller stands, every verb gives
// the bits and the statuses of the reference, and no call waits for a thread that never comes.
#include "support/arch_threads.hpp"
#include "support/every_verb.hpp"
#include "support/forked.hpp"
#include "support/typed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#if defined(BITSTEP_TESTS_WITH_OPENMP)
#include <omp.h>
#endif

namespace bitstep_test {
namespace {

using bitstep::accumulate_mode;

template <class T>
class openmp_test : public testing::Test {};
TYPED_TEST_SUITE(openmp_test, element_types, element_names);

struct size_of_data {
    std::size_t rows;
    std::size_t features;
};
/// Subtrees of rows for a team; rows long enough for four threads to share their columns, where they wait for each other;
/// and three tasks for every verb, the elementwise ones too.
constexpr size_of_data for_every_verb = {3, elements_of_three_tasks};
constexpr size_of_data sizes[] = {{1300, 17}, {3, 17001}, for_every_verb};

/// OMP_THREAD_LIMIT, or no limit.
int thread_limit() {
    const char* text = std::getenv("OMP_THREAD_LIMIT");
    return text == nullptr ? 1 << 30 : std::atoi(text);
}

/// Whether regions of several threads are sure to be that.
bool regions_are_delivered() {
    const char* levels = std::getenv("OMP_MAX_ACTIVE_LEVELS");
    return thread_limit() > 1 && std::getenv("OMP_DYNAMIC") == nullptr && (levels == nullptr || levels[0] != '0');
}

TYPED_TEST(openmp_test, every_team_gives_equal_bits) {
    int least = 1; // of the run in which every verb's team was largest
    for (const size_of_data of : sizes) {
        every_verb<TypeParam> verbs(of.rows, of.features, data_kind::spread);
        for (const accumulate_mode mode : every_mode) {
            const auto want = verbs.run_all(reference_options(mode));
            for_each_arch_and_threads(mode, [&](const bitstep::options& opts) {
                EXPECT_TRUE(same_results(verbs.run_all(opts), want));
                EXPECT_LE(opts.report->threads, thread_limit()) << "the limit of this run did not act";
                least = std::max(least, verbs.teams().least);
                return want.values.size();
            });
        }
    }
    if (library_has_threads && regions_are_delivered()) {
        EXPECT_EQ(least, std::min(thread_limit(), 3)) << "a verb had no team";
    } else {
        expect_no_team_in_this_test();
    }
}

/// The calls of one of several callers at once: all verbs, over kernel sets in turn. Equal, or what differs; and the
/// teams of the verbs, each the largest of all runs.
template <class T>
std::string calls_of(std::size_t caller, const size_of_data& of, accumulate_mode mode, const verb_results<T>& want,
                     int repeats, teams_given& teams) {
    const std::vector<bitstep::arch>& archs = runnable_archs();
    every_verb<T> mine(of.rows, of.features, data_kind::spread, step_forms::all);
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const bitstep::arch which = archs[(caller + static_cast<std::size_t>(repeat)) % archs.size()];
        const auto same = same_results(mine.run_all(forced(which, 8, mode)), want);
        teams = {std::max(teams.least, mine.teams().least), std::max(teams.most, mine.teams().most)};
        if (!same) {
            return std::string(bitstep::arch_name(which)) + ": " + same.message();
        }
    }
    return "equal";
}

constexpr std::size_t callers_at_once = 8;

/// Rows in subtrees, and tasks for every verb.
constexpr size_of_data sizes_of_callers[] = {{513, 67}, for_every_verb};

template <class T>
verb_results<T> wanted_of_callers(const size_of_data& of, accumulate_mode mode) {
    return every_verb<T>(of.rows, of.features, data_kind::spread, step_forms::all).run_all(reference_options(mode));
}

TYPED_TEST(openmp_test, eight_callers_at_once_each_asking_for_eight_threads) {
    for (const accumulate_mode mode : every_mode) {
        for (const size_of_data& of : sizes_of_callers) {
            const auto want = wanted_of_callers<TypeParam>(of, mode);
            std::vector<std::string> got(callers_at_once);
            std::vector<teams_given> teams(callers_at_once, {0, 0});
            std::vector<std::thread> callers;
            for (std::size_t i = 0; i < got.size(); ++i) {
                callers.emplace_back([&, i] { got[i] = calls_of(i, of, mode, want, 6, teams[i]); });
            }
            for (std::thread& caller : callers) {
                caller.join();
            }
            EXPECT_EQ(got, std::vector<std::string>(callers_at_once, "equal")) << mode_name(mode);
            if (library_has_threads && regions_are_delivered()) {
                for (const teams_given& each : teams) {
                    EXPECT_GT(each.most, 1) << "a caller never got a team";
                    EXPECT_GT(each.least, of.features == for_every_verb.features ? 1 : 0) << "a verb never got a team";
                }
            }
        }
    }
}

#if defined(BITSTEP_TESTS_WITH_OPENMP)
TYPED_TEST(openmp_test, eight_callers_in_one_region) {
    for (const accumulate_mode mode : every_mode) {
        for (const size_of_data& of : sizes_of_callers) {
            const auto want = wanted_of_callers<TypeParam>(of, mode);
            std::vector<std::string> got(callers_at_once);
            std::vector<teams_given> teams(callers_at_once, {0, 0});
#pragma omp parallel for num_threads(callers_at_once) schedule(static, 1)
            for (std::size_t i = 0; i < callers_at_once; ++i) {
                got[i] = calls_of(i, of, mode, want, 3, teams[i]);
            }
            EXPECT_EQ(got, std::vector<std::string>(callers_at_once, "equal")) << mode_name(mode);
            if (regions_are_delivered()) {
                for (const teams_given& each : teams) {
                    EXPECT_EQ(each.most, 1) << "a call within a region is serial";
                }
            }
        }
    }
}

/// One call that asks for eight threads: its bits, and the team it got.
template <class T>
std::string one_call(const size_of_data& of) {
    every_verb<T> mine(of.rows, of.features, data_kind::spread);
    const auto want = mine.run_all(reference_options(accumulate_mode::native));
    bitstep::run_report report;
    bitstep::options opts = forced(bitstep::arch::automatic, 8, accumulate_mode::native);
    opts.report = &report;
    const auto same = same_results(mine.run_all(opts), want);
    return same ? "equal on " + std::to_string(report.threads) : std::string(same.message());
}

/// Where in the host's program the call stands. Each fills in what every call that was made there has to say.
struct place {
    const char* name;
    void (*call)(const size_of_data&, std::vector<std::string>&);
};

template <class T>
void on_every_thread(const size_of_data& of, std::vector<std::string>& got) {
#pragma omp parallel num_threads(4)
    {
        const std::string mine = one_call<T>(of);
#pragma omp critical
        got.push_back(mine);
    }
}

/// One thread calls; the others have gone on to the barrier at the end, and must not be waited for.
template <class T>
void in_a_single(const size_of_data& of, std::vector<std::string>& got) {
#pragma omp parallel num_threads(4)
#pragma omp single
    got.push_back(one_call<T>(of));
}

template <class T>
void in_a_master(const size_of_data& of, std::vector<std::string>& got) {
#pragma omp parallel num_threads(4)
#pragma omp master
    got.push_back(one_call<T>(of));
}

template <class T>
void in_tasks(const size_of_data& of, std::vector<std::string>& got) {
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 5; ++i) {
#pragma omp task
        {
            const std::string mine = one_call<T>(of);
#pragma omp critical
            got.push_back(mine);
        }
    }
}

/// Regions in regions, with levels enough for ours to be a third one.
template <class T>
void in_a_nested_region(const size_of_data& of, std::vector<std::string>& got) {
    const int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(8);
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(2)
        {
            const std::string mine = one_call<T>(of);
#pragma omp critical
            got.push_back(mine);
        }
    }
    omp_set_max_active_levels(levels);
}

/// A region of one inside a region of two: not active itself, but within one that is.
template <class T>
void in_a_region_of_one_within(const size_of_data& of, std::vector<std::string>& got) {
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(1)
        {
            const std::string mine = one_call<T>(of);
#pragma omp critical
            got.push_back(mine);
        }
    }
}

template <class T>
void in_a_child_of_a_region(const size_of_data& of, std::vector<std::string>& got) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        const child_result child = run_in_child([&] { return one_call<T>(of); });
        got.push_back(child.text + (child.exited_cleanly ? "" : " and died"));
    }
}

/// Within somebody else's region a call is serial, whatever it asks for and whatever nesting allows.
TYPED_TEST(openmp_test, a_call_inside_a_region_is_serial_and_equal) {
    const place places[] = {{"every thread of a region", on_every_thread<TypeParam>},
                            {"single", in_a_single<TypeParam>},
                            {"master", in_a_master<TypeParam>},
                            {"tasks", in_tasks<TypeParam>},
                            {"nested regions", in_a_nested_region<TypeParam>},
                            {"a region of one in another", in_a_region_of_one_within<TypeParam>},
                            {"forked within a region", in_a_child_of_a_region<TypeParam>}};
    for (const size_of_data& of : sizes) {
        for (const auto& each : places) {
            std::vector<std::string> got;
            each.call(of, got);
            ASSERT_FALSE(got.empty()) << each.name;
            for (const std::string& text : got) {
                if (regions_are_delivered()) {
                    ASSERT_EQ(text, "equal on 1") << each.name << ", " << of.rows << " x " << of.features;
                } else { // where the host's region is one thread wide, it is none
                    ASSERT_EQ(text.substr(0, 9), "equal on ") << each.name;
                }
            }
        }
    }
}

/// Only one of the region's threads calls, then all call with rows of different numbers.
TYPED_TEST(openmp_test, a_foreign_region_is_not_waited_for) {
    const std::string none = "no call";
    const std::string serial = "equal on 1";
    const std::string of_a_third = thread_limit() < 3 ? none : serial;
    for (const bool alone : {true, false}) {
        std::vector<std::string> got(3, none);
#pragma omp parallel num_threads(3)
        {
            const auto me = static_cast<std::size_t>(omp_get_thread_num());
            if (!alone || me == 1) {
                got[me] = one_call<TypeParam>({3 + 9 * me, 9001});
            }
        }
        if (regions_are_delivered()) {
            EXPECT_EQ(got, alone ? (std::vector<std::string>{none, serial, none})
                                 : (std::vector<std::string>{serial, serial, of_a_third}));
        } else { // fewer threads, but no other answer
            for (const std::string& text : got) {
                EXPECT_TRUE(text == none || text.substr(0, 9) == "equal on ") << text;
            }
            EXPECT_TRUE(alone || got[0] != none);
        }
    }
}
#endif

} // namespace
} // namespace bitstep_test
