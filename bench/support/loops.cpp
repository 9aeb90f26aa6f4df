// SPDX-License-Identifier: Apache-2.0
// Compiled several times with other instruction-set flags and BITSTEP_VECTOR_BYTES; everything but the exported table
// has internal linkage, so that no wide copy can leak into other files.
//
// The sum is an integer sum on purpose: its addition takes one cycle, so four accumulators never wait for one another
// and nothing but the loads limits the loop. The streams are either neighbours (one sequential read) or far apart.
#include "loops.hpp"

namespace bitstep_bench {
namespace {

using vector __attribute__((vector_size(BITSTEP_VECTOR_BYTES), aligned(8), may_alias)) = std::uint64_t;

const vector& at(const char* p) { return *reinterpret_cast<const vector*>(p); }

std::uint64_t fold(const vector& sum) {
    std::uint64_t total = 0;
    for (std::size_t lane = 0; lane < BITSTEP_VECTOR_BYTES / 8; ++lane) {
        total += sum[lane];
    }
    return total;
}

std::uint64_t read_plain(const char* p, std::size_t stride, std::size_t step, std::size_t count) {
    vector a{};
    vector b{};
    vector c{};
    vector d{};
    for (std::size_t i = 0; i < count; ++i, p += step) {
        a += at(p);
        b += at(p + stride);
        c += at(p + 2 * stride);
        d += at(p + 3 * stride);
    }
    return fold(a + b + c + d);
}

std::uint64_t read_ahead(const char* p, std::size_t stride, std::size_t step, std::size_t count, std::size_t ahead) {
    vector a{};
    vector b{};
    vector c{};
    vector d{};
    for (std::size_t i = 0; i < count; ++i, p += step) {
        __builtin_prefetch(p + ahead);
        __builtin_prefetch(p + ahead + stride);
        __builtin_prefetch(p + ahead + 2 * stride);
        __builtin_prefetch(p + ahead + 3 * stride);
        a += at(p);
        b += at(p + stride);
        c += at(p + 2 * stride);
        d += at(p + 3 * stride);
    }
    return fold(a + b + c + d);
}

std::uint64_t read(const char* base, std::size_t stride, std::size_t step, std::size_t count, std::size_t prefetch) {
    return prefetch == 0 ? read_plain(base, stride, step, count) : read_ahead(base, stride, step, count, prefetch);
}

/// Every array tends to g, so values stay finite and normal however often it runs.
template <class T>
void update(const T* __restrict g, T* const* state, std::size_t begin, std::size_t end) {
    T* __restrict w = state[0];
    T* __restrict e = state[1];
    T* __restrict m = state[2];
    T* __restrict v = state[3];
    const T half = T(0.5);
    for (std::size_t i = begin; i < end; ++i) {
        w[i] = half * (w[i] + g[i]);
        e[i] = half * (e[i] + g[i]);
        m[i] = half * (m[i] + g[i]);
        v[i] = half * (v[i] + g[i]);
    }
}

} // namespace

extern const loop_set BITSTEP_LOOPS;
const loop_set BITSTEP_LOOPS = {BITSTEP_VECTOR_BYTES, &read, &update<float>, &update<double>};

} // namespace bitstep_bench
