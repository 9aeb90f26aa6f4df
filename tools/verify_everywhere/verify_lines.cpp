// SPDX-License-Identifier: Apache-2.0
// `bitstep verify` without the command line library. Arguments: thread counts. Prints `frozen HEX`, the digest of the numerics
// version; `active ARCH`, which this processor gets by default; `lacks ARCH` for each it cannot run; then
//     run ARCH THREADS TEAM NUMBERS DIFFERENCES HEX
// for each kernel set and thread count; `flushed` instead of `run` where the caller flushes denormal numbers and rounds
// upward; and last `digest HEX`, that of the comparison: `reference` with one thread. Exit code 0 where all are equal.
#include "program/verify/verify_suite.hpp"
#include "support/fp_state.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>

namespace {

using bitstep::arch;
using namespace bitstep::program;

std::vector<arch> runnable_archs() {
    std::vector<arch> archs;
    for (const arch which : every_arch) {
        if (bitstep::arch_runnable(which)) {
            archs.push_back(which);
        } else if (bitstep::arch_compiled(which)) {
            fmt::print("lacks {}\n", bitstep::arch_name(which));
        }
    }
    return archs;
}

/// Whether the guard is still around all arithmetic is up to each compiler and linker.
void flushed_and_upward(const std::function<void()>& calls) {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    {
        const bitstep_test::default_fp_scope restore;
        if (!bitstep_test::flush_denormals() || std::fesetround(FE_UPWARD) != 0) {
            throw std::runtime_error("this processor's floating-point environment is not known");
        }
        before = bitstep_test::read_fp_state();
        calls();
        after = bitstep_test::read_fp_state();
    }
    if (before != after) {
        throw std::runtime_error(fmt::format("the caller's environment was {:x}, and afterwards {:x}", before, after));
    }
}

/// Whether all were equal.
bool print_runs(const char* name, const verify_outcome& outcome) {
    for (const verify_run& run : outcome.runs) {
        fmt::print("{} {} {} {} {} {} {}\n", name, bitstep::arch_name(run.which), run.threads, run.team, run.numbers,
                   run.differences, run.digest);
        if (run.differences != 0) {
            fmt::print(stderr, "{} {}, {} threads: {}\n", name, bitstep::arch_name(run.which), run.threads,
                       run.first_difference);
        }
    }
    return outcome.equal();
}

int thread_count(const char* text) {
    const int count = std::atoi(text);
    if (count < 1) {
        throw std::runtime_error(fmt::format("thread counts are at least 1, got {}", text));
    }
    return count;
}

} // namespace

int main(int argc, char** argv) {
    try {
        std::vector<int> threads;
        for (int i = 1; i < argc; ++i) {
            threads.push_back(thread_count(argv[i]));
        }
        arch active = arch::automatic;
        if (!bitstep::active_arch(active).ok()) {
            throw std::runtime_error("no active arch");
        }
        fmt::print("frozen {}\nactive {}\n", frozen_digest, bitstep::arch_name(active));
        const std::vector<arch> archs = runnable_archs();
        const verify_outcome outcome = run_verify(archs, threads);
        const bool equal = print_runs("run", outcome);
        const bool equal_when_flushed = print_runs("flushed", run_verify(archs, {3}, flushed_and_upward));
        fmt::print("digest {}\n", outcome.digest);
        return equal && equal_when_flushed && outcome.as_frozen() ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 3;
    }
}
