// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <limits>
#include <numeric>
#include <thread>

namespace bitstep_bench {
namespace {

using steady = std::chrono::steady_clock;

double seconds_since(steady::time_point start) { return std::chrono::duration<double>(steady::now() - start).count(); }

double time_calls(const contender& who, int calls) {
    const auto start = steady::now();
    for (int call = 0; call < calls; ++call) {
        who.run();
    }
    return seconds_since(start) / calls;
}

/// A first call pays for page faults and sleeping threads, so the count comes from a second one unless calls are long.
int calls_per_sample(const contender& who, double sample_seconds) {
    double once = time_once(who);
    if (once >= 10 * sample_seconds) {
        return 1;
    }
    once = std::max(time_calls(who, 3), 1e-9);
    return static_cast<int>(std::clamp(std::ceil(sample_seconds / once), 1.0, 1e6));
}

/// Of sorted samples; between two of them the mean.
double quantile(const std::vector<double>& sorted, double q) {
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    const auto above = static_cast<std::size_t>(std::ceil(place));
    return 0.5 * (sorted[below] + sorted[above]);
}

series summarise(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    const double median = quantile(samples, 0.5);
    return {median, (quantile(samples, 0.75) - quantile(samples, 0.25)) / median, samples.front()};
}

} // namespace

double time_once(const contender& who) {
    settle();
    return time_calls(who, 1);
}

void settle() {
    const auto pause = std::chrono::milliseconds(1);
    for (int tries = 0; tries < 300; ++tries) {
        const std::clock_t busy = std::clock(); // CPU time of all threads of the process
        const auto start = steady::now();
        std::this_thread::sleep_for(pause);
        const double used = static_cast<double>(std::clock() - busy) / CLOCKS_PER_SEC;
        if (used < 0.2 * seconds_since(start)) {
            return;
        }
    }
}

std::vector<contender> fastest(const std::vector<contender>& ways) {
    if (ways.size() < 2) {
        return ways;
    }
    constexpr double sample_seconds = 3e-4;
    std::vector<std::size_t> order(ways.size());
    std::vector<double> best(ways.size(), std::numeric_limits<double>::infinity());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // The first round only drops the hopeless: who is alone after it needs no second.
    for (const double margin : {1.5, 1.2, 1.05}) {
        for (const std::size_t way : order) {
            settle();
            const double once = time_calls(ways[way], 1);
            const int calls = once < 10 * sample_seconds ? calls_per_sample(ways[way], sample_seconds) : 0;
            best[way] = std::min({best[way], once, calls > 0 ? time_calls(ways[way], calls) : once});
        }
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return best[a] < best[b]; });
        while (best[order.back()] > margin * best[order.front()]) {
            order.pop_back();
        }
        if (order.size() == 1) {
            break;
        }
    }
    std::vector<contender> kept{ways[order[0]]};
    if (order.size() > 1) {
        kept.push_back(ways[order[1]]);
    }
    return kept;
}

std::vector<series> sample_in_turn(const std::vector<contender>& contenders, const sampling& how) {
    const std::size_t count = contenders.size();
    std::vector<int> calls;
    for (const contender& who : contenders) {
        calls.push_back(calls_per_sample(who, how.sample_seconds));
    }

    std::vector<std::vector<double>> samples(count);
    const auto start = steady::now();
    for (int round = 0; round < how.rounds; ++round) {
        if (round >= how.rounds_at_least && seconds_since(start) > how.seconds) {
            break;
        }
        for (std::size_t turn = 0; turn < count; ++turn) {
            const std::size_t who = (turn + static_cast<std::size_t>(round)) % count;
            settle();
            if (calls[who] > 1) {
                contenders[who].run();
            } // wakes the team and brings the data back into cache
            samples[who].push_back(time_calls(contenders[who], calls[who]));
        }
    }
    std::vector<series> result;
    for (auto& each : samples) {
        result.push_back(summarise(std::move(each)));
    }
    return result;
}

} // namespace bitstep_bench
