// SPDX-License-Identifier: Apache-2.0
// Callers' pools for options::parallel_for, from the tamest to the most awkward that the contract allows, and some that
// break it. Each counts its calls, so that a test can tell that it was used.
#pragma once

#include "fp_state.hpp"

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace bitstep_test {

using pool_task = void (*)(std::size_t, void*);

struct counting_pool {
    std::atomic<int> calls{0};
    std::atomic<std::size_t> largest{0};

    void count(std::size_t n) {
        ++calls;
        if (n > largest) {
            largest = n;
        }
    }
};

inline void pool_in_order(void* pool, std::size_t n, pool_task task, void* context) {
    static_cast<counting_pool*>(pool)->count(n);
    for (std::size_t i = 0; i < n; ++i) {
        task(i, context);
    }
}

inline void pool_reversed(void* pool, std::size_t n, pool_task task, void* context) {
    static_cast<counting_pool*>(pool)->count(n);
    for (std::size_t i = n; i-- > 0;) {
        task(i, context);
    }
}

/// A thread for each task, all at once.
inline void pool_of_threads(void* pool, std::size_t n, pool_task task, void* context) {
    static_cast<counting_pool*>(pool)->count(n);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < n; ++i) {
        threads.emplace_back([=] { task(i, context); });
    }
    for (std::thread& each : threads) {
        each.join();
    }
}

/// Two threads that take from both ends, while the caller takes none.
inline void pool_from_both_ends(void* pool, std::size_t n, pool_task task, void* context) {
    static_cast<counting_pool*>(pool)->count(n);
    std::thread low([=] {
        for (std::size_t i = 0; i < n / 2; ++i) {
            task(i, context);
        }
    });
    std::thread high([=] {
        for (std::size_t i = n; i-- > n / 2;) {
            task(i, context);
        }
    });
    low.join();
    high.join();
}

inline void spoil_fp_state() {
    flush_denormals();
    std::fesetround(FE_UPWARD);
}

/// Threads that come with a floating-point environment of their own, and must keep it.
inline void pool_of_spoilt_threads(void* pool, std::size_t n, pool_task task, void* context) {
    static_cast<counting_pool*>(pool)->count(n);
    std::atomic<bool> kept{true};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < n; ++i) {
        threads.emplace_back([&, i] {
            spoil_fp_state();
            const auto before = read_fp_state();
            task(i, context);
            if (read_fp_state() != before) {
                kept = false;
            }
        });
    }
    for (std::thread& each : threads) {
        each.join();
    }
    if (!kept) {
        static_cast<counting_pool*>(pool)->calls = -1000000;
    }
    spoil_fp_state(); // the caller's thread, behind the call's back
}

// Against the contract, and harmless all the same.

inline void pool_that_forgets(void* pool, std::size_t n, pool_task, void*) {
    static_cast<counting_pool*>(pool)->count(n);
}

inline void pool_that_repeats(void* pool, std::size_t n, pool_task task, void* context) {
    static_cast<counting_pool*>(pool)->count(n);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 2 * n; ++i) {
        threads.emplace_back([=] { task(0, context); });
    }
    for (std::thread& each : threads) {
        each.join();
    }
}

struct named_pool {
    const char* name;
    void (*parallel_for)(void*, std::size_t, pool_task, void*);
};
inline constexpr named_pool every_pool[] = {
    {"in order", pool_in_order},
    {"reversed", pool_reversed},
    {"a thread per task", pool_of_threads},
    {"from both ends at once", pool_from_both_ends},
    {"threads with an environment of their own", pool_of_spoilt_threads},
    {"forgets all tasks", pool_that_forgets},
    {"repeats one task, more often than asked", pool_that_repeats},
};

} // namespace bitstep_test
