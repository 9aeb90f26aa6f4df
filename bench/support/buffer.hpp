// SPDX-License-Identifier: Apache-2.0
// Memory for the cases: aligned, in huge pages where the system grants them on request (NumPy asks for them as well),
// first touched by the threads that will read it, in equal parts. BITSTEP_BENCH_HUGE_PAGES=0 does without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace bitstep_bench {

class buffer {
public:
    buffer() = default;
    /// Untouched memory. Throws std::bad_alloc.
    explicit buffer(std::size_t bytes);

    void* data() const { return memory_.get(); }
    template <class T>
    T* as() const {
        return static_cast<T*>(data());
    }
    std::size_t bytes() const { return bytes_; }

private:
    struct release {
        void operator()(void* memory) const;
    };
    std::unique_ptr<void, release> memory_;
    std::size_t bytes_ = 0;
};

/// Element `index` of stream `seed`: a fixed value in [-1, 1), the same on every machine.
template <class T>
T value_at(std::uint64_t seed, std::uint64_t index);

/// `count` values times `scale`, written by `threads` threads in equal parts.
template <class T>
buffer filled(std::size_t count, std::uint64_t seed, int threads, T scale = T(1));

} // namespace bitstep_bench
