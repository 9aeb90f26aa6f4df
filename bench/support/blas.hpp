// SPDX-License-Identifier: Apache-2.0
// The rival BLAS libraries, loaded at run time: bitstep links to none, and as all of them export the same names, each is
// loaded with names of its own. Before: the machine. After: problem.hpp calls them in every form that may be their best.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bitstep_bench {

class blas {
public:
    enum class vendor { openblas, blis, mkl };
    static constexpr vendor all[] = {vendor::openblas, vendor::blis, vendor::mkl};

    /// Null where there is none. Looks for the file named in BITSTEP_BENCH_OPENBLAS, _BLIS or _MKL, then for the system's.
    static const blas* find(vendor which);

    /// Its part of a column's name: "openblas", "blis", "mkl".
    static std::string name(vendor which);

    /// File, version and the CPU whose kernels it chose; or that it was not found, and what to install.
    static std::string describe(vendor which);

    /// For BLAS's own team. The same number again costs nothing. BLIS's GEMV has no threads.
    void set_threads(int threads) const;

    /// y = alpha op(A) x + beta y for the row-major (rows, cols) matrix A; op(A) is A or, where transposed, its
    /// transpose.
    void gemv(bool transposed, std::size_t rows, std::size_t cols, float alpha, const float* a, const float* x,
              float beta, float* y) const;
    void gemv(bool transposed, std::size_t rows, std::size_t cols, double alpha, const double* a, const double* x,
              double beta, double* y) const;

private:
    blas() = default;
    bool load(vendor which);
    bool load_openblas(void* library);
    bool load_blis(void* library);
    bool load_mkl(void* library);

    using sgemv_call = void (*)(int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
    using dgemv_call = void (*)(int, int, int, int, double, const double*, int, const double*, int, double, double*,
                                int);
    sgemv_call sgemv_ = nullptr;
    dgemv_call dgemv_ = nullptr;
    void (*set_int_)(int) = nullptr;   // OpenBLAS, MKL
    void (*set_long_)(long) = nullptr; // BLIS counts in dim_t
    mutable int threads_ = 0;
    std::string description_;
};

/// Environment variables that force other kernels than a library's own choice are removed before any is loaded, so that
/// each rival runs its best. Says which were, or "".
std::string removed_from_environment();

} // namespace bitstep_bench
