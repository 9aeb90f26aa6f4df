// SPDX-License-Identifier: Apache-2.0
// bitstep_last_error and bitstep_strerror. The thread's text is the only thing that calls leave behind.
#include "last_error.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace bitstep::c_api {
namespace {

#if __has_include(<pthread.h>)
/// Not thread_local: that of a library which dlopen brought is allocated at its first use in each thread, and where that
/// fails the loader ends the process. A key's value is null until the thread's first failure; its block is kept, empty
/// after a success, and freed by the C library, so that nothing of ours is called when a thread ends.
class thread_text {
public:
    thread_text() noexcept : made_(pthread_key_create(&key_, std::free) == 0) {}
    char* get() const noexcept { return made_ ? static_cast<char*>(pthread_getspecific(key_)) : nullptr; }
    /// Null where memory is short.
    char* get_or_make() const noexcept {
        char* text = get();
        if (text != nullptr || !made_) return text;
        text = static_cast<char*>(std::malloc(status::capacity));
        if (text == nullptr || pthread_setspecific(key_, text) == 0) return text;
        std::free(text);
        return nullptr;
    }

private:
    pthread_key_t key_{};
    bool made_;
};
const thread_text& last_text() noexcept {
    static const thread_text only;
    return only;
}
#else
struct thread_text {
    char* get() const noexcept {
        static thread_local char text[status::capacity] = {};
        return text;
    }
    char* get_or_make() const noexcept { return get(); }
};
thread_text last_text() noexcept { return {}; }
#endif

} // namespace

bitstep_status finish(const status& result) noexcept {
    if (result.ok()) {
        if (char* text = last_text().get(); text != nullptr) text[0] = '\0';
        return BITSTEP_OK;
    }
    const int error = errno; // what a failing malloc sets is not the caller's to see
    if (char* text = last_text().get_or_make(); text != nullptr) {
        std::memcpy(text, result.message(), std::strlen(result.message()) + 1);
    }
    errno = error;
    return static_cast<bitstep_status>(result.code());
}

} // namespace bitstep::c_api

extern "C" {

const char* bitstep_last_error(void) {
    const char* text = bitstep::c_api::last_text().get();
    return text == nullptr ? "" : text;
}

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
