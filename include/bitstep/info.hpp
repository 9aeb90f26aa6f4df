// SPDX-License-Identifier: Apache-2.0
// Versions, and which archs exist here. "Compiled": in this library. "Runnable": this CPU and OS can execute it.
// "Active": what `arch::automatic` picks.
#pragma once

#include <bitstep/export.h>
#include <bitstep/options.hpp>
#include <bitstep/status.hpp>

namespace bitstep {

/// Version of the library that runs.
/// @return "major.minor.patch", static text.
BITSTEP_EXPORT const char* version() noexcept;

/// Version of the arithmetic contract (docs/numerics.md).
/// @return a number; equal ones promise equal bits.
BITSTEP_EXPORT int numerics_version() noexcept;

/// Arch to name.
/// @param[in] which any number.
/// @return "reference", "baseline", ...; "automatic" for arch::automatic, "unknown" for no arch. Static text.
BITSTEP_EXPORT const char* arch_name(arch which) noexcept;

/// Name to arch.
/// @param[in] name as arch_name gives it; "automatic" is none.
/// @param[out] which written on success only.
/// @return ok for every name that bitstep knows, even where it cannot run here; calls that force it fail then.
/// arch_unavailable for an unknown one (the message lists the names that run here), null_pointer.
BITSTEP_EXPORT status arch_from_name(const char* name, arch& which) noexcept;

/// Is it in this library?
/// @param[in] which any number.
/// @return true where the arch is compiled.
BITSTEP_EXPORT bool arch_compiled(arch which) noexcept;
/// Can it run here?
/// @param[in] which any number.
/// @return true where the arch is compiled, and this CPU and operating system can run it.
BITSTEP_EXPORT bool arch_runnable(arch which) noexcept;

/// The arch that `options.arch = automatic` runs.
/// @param[out] which written on success only.
/// @return ok; arch_unavailable where BITSTEP_ARCH names none that runs here.
BITSTEP_EXPORT status active_arch(arch& which) noexcept;

/// The most threads that `options.threads = 0` asks for from here and now (options.hpp).
/// @param[out] threads written on success only.
/// @return ok; invalid_argument where BITSTEP_NUM_THREADS is no integer in [1, 1024].
BITSTEP_EXPORT status active_threads(int& threads) noexcept;

/// How long sums are cut (docs/numerics.md); lets tests place shapes at every edge.
struct panel_lengths {
    std::size_t column_panel; ///< elements of a row per partial dot product
    std::size_t row_panel;    ///< rows per partial gradient
    std::size_t float_lanes;  ///< lanes of a sum in float
    std::size_t double_lanes; ///< lanes of a sum in double
};
/// The panels of this numerics version.
/// @return the same on every machine.
BITSTEP_EXPORT panel_lengths numerics_panels() noexcept;

} // namespace bitstep
