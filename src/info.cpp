// SPDX-License-Identifier: Apache-2.0
// Versions and constants for callers; beside the stages.
#include <bitstep/info.hpp>

#include "numerics.hpp"
#include "parallel.hpp"

namespace bitstep {

const char* version() noexcept { return BITSTEP_VERSION; }

int numerics_version() noexcept { return internal::numerics_version_number; }

status active_threads(int& threads) noexcept { return internal::default_threads(threads); }

panel_lengths numerics_panels() noexcept {
    return {internal::column_panel, internal::row_panel, internal::lane_count<float>, internal::lane_count<double>};
}

} // namespace bitstep
