// SPDX-License-Identifier: Apache-2.0
// What the machine says about itself: names for the report, cache sizes for the cases.
#pragma once

#include <cstddef>
#include <string>

namespace bitstep_bench {

struct cache_sizes {
    std::size_t l1 = 32u << 10; ///< data, bytes
    std::size_t l2 = 1u << 20;
    std::size_t last = 32u << 20; ///< last level, the larger of what kernel and C library report
};

cache_sizes caches();
std::string cpu_name();
std::string compiler_name();

/// Bytes of X that count as "from memory": 640 MB, and more where the last-level cache is not clearly smaller.
std::size_t memory_bytes();

/// What the files compiled for AVX2 and FMA, or AVX-512 F, CD, DQ, BW, VL, need. False on other processors.
bool runs_avx2();
bool runs_avx512();

/// "32K / 1024K / 32768K"
std::string describe(const cache_sizes& sizes);

} // namespace bitstep_bench
