// SPDX-License-Identifier: Apache-2.0
// What this build is and what would run here; the names of `bitstep info --json`, and the panels.
#include "results.hpp"
#include "verbs.hpp"

#include <bitstep/bitstep.hpp>

namespace bitstep::python {

nb::object info() {
    arch active = arch::automatic;
    int threads = 0;
    raise_unless_ok(active_arch(active)); // first: a bad environment ends here
    raise_unless_ok(active_threads(threads));
    nb::list archs;
    for (const arch which : {arch::reference, arch::baseline, arch::avx2, arch::avx512, arch::neon64}) {
        nb::dict one;
        one["name"] = arch_name(which);
        one["compiled"] = arch_compiled(which);
        one["runnable"] = arch_runnable(which);
        one["active"] = which == active;
        archs.append(one);
    }
    nb::dict facts;
    facts["version"] = version();
    facts["numerics_version"] = numerics_version();
    facts["active_arch"] = arch_name(active);
    facts["archs"] = archs;
    facts["threads"] = threads;
    const panel_lengths lengths = numerics_panels();
    nb::dict panels;
    panels["column_panel"] = lengths.column_panel;
    panels["row_panel"] = lengths.row_panel;
    panels["float_lanes"] = lengths.float_lanes;
    panels["double_lanes"] = lengths.double_lanes;
    facts["numerics_panels"] = panels;
    facts["openmp"] = BITSTEP_PYTHON_OPENMP != 0;
    return facts;
}

} // namespace bitstep::python
