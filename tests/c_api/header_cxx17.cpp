// SPDX-License-Identifier: Apache-2.0
// The C header in C++17, before and beside the C++ one.
#include <bitstep/bitstep.h>

#include <bitstep/bitstep.hpp>

static_assert(__cplusplus < 202002L, "compile this as C++17");

int use_both() {
    const bitstep_options options = BITSTEP_OPTIONS_INIT;
    return options.threads + bitstep_numerics_version() + bitstep::numerics_version();
}
