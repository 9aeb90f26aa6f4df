// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include "blas.hpp"
#include "machine.hpp"
#include "rivals.hpp"
#include "roof.hpp"
#include "threads.hpp"

#include <bitstep/info.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

namespace bitstep_bench {
namespace {

void add_context() {
    bitstep::arch active = bitstep::arch::automatic;
    const bitstep::status found = bitstep::active_arch(active);
    benchmark::AddCustomContext("bitstep", std::string(bitstep::version()) + ", numerics version " +
                                               std::to_string(bitstep::numerics_version()) + ", arch " +
                                               (found.ok() ? bitstep::arch_name(active) : found.message()));
    benchmark::AddCustomContext("cpu", cpu_name());
    benchmark::AddCustomContext("caches (L1d / L2 / last)", describe(caches()));
    benchmark::AddCustomContext("compiler of the benchmarks", compiler_name());
    for (const blas::vendor each : blas::all) {
        benchmark::AddCustomContext(blas::name(each), blas::describe(each));
    }
    benchmark::AddCustomContext("eigen", describe_source_rivals(true));
    benchmark::AddCustomContext("naive", describe_source_rivals(false));
    if (!removed_from_environment().empty()) {
        benchmark::AddCustomContext("removed from the environment", removed_from_environment());
    }
    benchmark::AddCustomContext("threads", std::to_string(usable_threads()) + " usable");
}

} // namespace

void measure(benchmark::State& state, const contender& measured, double bytes, const std::vector<rival>& rivals,
             const sampling& how) {
    std::vector<contender> everybody{measured};
    std::vector<std::size_t> ways;
    for (const rival& each : rivals) {
        const std::vector<contender> best = fastest(each.ways);
        everybody.insert(everybody.end(), best.begin(), best.end());
        ways.push_back(best.size());
    }
    const std::vector<series> times = sample_in_turn(everybody, how);

    const double own = times[0].median;
    state.SetIterationTime(own);
    state.counters["GB/s"] = bytes / own * 1e-9;
    state.counters["spread_%"] = 100 * times[0].spread;
    std::size_t first = 1;
    double rivals_spread = 0;
    for (std::size_t i = 0; i < rivals.size(); ++i) {
        const rival& each = rivals[i];
        const series& best = best_of(times, first, ways[i]);
        const double other = each.scale * best.median;
        rivals_spread = std::max(rivals_spread, best.spread);
        state.counters[each.column] = other / own;
        if (!each.gb_column.empty()) {
            state.counters[each.gb_column] = bytes / other * 1e-9;
        }
        first += ways[i];
    }
    state.counters["rivals_spread_%"] = 100 * rivals_spread;
}

void smaller_of(benchmark::State& state, const char* column, std::initializer_list<const char*> columns) {
    for (const char* const each : columns) {
        const auto found = state.counters.find(each);
        if (found != state.counters.end()) {
            const double value = found->second.value;
            const auto before = state.counters.find(column);
            state.counters[column] = before == state.counters.end() ? value : std::min(before->second.value, value);
        }
    }
}

bool full_set() {
    const char* const wanted = std::getenv("BITSTEP_BENCH_FULL");
    return wanted != nullptr && std::strcmp(wanted, "1") == 0;
}

void add_case(const std::string& name, std::function<void(benchmark::State&)> body, benchmark::TimeUnit unit) {
    const auto guarded = [run = std::move(body)](benchmark::State& state) {
        for ([[maybe_unused]] auto turn : state) {
            try {
                run(state);
            } catch (const std::exception& error) {
                state.SkipWithError(error.what());
                break;
            }
        }
    };
    // One iteration: sampling decides itself how often to repeat.
    benchmark::RegisterBenchmark(name.c_str(), guarded)->UseManualTime()->Iterations(1)->Unit(unit);
}

int run_table(int argc, char** argv) {
    std::vector<char*> arguments(argv, argv + argc);
    std::string tabular = "--benchmark_counters_tabular=true"; // a default: later arguments win
    arguments.insert(arguments.begin() + (argc > 0 ? 1 : 0), tabular.data());
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) {
        return 1;
    }
    add_context();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

} // namespace bitstep_bench
