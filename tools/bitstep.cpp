// SPDX-License-Identifier: Apache-2.0
// The program `bitstep`: reads the command line, runs one subcommand, turns every failure into one line on stderr and an
// exit code. What the subcommands do stands in program/train.cpp, program/verify.cpp and program/info.cpp.
#include "program/command.hpp"
#include "program/errors.hpp"
#include "program/info.hpp"
#include "program/train.hpp"
#include "program/verify.hpp"

#include <bitstep/bitstep.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

namespace {

using namespace bitstep::program;

constexpr const char* about =
    "bitstep: one data-parallel training step on the CPU, with the same bits on every machine.\n\n"
    "Examples:\n"
    "  bitstep train data/randhie.csv --target mdvis --least-squares\n"
    "  bitstep verify\n"
    "  bitstep info --json\n";

constexpr const char* footer = "Environment:\n"
                               "  BITSTEP_NUM_THREADS  threads to use where --threads is not given\n"
                               "  BITSTEP_ARCH         kernel set to use where --arch is not given\n"
                               "Both change speed, never a bit of a result.\n\n"
                               "Exit codes: 0 done, 1 verify found a difference, 2 usage or input, 3 internal error.\n"
                               "`bitstep SUBCOMMAND --help` says more.";

// One line, whatever CLI11 would print by itself.
std::string usage_failure(const CLI::App* app, const CLI::Error& error) {
    std::string path = app->get_name();
    for (const CLI::App* named : app->get_subcommands()) {
        path += " " + named->get_name();
    }
    return fmt::format("bitstep: {} (see: {} --help)\n", error.what(), path);
}

// A digest that could not be written must not look like success.
exit_code flush_output(exit_code code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
        return code;
    }
    std::fputs("bitstep: the output could not be written\n", stderr);
    return exit_code::internal_error;
}

exit_code run(int argc, char** argv) {
    CLI::App app{about, "bitstep"};
    app.footer(footer);
    app.set_version_flag("--version", std::string("bitstep ") + bitstep::version());
    app.require_subcommand(1);
    app.failure_message(usage_failure);

    command chosen;
    add_train(app, chosen);
    add_verify(app, chosen);
    add_info(app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_code::done : exit_code::bad_input; // --help and --version end here, too
    }
    return chosen();
}

} // namespace

int main(int argc, char** argv) {
    exit_code code = exit_code::internal_error;
    try {
        code = flush_output(run(argc, argv));
    } catch (const input_error& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "bitstep: %s\n", error.what()); // not fmt::print, which may throw
        code = exit_code::bad_input;
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "bitstep: internal error: %s\n", error.what());
    }
    return static_cast<int>(code);
}
