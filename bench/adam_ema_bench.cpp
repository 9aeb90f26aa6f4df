// SPDX-License-Identifier: Apache-2.0
// Adam and EMA in place, from a thousand parameters to fifty million, beside a plain loop with the same traffic: five
// arrays read, four written.
#include "support/buffer.hpp"
#include "support/problem.hpp"
#include "support/roof.hpp"
#include "support/table.hpp"
#include "support/threads.hpp"

#include <bitstep/adam_ema_update.hpp>

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace bitstep_bench;

template <class T>
void run_case(benchmark::State& state, std::size_t size, int threads) {
    std::vector<buffer> arrays;
    for (std::uint64_t seed = 5; seed < 10; ++seed) {
        arrays.push_back(filled<T>(size, seed, threads, T(0.01)));
    }
    T* const grad = arrays[0].as<T>();
    T* const parts[4] = {arrays[1].as<T>(), arrays[2].as<T>(), arrays[3].as<T>(), arrays[4].as<T>()};
    const bitstep::state_view<T> view{parts[0], parts[1], parts[2], parts[3], size};
    // g > 0 and v >= 0 stay so under the update and under the stream, which both run on these arrays many times:
    // no NaN, no denormal numbers.
    split(threads, schedule::equal_parts, size, 1024, size, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            grad[i] = std::abs(grad[i]) + T(1e-4);
            view.v[i] = std::abs(view.v[i]);
        }
    });

    bitstep::options opts;
    opts.threads = threads;
    const contender update{
        "adam_ema", [&] {
            require(bitstep::adam_ema_update<T>({grad, size}, view, bitstep::hyper_parameters{}, opts));
        }};
    measure(state, update, static_cast<double>(9 * size * sizeof(T)),
            {{"of_stream", stream_contenders<T>(grad, parts, size, threads), "stream_GB/s"}});
}

template <class T>
void add_cases(const char* type) {
    for (const std::size_t size : std::vector<std::size_t>{1'000, 10'000, 100'000, 1'000'000, 10'000'000, 50'000'000}) {
        for (const int threads : std::set<int>{1, usable_threads()}) {
            add_case(std::string("adam_ema_update<") + type + ">/n:" + std::to_string(size) +
                         "/threads:" + std::to_string(threads),
                     [=](benchmark::State& state) { run_case<T>(state, size, threads); });
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    add_cases<float>("float");
    add_cases<double>("double");
    return run_table(argc, argv);
}
