// SPDX-License-Identifier: Apache-2.0
#include "program/run_choice.hpp"

#include "program/errors.hpp"
#include "program/whole_number.hpp"

namespace bitstep::program {

void add_run_options(CLI::App& subcommand, run_choice& chosen) {
    subcommand.add_option("--threads", chosen.threads, "1 to 1024; default: BITSTEP_NUM_THREADS, else OpenMP's choice")
        ->check(thread_count)
        ->type_name("N");
    subcommand
        .add_option(
            "--arch", chosen.arch,
            "kernel set: reference, baseline, avx2, avx512 or neon64; default: BITSTEP_ARCH, else the best that "
            "runs here")
        ->check(not_empty)
        ->type_name("NAME");
}

void add_accumulate_option(CLI::App& subcommand, run_choice& chosen) {
    subcommand
        .add_option("--accumulate", chosen.accumulate,
                    "precision of sums: native (of the numbers' type) or wide (float in double, double in pairs)")
        ->check(CLI::IsMember({"native", "wide"}).description(""))
        ->type_name("MODE")
        ->capture_default_str();
}

void require_ok(const status& result, const std::string& while_doing) {
    if (result.ok()) {
        return;
    }
    const std::string message = while_doing.empty() ? result.message() : while_doing + ": " + result.message();
    switch (result.code()) {
    case status_code::invalid_argument:
    case status_code::invalid_shape:
    case status_code::non_finite:
    case status_code::gradient_overflow:
    case status_code::arch_unavailable:
        throw input_error(message);
    default:
        throw std::runtime_error(message);
    }
}

arch chosen_arch(const std::string& name) {
    arch which = arch::automatic;
    if (name.empty()) {
        require_ok(active_arch(which));
        return which;
    }
    require_ok(arch_from_name(name.c_str(), which));
    options opts; // a known name may still not run here: the cheapest call that takes options says so, and what would
    opts.arch = which;
    opts.threads = 1;
    std::size_t unused = 0;
    require_ok(gradient_workspace_bytes<float>(1, 1, opts, unused));
    return which;
}

int chosen_threads(int threads) {
    if (threads == 0) {
        require_ok(active_threads(threads));
    }
    return threads;
}

options library_options(const run_choice& chosen) {
    options opts;
    opts.arch = chosen_arch(chosen.arch);
    opts.threads = chosen_threads(chosen.threads);
    opts.accumulate = chosen.accumulate == "wide" ? accumulate_mode::wide : accumulate_mode::native;
    return opts;
}

} // namespace bitstep::program
