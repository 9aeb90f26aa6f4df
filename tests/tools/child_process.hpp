// SPDX-License-Identifier: Apache-2.0
// A piece of a test in a process of its own: one that is killed, or that gives up rights and limits for good.
#pragma once

#include <functional>

#include <sys/types.h>

namespace bitstep_test {

/// Runs `action` in a forked process, which ends with the code that `action` returns, or 99 where it throws. Whatever
/// happens there, the child never goes on with the tests that follow.
pid_t start_child(const std::function<int()>& action);

/// Waits, and gives what waitpid() tells.
int status_of(pid_t child);

/// Both.
inline int status_of_child(const std::function<int()>& action) { return status_of(start_child(action)); }

} // namespace bitstep_test
