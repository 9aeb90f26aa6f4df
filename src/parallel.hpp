// SPDX-License-Identifier: Apache-2.0
// Threads: the one place that knows OpenMP and the caller's parallel_for; serves stages 4 to 6. Threads only decide who
// computes a task; tasks come from the partition, which never knows the thread count, so no team, schedule or shortage of
// threads can change a bit.
#pragma once

#include <bitstep/options.hpp>
#include <bitstep/status.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bitstep::internal {

inline constexpr int most_threads = 1024;

/// BITSTEP_NUM_THREADS, else OpenMP's default up to the CPUs that OpenMP sees in this call (with libgomp those of the
/// calling thread's affinity mask, which a caller may change); at least 1. The environment is read once per process.
status default_threads(int& threads) noexcept;

/// The same choices with a number of threads that no later affinity mask can exceed: for sizing a workspace.
options with_most_threads(const options& opts) noexcept;

/// Who does the work of a stage: a team of OpenMP's, or tasks for the caller's parallel_for.
struct team_choice {
    int threads = 1;
    parallel_for_function parallel_for = nullptr; ///< null: OpenMP
    void* pool = nullptr;

    /// The same, on the calling thread alone where `small`.
    team_choice unless(bool small) const noexcept { return small ? team_choice{} : *this; }
};

/// Threads worth asking for, for `tasks` tasks that touch `bytes` bytes: 1 for small work and for the reference, at
/// most one per half of serial_below_bytes. Depends on options, environment and affinity alone, never on where the call
/// stands, so that a workspace sized for with_most_threads() fits every later call, unless omp_set_num_threads raises
/// the default. `opts.threads` has been checked.
status choose_threads(const options& opts, arch which, std::size_t bytes, std::size_t tasks,
                      team_choice& team) noexcept;

/// Runs body(thread, team, context) on a team of at most `asked.threads`, each in the default floating-point environment,
/// and returns the size of the team that was delivered. One thread, or a call inside a foreign parallel region or in a
/// forked child: on the calling thread. On the caller's parallel_for the bodies may run one after another, so that none
/// may wait for another, and fewer of them than `team` may run: a body takes work until there is none.
int run_team(const team_choice& asked, void (*body)(int thread, int team, void* context), void* context) noexcept;

/// Inside a body of run_team on OpenMP's threads: returns when every thread of the team has called it as often. A team of
/// one waits for nobody: its call may stand inside somebody else's parallel region, whose threads know nothing of it.
void wait_for_team(std::size_t team) noexcept;

/// body(thread, team) on every thread of the team of OpenMP's that is delivered. Returns its size.
template <class Body>
int for_each_thread(int threads, const Body& body) noexcept {
    return run_team(
        {threads},
        [](int thread, int team, void* context) {
            (*static_cast<const Body*>(context))(static_cast<std::size_t>(thread), static_cast<std::size_t>(team));
        },
        const_cast<Body*>(&body));
}

/// a * b, or SIZE_MAX where that overflows: for sizes of work, where only the order of magnitude matters.
inline std::size_t saturating_product(std::size_t a, std::size_t b) noexcept {
    std::size_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

/// task(thread, index) for every index < tasks, handed out one by one so that a slow core takes fewer. Returns the team.
/// One thread runs a plain loop: no counter to share, nothing to call through.
template <class Task>
int for_each_task(const team_choice& asked, std::size_t tasks, const Task& task) noexcept {
    if (asked.threads <= 1 || tasks <= 1) {
        for (std::size_t i = 0; i < tasks; ++i) task(0, i);
        return 1;
    }
    struct {
        const Task& task;
        std::size_t tasks;
        std::atomic<std::size_t> next;
    } share{task, tasks, {0}};
    const int threads = static_cast<std::size_t>(asked.threads) < tasks ? asked.threads : static_cast<int>(tasks);
    return run_team(
        {threads, asked.parallel_for, asked.pool},
        [](int thread, int, void* context) {
            auto& s = *static_cast<decltype(share)*>(context);
            for (std::size_t i = s.next.fetch_add(1); i < s.tasks; i = s.next.fetch_add(1)) s.task(thread, i);
        },
        &share);
}

} // namespace bitstep::internal
