// SPDX-License-Identifier: Apache-2.0
// The caller's floating-point environment must neither change results nor be changed; its errno, which a square root, a
// failing malloc or the OpenMP runtime may set, is handed back as well. Every call that computes with
// floating point, its checks included, and every thread of a team runs inside `with_default_environment`: round to
// nearest, no flush-to-zero, exceptions masked.
#pragma once

#include <new>
#include <type_traits>

namespace bitstep::internal {

/// Calls body(context) in the default environment, then restores the caller's, exception flags and errno included. `body` is
/// reached through a pointer that no optimiser can see through: GCC 12 was seen to move a division past the end of an
/// inline guard.
void with_default_environment(void (*body)(void*), void* context) noexcept;

/// guarded([&] { ... return status; })
template <class Body>
auto guarded(Body body) noexcept {
    using result_type = decltype(body());
    static_assert(std::is_trivially_destructible_v<result_type>, "its storage is used again below");
    result_type result;
    struct {
        Body& body;
        result_type& result;
    } call{body, result};
    with_default_environment(
        [](void* context) {
            auto& c = *static_cast<decltype(call)*>(context);
            ::new (static_cast<void*>(&c.result)) result_type(c.body()); // in place: no copy of a status
        },
        &call);
    return result;
}

} // namespace bitstep::internal
