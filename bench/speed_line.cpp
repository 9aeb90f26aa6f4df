// SPDX-License-Identifier: Apache-2.0
// One line of speed, for tools/demo: a gradient from memory beside the read roof and two OpenBLAS GEMV calls, sampled
// in turn. Ends within half a minute; needs no Google Benchmark.
#include "support/machine.hpp"
#include "support/problem.hpp"
#include "support/roof.hpp"
#include "support/threads.hpp"

#include <cstdio>
#include <exception>

namespace {

using namespace bitstep_bench;

void print_line() {
    constexpr std::size_t features = 1024;
    const int threads = usable_threads();
    const std::size_t rows = memory_bytes() / (features * sizeof(float));
    const problem<float> data(rows, features, threads);
    int team = 0;
    std::vector<contender> everybody{data.fused({}, &team)};
    const auto roofs = roof_contenders(data.x(), data.x_bytes(), threads);
    everybody.insert(everybody.end(), roofs.begin(), roofs.end());
    const blas* const openblas = blas::find(blas::vendor::openblas);
    if (openblas != nullptr) {
        everybody.push_back(data.two_gemv(*openblas));
    }
    const auto times = sample_in_turn(everybody, {15, 5, 8.0, 0});

    const auto bytes = static_cast<double>(data.x_bytes());
    const auto rate = [&](double seconds) { return bytes / seconds * 1e-9; };
    std::printf("gradient from memory (float, d = %zu, %.0f MB, %d thread%s): %.1f GB/s; read roof %.1f GB/s; ",
                features, bytes * 1e-6, team, team == 1 ? "" : "s", rate(times[0].median),
                rate(best_of(times, 1, roofs.size()).median));
    if (openblas != nullptr) {
        const double rival = times.back().median;
        std::printf("two OpenBLAS GEMV calls %.1f GB/s (%.2fx)\n", rate(rival), rival / times[0].median);
    } else {
        std::printf("no OpenBLAS here to compare with (Debian: libopenblas0-pthread)\n");
    }
}

} // namespace

int main() {
    try {
        print_line();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bitstep_speed_line: %s\n", error.what());
        return 3;
    }
    return 0;
}
