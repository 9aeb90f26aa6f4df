// SPDX-License-Identifier: Apache-2.0
#include "buffer.hpp"

#include "threads.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace bitstep_bench {

buffer::buffer(std::size_t bytes) : bytes_(bytes) {
    constexpr std::size_t huge_page = std::size_t{2} << 20;
    const std::size_t alignment = bytes < huge_page ? 4096 : huge_page;
    const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
    memory_.reset(std::aligned_alloc(alignment, whole == 0 ? alignment : whole));
    if (!memory_) {
        throw std::bad_alloc();
    }
#ifdef MADV_HUGEPAGE
    const char* const wanted = std::getenv("BITSTEP_BENCH_HUGE_PAGES");
    if (alignment == huge_page && (wanted == nullptr || std::strcmp(wanted, "0") != 0)) {
        madvise(memory_.get(), whole, MADV_HUGEPAGE); // a refusal only costs speed
    }
#endif
}

void buffer::release::operator()(void* memory) const { std::free(memory); }

template <class T>
T value_at(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = (seed << 48) + index + 0x9e3779b97f4a7c15u; // SplitMix64's finaliser
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<T>(static_cast<std::int32_t>(z >> 32)) * T(4.656612873077392578125e-10); // 2^-31
}

template <class T>
buffer filled(std::size_t count, std::uint64_t seed, int threads, T scale) {
    buffer memory(count * sizeof(T));
    T* const data = memory.as<T>();
    split(threads, schedule::equal_parts, count, 4096 / sizeof(T), count, [=](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            data[i] = value_at<T>(seed, i) * scale;
        }
    });
    return memory;
}

template float value_at(std::uint64_t, std::uint64_t);
template double value_at(std::uint64_t, std::uint64_t);
template buffer filled(std::size_t, std::uint64_t, int, float);
template buffer filled(std::size_t, std::uint64_t, int, double);

} // namespace bitstep_bench
