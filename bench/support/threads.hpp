// SPDX-License-Identifier: Apache-2.0
// Teams for filling, the roof and the hand-written rivals: the OpenMP runtime that the library uses too, so that no
// contender of a run brings a second set of idle threads. Without OpenMP a team is one thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#ifdef _OPENMP
#include <omp.h>
#endif

namespace bitstep_bench {

/// CPUs this process may run on (Linux: its affinity mask).
inline int usable_threads() {
    const auto count = static_cast<int>(std::thread::hardware_concurrency());
    return count < 1 ? 1 : count;
}

/// body(thread, team) once on each thread. A team of one never touches OpenMP.
template <class Body>
void run_team([[maybe_unused]] int threads, const Body& body) {
#ifdef _OPENMP
    if (threads > 1) {
#pragma omp parallel num_threads(threads)
        body(static_cast<std::size_t>(omp_get_thread_num()), static_cast<std::size_t>(omp_get_num_threads()));
        return;
    }
#endif
    body(std::size_t{0}, std::size_t{1});
}

/// How pieces find their thread. `first_come` is what a busy machine favours: a delayed thread takes fewer pieces.
enum class schedule { equal_parts, first_come };

/// body(begin, end) over [0, size): one part per thread in index order, or pieces of `piece` taken as threads get free.
/// Parts start at multiples of `unit`.
template <class Body>
void split(int threads, schedule how, std::size_t size, std::size_t unit, std::size_t piece, const Body& body) {
    std::atomic<std::size_t> next{0};
    run_team(threads, [&](std::size_t thread, std::size_t team) {
        const auto edge = [&](std::size_t part) { return part == team ? size : size / unit * part / team * unit; };
        if (how == schedule::equal_parts) {
            body(edge(thread), edge(thread + 1));
            return;
        }
        for (;;) {
            const std::size_t begin = next.fetch_add(piece, std::memory_order_relaxed);
            if (begin >= size) {
                return;
            }
            body(begin, size - begin < piece ? size : begin + piece);
        }
    });
}

} // namespace bitstep_bench
