// SPDX-License-Identifier: Apache-2.0
// What every verb of the C interface does around its C++ twin: structs that may grow are read by their struct_size, structs
// of fixed layout are seen as their twins, and the report and the thread's text are written at the end.
#pragma once

#include "last_error.hpp"

#include <bitstep/bitstep.hpp>

#include "../validate.hpp"

#include <cstddef>
#include <type_traits>

namespace bitstep::c_api {

/// The arguments that many verbs share, checked and turned into C++'s.
class call {
public:
    explicit call(const bitstep_options* given) noexcept;
    call(const call&) = delete; // opts() points into it
    call& operator=(const call&) = delete;

    /// `name` must not be null.
    call& needs(const char* name, const void* pointer) noexcept {
        checks_.pointer(name, pointer);
        return *this;
    }
    /// `name` must be >= 1.
    call& needs_extent(const char* name, std::size_t extent) noexcept {
        checks_.extent(name, extent);
        return *this;
    }
    call& needs_hyper(const bitstep_hyper_parameters* given) noexcept;

    bool ok() const noexcept { return checks_.ok(); }
    bitstep_status refused() const noexcept { return finish(checks_.result()); }
    const options& opts() const noexcept { return opts_; }
    const hyper_parameters& hyper() const noexcept { return hyper_; }

    /// The end of a call that reached its C++ twin.
    bitstep_status done(const status& result) const noexcept;

private:
    internal::checks checks_;
    options opts_;
    hyper_parameters hyper_;
    bitstep_run_report* report_ = nullptr;
};

/// A workspace query; ask(opts) is its C++ twin. Nothing runs, so a report stays as it is.
template <class Ask>
bitstep_status workspace_query(const bitstep_options* given, const std::size_t* bytes, Ask ask) noexcept {
    call c(given);
    if (!c.needs("bytes", bytes).ok()) return c.refused();
    return finish(ask(c.opts()));
}

inline workspace given_workspace(const bitstep_workspace* given) noexcept {
    return given == nullptr ? workspace{} : workspace{given->data, given->bytes};
}

/// An array of C structs as an array of their C++ twins. The two have the same members at the same places (asserted where
/// they are named), but are two types to a compiler that optimises over both languages at once: the empty statement, which
/// might have touched any memory, keeps it from moving accesses to one type past accesses to the other. MSVC does not
/// reason by type.
template <class To, class From>
To* as_twin(From* from) noexcept {
    static_assert(sizeof(To) == sizeof(From) && alignof(To) == alignof(From));
    static_assert(std::is_standard_layout_v<To> && std::is_standard_layout_v<From>);
    static_assert(std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
    auto* to = reinterpret_cast<To*>(from);
#if defined(__GNUC__) || defined(__clang__)
    asm volatile("" : "+r"(to) : : "memory");
#endif
    return to;
}

} // namespace bitstep::c_api
