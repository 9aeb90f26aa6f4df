// SPDX-License-Identifier: Apache-2.0
// The program `bitstep`: reads the command line, runs one subcommand, turns every failure into one line on stderr and an
// exit code. What each subcommand does: program/README.md.
#include "program/command.hpp"
#include "program/errors.hpp"
#include "program/info.hpp"
#include "program/tensors/allreduce.hpp"
#include "program/tensors/compare.hpp"
#include "program/text.hpp"
#include "program/train/predict.hpp"
#include "program/train/train.hpp"
#include "program/verify/verify.hpp"

#include <bitstep/bitstep.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

namespace {

using namespace bitstep::program;

constexpr const char* about =
    "bitstep: one data-parallel training step on the CPU, with the same bits on every machine.\n\n"
    "Examples:\n"
    "  bitstep train data/randhie.csv --target mdvis --test-fraction 0.2 --save s.safetensors --plot losses.svg\n"
    "  bitstep predict s.safetensors data/randhie.csv > predictions.csv\n"
    "  bitstep verify\n"
    "  bitstep compare here.safetensors there.safetensors\n"
    "  bitstep allreduce mean.safetensors worker0.safetensors worker1.safetensors\n"
    "  bitstep info --json\n";

constexpr const char* footer =
    "Environment:\n"
    "  BITSTEP_NUM_THREADS  threads to use where --threads is not given\n"
    "  BITSTEP_ARCH         kernel set to use where --arch is not given\n"
    "Both change speed, never a bit of a result.\n\n"
    "Exit codes: 0 done, 1 verify or compare found a difference, 2 usage or input, 3 internal error.\n"
    "A training that a signal stopped is saved and then ends by that signal.\n"
    "`bitstep SUBCOMMAND --help` says more.";

// One line, whatever CLI11 would print by itself.
std::string usage_failure(const CLI::App* app, const CLI::Error& error) {
    std::string path = app->get_name();
    for (const CLI::App* named : app->get_subcommands()) {
        path += " " + named->get_name();
    }
    return fmt::format("bitstep: {} (see: {} --help)\n", printable_path(error.what()), path);
}

// CLI11 would say no more than that a subcommand is missing.
void check_command_name(const CLI::App& app, int argc, char** argv) {
    const std::string word = argc < 2 ? "" : argv[1];
    bool is_known = false;
    std::string names;
    for (const CLI::App* known : app.get_subcommands({})) {
        names += (names.empty() ? "" : ", ") + known->get_name();
        is_known = is_known || known->get_name() == word;
    }
    if (argc < 2) {
        throw input_error("a command is missing; there are " + names + " (see: bitstep --help)");
    }
    if (!is_known && (word.empty() || word[0] != '-')) {
        throw input_error("\"" + printable(word) + "\" is no command; there are " + names + " (see: bitstep --help)");
    }
}

// A digest that could not be written must not look like success.
exit_code flush_output(exit_code code) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
        return code;
    }
    std::fputs("bitstep: the output could not be written\n", stderr);
    return exit_code::internal_error;
}

// Where a caller closed a standard stream, the next file would be opened in its place, and messages written into it.
// Reading and writing it go on failing, but standard error's, whose loss hurts no result.
void keep_streams_apart() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) < 0) {
            static_cast<void>(open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY));
        }
    }
}

exit_code run(int argc, char** argv) {
    CLI::App app{about, "bitstep"};
    app.footer(footer);
    app.set_version_flag("--version", std::string("bitstep ") + bitstep::version());
    app.require_subcommand(1);
    app.failure_message(usage_failure);

    command chosen;
    add_train(app, chosen);
    add_predict(app, chosen);
    add_verify(app, chosen);
    add_compare(app, chosen);
    add_allreduce(app, chosen);
    add_info(app, chosen);
    check_command_name(app, argc, argv);
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
    keep_streams_apart();
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of write(2), not the end
    try {
        code = flush_output(run(argc, argv));
    } catch (const input_error& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "bitstep: %s\n", printable_path(error.what()).c_str()); // not fmt::print, which may throw
        code = exit_code::bad_input;
    } catch (const std::exception& error) {
        std::fflush(stdout);
        std::fprintf(stderr, "bitstep: internal error: %s\n", error.what());
    }
    return static_cast<int>(code);
}
