// SPDX-License-Identifier: Apache-2.0
// Counts every allocation of the process, and can make one fail. Link support/allocation.cpp into the one test that needs
// it: it replaces operator new, and on glibc without a sanitizer malloc and its kin too.
#pragma once

#include <cstddef>

namespace bitstep_test {

struct allocation_counts {
    std::size_t news = 0;    ///< calls of operator new
    std::size_t mallocs = 0; ///< calls of malloc and its kin from elsewhere (OpenMP's runtime does)
};

/// Counts since the last reset, over all threads.
allocation_counts allocations() noexcept;
void reset_allocations() noexcept;

/// The k-th allocation of this thread from now on fails (1: the next one); 0: none.
void fail_allocation(std::size_t k) noexcept;

/// The same, and every one after it as well.
void fail_allocations_from(std::size_t k) noexcept;

/// Whether malloc is counted and failed as well.
bool mallocs_are_seen() noexcept;

} // namespace bitstep_test
