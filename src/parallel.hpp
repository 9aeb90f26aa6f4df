// SPDX-License-Identifier: Apache-2.0
// Threads: the one place that knows OpenMP. Workers only decide who computes a task; tasks come from the partition, which
// never knows the thread count, so no team, schedule or shortage of threads can change a bit.
#pragma once

#include <bitstep/options.hpp>
#include <bitstep/status.hpp>

#include <atomic>
#include <cstddef>

namespace bitstep::internal {

inline constexpr int most_threads = 1024;

/// BITSTEP_NUM_THREADS, else OpenMP's default, at least 1. The environment is read once per process.
status default_threads(int& threads) noexcept;

/// Workers for `tasks` tasks that touch `bytes` bytes: 1 for small work and inside a foreign parallel region.
/// `opts.threads` has been checked.
status choose_workers(const options& opts, std::size_t bytes, std::size_t tasks, int& workers) noexcept;

/// Runs body(worker, context) on a team of at most `workers`, each in the default floating-point environment, and returns
/// the size of the team that was delivered. One worker: on the calling thread, without touching OpenMP.
int run_team(int workers, void (*body)(int worker, void* context), void* context) noexcept;

/// task(worker, index) for every index < tasks, handed out one by one so that a slow core takes fewer. Returns the team.
template <class Task>
int for_each_task(int workers, std::size_t tasks, const Task& task) noexcept {
    struct {
        const Task& task;
        std::size_t tasks;
        std::atomic<std::size_t> next;
    } share{task, tasks, {0}};
    return run_team(workers, [](int worker, void* context) {
        auto& s = *static_cast<decltype(share)*>(context);
        for (std::size_t i = s.next.fetch_add(1); i < s.tasks; i = s.next.fetch_add(1)) s.task(worker, i);
    }, &share);
}

} // namespace bitstep::internal
