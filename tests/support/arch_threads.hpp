// SPDX-License-Identifier: Apache-2.0
// The loops over every kernel set that is compiled and runnable, alone and x every team size. They force threads on small
// shapes (serial_below_bytes = 0), assert that the forced kernel set really ran, and fail a test that compared nothing; a
// test that asks for teams also fails where no call of it was given one, as when its arrays are shorter than two tasks of
// 32768 elements. Kernel sets that cannot run here are named once per process.
#pragma once

#include <bitstep/bitstep.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

namespace bitstep {

/// How GoogleTest shows one.
inline void PrintTo(arch which, std::ostream* out) { *out << arch_name(which); }

} // namespace bitstep

namespace bitstep_test {

inline constexpr bitstep::arch every_arch[] = {bitstep::arch::reference, bitstep::arch::baseline, bitstep::arch::avx2,
                                               bitstep::arch::avx512, bitstep::arch::neon64};
inline constexpr bitstep::accumulate_mode every_mode[] = {bitstep::accumulate_mode::native,
                                                          bitstep::accumulate_mode::wide};

inline const char* mode_name(bitstep::accumulate_mode mode) {
    return mode == bitstep::accumulate_mode::wide ? "wide" : "native";
}

/// The library was built with threads (tests/CMakeLists.txt asks the target).
#if defined(BITSTEP_TESTS_WITH_OPENMP)
inline constexpr bool library_has_threads = true;
#else
inline constexpr bool library_has_threads = false;
#endif

/// Every instruction takes 10 to 50 times as long (tests/CMakeLists.txt knows).
#if defined(BITSTEP_TESTS_EMULATED)
inline constexpr bool emulated = true;
inline constexpr int team_sizes[] = {1, 3, 7};
#else
inline constexpr bool emulated = false;
inline constexpr int team_sizes[] = {1, 2, 3, 4, 7, 8, 16};
#endif

/// Sums in pairs of doubles over so many elements are minutes where all is emulated; smaller shapes take the same code.
template <class T>
bool too_long_here(bitstep::accumulate_mode mode, std::size_t elements) {
    return emulated && sizeof(T) == sizeof(double) && mode == bitstep::accumulate_mode::wide && elements > 1000000;
}

inline std::vector<bitstep::arch> find_runnable_archs() {
    std::vector<bitstep::arch> found;
    for (const bitstep::arch which : every_arch) {
        if (!bitstep::arch_compiled(which)) {
            std::cout << "skipped: arch " << bitstep::arch_name(which) << ", not compiled\n";
        } else if (!bitstep::arch_runnable(which)) {
            std::cout << "skipped: arch " << bitstep::arch_name(which) << ", not runnable here\n";
        } else {
            found.push_back(which);
        }
    }
    return found;
}

inline const std::vector<bitstep::arch>& runnable_archs() {
    static const std::vector<bitstep::arch> found = find_runnable_archs();
    return found;
}

/// Options that force one kernel set and one team, on any size.
inline bitstep::options forced(bitstep::arch which, int threads, bitstep::accumulate_mode mode) {
    bitstep::options opts;
    opts.arch = which;
    opts.threads = threads;
    opts.accumulate = mode;
    opts.serial_below_bytes = 0;
    return opts;
}

inline bitstep::options reference_options(bitstep::accumulate_mode mode) {
    return forced(bitstep::arch::reference, 1, mode);
}

/// The same without a report: for a call beside the one whose team is looked at.
inline bitstep::options unreported(bitstep::options opts) {
    opts.report = nullptr;
    return opts;
}

/// Elements enough for a team of three: elementwise stages go out in tasks of 32768 (src/partition.hpp).
inline constexpr std::size_t elements_of_three_tasks = 70001;

/// `full`: the partition certainly has a task for each thread, so the whole team must have been delivered.
enum class team { any, full };

inline void expect_reported(const bitstep::run_report& report, bitstep::arch which, int asked, team wanted) {
    EXPECT_EQ(report.ran, which) << "asked for " << bitstep::arch_name(which) << ", ran "
                                 << bitstep::arch_name(report.ran);
    if (which == bitstep::arch::reference || !library_has_threads) {
        EXPECT_EQ(report.threads, 1);
    } else if (wanted == team::full) {
        EXPECT_EQ(report.threads, asked);
    } else {
        EXPECT_GE(report.threads, 1);
        EXPECT_LE(report.threads, asked);
    }
}

/// Of the running test: whether it has asked for teams, and the largest that one of its calls was given.
struct teams_of_a_test {
    bool asked = false;
    int largest = 0;
};
inline teams_of_a_test teams_seen;
/// Where the surroundings forbid them.
inline void expect_no_team_in_this_test() { teams_seen.asked = false; }

class team_watch : public testing::EmptyTestEventListener {
    void OnTestStart(const testing::TestInfo& /*test*/) override { teams_seen = {}; }
    void OnTestEnd(const testing::TestInfo& /*test*/) override {
        if (teams_seen.asked && library_has_threads) {
            EXPECT_GT(teams_seen.largest, 1) << "no call of this test had a team: longer arrays, or for_each_arch";
        }
    }
};
inline const bool team_watch_is_on = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new team_watch); // which deletes it
    return true;
}();

template <class Sizes, class Body>
void for_each_forced(bitstep::accumulate_mode mode, const Sizes& sizes, Body body, team wanted) {
    std::size_t compared = 0;
    for (const bitstep::arch which : runnable_archs()) {
        for (const int threads : sizes) {
            SCOPED_TRACE(std::string(bitstep::arch_name(which)) + ", " + std::to_string(threads) + " threads, " +
                         mode_name(mode));
            bitstep::run_report report;
            bitstep::options opts = forced(which, threads, mode);
            opts.report = &report;
            compared += body(opts);
            expect_reported(report, which, threads, wanted);
            teams_seen.largest = std::max(teams_seen.largest, report.threads);
            if (testing::Test::HasFailure()) {
                return; // the first failing combination is the one to read
            }
        }
    }
    EXPECT_GT(compared, 0U) << "this test compared nothing";
}

/// body(opts) calls the library once under `opts` and compares; it returns how many elements it compared.
template <class Body>
void for_each_arch_and_threads(bitstep::accumulate_mode mode, Body body, team wanted = team::any) {
    teams_seen.asked = true;
    for_each_forced(mode, team_sizes, body, wanted);
}

/// The same where a team has nothing to do: one call for each kernel set, which asks for three threads.
template <class Body>
void for_each_arch(bitstep::accumulate_mode mode, Body body) {
    for_each_forced(mode, std::array{3}, body, team::any);
}

} // namespace bitstep_test
