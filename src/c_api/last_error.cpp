// SPDX-License-Identifier: Apache-2.0
// bitstep_last_error and bitstep_strerror. The thread's text is the only thing that calls leave behind.
#include "last_error.hpp"

#include <cstring>

namespace bitstep::c_api {
namespace {

thread_local char last_text[status::capacity] = {};

} // namespace

bitstep_status finish(const status& result) noexcept {
    if (result.ok()) {
        last_text[0] = '\0';
    } else {
        std::memcpy(last_text, result.message(), std::strlen(result.message()) + 1);
    }
    return static_cast<bitstep_status>(result.code());
}

} // namespace bitstep::c_api

extern "C" {

const char* bitstep_last_error(void) { return bitstep::c_api::last_text; }

const char* bitstep_strerror(int status) {
    switch (status) {
    case BITSTEP_OK:
        return "success";
    case BITSTEP_NULL_POINTER:
        return "a required pointer is null";
    case BITSTEP_INVALID_ARGUMENT:
        return "an argument is outside its range";
    case BITSTEP_INVALID_SHAPE:
        return "a shape is zero, does not match or is too large";
    case BITSTEP_OVERLAP:
        return "an output or the workspace overlaps another argument";
    case BITSTEP_NON_FINITE:
        return "NaN or infinity where it is refused";
    case BITSTEP_GRADIENT_OVERFLOW:
        return "the gradient of finite data overflows";
    case BITSTEP_WORKSPACE_TOO_SMALL:
        return "the workspace is too small";
    case BITSTEP_OUT_OF_MEMORY:
        return "out of memory";
    case BITSTEP_ARCH_UNAVAILABLE:
        return "the architecture is unknown or cannot run here";
    default:
        return "not a status of bitstep";
    }
}

} // extern "C"
