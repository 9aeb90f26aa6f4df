// SPDX-License-Identifier: Apache-2.0
// AVX2 without FMA.
#include "kernels/table-inl.hpp"

namespace bitstep::internal {

extern constexpr kernel_table avx2_kernels = make_kernel_table<avx2_registers>();

} // namespace bitstep::internal
