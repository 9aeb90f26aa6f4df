// SPDX-License-Identifier: Apache-2.0
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
#include <unistd.h>
#endif

namespace bitstep::internal {
namespace {

/// Threads from the environment: 0 where BITSTEP_NUM_THREADS is unset or empty, -1 where it is no number in range.
int threads_from_environment() noexcept {
    const char* text = std::getenv("BITSTEP_NUM_THREADS");
    if (text == nullptr || *text == '\0') return 0;
    int value = 0;
    const char* end = text + std::strlen(text);
    const auto parsed = std::from_chars(text, end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || value < 1 || value > most_threads) return -1;
    return value;
}

#if defined(_OPENMP)
/// False in a child that was forked after this library had started a team: libgomp's threads do not exist there, and a
/// team would wait for them for ever. Such a child runs serially; the bits are the same.
bool team_can_start() noexcept {
#if defined(__unix__)
    static std::atomic<pid_t> first_user{0};
    const pid_t self = getpid();
    pid_t user = 0;
    return first_user.compare_exchange_strong(user, self) || user == self;
#else
    return true;
#endif
}
#endif

} // namespace

namespace {

/// BITSTEP_NUM_THREADS, 0 where unset. Read once per process.
status environment_threads(int& threads) noexcept {
    static const int from_environment = threads_from_environment();
    threads = from_environment;
    if (from_environment >= 0) return {};
    return message() << "BITSTEP_NUM_THREADS must be an integer in [1, " << most_threads << "], got \""
                     << std::getenv("BITSTEP_NUM_THREADS") << "\"" << status_code::invalid_argument;
}

int openmp_threads() noexcept {
#if defined(_OPENMP)
    const int threads = omp_get_max_threads();
    return threads < most_threads ? threads : most_threads;
#else
    return 1;
#endif
}

#if defined(_OPENMP)
/// Not inlined: Clang prepares for the region at the entry of the function that holds it, and small work must not touch
/// OpenMP.
__attribute__((noinline)) int run_parallel(int workers, void (*body)(int, void*), void* context) noexcept {
    int delivered = 1;
#pragma omp parallel num_threads(workers)
    {
        struct {
            void (*body)(int, void*);
            void* context;
            int worker;
        } call{body, context, omp_get_thread_num()};
        with_default_environment([](void* c) {
            auto& own = *static_cast<decltype(call)*>(c);
            own.body(own.worker, own.context);
        }, &call);
        if (omp_get_thread_num() == 0) delivered = omp_get_num_threads();
    }
    return delivered;
}
#endif

} // namespace

status default_threads(int& threads) noexcept {
    const status read = environment_threads(threads);
    if (read.ok() && threads == 0) threads = openmp_threads();
    return read;
}

status choose_workers(const options& opts, std::size_t bytes, std::size_t tasks, int& workers) noexcept {
    workers = 1;
    int threads = opts.threads;
    if (threads == 0) {
        const status read = environment_threads(threads);
        if (!read.ok()) return read;
    }
    if (threads == 1 || tasks <= 1 || bytes < opts.serial_below_bytes) return {};
#if defined(_OPENMP)
    if (omp_in_parallel() != 0 || !team_can_start()) return {};
    if (threads == 0) threads = openmp_threads();
    workers = static_cast<std::size_t>(threads) < tasks ? threads : static_cast<int>(tasks);
#endif
    return {};
}

int run_team(int workers, void (*body)(int worker, void* context), void* context) noexcept {
#if defined(_OPENMP)
    if (workers > 1) return run_parallel(workers, body, context);
#endif
    (void)workers;
    body(0, context);
    return 1;
}

} // namespace bitstep::internal
