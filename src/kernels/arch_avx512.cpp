// SPDX-License-Identifier: Apache-2.0
// AVX-512 F, CD, DQ, BW, VL (Skylake-X, Zen 4 and later).
#include "kernels/table-inl.hpp"

namespace bitstep::internal {

extern constexpr kernel_table avx512_kernels = make_kernel_table<avx512_registers>();

} // namespace bitstep::internal
