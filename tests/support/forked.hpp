// SPDX-License-Identifier: Apache-2.0
// Runs a function in a forked child and brings its text back: for what a process reads once (environment variables), and
// for what must not hang or die. A child that ends badly or takes longer than its limit is reported, never waited for.
#pragma once

#include "support/arch_threads.hpp"
#include "support/sanitizers.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>

namespace bitstep_test {

/// What a limit of time is multiplied by: an emulator or a sanitizer makes everything about ten times as long.
#if defined(BITSTEP_TEST_THREAD_SANITIZER) || defined(BITSTEP_TEST_ADDRESS_SANITIZER)
inline constexpr int times_as_long = 10;
#else
inline constexpr int times_as_long = emulated ? 10 : 1;
#endif

/// Threads of this process; 0 where that cannot be seen (no /proc).
inline std::size_t tasks_of_this_process() {
    std::error_code unseen;
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task", unseen)) {
        ++count;
    }
    return emulated && count > 0 ? count - 1 : count; // qemu has a thread of its own
}

struct child_result {
    bool exited_cleanly = false;
    std::string text;
};

/// body() returns the text to send; it runs in the child alone.
template <class Body>
child_result run_in_child(Body body, int native_seconds = 30) {
    const int limit_seconds = native_seconds * times_as_long;
    child_result result;
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) {
        ADD_FAILURE() << "pipe failed";
        return result;
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        const std::string text = body();
        const bool sent = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    pollfd waiting{ends[0], POLLIN, 0};
    char buffer[4096];
    bool ended = false;
    while (!ended && poll(&waiting, 1, limit_seconds * 1000) > 0) {
        const ssize_t got = read(ends[0], buffer, sizeof(buffer));
        ended = got <= 0;
        result.text.append(buffer, ended ? 0 : static_cast<std::size_t>(got));
    }
    close(ends[0]);
    if (!ended) {
        kill(child, SIGKILL);
        ADD_FAILURE() << "the child did not end within " << limit_seconds << " s";
    }
    int how = 0;
    waitpid(child, &how, 0);
    result.exited_cleanly = ended && WIFEXITED(how) && WEXITSTATUS(how) == 0;
    return result;
}

} // namespace bitstep_test
