// SPDX-License-Identifier: Apache-2.0
// Which kernel table runs here: compiled in, runnable on this CPU and OS, and asked for.
#pragma once

#include <bitstep/options.hpp>
#include <bitstep/status.hpp>

#include "kernels/kernel_table.hpp"

namespace bitstep::internal {

/// The arch of a call: options.arch, else BITSTEP_ARCH, else the best runnable one. `ran` is never `automatic`.
status choose_arch(const options& opts, arch& ran) noexcept;

/// Kernels of a runnable arch; null for `reference`, which has stages of its own (reference/).
const kernel_table* kernels_for(arch which) noexcept;

} // namespace bitstep::internal
