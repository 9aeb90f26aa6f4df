// SPDX-License-Identifier: Apache-2.0
// AArch64 baseline: NEON, no flags of its own.
#include "kernels/table-inl.hpp"

namespace bitstep::internal {

extern constexpr kernel_table neon64_kernels = make_kernel_table<neon64_registers>();

} // namespace bitstep::internal
