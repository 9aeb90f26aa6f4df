// SPDX-License-Identifier: Apache-2.0
// Compiled once per instruction set with the flags of the library's kernels (and -mfma): BITSTEP_FREE_ARCH and
// BITSTEP_FREE_FMA_ARCH are xsimd's names, BITSTEP_FREE_SET that of the exported table.
#include "free_order.hpp"

#include "kernels/gradient-inl.hpp"

namespace bitstep_bench {
namespace {

/// The library's arithmetic but for one rounding less per product.
template <class T, class Arch>
struct fused_arithmetic : bitstep::internal::arithmetic<T, T, Arch> {
    using vector = typename bitstep::internal::arithmetic<T, T, Arch>::vector;
    static BITSTEP_INLINE vector multiply_add(const vector& s, const vector& x, const vector& w) {
        vector r;
        for (std::size_t i = 0; i < vector::registers; ++i) {
            r.part[i] = xsimd::fma(x.part[i], w.part[i], s.part[i]);
        }
        return r;
    }
};

template <class T>
constexpr free_order<T> kernels() {
    using namespace bitstep::internal;
    return {&accumulate<arithmetic<T, T, BITSTEP_FREE_ARCH>>, &accumulate<fused_arithmetic<T, BITSTEP_FREE_FMA_ARCH>>};
}

} // namespace

extern const free_order_set BITSTEP_FREE_SET;
const free_order_set BITSTEP_FREE_SET = {kernels<float>(), kernels<double>()};

} // namespace bitstep_bench
