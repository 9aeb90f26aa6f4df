// SPDX-License-Identifier: Apache-2.0
// Stage 3, see workspace.hpp.
#include "workspace.hpp"

#include "message.hpp"

#include <cstdlib>

namespace bitstep::internal {

// Not operator new: in a program without C++ even its nothrow form throws inside, and where memory is short the runtime
// that dlopen brought has none for the throwing thread's storage, and ends the process.
scratch::~scratch() { std::free(owned_); }

status scratch::acquire(const workspace& given, const layout& need) noexcept {
    if (need.overflows()) {
        return message() << "workspace: its size must be below 2^63 bytes, but these extents need more"
                         << status_code::invalid_shape;
    }
    void* block = given.data;
    if (block == nullptr && given.bytes != 0) { // a failed malloc that was handed on must not allocate here
        return message() << "workspace.data must not be null where it has " << given.bytes << " bytes"
                         << status_code::null_pointer;
    }
    if (block == nullptr) {
        owned_ = std::malloc(need.bytes());
        if (owned_ == nullptr) {
            return message() << "workspace: could not allocate " << need.bytes() << " bytes"
                             << status_code::out_of_memory;
        }
        block = owned_;
    } else if (given.bytes < need.bytes()) {
        return message() << "workspace must hold " << need.bytes() << " bytes, got " << given.bytes
                         << status_code::workspace_too_small;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    start_ = static_cast<std::byte*>(block) + (vector_bytes - address % vector_bytes) % vector_bytes;
    return {};
}

} // namespace bitstep::internal
