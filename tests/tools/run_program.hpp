// SPDX-License-Identifier: Apache-2.0
// Runs the program `bitstep` as a process, as a person or a script would, and keeps what it said.
#pragma once

#include "files.hpp"

#include <string>
#include <vector>

namespace bitstep_test {

struct program_result {
    int exit_code = -1; ///< -1 where it did not end by itself
    int signal = 0;     ///< that ended it
    std::string out;
    std::string err;

    std::vector<std::string> out_lines() const;
    std::string last_line() const;
    /// The hex digits of a last line "digest <32 hex digits>"; empty where it is anything else.
    std::string digest() const;
};

/// `environment`: "NAME=value" entries on top of this process's environment without BITSTEP_... variables.
program_result run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});

/// The same with stdout going to a file or device; `out` stays empty.
program_result run_program_into(const std::string& out, const std::vector<std::string>& arguments);

/// The same with a pseudo-terminal as stdout; `err` stays empty.
program_result run_program_in_terminal(const std::vector<std::string>& arguments);

/// The program while it runs, to be sent signals.
class running_program {
public:
    explicit running_program(const std::vector<std::string>& arguments);
    ~running_program(); ///< kills it where wait() was not called
    running_program(const running_program&) = delete;
    running_program& operator=(const running_program&) = delete;

    void send(int signal) const;
    /// Until standard output holds the text; false where it does not within a minute.
    bool wait_for_output(const std::string& text) const;
    program_result wait();

private:
    temporary_folder folder_;
    std::string out_ = folder_ / "out";
    std::string err_ = folder_ / "err";
    int child_ = 0;
    int how_ = 0;
    bool reaped_ = false;
};

/// The arguments "train <data> --target <its target> <more>": mdvis of randhie.csv, y of any other file; `more` is cut at
/// its blanks.
std::vector<std::string> train_arguments(const std::string& data, const std::string& more);

/// Runs `bitstep train` on randhie.csv.
program_result train(const std::string& more, const std::vector<std::string>& environment = {});

/// Runs `bitstep train` on another file, to predict y.
program_result train_on(const std::string& data, const std::string& more);

/// Expects exit code 2, no digest, and exactly one line on stderr: "bitstep: ", and in it each of `parts`.
void expect_refusal(const program_result& result, const std::vector<std::string>& parts);

/// "a b  c" as three arguments.
std::vector<std::string> words(const std::string& line);

/// How often `part` stands in `text`.
std::size_t count_of(const std::string& text, const std::string& part);

} // namespace bitstep_test
