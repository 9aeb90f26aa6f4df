// SPDX-License-Identifier: Apache-2.0
// Which kernels and how many threads: from --arch and --threads, then the environment, to bitstep::options. Every
// subcommand comes through here first, so that a name that cannot run ends the program before any work.
#pragma once

#include <bitstep/bitstep.hpp>

#include <CLI/CLI.hpp>

#include <string>

namespace bitstep::program {

/// What the command line says of how to run.
struct run_choice {
    std::string accumulate = "native";
    std::string arch; ///< empty: not given
    int threads = 0;  ///< 0: not given
};

/// --threads and --arch.
void add_run_options(CLI::App& subcommand, run_choice& chosen);

/// --accumulate.
void add_accumulate_option(CLI::App& subcommand, run_choice& chosen);

/// input_error where the arguments or the data are to blame, std::runtime_error where this program is.
void require_ok(const status& result, const std::string& while_doing = {});

/// --arch, or what `automatic` means here where it is empty.
arch chosen_arch(const std::string& name);

/// --threads, or what 0 means here where it is 0.
int chosen_threads(int threads);

options library_options(const run_choice& chosen);

} // namespace bitstep::program
