// SPDX-License-Identifier: Apache-2.0
#include "blas.hpp"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>

namespace bitstep_bench {
namespace {

constexpr int row_major = 101; // CBLAS_ORDER and CBLAS_TRANSPOSE, fixed by the CBLAS standard
constexpr int no_trans = 111;
constexpr int trans = 112;

struct place {
    const char* name;
    const char* environment; // names a file
    const char* missing;
    std::vector<const char*> files;
};

const place& place_of(blas::vendor which) {
    static const std::map<blas::vendor, place> places{
        {blas::vendor::openblas,
         {"openblas",
          "BITSTEP_BENCH_OPENBLAS",
          "Debian: libopenblas0-pthread",
          {"libopenblas.so.0", "libopenblas.so", "libopenblas.dylib"}}},
        // The multi-threaded builds lie outside the linker's path in Debian; level 2 has no threads in any.
        {blas::vendor::blis,
         {"blis",
          "BITSTEP_BENCH_BLIS",
          "Debian: libblis4-pthread",
          {"libblis.so.4", "/usr/lib/x86_64-linux-gnu/blis-pthread/libblis.so.4",
           "/usr/lib/aarch64-linux-gnu/blis-pthread/libblis.so.4", "libblis.so", "libblis.dylib"}}},
        {blas::vendor::mkl,
         {"mkl",
          "BITSTEP_BENCH_MKL",
          "PyPI: mkl, with BITSTEP_BENCH_MKL=.../lib/libmkl_rt.so.3",
          {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"}}}};
    return places.at(which);
}

void* open_library(const place& where) {
    removed_from_environment();
    int flags = RTLD_NOW | RTLD_LOCAL;
#ifdef RTLD_DEEPBIND
    flags |= RTLD_DEEPBIND; // its own calls stay inside it, whatever else exports a "dgemv_"
#endif
    if (const char* const forced = std::getenv(where.environment)) {
        return dlopen(forced, flags);
    }
    for (const char* file : where.files) {
        if (void* const library = dlopen(file, flags)) {
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

/// The file that a function really came from.
template <class Function>
std::string file_of(Function function) {
    Dl_info info{};
    const bool known = dladdr(reinterpret_cast<void*>(function), &info) != 0 && info.dli_fname != nullptr;
    return known ? info.dli_fname : "an unknown file";
}

/// What MKL_Get_Version fills; the layout is part of MKL's public interface.
struct mkl_version {
    int major, minor, update;
    char *status, *build, *processor, *platform;
};

} // namespace

std::string removed_from_environment() {
    static const std::string removed = [] {
        std::string names;
        for (const char* name : {"OPENBLAS_CORETYPE", "BLIS_ARCH_TYPE", "MKL_ENABLE_INSTRUCTIONS", "MKL_CBWR"}) {
            if (const char* const value = std::getenv(name)) {
                names += (names.empty() ? "" : ", ") + std::string(name) + "=" + value;
                unsetenv(name);
            }
        }
        return names;
    }();
    return removed;
}

bool blas::load_openblas(void* library) {
    char* (*corename)() = nullptr;
    char* (*config)() = nullptr;
    if (!look_up(library, "openblas_set_num_threads", set_int_) ||
        !look_up(library, "openblas_get_corename", corename) || !look_up(library, "openblas_get_config", config)) {
        return false;
    }
    description_ = std::string(config()) + ", runs core " + corename();
    return true;
}

bool blas::load_blis(void* library) {
    int (*query)() = nullptr;
    const char* (*arch)(int) = nullptr;
    const char* (*version)() = nullptr;
    if (!look_up(library, "bli_thread_set_num_threads", set_long_) || !look_up(library, "bli_arch_query_id", query) ||
        !look_up(library, "bli_arch_string", arch) || !look_up(library, "bli_info_get_version_str", version)) {
        return false;
    }
    description_ = std::string("BLIS ") + version() + ", runs " + arch(query());
    return true;
}

bool blas::load_mkl(void* library) {
    int (*set_layer)(int) = nullptr;
    void (*version)(mkl_version*) = nullptr;
    if (!look_up(library, "MKL_Set_Num_Threads", set_int_) || !look_up(library, "MKL_Get_Version", version) ||
        !look_up(library, "MKL_Set_Threading_Layer", set_layer)) {
        return false;
    }
    constexpr int gnu_layer = 3; // MKL_THREADING_GNU: the OpenMP runtime that is here already
    set_layer(gnu_layer);
    mkl_version found{};
    version(&found);
    description_ = "MKL " + std::to_string(found.major) + "." + std::to_string(found.minor) + "." +
                   std::to_string(found.update) + ", runs " + found.processor;
    return true;
}

bool blas::load(vendor which) {
    void* const library = open_library(place_of(which)); // stays loaded: its threads outlive any dlclose
    if (library == nullptr || !look_up(library, "cblas_sgemv", sgemv_) || !look_up(library, "cblas_dgemv", dgemv_)) {
        return false;
    }
    const bool known = which == vendor::openblas ? load_openblas(library)
                       : which == vendor::blis   ? load_blis(library)
                                                 : load_mkl(library);
    description_ = file_of(sgemv_) + ": " + description_;
    return known;
}

const blas* blas::find(vendor which) {
    static std::map<vendor, std::unique_ptr<blas>> loaded;
    const auto [place, is_new] = loaded.try_emplace(which);
    if (is_new) {
        auto candidate = std::unique_ptr<blas>(new blas);
        if (candidate->load(which)) {
            place->second = std::move(candidate);
        }
    }
    return place->second.get();
}

std::string blas::name(vendor which) { return place_of(which).name; }

std::string blas::describe(vendor which) {
    const blas* const found = find(which);
    return found != nullptr ? found->description_
                            : std::string("not found (") + place_of(which).missing + "); its columns are left out";
}

void blas::set_threads(int threads) const {
    if (threads == threads_) {
        return;
    }
    threads_ = threads;
    set_long_ != nullptr ? set_long_(threads) : set_int_(threads);
}

void blas::gemv(bool transposed, std::size_t rows, std::size_t cols, float alpha, const float* a, const float* x,
                float beta, float* y) const {
    sgemv_(row_major, transposed ? trans : no_trans, static_cast<int>(rows), static_cast<int>(cols), alpha, a,
           static_cast<int>(cols), x, 1, beta, y, 1);
}

void blas::gemv(bool transposed, std::size_t rows, std::size_t cols, double alpha, const double* a, const double* x,
                double beta, double* y) const {
    dgemv_(row_major, transposed ? trans : no_trans, static_cast<int>(rows), static_cast<int>(cols), alpha, a,
           static_cast<int>(cols), x, 1, beta, y, 1);
}

} // namespace bitstep_bench
