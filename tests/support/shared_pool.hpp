// SPDX-License-Identifier: Apache-2.0
// A pool whose threads live as long as it does and serve several calls of bitstep at once, as an embedder's would.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace bitstep_test {

class shared_pool {
public:
    using task_function = void (*)(std::size_t, void*);

    /// The first `callers` calls wait for one another, so that their tasks certainly stand in the queue together.
    shared_pool(std::size_t threads, std::size_t callers) : callers_(callers) {
        for (std::size_t i = 0; i < threads; ++i) {
            threads_.emplace_back([this] { work(); });
        }
    }
    shared_pool(const shared_pool&) = delete;
    shared_pool& operator=(const shared_pool&) = delete;
    ~shared_pool() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        for (std::thread& each : threads_) {
            each.join();
        }
    }

    static void parallel_for(void* pool, std::size_t n, task_function task, void* context) {
        static_cast<shared_pool*>(pool)->run(n, task, context);
    }

    /// Whether the first calls did meet within their 20 s.
    bool was_shared() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return arrived_ >= callers_ && !missed_;
    }

private:
    struct piece {
        task_function task;
        std::size_t index;
        void* context;
        std::size_t* left;
    };

    void run(std::size_t n, task_function task, void* context) {
        std::size_t left = n;
        std::unique_lock<std::mutex> lock(mutex_);
        ++arrived_;
        changed_.notify_all();
        missed_ |= !changed_.wait_for(lock, std::chrono::seconds(20), [&] { return missed_ || arrived_ >= callers_; });
        for (std::size_t i = 0; i < n; ++i) {
            queue_.push_back({task, i, context, &left});
        }
        changed_.notify_all();
        changed_.wait(lock, [&] { return left == 0; });
    }

    void work() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return ending_ || !queue_.empty(); });
            if (queue_.empty()) {
                return;
            }
            const piece next = queue_.front();
            queue_.pop_front();
            lock.unlock();
            next.task(next.index, next.context);
            lock.lock();
            if (--*next.left == 0) {
                changed_.notify_all();
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<piece> queue_;
    std::size_t callers_;
    std::size_t arrived_ = 0;
    bool missed_ = false;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

} // namespace bitstep_test
