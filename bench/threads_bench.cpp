// SPDX-License-Identifier: Apache-2.0
// Is there a size at which all usable threads are slower than one? Three series of bitstep alone, in turn: all threads, one
// thread, and one thread once more. The spread of the two equal ones is noise; the target allows 2 % and that.
#include "support/buffer.hpp"
#include "support/machine.hpp"
#include "support/problem.hpp"
#include "support/table.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace bitstep_bench;

/// Fills the row. `call(threads)` makes a contender; `bytes`: what a call moves.
void compare(benchmark::State& state, double bytes, const std::function<contender(int)>& call) {
    const std::vector<series> times = sample_in_turn({call(usable_threads()), call(1), call(1)}, {31, 5, 1.0, 2e-3});
    const double all = times[0].median;
    const double one = std::min(times[1].median, times[2].median);
    const double apart = std::abs(times[1].median - times[2].median) / one;
    const double noise = std::max({times[1].spread, times[2].spread, apart});
    state.SetIterationTime(all);
    state.counters["GB/s"] = bytes / all * 1e-9;
    state.counters["spread_%"] = 100 * times[0].spread;
    state.counters["x_one_thread"] = one / all;
    state.counters["one_thread_spread_%"] = 100 * noise;
    state.counters["x_allowed"] = 1 / (1.02 + noise);
}

template <class T>
void gradient_case(benchmark::State& state, std::size_t rows, std::size_t features) {
    const problem<T> data(rows, features, usable_threads());
    int team = 0;
    compare(state, data.bytes(), [&](int threads) {
        bitstep::options opts;
        opts.threads = threads;
        return data.fused(opts, threads > 1 ? &team : nullptr);
    });
    state.counters["team"] = team;
}

template <class T>
void update_case(benchmark::State& state, std::size_t size) {
    const buffer arrays = filled<T>(5 * size, 5, usable_threads(), T(0.01));
    T* const first = arrays.as<T>();
    for (std::size_t i = 0; i < 5 * size; ++i) {
        first[i] = std::abs(first[i]) + T(1e-4); // v >= 0; nothing tends to a denormal number
    }
    const bitstep::state_view<T> view{first + size, first + 2 * size, first + 3 * size, first + 4 * size, size};
    compare(state, static_cast<double>(9 * size * sizeof(T)), [&](int threads) -> contender {
        bitstep::options opts;
        opts.threads = threads;
        return {"adam_ema", [=] {
                    require(bitstep::adam_ema_update<T>({first, size}, view, bitstep::hyper_parameters{}, opts));
                }};
    });
}

template <class T>
void mean_case(benchmark::State& state, std::size_t size) {
    constexpr std::size_t workers = 8;
    const buffer grads = filled<T>(workers * size, 20, usable_threads());
    std::vector<T> mean(size);
    std::vector<const T*> places;
    for (std::size_t worker = 0; worker < workers; ++worker) {
        places.push_back(grads.as<T>() + worker * size);
    }
    const bitstep::worker_tensor<T> tensor{nullptr, places.data(), mean.data(), size};
    compare(state, static_cast<double>((workers + 1) * size * sizeof(T)), [&](int threads) -> contender {
        bitstep::options opts;
        opts.threads = threads;
        return {"mean", [=, &tensor] { require(bitstep::allreduce_mean<T>(&tensor, 1, workers, nullptr, opts)); }};
    });
}

/// add(bytes) for sizes by powers of two, in the full set, or four.
void for_sizes(const std::function<void(std::size_t)>& add) {
    const std::size_t most = full_set() ? memory_bytes() : std::size_t{64} << 20;
    for (std::size_t bytes = std::size_t{4} << 10; bytes <= most; bytes *= full_set() ? 2 : 4) {
        add(bytes);
    }
}

std::string name(const std::string& what, std::size_t type_bytes, std::size_t bytes) {
    return "threads/" + what + (type_bytes == 4 ? "<float>" : "<double>") + "/bytes:" + std::to_string(bytes);
}

template <class T>
void add_cases() {
    const std::string threads = "/threads:" + std::to_string(usable_threads());
    for (const std::size_t d : std::vector<std::size_t>{16, 64, 1024}) {
        for_sizes([&](std::size_t bytes) {
            const std::size_t rows = bytes / (d * sizeof(T));
            add_case(name("gradient", sizeof(T), bytes) + "/d:" + std::to_string(d) + threads,
                     [=](benchmark::State& state) { gradient_case<T>(state, std::max<std::size_t>(rows, 1), d); });
        });
    }
    for_sizes([&](std::size_t bytes) {
        add_case(name("adam_ema_update", sizeof(T), bytes) + threads,
                 [=](benchmark::State& state) { update_case<T>(state, bytes / (9 * sizeof(T))); });
    });
    for_sizes([&](std::size_t bytes) {
        add_case(name("allreduce_mean", sizeof(T), bytes) + threads,
                 [=](benchmark::State& state) { mean_case<T>(state, bytes / (9 * sizeof(T))); });
    });
}

} // namespace

int main(int argc, char** argv) {
    add_cases<float>();
    if (full_set()) {
        add_cases<double>();
    }
    return run_table(argc, argv);
}
