// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as a wish that is looked at between two steps, so that a training can save itself first.
#pragma once

#include <csignal>
#include <string>

namespace bitstep::program {

/// From here to its end the two signals only leave a note; the second of a kind ends the process at once, as usual. A
/// signal that was ignored (nohup, a background job) stays ignored. One at a time.
class stop_signal {
public:
    stop_signal();
    ~stop_signal();
    stop_signal(const stop_signal&) = delete;
    stop_signal& operator=(const stop_signal&) = delete;

    /// The signal that came, or 0.
    int caught() const;

private:
    struct sigaction before_[2];
};

/// "SIGINT" or "SIGTERM".
std::string signal_name(int number);

/// Ends the process by that signal, as if it had not been caught: shells and make then stop their own work, too. Output
/// is flushed first.
[[noreturn]] void end_by_signal(int number);

} // namespace bitstep::program
