// SPDX-License-Identifier: Apache-2.0
// Versions, and which archs exist here. "Compiled": in this library. "Runnable": this CPU and OS can execute it.
// "Active": what `arch::automatic` picks.
#pragma once

#include <bitstep/export.h>
#include <bitstep/options.hpp>
#include <bitstep/status.hpp>

namespace bitstep {

/// "major.minor.patch" of the library that runs.
BITSTEP_EXPORT const char* version() noexcept;

/// Version of the arithmetic contract (docs/numerics.md): equal numbers promise equal bits.
BITSTEP_EXPORT int numerics_version() noexcept;

/// "reference", "baseline", ...; "automatic" for arch::automatic, "unknown" for no enumerator. Static text.
BITSTEP_EXPORT const char* arch_name(arch which) noexcept;

/// Name to arch ("automatic" is not a name). A name that bitstep knows is ok even where it cannot run here; calls that
/// force it fail then. On an unknown one the code is `arch_unavailable` and the message lists the names that run here.
BITSTEP_EXPORT status arch_from_name(const char* name, arch& which) noexcept;

BITSTEP_EXPORT bool arch_compiled(arch which) noexcept;
BITSTEP_EXPORT bool arch_runnable(arch which) noexcept;

/// The arch that `options.arch = automatic` runs. `arch_unavailable` where BITSTEP_ARCH names none that runs here.
BITSTEP_EXPORT status active_arch(arch& which) noexcept;

/// The most threads that `options.threads = 0` asks for from here and now (options.hpp); `invalid_argument` where
/// BITSTEP_NUM_THREADS is no valid number. Either way an output is written on success only.
BITSTEP_EXPORT status active_threads(int& threads) noexcept;

/// How long sums are cut (docs/numerics.md); lets tests place shapes at every edge.
struct panel_lengths {
    std::size_t column_panel; ///< elements of a row per partial dot product
    std::size_t row_panel;    ///< rows per partial gradient
    std::size_t float_lanes;
    std::size_t double_lanes;
};
BITSTEP_EXPORT panel_lengths numerics_panels() noexcept;

} // namespace bitstep
