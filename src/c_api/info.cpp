// SPDX-License-Identifier: Apache-2.0
// Versions and archs for C.
#include "call.hpp"

#include <bitstep/info.hpp>

using bitstep::c_api::call;

extern "C" {

const char* bitstep_version(void) { return bitstep::version(); }

int bitstep_numerics_version(void) { return bitstep::numerics_version(); }

const char* bitstep_arch_name(int arch) { return bitstep::arch_name(static_cast<bitstep::arch>(arch)); }

bitstep_status bitstep_arch_from_name(const char* name, int* arch) {
    call c(nullptr);
    if (!c.needs("name", name).needs("arch", arch).ok()) return c.refused();
    bitstep::arch found{};
    const bitstep::status result = bitstep::arch_from_name(name, found);
    if (result.ok()) *arch = static_cast<int>(found);
    return c.done(result);
}

int bitstep_arch_compiled(int arch) { return bitstep::arch_compiled(static_cast<bitstep::arch>(arch)) ? 1 : 0; }

int bitstep_arch_runnable(int arch) { return bitstep::arch_runnable(static_cast<bitstep::arch>(arch)) ? 1 : 0; }

bitstep_status bitstep_active_arch(int* arch) {
    call c(nullptr);
    if (!c.needs("arch", arch).ok()) return c.refused();
    bitstep::arch active{};
    const bitstep::status result = bitstep::active_arch(active);
    if (result.ok()) *arch = static_cast<int>(active);
    return c.done(result);
}

bitstep_status bitstep_active_threads(int* threads) {
    call c(nullptr);
    if (!c.needs("threads", threads).ok()) return c.refused();
    return c.done(bitstep::active_threads(*threads));
}

bitstep_status bitstep_numerics_panels(bitstep_panel_lengths* panels) {
    call c(nullptr);
    if (!c.needs("panels", panels).ok()) return c.refused();
    const bitstep::panel_lengths found = bitstep::numerics_panels();
    *panels = {found.column_panel, found.row_panel, found.float_lanes, found.double_lanes};
    return c.done({});
}

} // extern "C"
