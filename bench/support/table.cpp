// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include "machine.hpp"
#include "openblas.hpp"
#include "roof.hpp"
#include "threads.hpp"

#include <bitstep/info.hpp>

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
    benchmark::AddCustomContext("openblas", describe_openblas());
    benchmark::AddCustomContext("threads", std::to_string(usable_threads()) + " usable");
}

} // namespace

void measure(benchmark::State& state, const contender& measured, double bytes, const std::vector<rival>& rivals) {
    std::vector<contender> everybody{measured};
    for (const rival& each : rivals) {
        everybody.insert(everybody.end(), each.ways.begin(), each.ways.end());
    }
    const std::vector<series> times = sample_in_turn(everybody);

    const double own = times[0].median;
    state.SetIterationTime(own);
    state.counters["GB/s"] = bytes / own * 1e-9;
    state.counters["spread_%"] = 100 * times[0].spread;
    std::size_t first = 1;
    for (const rival& each : rivals) {
        const double other = best_median(times, first, each.ways.size());
        state.counters[each.column] = other / own;
        if (!each.gb_column.empty()) {
            state.counters[each.gb_column] = bytes / other * 1e-9;
        }
        first += each.ways.size();
    }
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
