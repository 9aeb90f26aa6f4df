// SPDX-License-Identifier: Apache-2.0
// Runs the program `bitstep` as a process, as a person or a script would, and keeps what it said.
#pragma once

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
    std::string out_, err_, directory_;
    int child_ = 0;
    int how_ = 0;
    bool reaped_ = false;
};

/// Expects exit code 2, no digest, and exactly one line on stderr: "bitstep: ", and in it each of `parts`.
void expect_refusal(const program_result& result, const std::vector<std::string>& parts);

/// A file that lives as long as the object.
class temporary_file {
public:
    explicit temporary_file(const std::string& content, const std::string& name = "data.csv");
    ~temporary_file();
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string directory_;
    std::string path_;
};

/// The bytes of a file; empty where there is none.
std::string content_of(const std::string& path);

/// "a b  c" as three arguments.
std::vector<std::string> words(const std::string& line);

/// How often `part` stands in `text`.
std::size_t count_of(const std::string& text, const std::string& part);

} // namespace bitstep_test
