// SPDX-License-Identifier: Apache-2.0
#include "roof.hpp"

#include "loops.hpp"
#include "threads.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>
#include <utility>

namespace bitstep_bench {

extern const loop_set loops_16;
#ifdef BITSTEP_X86_LOOPS
extern const loop_set loops_32;
extern const loop_set loops_64;
#endif

const loop_set* const* runnable_loops(std::size_t& count) {
    static const loop_set* sets[3] = {&loops_16, nullptr, nullptr};
    static const std::size_t found = [] {
        std::size_t n = 1;
#ifdef BITSTEP_X86_LOOPS
        if (__builtin_cpu_supports("avx2")) {
            sets[n++] = &loops_32;
        }
        if (__builtin_cpu_supports("avx512f")) {
            sets[n++] = &loops_64;
        }
#endif
        return n;
    }();
    count = found;
    return sets;
}

namespace {

/// Below this many bytes loops are also tried on one thread, as the library would: a team costs more than it brings.
constexpr std::size_t small = std::size_t{2} << 20;

struct read_way {
    const loop_set* loops;
    bool far_streams; ///< each thread's part as four sequential streams; else one
    std::size_t prefetch;
    schedule how;
    int threads;
};

volatile std::uint64_t sink; // keeps the sums alive

/// Up to four vectors at the end of a part stay unread: nothing to a roof.
void read_part(const read_way& way, const char* data, std::size_t bytes) {
    const std::size_t vector = way.loops->vector_bytes;
    const std::size_t count = bytes / (4 * vector);
    const std::size_t stride = way.far_streams ? count * vector : vector;
    const std::size_t step = way.far_streams ? vector : 4 * vector;
    sink = way.loops->read(data, stride, step, count, way.prefetch);
}

contender reader(const read_way& way, const char* data, std::size_t bytes) {
    constexpr std::size_t page = 4096; // parts as long as pages, pieces of 1 MB: what any parallel reader can do
    return {"roof", [=] {
                split(way.threads, way.how, bytes, bytes < 64 * page ? 64 : page, 256 * page,
                      [&](std::size_t begin, std::size_t end) { read_part(way, data + begin, end - begin); });
            }};
}

std::vector<read_way> all_ways(std::size_t bytes, int threads) {
    std::size_t count = 0;
    const loop_set* const* sets = runnable_loops(count);
    std::vector<read_way> ways;
    for (std::size_t set = count > 2 ? count - 2 : 0; set < count; ++set) { // the two widest
        for (const bool far_streams : {false, true}) {
            for (const std::size_t prefetch : {std::size_t{0}, std::size_t{512}}) {
                ways.push_back({sets[set], far_streams, prefetch, schedule::equal_parts, threads});
                if (threads == 1) {
                    continue;
                }
                ways.push_back({sets[set], far_streams, prefetch, schedule::first_come, threads});
                if (bytes > small) {
                    continue;
                }
                ways.push_back({sets[set], far_streams, prefetch, schedule::equal_parts, 1});
            }
        }
    }
    return ways;
}

/// Chosen once per size class and team of a run: the choice costs some fifty reads.
std::vector<read_way> fastest_ways(const char* data, std::size_t bytes, int threads) {
    static std::map<std::pair<int, int>, std::vector<read_way>> known;
    auto& ways = known[{std::ilogb(static_cast<double>(bytes)), threads}];
    if (!ways.empty()) {
        return ways;
    }
    ways = all_ways(bytes, threads);
    std::vector<contender> readers;
    for (const read_way& way : ways) {
        readers.push_back(reader(way, data, bytes));
    }
    const auto times = sample_in_turn(readers, {3, 2, 1.0, 3e-4});
    std::vector<std::size_t> order(ways.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a].best < times[b].best; });
    ways = {ways[order[0]], ways[order[1]]};
    return ways;
}

} // namespace

std::vector<contender> roof_contenders(const void* data, std::size_t bytes, int threads) {
    const char* const base = static_cast<const char*>(data);
    std::vector<contender> readers;
    for (const read_way& way : fastest_ways(base, bytes, threads)) {
        readers.push_back(reader(way, base, bytes));
    }
    return readers;
}

template <class T>
std::vector<contender> stream_contenders(const T* grad, T* const* state, std::size_t size, int threads) {
    std::size_t count = 0;
    const loop_set* const* sets = runnable_loops(count);
    std::vector<contender> streams;
    const auto add = [&](const loop_set* loops, int team) {
        const auto part = [=](std::size_t begin, std::size_t end) {
            if constexpr (std::is_same_v<T, float>) {
                loops->update_float(grad, state, begin, end);
            } else {
                loops->update_double(grad, state, begin, end);
            }
        };
        streams.push_back({"stream", [=] { split(team, schedule::equal_parts, size, 1024, size, part); }});
    };
    for (std::size_t set = 0; set < count; ++set) {
        add(sets[set], threads);
        if (threads > 1 && 5 * size * sizeof(T) <= small) {
            add(sets[set], 1);
        }
    }
    return streams;
}
template std::vector<contender> stream_contenders(const float*, float* const*, std::size_t, int);
template std::vector<contender> stream_contenders(const double*, double* const*, std::size_t, int);

const series& best_of(const std::vector<series>& all, std::size_t first, std::size_t count) {
    std::size_t best = first;
    for (std::size_t i = first + 1; i < first + count; ++i) {
        best = all[i].median < all[best].median ? i : best;
    }
    return all[best];
}

} // namespace bitstep_bench
