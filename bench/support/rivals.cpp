// SPDX-License-Identifier: Apache-2.0
// Which instruction sets the rivals in source form were compiled for (CMakeLists.txt), and which of those run here.
#include "rivals.hpp"

#include "machine.hpp"

#include <type_traits>

namespace bitstep_bench {

extern const naive_set naive_plain;
#ifdef BITSTEP_X86_LOOPS
extern const naive_set naive_avx2;
extern const naive_set naive_avx512;
#endif
#ifdef BITSTEP_BENCH_EIGEN
extern const eigen_set eigen_plain;
#ifdef BITSTEP_X86_LOOPS
extern const eigen_set eigen_avx2;
extern const eigen_set eigen_avx512;
#endif
#endif

namespace {

template <class T, class Set>
const auto& of_type(const Set& set) {
    if constexpr (std::is_same_v<T, float>) {
        return set.f32;
    } else {
        return set.f64;
    }
}

} // namespace

template <class T>
std::vector<naive_functions<T>> naive_rivals() {
#ifdef BITSTEP_X86_LOOPS
    if (runs_avx512()) {
        return {of_type<T>(naive_avx2), of_type<T>(naive_avx512)};
    }
    if (runs_avx2()) {
        return {of_type<T>(naive_avx2)};
    }
#endif
    return {of_type<T>(naive_plain)};
}

template <class T>
std::vector<eigen_functions<T>> eigen_rivals() {
#ifdef BITSTEP_BENCH_EIGEN
#ifdef BITSTEP_X86_LOOPS
    if (runs_avx512()) {
        return {of_type<T>(eigen_avx2), of_type<T>(eigen_avx512)};
    }
    if (runs_avx2()) {
        return {of_type<T>(eigen_avx2)};
    }
#endif
    return {of_type<T>(eigen_plain)};
#else
    return {};
#endif
}

template std::vector<naive_functions<float>> naive_rivals();
template std::vector<naive_functions<double>> naive_rivals();
template std::vector<eigen_functions<float>> eigen_rivals();
template std::vector<eigen_functions<double>> eigen_rivals();

std::string describe_source_rivals(bool eigen) {
#ifndef BITSTEP_BENCH_EIGEN
    if (eigen) {
        return "not found when this was built (Debian: libeigen3-dev); its columns are left out";
    }
#endif
#ifdef BITSTEP_BENCH_EIGEN
    const std::string name = eigen ? "Eigen " BITSTEP_BENCH_EIGEN ", " : "";
#else
    const std::string name;
#endif
#ifdef BITSTEP_X86_LOOPS
    const char* const sets = runs_avx512() ? "faster of AVX2+FMA and AVX-512" : runs_avx2() ? "AVX2+FMA" : "SSE2";
#else
    const char* const sets = "the compiler's default instruction set";
#endif
    return name + "-O3, " + sets;
}

} // namespace bitstep_bench
