// SPDX-License-Identifier: Apache-2.0
#include "program/train/stop_signal.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace bitstep::program {
namespace {

constexpr int numbers[] = {SIGINT, SIGTERM};
std::atomic<int> noted{0}; // lock-free; the handler may run in any thread

} // namespace

stop_signal::stop_signal() {
    noted = 0;
    struct sigaction note {};
    note.sa_handler = [](int number) { noted = number; };
    note.sa_flags = static_cast<int>(static_cast<unsigned>(SA_RESTART) | static_cast<unsigned>(SA_RESETHAND));
    sigemptyset(&note.sa_mask);
    for (std::size_t i = 0; i < 2; ++i) {
        sigaction(numbers[i], nullptr, &before_[i]);
        if (before_[i].sa_handler != SIG_IGN) {
            sigaction(numbers[i], &note, nullptr);
        }
    }
}

stop_signal::~stop_signal() {
    for (std::size_t i = 0; i < 2; ++i) {
        sigaction(numbers[i], &before_[i], nullptr);
    }
}

int stop_signal::caught() const { return noted; }

std::string signal_name(int number) { return number == SIGTERM ? "SIGTERM" : "SIGINT"; }

void end_by_signal(int number) {
    std::fflush(nullptr);
    std::signal(number, SIG_DFL);
    std::raise(number);
    std::_Exit(128 + number); // where the signal is blocked: what a shell would have said
}

} // namespace bitstep::program
