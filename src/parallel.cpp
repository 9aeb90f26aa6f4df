// SPDX-License-Identifier: Apache-2.0
// Threads, see parallel.hpp: environment, choice, team.
#include "parallel.hpp"

#include "fp_environment.hpp"
#include "message.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>

#if defined(_OPENMP)
#include <omp.h>
#endif
#if defined(_OPENMP) && defined(__unix__)
#include <pthread.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif
#endif

namespace bitstep::internal {
namespace {

#if defined(_OPENMP) && defined(__unix__)
// libgomp's threads do not exist in a forked child, and a team would wait for them for ever, whoever had started them. So
// the child of a process that had threads when it forked runs serially; the bits are the same.
std::atomic<bool> had_threads{false};     // in the parent, at its last fork
std::atomic<bool> in_forked_child{false}; // of a parent with threads
bool process_has_threads() noexcept {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded == 0;
#else
    return true; // not known: assume so
#endif
}
[[maybe_unused]] const int fork_handler = pthread_atfork([] { had_threads = process_has_threads(); }, nullptr,
                                                         [] {
                                                             if (had_threads) in_forked_child = true;
                                                         });
bool team_can_start() noexcept { return !in_forked_child.load(std::memory_order_relaxed); }
#elif defined(_OPENMP)
bool team_can_start() noexcept { return true; }
#endif

/// BITSTEP_NUM_THREADS, read once: 0 where unset. An unusable text stays an error for every later call.
struct environment_threads {
    int threads = 0;
    status read;
};
environment_threads read_environment() noexcept {
    environment_threads e;
    const char* text = std::getenv("BITSTEP_NUM_THREADS");
    if (text == nullptr || *text == '\0') return e;
    const char* end = text + std::strlen(text);
    const auto parsed = std::from_chars(text, end, e.threads);
    if (parsed.ec != std::errc() || parsed.ptr != end || e.threads < 1 || e.threads > most_threads) {
        e.read = message() << "BITSTEP_NUM_THREADS must be an integer in [1, " << most_threads << "], got \"" << text
                           << "\"" << status_code::invalid_argument;
    }
    return e;
}
const environment_threads& environment() noexcept {
    static const environment_threads once = read_environment();
    return once;
}

int openmp_threads() noexcept {
#if defined(_OPENMP)
    const int threads = omp_get_max_threads();
    return threads < most_threads ? threads : most_threads;
#else
    return 1;
#endif
}

/// libgomp asks the system each time: 340 ns, so only for work that is worth a team. Asking the system ourselves would
/// find one CPU under OMP_PROC_BIND, which pins the calling thread to its place.
int usable_cpus() noexcept {
#if defined(_OPENMP)
    return omp_get_num_procs();
#else
    return 1;
#endif
}

#if defined(_OPENMP)
/// Not inlined: Clang prepares for the region at the entry of the function that holds it, and small work must not touch
/// OpenMP.
__attribute__((noinline)) int run_parallel(int threads, void (*body)(int, int, void*), void* context) noexcept {
    int delivered = 1;
#pragma omp parallel num_threads(threads)
    {
        struct {
            void (*body)(int, int, void*);
            void* context;
            int thread;
            int team;
        } call{body, context, omp_get_thread_num(), omp_get_num_threads()};
        with_default_environment(
            [](void* c) {
                auto& own = *static_cast<decltype(call)*>(c);
                own.body(own.thread, own.team, own.context);
            },
            &call);
        if (call.thread == 0) delivered = call.team;
    }
    return delivered;
}
#endif

/// The bodies of a team as tasks for a caller's parallel_for. The threads' numbers are counted here: whatever indices it
/// hands out, no two bodies share a thread's scratch.
struct pool_team {
    void (*body)(int, int, void*);
    void* context;
    int team;
    std::atomic<int> begun{0};

    void run_next() noexcept {
        struct {
            pool_team& of;
            int thread;
        } call{*this, begun.fetch_add(1)};
        if (call.thread >= team) return;
        with_default_environment(
            [](void* c) {
                auto& own = *static_cast<decltype(call)*>(c);
                own.of.body(own.thread, own.of.team, own.of.context);
            },
            &call);
    }
};

int run_pool(const team_choice& asked, void (*body)(int, int, void*), void* context) noexcept {
    struct {
        const team_choice& asked;
        pool_team bodies;
    } call{asked, {body, context, asked.threads}};
    // Guarded once more: what the caller's code does to this thread's environment ends with it.
    with_default_environment(
        [](void* c) {
            auto& own = *static_cast<decltype(call)*>(c);
            own.asked.parallel_for(
                own.asked.pool, static_cast<std::size_t>(own.bodies.team),
                [](std::size_t, void* bodies) { static_cast<pool_team*>(bodies)->run_next(); }, &own.bodies);
        },
        &call);
    if (call.bodies.begun == 0) call.bodies.run_next();
    const int begun = call.bodies.begun;
    return begun < asked.threads ? begun : asked.threads;
}

} // namespace

status default_threads(int& threads) noexcept {
    const environment_threads& e = environment();
    if (!e.read.ok()) return e.read;
    threads = e.threads;
    if (threads != 0) return {};
    threads = openmp_threads();
    const int cpus = threads > 1 ? usable_cpus() : 1;
    if (threads > cpus) threads = cpus;
    return {};
}

options with_most_threads(const options& opts) noexcept {
    options most = opts; // with a parallel_for it has been checked that `threads` is given
    if (most.threads == 0 && environment().read.ok()) {
        most.threads = environment().threads != 0 ? environment().threads : openmp_threads();
    }
    return most;
}

status choose_threads(const options& opts, arch which, std::size_t bytes, std::size_t tasks,
                      team_choice& team) noexcept {
    team = {1, opts.parallel_for, opts.pool};
    if (opts.threads == 0 && !environment().read.ok()) return environment().read;
    if (which == arch::reference || tasks <= 1 || bytes < opts.serial_below_bytes) return {};
    int asked = opts.threads;
    if (asked == 0) {
        const status read = default_threads(asked);
        if (!read.ok()) return read;
    }
    std::size_t most = opts.serial_below_bytes < 2 ? tasks : bytes / (opts.serial_below_bytes / 2);
    if (most > tasks) most = tasks;
    team.threads = static_cast<std::size_t>(asked) < most ? asked : static_cast<int>(most);
    return {};
}

void wait_for_team(std::size_t team) noexcept {
    if (team < 2) return;
#if defined(_OPENMP)
#pragma omp barrier
#endif
}

int run_team(const team_choice& asked, void (*body)(int thread, int team, void* context), void* context) noexcept {
    if (asked.threads > 1 && asked.parallel_for != nullptr) return run_pool(asked, body, context);
#if defined(_OPENMP)
    if (asked.threads > 1 && omp_in_parallel() == 0 && team_can_start()) {
        return run_parallel(asked.threads, body, context);
    }
#endif
    body(0, 1, context);
    return 1;
}

} // namespace bitstep::internal
