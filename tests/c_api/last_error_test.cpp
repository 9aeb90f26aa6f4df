// SPDX-License-Identifier: Apache-2.0
// Proves: the text of bitstep_last_error is the thread's own, also where the threads are those of a caller's pool and make
// calls of their own while they work for another call.
#include "c_calls.hpp"

#include <atomic>
#include <limits>
#include <string>
#include <thread>

namespace bitstep_test {
namespace {

TEST(c_last_error, is_the_threads_own) {
    int arch = -1;
    EXPECT_EQ(bitstep_arch_from_name("z80", &arch), BITSTEP_ARCH_UNAVAILABLE);
    const std::string mine = bitstep_last_error();
    EXPECT_NE(mine.find("z80"), std::string::npos);
    std::string fresh = "not read";
    std::string other;
    std::thread([&] {
        fresh = bitstep_last_error();
        int unused = 0;
        bitstep_arch_from_name("mips", &unused);
        other = bitstep_last_error();
    }).join();
    EXPECT_EQ(fresh, "");
    EXPECT_NE(other.find("mips"), std::string::npos);
    EXPECT_EQ(bitstep_last_error(), mine);
    EXPECT_STREQ(bitstep_arch_name(99), "unknown");
    EXPECT_EQ(bitstep_last_error(), mine) << "calls without a status leave the text alone";
    EXPECT_EQ(arch, -1);
    EXPECT_EQ(bitstep_arch_from_name("reference", &arch), BITSTEP_OK);
    EXPECT_EQ(arch, BITSTEP_ARCH_REFERENCE);
    EXPECT_STREQ(bitstep_last_error(), "");
}

/// A pool that makes failing calls on its threads, before its tasks, and on the caller's thread at the end.
struct failing_pool {
    std::string before[2], after[2];
    int calls = 0;
    std::atomic<int> failed{0};

    static std::string fail(const char* name) {
        int unused = 0;
        EXPECT_EQ(bitstep_arch_from_name(name, &unused), BITSTEP_ARCH_UNAVAILABLE);
        return bitstep_last_error();
    }
    static void parallel_for(void* pool, std::size_t n, bitstep_task task, void* context) {
        auto& own = *static_cast<failing_pool*>(pool);
        ++own.calls;
        own.failed = 0;
        std::thread threads[2];
        for (std::size_t k = 0; k < 2; ++k) {
            threads[k] = std::thread([&own, k, n, task, context] {
                own.before[k] = fail(k == 0 ? "mips" : "vax");
                for (++own.failed; own.failed < 2;) {
                    std::this_thread::yield();
                }
                for (std::size_t i = k; i < n; i += 2) {
                    task(i, context);
                }
                own.after[k] = bitstep_last_error();
            });
        }
        for (std::thread& each : threads) {
            each.join();
        }
        fail("z80");
    }
};

TEST(c_last_error, calls_inside_a_pools_threads_keep_to_themselves) {
    c_calls<float> calls(1300, 9, data_kind::usual);
    failing_pool pool;
    calls.options.threads = 2;
    calls.options.serial_below_bytes = 0;
    calls.options.parallel_for = failing_pool::parallel_for;
    calls.options.pool = &pool;
    calls.give_workspace();
    EXPECT_EQ(calls.gradient(), BITSTEP_OK);
    EXPECT_STREQ(bitstep_last_error(), "") << "the text is the last call's to end: a success";
    ASSERT_GT(pool.calls, 0);
    EXPECT_NE(pool.before[0].find("mips"), std::string::npos) << pool.before[0];
    EXPECT_NE(pool.before[1].find("vax"), std::string::npos) << pool.before[1];
    EXPECT_EQ(pool.after[0], pool.before[0]) << "a task has touched its thread's text";
    EXPECT_EQ(pool.after[1], pool.before[1]) << "a task has touched its thread's text";

    pool.calls = 0;
    calls.data.x[7] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(calls.gradient(), BITSTEP_NON_FINITE);
    EXPECT_NE(std::string(bitstep_last_error()).find("finite"), std::string::npos) << bitstep_last_error();
    EXPECT_GT(pool.calls, 0);
}

} // namespace
} // namespace bitstep_test
