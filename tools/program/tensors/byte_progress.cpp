// SPDX-License-Identifier: Apache-2.0
#include "program/tensors/byte_progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace bitstep::program {
namespace {

constexpr std::chrono::milliseconds interval{200};

} // namespace

byte_progress::byte_progress(std::uint64_t total, bool wanted)
    : total_(total), shown_(wanted && isatty(STDERR_FILENO) != 0) {}

void byte_progress::count(std::uint64_t bytes) {
    done_ += bytes;
    if (!shown_ || clock::now() < next_) {
        return;
    }
    next_ = clock::now() + interval;
    line_is_shown_ = true;
    std::fprintf(stderr, "\r%.2f of %.2f GB read", static_cast<double>(done_) / 1e9, static_cast<double>(total_) / 1e9);
    std::fflush(stderr);
}

byte_progress::~byte_progress() {
    if (line_is_shown_) {
        std::fputs("\r\x1b[K", stderr);
        std::fflush(stderr);
    }
}

void count_reads(tensor_file& file, byte_progress& shown) {
    file.read = [read = std::move(file.read), &shown](const tensor_info& tensor, std::uint64_t first, void* out,
                                                      std::size_t size) {
        read(tensor, first, out, size);
        shown.count(size);
    };
}

} // namespace bitstep::program
