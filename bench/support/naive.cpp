// SPDX-License-Identifier: Apache-2.0
// The naive loops, compiled once per instruction set (BITSTEP_RIVAL_SET names the exported table; everything else has
// internal linkage). The sum of the dot product is in free order: without that a compiler cannot vectorise it at all.
#include "rivals.hpp"

#include <algorithm>

namespace bitstep_bench {
namespace {

template <class T>
void pair(const pair_block<T>& block) {
    const std::size_t d = block.features;
    const T* __restrict w = block.w;
    T* __restrict grad = block.grad;
    if (block.first) {
        std::fill_n(grad, d, T(0));
    }
    for (std::size_t i = 0; i < block.rows; ++i) {
        const T* __restrict x = block.x + i * d;
        T dot = 0;
#pragma omp simd reduction(+ : dot)
        for (std::size_t j = 0; j < d; ++j) {
            dot += x[j] * w[j];
        }
        const T r = block.scale * (dot - block.y[i]);
#pragma omp simd
        for (std::size_t j = 0; j < d; ++j) {
            grad[j] += r * x[j];
        }
    }
}

/// A block of the output stays in L1 while the workers are added in turn, then one division.
template <class T>
void mean(const T* const* inputs, std::size_t workers, T* result, std::size_t begin, std::size_t end) {
    constexpr std::size_t block = 2048;
    for (; begin < end; begin += block) {
        const std::size_t length = std::min(block, end - begin);
        T* __restrict out = result + begin;
        std::copy_n(inputs[0] + begin, length, out);
        for (std::size_t worker = 1; worker < workers; ++worker) {
            const T* __restrict in = inputs[worker] + begin;
            for (std::size_t i = 0; i < length; ++i) {
                out[i] += in[i];
            }
        }
        for (std::size_t i = 0; i < length; ++i) {
            out[i] /= static_cast<T>(workers);
        }
    }
}

} // namespace

extern const naive_set BITSTEP_RIVAL_SET;
const naive_set BITSTEP_RIVAL_SET = {{&pair<float>, &mean<float>}, {&pair<double>, &mean<double>}};

} // namespace bitstep_bench
