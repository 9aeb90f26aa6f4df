// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace bitstep_bench {
namespace {

std::string first_word(const std::string& path) {
    std::string word;
    std::ifstream(path) >> word;
    return word;
}

/// "1024K" or "32M" to bytes; 0 where there is none.
std::size_t parse_size(const std::string& text) {
    if (text.empty() || text[0] < '0' || text[0] > '9') {
        return 0;
    }
    const std::size_t number = std::stoul(text);
    return text.back() == 'M' ? number << 20 : text.back() == 'K' ? number << 10 : number;
}

} // namespace

cache_sizes caches() {
    cache_sizes found;
    std::size_t last = 0;
    for (int index = 0; index < 8; ++index) {
        const std::string at = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
        const std::size_t size = parse_size(first_word(at + "size"));
        if (size == 0 || first_word(at + "type") == "Instruction") {
            continue;
        }
        const std::string level = first_word(at + "level");
        if (level == "1") {
            found.l1 = size;
        }
        if (level == "2") {
            found.l2 = size;
        }
        last = std::max(last, size);
    }
#ifdef _SC_LEVEL3_CACHE_SIZE // a virtual machine may see its host's here
    const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    last = std::max(last, level3 > 0 ? static_cast<std::size_t>(level3) : 0);
#endif
    if (last > 0) {
        found.last = last;
    }
    return found;
}

std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.rfind("model name", 0) == 0) {
            return line.substr(std::min(line.find(':') + 2, line.size()));
        }
    }
    return "unknown";
}

std::string compiler_name() {
#ifdef __clang__
    return __VERSION__;
#else
    return "GCC " __VERSION__;
#endif
}

std::size_t memory_bytes() { return std::max<std::size_t>(640'000'000, caches().last / 4 * 5); }

#if defined(__x86_64__)
bool runs_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool runs_avx512() {
    return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}
#else
bool runs_avx2() { return false; }
bool runs_avx512() { return false; }
#endif

std::string describe(const cache_sizes& sizes) {
    const auto kib = [](std::size_t bytes) { return std::to_string(bytes >> 10) + "K"; };
    return kib(sizes.l1) + " / " + kib(sizes.l2) + " / " + kib(sizes.last);
}

} // namespace bitstep_bench
