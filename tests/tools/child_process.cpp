// SPDX-License-Identifier: Apache-2.0
#include "child_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <stdexcept>

namespace bitstep_test {

pid_t start_child(const std::function<int()>& action) {
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error("cannot fork"); // and never kill(-1, ...)
    }
    if (child == 0) {
        int code = 99;
        try {
            code = action();
        } catch (...) { // 99
        }
        _exit(code);
    }
    return child;
}

int status_of(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
}

} // namespace bitstep_test
