// SPDX-License-Identifier: Apache-2.0
// The loop over every kernel set that is compiled and runnable x every team size. It forces threads on tiny shapes
// (serial_below_bytes = 0), asserts that the forced kernel set and a possible team really ran, and fails a test that
// compared nothing. Kernel sets that cannot run here are named once per process.
#pragma once

#include <bitstep/bitstep.hpp>
#include <gtest/gtest.h>

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

/// body(opts) calls the library once under `opts` and compares; it returns how many elements it compared.
template <class Body>
void for_each_arch_and_threads(bitstep::accumulate_mode mode, Body body, team wanted = team::any) {
    std::size_t compared = 0;
    for (const bitstep::arch which : runnable_archs()) {
        for (const int threads : team_sizes) {
            SCOPED_TRACE(std::string(bitstep::arch_name(which)) + ", " + std::to_string(threads) + " threads, " +
                         mode_name(mode));
            bitstep::run_report report;
            bitstep::options opts = forced(which, threads, mode);
            opts.report = &report;
            compared += body(opts);
            expect_reported(report, which, threads, wanted);
            if (testing::Test::HasFailure()) {
                return; // the first failing combination is the one to read
            }
        }
    }
    EXPECT_GT(compared, 0U) << "this test compared nothing";
}

} // namespace bitstep_test
