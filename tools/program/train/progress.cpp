// SPDX-License-Identifier: Apache-2.0
#include "program/train/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace bitstep::program {
namespace {

constexpr std::size_t plain_lines = 20;
constexpr std::chrono::milliseconds live_interval{100};

std::string time_text(double seconds) {
    if (seconds < 60) {
        return fmt::format("{:.0f} s", seconds);
    }
    const auto minutes = static_cast<long long>(std::min(seconds / 60, 1e9));
    return minutes < 60 ? fmt::format("{} min", minutes) : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string rate_text(double rows_per_second) {
    if (rows_per_second >= 1e6) {
        return fmt::format("{:.2f} M rows/s", rows_per_second / 1e6);
    }
    if (rows_per_second >= 1e3) {
        return fmt::format("{:.1f} k rows/s", rows_per_second / 1e3);
    }
    return fmt::format("{:.1f} rows/s", rows_per_second);
}

} // namespace

progress::progress(std::FILE* out, bool live, std::size_t epochs, std::size_t steps_per_epoch,
                   std::size_t rows_per_epoch, std::uint64_t steps_done)
    : out_(out), live_(out != nullptr && live), epochs_(epochs), steps_per_epoch_(steps_per_epoch),
      rows_per_epoch_(rows_per_epoch), steps_before_(steps_done), steps_done_(steps_done) {}

bool progress::live_is_due() const { return live_ && clock::now() - last_shown_ >= live_interval; }

void progress::show_live(double loss) {
    last_shown_ = clock::now();
    line_is_shown_ = true;
    const std::uint64_t last = steps_done_ - 1;
    fmt::print(out_, "\repoch {}/{}  step {}/{}  loss {:.6g}", last / steps_per_epoch_ + 1, epochs_,
               last % steps_per_epoch_ + 1, steps_per_epoch_, loss);
    print_speed();
    fmt::print(out_, "\x1b[K"); // erases what a longer line left behind
    std::fflush(out_);
}

bool progress::epoch_is_due(std::uint64_t done) const {
    if (out_ == nullptr || done == epochs_) {
        return out_ != nullptr;
    }
    const std::size_t every = (epochs_ - 1) / plain_lines + 1; // ceil(epochs / lines)
    return !live_ && done % every == 0;
}

void progress::show_epoch(double loss) {
    clear_live();
    const std::size_t digits = fmt::formatted_size("{}", epochs_);
    fmt::print(out_, "epoch {:>{}}/{}  loss {:.6g}", steps_done_ / steps_per_epoch_, digits, epochs_, loss);
    print_speed();
    fmt::print(out_, "\n");
    std::fflush(out_);
}

void progress::clear_live() noexcept {
    if (!line_is_shown_) {
        return;
    }
    std::fputs("\r\x1b[K", out_); // not fmt::print, which may throw: this runs in the destructor, too
    std::fflush(out_);
    line_is_shown_ = false;
}

void progress::print_speed() const {
    const double seconds = std::chrono::duration<double>(clock::now() - begin_).count();
    const auto done = static_cast<double>(rows_done_);
    const double steps_here =
        static_cast<double>(epochs_) * static_cast<double>(steps_per_epoch_) - static_cast<double>(steps_before_);
    const double all = steps_here * static_cast<double>(rows_per_epoch_) / static_cast<double>(steps_per_epoch_);
    if (done == 0 || seconds <= 0) {
        return;
    }
    fmt::print(out_, "  {}  {} left", rate_text(done / seconds),
               time_text(std::max(0.0, all - done) / (done / seconds)));
}

} // namespace bitstep::program
