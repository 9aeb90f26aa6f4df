// SPDX-License-Identifier: Apache-2.0
// The C header in C++17, before and beside the C++ one.
#include <bitstep/bitstep.h>

#include <bitstep/bitstep.hpp>

static_assert(__cplusplus < 202002L, "compile this as C++17");

int use_both() {
    const bitstep_options options = BITSTEP_OPTIONS_INIT;
    const bitstep_hyper_parameters hyper = BITSTEP_HYPER_PARAMETERS_INIT;
    const bitstep_run_report report = BITSTEP_RUN_REPORT_INIT;
    const bool equal = hyper.t == 1 && report.ran == options.arch;
    return equal ? bitstep_numerics_version() + bitstep::numerics_version() : 0;
}
