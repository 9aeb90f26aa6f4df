// SPDX-License-Identifier: Apache-2.0
// Rivals in source form: what one writes by hand, with plain loops (naive.cpp) and with Eigen (eigen.cpp). Both files are
// compiled once per instruction set, fused multiply-add allowed, so that no rival is held back by its flags; the fastest
// of those that this CPU runs is the one that counts.
#pragma once

#include <bitstep/options.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace bitstep_bench {

/// Some rows of a problem. `residual`: room for `rows`; `first`: grad is written, else added to.
template <class T>
struct pair_block {
    const T* x;
    const T* y;
    std::size_t rows;
    std::size_t features;
    const T* w;
    T scale;
    bool first;
    T* residual;
    T* grad;
};

/// grad (+)= scale X^T (X w - y)
template <class T>
using pair_function = void (*)(const pair_block<T>&);

/// Adam+EMA from `in` to `out` (may be the same arrays): weights, ema, m, v.
template <class T>
struct update_block {
    const T* grad;
    const T* const* in;
    T* const* out;
    std::size_t begin;
    std::size_t end;
    bitstep::hyper_parameters hyper;
};

/// The mean of `workers` arrays, elements [begin, end).
template <class T>
using mean_function = void (*)(const T* const* inputs, std::size_t workers, T* out, std::size_t begin, std::size_t end);

template <class T>
struct naive_functions {
    pair_function<T> pair;
    mean_function<T> mean;
};

template <class T>
struct eigen_functions {
    pair_function<T> pair;
    void (*update)(const update_block<T>&);        ///< the formula as bitstep computes it: three divisions and a root
    void (*update_folded)(const update_block<T>&); ///< other bits: the corrections folded into constants, one division
};

struct naive_set {
    naive_functions<float> f32;
    naive_functions<double> f64;
};

struct eigen_set {
    eigen_functions<float> f32;
    eigen_functions<double> f64;
};

/// What was compiled and this CPU runs: the two widest. Eigen's list is empty where the build found no Eigen.
template <class T>
std::vector<naive_functions<T>> naive_rivals();
template <class T>
std::vector<eigen_functions<T>> eigen_rivals();

/// Version and instruction sets, or that it is missing; of Eigen or of the naive loops.
std::string describe_source_rivals(bool eigen);

} // namespace bitstep_bench
