// SPDX-License-Identifier: Apache-2.0
// The gradient of the mean squared error, from X in L1 to X in memory, beside the read roof and OpenBLAS. Columns and
// how to read them: README.md.
#include "support/machine.hpp"
#include "support/problem.hpp"
#include "support/roof.hpp"
#include "support/table.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace bitstep_bench;
using bitstep::accumulate_mode;

struct size_class {
    const char* name;
    std::size_t bytes; // of X
};

struct shape {
    std::size_t rows;
    std::size_t features;
    int threads;
};

template <class T>
void run_case(benchmark::State& state, const shape& size, accumulate_mode accumulate) {
    const problem<T> data(size.rows, size.features, size.threads);
    int team = 0;
    std::vector<rival> rivals{{"of_roof", roof_contenders(data.x(), data.x_bytes(), size.threads), "roof_GB/s"}};
    if (accumulate == accumulate_mode::native) {
        for (rival& each : data.rivals()) {
            rivals.push_back(std::move(each));
        }
    } else {
        rivals.push_back({"of_native", {data.fused(accumulate_mode::native)}});
    }
    measure(state, data.fused(accumulate, &team), static_cast<double>(data.x_bytes()), rivals);
    state.counters["team"] = team;
    smaller_of(state, "x_openblas", {"x_two_gemv", "x_blocked"});
}

template <class T>
void add_cases(const char* type, const size_class& where, accumulate_mode accumulate) {
    const bool native = accumulate == accumulate_mode::native;
    for (const int threads : std::set<int>{1, usable_threads()}) {
        for (const std::size_t features : std::vector<std::size_t>{64, 256, 1024, 4096, 16384, 65536}) {
            const shape size{where.bytes / (features * sizeof(T)), features, threads};
            // Double-double has no speed target and takes its time: one length of row is enough.
            const bool wanted = native || sizeof(T) == sizeof(float) || features == 1024;
            if (size.rows < 2 || !wanted) {
                continue;
            }
            const std::string name = std::string("gradient<") + type + ">/" + (native ? "native/" : "wide/") +
                                     where.name + "/d:" + std::to_string(features) +
                                     "/threads:" + std::to_string(threads);
            add_case(name, [=](benchmark::State& state) { run_case<T>(state, size, accumulate); });
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    const cache_sizes cache = caches();
    for (const auto accumulate : {accumulate_mode::native, accumulate_mode::wide}) {
        for (const size_class& where : {size_class{"L1", cache.l1 / 2}, size_class{"L2", cache.l2 / 2},
                                        size_class{"past_L2", 8 * cache.l2}, size_class{"memory", memory_bytes()}}) {
            add_cases<float>("float", where, accumulate);
            add_cases<double>("double", where, accumulate);
        }
    }
    return run_table(argc, argv);
}
