// SPDX-License-Identifier: Apache-2.0
// Compiled once per instruction set with the flags of the library's kernels (and -mfma): BITSTEP_FREE_ARCH is
// xsimd's name, BITSTEP_FREE_SET that of the exported table.
#include "free_order.hpp"

#include "kernels/gradient-inl.hpp"

namespace bitstep_bench {
namespace {

// One instruction. Not xsimd::fma: version 8.1.0 multiplies and adds separately on AVX-512.
#if defined(__aarch64__)
template <class Arch>
BITSTEP_INLINE xsimd::batch<float, Arch> fuse(xsimd::batch<float, Arch> x, xsimd::batch<float, Arch> y,
                                              xsimd::batch<float, Arch> z) {
    return vfmaq_f32(z, x, y);
}
template <class Arch>
BITSTEP_INLINE xsimd::batch<double, Arch> fuse(xsimd::batch<double, Arch> x, xsimd::batch<double, Arch> y,
                                               xsimd::batch<double, Arch> z) {
    return vfmaq_f64(z, x, y);
}
#elif defined(__AVX512F__)
template <class Arch>
BITSTEP_INLINE xsimd::batch<float, Arch> fuse(xsimd::batch<float, Arch> x, xsimd::batch<float, Arch> y,
                                              xsimd::batch<float, Arch> z) {
    return _mm512_fmadd_ps(x, y, z);
}
template <class Arch>
BITSTEP_INLINE xsimd::batch<double, Arch> fuse(xsimd::batch<double, Arch> x, xsimd::batch<double, Arch> y,
                                               xsimd::batch<double, Arch> z) {
    return _mm512_fmadd_pd(x, y, z);
}
#else
template <class Arch>
BITSTEP_INLINE xsimd::batch<float, Arch> fuse(xsimd::batch<float, Arch> x, xsimd::batch<float, Arch> y,
                                              xsimd::batch<float, Arch> z) {
    return _mm256_fmadd_ps(x, y, z);
}
template <class Arch>
BITSTEP_INLINE xsimd::batch<double, Arch> fuse(xsimd::batch<double, Arch> x, xsimd::batch<double, Arch> y,
                                               xsimd::batch<double, Arch> z) {
    return _mm256_fmadd_pd(x, y, z);
}
#endif

/// The library's arithmetic but for one rounding less per product.
template <class T, class Arch>
struct fused_arithmetic : bitstep::internal::arithmetic<T, T, Arch> {
    using vector = typename bitstep::internal::arithmetic<T, T, Arch>::vector;
    static BITSTEP_INLINE vector multiply_add(const vector& s, const vector& x, const vector& w) {
        vector r;
        for (std::size_t i = 0; i < vector::registers; ++i) {
            r.part[i] = fuse(x.part[i], w.part[i], s.part[i]);
        }
        return r;
    }
};

template <class T>
constexpr free_order<T> kernels() {
    using namespace bitstep::internal;
    return {&accumulate<arithmetic<T, T, BITSTEP_FREE_ARCH>>, &accumulate<fused_arithmetic<T, BITSTEP_FREE_ARCH>>};
}

} // namespace

extern const free_order_set BITSTEP_FREE_SET;
const free_order_set BITSTEP_FREE_SET = {kernels<float>(), kernels<double>()};

} // namespace bitstep_bench
