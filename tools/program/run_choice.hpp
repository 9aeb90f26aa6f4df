// SPDX-License-Identifier: Apache-2.0
// Which kernels and how many threads: from --arch and --threads, then the environment, to bitstep::options. Every
// subcommand comes through here first, so that a name that cannot run ends the program before any work.
#pragma once

#include <bitstep/bitstep.hpp>

#include <string>

namespace bitstep::program {

inline constexpr const char* arch_help =
    "arch (kernel set): reference, baseline, avx2, avx512 or neon64; default: BITSTEP_ARCH, else the best that runs here";
inline constexpr const char* threads_help = "threads, 1 to 1024; default: BITSTEP_NUM_THREADS, else OpenMP's choice";

/// input_error where the arguments or the data are to blame, std::runtime_error where this program is.
void require_ok(const status& result, const std::string& while_doing = {});

/// --arch, or what `automatic` means here where it is empty.
arch chosen_arch(const std::string& name);

/// --threads, or what 0 means here where it is 0.
int chosen_threads(int threads);

} // namespace bitstep::program
