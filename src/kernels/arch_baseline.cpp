// SPDX-License-Identifier: Apache-2.0
// The x86-64 baseline: SSE2, no flags of its own.
#include "kernels/table-inl.hpp"

namespace bitstep::internal {

extern constexpr kernel_table baseline_kernels = make_kernel_table<sse2_registers>();

} // namespace bitstep::internal
