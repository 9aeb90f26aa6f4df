// SPDX-License-Identifier: Apache-2.0
#include "openblas.hpp"

#include <cstdlib>
#include <dlfcn.h>

namespace bitstep_bench {
namespace {

constexpr int row_major = 101; // CBLAS_ORDER and CBLAS_TRANSPOSE, fixed by the CBLAS standard
constexpr int no_trans = 111;
constexpr int trans = 112;

void* open_library() {
    // OpenBLAS reads this when it is loaded. A core forced for some other purpose would hobble the rival.
    unsetenv("OPENBLAS_CORETYPE");
    for (const char* name : {std::getenv("BITSTEP_BENCH_OPENBLAS"), const_cast<char*>("libopenblas.so.0"),
                             const_cast<char*>("libopenblas.so"), const_cast<char*>("libopenblas.dylib")}) {
        void* const library = name == nullptr ? nullptr : dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library != nullptr) {
            return library;
        }
    }
    return nullptr;
}

template <class Function>
bool look_up(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

} // namespace

bool openblas::load() {
    void* const library = open_library(); // stays loaded: its threads outlive any dlclose
    return library != nullptr && look_up(library, "cblas_sgemv", sgemv_) && look_up(library, "cblas_dgemv", dgemv_) &&
           look_up(library, "openblas_set_num_threads", set_threads_) &&
           look_up(library, "openblas_get_corename", corename_) && look_up(library, "openblas_get_config", config_);
}

const openblas* openblas::find() {
    static openblas instance;
    static const bool loaded = instance.load();
    return loaded ? &instance : nullptr;
}

void openblas::set_threads(int threads) const { set_threads_(threads); }

void openblas::gemv(bool transposed, std::size_t rows, std::size_t cols, float alpha, const float* a, const float* x,
                    float beta, float* y) const {
    sgemv_(row_major, transposed ? trans : no_trans, static_cast<int>(rows), static_cast<int>(cols), alpha, a,
           static_cast<int>(cols), x, 1, beta, y, 1);
}

void openblas::gemv(bool transposed, std::size_t rows, std::size_t cols, double alpha, const double* a, const double* x,
                    double beta, double* y) const {
    dgemv_(row_major, transposed ? trans : no_trans, static_cast<int>(rows), static_cast<int>(cols), alpha, a,
           static_cast<int>(cols), x, 1, beta, y, 1);
}

std::string openblas::describe() const { return std::string(config_()) + ", runs core " + corename_(); }

std::string describe_openblas() {
    const openblas* const blas = openblas::find();
    return blas != nullptr ? blas->describe() : "not found (Debian: libopenblas0-pthread); its columns are left out";
}

} // namespace bitstep_bench
