// SPDX-License-Identifier: Apache-2.0
// `bitstep verify` for programs, without the command line library: a line for each kernel set and thread count,
//     arch threads team numbers differences digest
// then one for the comparison, `reference` with one thread: `digest HEX`. Arguments: thread counts.
#include "program/verify/verify_suite.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>

namespace {

using bitstep::arch;
using namespace bitstep::program;

std::vector<arch> runnable_archs() {
    std::vector<arch> archs;
    for (const arch which : {arch::reference, arch::baseline, arch::avx2, arch::avx512, arch::neon64}) {
        if (bitstep::arch_runnable(which)) {
            archs.push_back(which);
        }
    }
    return archs;
}

} // namespace

int main(int argc, char** argv) {
    std::vector<int> threads;
    for (int i = 1; i < argc; ++i) {
        threads.push_back(std::atoi(argv[i]));
    }
    try {
        const verify_outcome outcome = run_verify(runnable_archs(), threads);
        for (const verify_run& run : outcome.runs) {
            fmt::print("{} {} {} {} {} {}\n", bitstep::arch_name(run.which), run.threads, run.team, run.numbers,
                       run.differences, run.digest);
            if (run.differences != 0) {
                fmt::print(stderr, "{}, {} threads: {}\n", bitstep::arch_name(run.which), run.threads,
                           run.first_difference);
            }
        }
        fmt::print("digest {}\n", outcome.digest);
        return outcome.equal() && outcome.as_frozen() ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 3;
    }
}
