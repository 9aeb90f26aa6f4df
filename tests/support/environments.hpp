// SPDX-License-Identifier: Apache-2.0
// The floating-point environments that real callers have, as a table to loop over: denormals flushed on the way in, on the
// way out or both, each rounding mode, traps, flags already raised, and all of it at once.
#pragma once

#include "fp_state.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cstdint>
#include <vector>

namespace bitstep_test {

struct environment {
    const char* name;
    bool (*enter)();     ///< false where this platform has no such thing
    bool is_mode = true; ///< and not flags, which say what has happened
};

inline bool round_to(int mode) { return std::fesetround(mode) == 0; }

inline const std::vector<environment>& environments() {
    static const std::vector<environment> all = {
        {"denormals flushed", [] { return flush_denormals(); }},
        {"denormal results flushed", [] { return flush_denormal_results(); }},
        {"denormals are zero", [] { return denormals_are_zero(); }},
        {"rounding to nearest", [] { return round_to(FE_TONEAREST); }},
        {"rounding upward", [] { return round_to(FE_UPWARD); }},
        {"rounding downward", [] { return round_to(FE_DOWNWARD); }},
        {"rounding towards zero", [] { return round_to(FE_TOWARDZERO); }},
        {"traps on", [] { return unmask_exceptions(); }},
        {"all flags raised", [] { return std::feraiseexcept(FE_ALL_EXCEPT) == 0; }, false},
        {"denormals flushed, rounding upward", [] { return flush_denormals() && round_to(FE_UPWARD); }},
        {"denormals flushed, rounding downward, traps on",
         [] { return unmask_exceptions() && flush_denormals() && round_to(FE_DOWNWARD); }},
    };
    return all;
}

/// prepare() and call() under the environment, which call() must hand back bit for bit (libomp's regions, a host's own as
/// well, drop raised flags: those belong to prepare). False where the platform has no such environment.
template <class Prepare, class Call>
bool call_under(const environment& of, Prepare prepare, Call call) {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    bool entered = false;
    {
        const default_fp_scope restore;
        entered = of.enter();
        if (entered) {
            prepare();
            before = read_fp_state();
            call();
            after = read_fp_state();
        }
    }
    EXPECT_EQ(before, after) << of.name << ": the caller's environment was changed (hex " << std::hex << before
                             << " before, " << after << " after)";
    return entered;
}

template <class Call>
bool call_under(const environment& of, Call call) {
    return call_under(
        of, [] {}, call);
}

} // namespace bitstep_test
