// SPDX-License-Identifier: Apache-2.0
// The rival OpenBLAS, loaded at run time: the library itself links to no BLAS, and its names stay local, so that
// another BLAS can be loaded beside it.
#pragma once

#include <cstddef>
#include <string>

namespace bitstep_bench {

class openblas {
public:
    /// Null where there is none. Looks for the name in BITSTEP_BENCH_OPENBLAS, then for the system's.
    static const openblas* find();

    void set_threads(int threads) const;

    /// y = alpha op(A) x + beta y for the row-major (rows, cols) matrix A; op(A) is A or, where transposed, its
    /// transpose.
    void gemv(bool transposed, std::size_t rows, std::size_t cols, float alpha, const float* a, const float* x,
              float beta, float* y) const;
    void gemv(bool transposed, std::size_t rows, std::size_t cols, double alpha, const double* a, const double* x,
              double beta, double* y) const;

    /// Version, build options and the core whose kernels run, as OpenBLAS names them.
    std::string describe() const;

private:
    openblas() = default;
    bool load();

    using sgemv_call = void (*)(int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
    using dgemv_call = void (*)(int, int, int, int, double, const double*, int, const double*, int, double, double*,
                                int);
    sgemv_call sgemv_ = nullptr;
    dgemv_call dgemv_ = nullptr;
    void (*set_threads_)(int) = nullptr;
    char* (*corename_)() = nullptr;
    char* (*config_)() = nullptr;
};

/// "OpenBLAS 0.3.21 ... " or what is missing.
std::string describe_openblas();

} // namespace bitstep_bench
