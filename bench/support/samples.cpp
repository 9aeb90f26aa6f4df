// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>

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

/// Threads of this process that run (spin) beside this one. Their CPU time would not tell: the kernel books a thread that
/// spins in user mode at clock ticks only, and a window of 1 ms reads 0.
int others_running() {
    int running = 0;
    std::error_code ignored;
    const std::string own = std::to_string(gettid());
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
        std::ifstream stat(thread.path() / "stat");
        std::string line;
        std::getline(stat, line); // "123 (name) R ..."
        const std::size_t name_end = line.rfind(')');
        const bool runs = name_end != std::string::npos && line.compare(name_end, 3, ") R") == 0;
        running += runs && thread.path().filename() != own ? 1 : 0;
    }
    return running;
}

/// Calls until one is as fast as `enough`, at the longest for `seconds`; the fastest. The first calls after a pause may
/// take 8 ms each where 15 us are usual: the team's second thread wakes up on the CPU where the first one waits for it.
double warm_up(const contender& who, double enough, double seconds) {
    double best = std::numeric_limits<double>::infinity();
    const auto start = steady::now();
    while (best > enough && seconds_since(start) < seconds) {
        best = std::min(best, time_calls(who, 1));
    }
    return best;
}

struct sample_plan {
    int calls;   ///< of one sample
    double fast; ///< seconds of a call that nothing delays
};

sample_plan plan_samples(const contender& who, double sample_seconds) {
    double once = time_once(who); // pays for page faults and sleeping threads
    if (once < 10 * sample_seconds) {
        once = std::max(warm_up(who, 0, 5 * sample_seconds), 1e-9);
    }
    return {static_cast<int>(std::clamp(std::ceil(sample_seconds / once), 1.0, 1e6)), once};
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
    for (int tries = 0; tries < 300; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (others_running() == 0) {
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
            const int calls = once < 10 * sample_seconds ? plan_samples(ways[way], sample_seconds).calls : 0;
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
    std::vector<sample_plan> plan;
    for (const contender& who : contenders) {
        plan.push_back(plan_samples(who, how.sample_seconds));
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
            if (plan[who].calls > 1) { // wakes the team and brings the data back into cache
                warm_up(contenders[who], 1.5 * plan[who].fast, 10 * how.sample_seconds);
            }
            samples[who].push_back(time_calls(contenders[who], plan[who].calls));
        }
    }
    std::vector<series> result;
    for (auto& each : samples) {
        result.push_back(summarise(std::move(each)));
    }
    return result;
}

} // namespace bitstep_bench
