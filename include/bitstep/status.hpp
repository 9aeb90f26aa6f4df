// SPDX-License-Identifier: Apache-2.0
// What every call returns: a code, and on failure one line that names the argument, the rule and the value.
#pragma once

#include <cstddef>

namespace bitstep {

/// Codes are fixed: they are also the C interface's. 0 is success.
enum class status_code : int {
    ok = 0,
    null_pointer = 1,        ///< a required pointer is null
    invalid_argument = 2,    ///< a number is outside its range
    invalid_shape = 3,       ///< an extent is zero, does not match, or a product of extents overflows size_t
    overlap = 4,             ///< an output overlaps an input or another output, or the workspace an argument
    non_finite = 5,          ///< NaN or infinity where it is refused
    gradient_overflow = 6,   ///< the data are finite, their gradient is not
    workspace_too_small = 7, ///< the caller's workspace holds fewer bytes than the query says
    out_of_memory = 8,       ///< no workspace was given, and none could be allocated
    arch_unavailable = 9,    ///< unknown architecture name, or one this CPU cannot run
};

/// Result of a call. On any code but `ok` no output and no state has changed.
/// Holds its text in place: making, copying and returning one never allocates and never throws.
class [[nodiscard]] status {
public:
    static constexpr std::size_t capacity = 232; ///< bytes of the text, with its end

    /// Success.
    status() noexcept : code_(status_code::ok) { message_[0] = '\0'; }

    /// A failure, or anything that an embedder wants to hand on in this form.
    /// @param[in] code the status.
    /// @param[in] message copied, and cut where it exceeds `capacity - 1` characters; null is the empty text.
    status(status_code code, const char* message) noexcept : code_(code) {
        std::size_t length = 0;
        for (; message != nullptr && message[length] != '\0' && length + 1 < capacity; ++length) {
            message_[length] = message[length];
        }
        message_[length] = '\0';
    }

    /// @return true on success
    bool ok() const noexcept { return code_ == status_code::ok; }
    /// @return which failure, or `ok`
    status_code code() const noexcept { return code_; }
    /// @return empty on success; else such as "beta1 must be in [0, 1), got 1".
    const char* message() const noexcept { return message_; }

private:
    status_code code_;
    char message_[capacity];
};

} // namespace bitstep
