// SPDX-License-Identifier: Apache-2.0
// The gradient of the mean squared error, from 4096 numbers to X in memory, beside the read roof, BLAS libraries, Eigen
// and naive loops. Columns and how to read them: README.md.
#include "support/machine.hpp"
#include "support/problem.hpp"
#include "support/table.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace bitstep_bench;
using bitstep::accumulate_mode;

/// One way to run bitstep on X of about `bytes`.
struct row {
    const char* where; // the size class
    std::size_t bytes; // of X
    accumulate_mode accumulate;
    bitstep::arch arch = bitstep::arch::automatic;
};

struct shape {
    std::size_t rows;
    std::size_t features;
    int threads;
};

template <class T>
void run_case(benchmark::State& state, const shape& size, const row& how) {
    const problem<T> data(size.rows, size.features, size.threads);
    bitstep::options opts;
    opts.accumulate = how.accumulate;
    opts.arch = how.arch;
    std::vector<rival> rivals{data.roof()};
    if (how.accumulate == accumulate_mode::native) {
        for (rival& each : data.rivals()) {
            rivals.push_back(std::move(each));
        }
    } else {
        bitstep::options native = opts;
        native.accumulate = accumulate_mode::native;
        rivals.push_back({"of_native", {data.fused(native)}});
    }
    int team = 0;
    measure(state, data.fused(opts, &team), data.bytes(), rivals);
    state.counters["team"] = team;
    smaller_of(state, "x_openblas", {"x_two_gemv", "x_blocked"});
}

template <class T>
void add_row(const row& how, std::size_t features, int threads) {
    const bool native = how.accumulate == accumulate_mode::native;
    const shape size{how.bytes / (features * sizeof(T)), features, threads};
    if (size.rows < 2) {
        return;
    }
    std::string name = std::string("gradient<") + (sizeof(T) == 4 ? "float" : "double") + ">/" +
                       (native ? "native/" : "wide/") + how.where + "/d:" + std::to_string(features) +
                       "/threads:" + std::to_string(threads);
    if (how.arch != bitstep::arch::automatic) {
        name += std::string("/arch:") + bitstep::arch_name(how.arch);
    }
    add_case(name, [=](benchmark::State& state) { run_case<T>(state, size, how); });
}

template <class T>
void add_rows(const row& how, const std::vector<std::size_t>& features, bool one_thread) {
    const std::set<int> teams = one_thread ? std::set<int>{1, usable_threads()} : std::set<int>{usable_threads()};
    for (const int threads : teams) { // X is filled anew where the team changes: threads outside
        for (const std::size_t d : features) {
            add_row<T>(how, d, threads);
        }
    }
}

/// Just above what bitstep reads as from a cache (src/kernels/kernel_table.hpp, far_bytes).
constexpr std::size_t past_far_bytes = 24 * 1024 * 1024;
constexpr std::size_t million = std::size_t{1} << 20;

/// All lengths of row in all size classes.
void add_full_set(const cache_sizes& cache) {
    const std::vector<std::size_t> features{1,   2,   3,    4,    8,    13,    16,    32,     64,
                                            100, 256, 1000, 1024, 4096, 16384, 65536, million};
    for (const auto accumulate : {accumulate_mode::native, accumulate_mode::wide}) {
        add_rows<float>({"tiny", 4096 * sizeof(float), accumulate}, features, true);
        add_rows<double>({"tiny", 4096 * sizeof(double), accumulate}, features, true);
        for (const row& how : {row{"L1", cache.l1 / 2, accumulate}, row{"L2", cache.l2 / 2, accumulate},
                               row{"past_L2", 8 * cache.l2, accumulate}, row{"past_far", past_far_bytes, accumulate},
                               row{"memory", memory_bytes(), accumulate}}) {
            add_rows<float>(how, features, true);
            add_rows<double>(how, features, true);
        }
        add_rows<float>({"few_rows", 8 * sizeof(float) * million, accumulate}, {65536, million}, true);
        add_rows<double>({"few_rows", 8 * sizeof(double) * million, accumulate}, {65536, million}, true);
    }
}

/// Every target, in some minutes.
void add_default_set(const cache_sizes& cache) {
    constexpr auto native = accumulate_mode::native;
    constexpr auto wide = accumulate_mode::wide;
    for (const row& how : {row{"L1", cache.l1 / 2, native}, row{"past_L2", 8 * cache.l2, native},
                           row{"past_far", past_far_bytes, native}}) {
        add_rows<float>(how, {1024}, true);
    }
    add_rows<float>({"L1", cache.l1 / 2, native}, {64}, false);
    add_rows<float>({"past_far", past_far_bytes, native}, {64}, false);
    add_rows<float>({"L2", cache.l2 / 2, native}, {8, 64, 256, 1024, 4096}, true);
    add_rows<double>({"L2", cache.l2 / 2, native}, {64, 256, 1024, 4096}, false);
    add_rows<float>({"past_L2", 8 * cache.l2, native}, {1, 2, 4, 8, 13, 16, 32}, false);
    add_rows<double>({"past_L2", 8 * cache.l2, native}, {1, 4, 8, 16, 32, 1024}, false);
    add_rows<float>({"memory", memory_bytes(), native}, {1024}, true);
    add_rows<float>({"memory", memory_bytes(), native}, {32, 64, 256, 4096, 16384, 65536, million}, false);
    add_rows<double>({"memory", memory_bytes(), native}, {64, 256, 1024, 4096, 16384, 65536, million}, false);
    add_rows<float>({"few_rows", 8 * sizeof(float) * million, native}, {million}, false);
    add_rows<float>({"L2", cache.l2 / 2, wide}, {64, 1024}, false);
    add_rows<float>({"memory", memory_bytes(), wide}, {64, 1024, 16384}, false);
    add_rows<double>({"memory", memory_bytes(), wide}, {1024}, false);
    if (runs_avx512()) { // the target names both widths
        add_rows<float>({"memory", memory_bytes(), wide, bitstep::arch::avx2}, {1024, 16384}, false);
    }
}

} // namespace

int main(int argc, char** argv) {
    full_set() ? add_full_set(caches()) : add_default_set(caches());
    return run_table(argc, argv);
}
