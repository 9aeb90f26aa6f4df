// SPDX-License-Identifier: Apache-2.0
#include "run_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <chrono>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace bitstep_test {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) {
        result.push_back(text.data());
    }
    result.push_back(nullptr);
    return result;
}

// An emulator, where one is needed, stands first: words such as "qemu-aarch64-static -L /usr/aarch64-linux-gnu".
std::vector<std::string> command_line(const std::vector<std::string>& arguments) {
    std::vector<std::string> line = words(BITSTEP_TEST_EMULATOR);
    line.emplace_back(BITSTEP_TEST_PROGRAM);
    line.insert(line.end(), arguments.begin(), arguments.end());
    return line;
}

std::vector<std::string> clean_environment(const std::vector<std::string>& added) {
    std::vector<std::string> result = added;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (text.rfind("BITSTEP_", 0) != 0) {
            result.push_back(text);
        }
    }
    return result;
}

// stdout and stderr of the child go to these files.
pid_t start(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
            const std::string& out, const std::string& err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY,
                                     0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    std::vector<std::string> line = command_line(arguments);
    std::vector<std::string> variables = clean_environment(environment);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, line.front().c_str(), &actions, nullptr, pointers(line).data(),
                                    pointers(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        throw std::runtime_error("cannot start " + line.front());
    }
    return child;
}

int wait_for(pid_t child) {
    int how = 0;
    if (waitpid(child, &how, 0) != child || !WIFEXITED(how)) {
        return -1;
    }
    return WEXITSTATUS(how);
}

} // namespace

std::vector<std::string> program_result::out_lines() const {
    std::vector<std::string> lines;
    std::istringstream text(out);
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::string program_result::last_line() const {
    const std::vector<std::string> lines = out_lines();
    return lines.empty() ? "" : lines.back();
}

std::string program_result::digest() const {
    const std::string line = last_line();
    const std::string word = "digest ";
    if (line.rfind(word, 0) != 0) {
        return "";
    }
    const std::string digits = line.substr(word.size());
    const bool well_formed = digits.size() == 32 && digits.find_first_not_of("0123456789abcdef") == std::string::npos;
    return well_formed ? digits : "";
}

program_result run_program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
    const temporary_file out("", "out");
    const temporary_file err("", "err");
    program_result result;
    result.exit_code = wait_for(start(arguments, environment, out.path(), err.path()));
    result.out = content_of(out.path());
    result.err = content_of(err.path());
    return result;
}

program_result run_program_into(const std::string& out, const std::vector<std::string>& arguments) {
    const temporary_file err("", "err");
    program_result result;
    result.exit_code = wait_for(start(arguments, {}, out, err.path()));
    result.err = content_of(err.path());
    return result;
}

program_result run_program_in_terminal(const std::vector<std::string>& arguments) {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        throw std::runtime_error("cannot open a pseudo-terminal");
    }
    const std::string name = ptsname(terminal);
    const int held_open = open(name.c_str(), O_RDWR | O_NOCTTY); // until the child has it, reading would fail
    const pid_t child = start(arguments, {}, name, "/dev/null");
    close(held_open);
    program_result result;
    char buffer[4096];
    for (ssize_t size; (size = read(terminal, buffer, sizeof(buffer))) > 0;) { // fails once the child has ended
        result.out.append(buffer, static_cast<std::size_t>(size));
    }
    close(terminal);
    result.exit_code = wait_for(child);
    return result;
}

running_program::running_program(const std::vector<std::string>& arguments)
    : child_(start(arguments, {}, out_, err_)) {}

running_program::~running_program() {
    if (!reaped_) {
        send(SIGKILL);
        waitpid(child_, &how_, 0);
    }
}

void running_program::send(int signal) const {
    if (!reaped_) {
        kill(child_, signal);
    }
}

bool running_program::wait_for_output(const std::string& text) const {
    using namespace std::chrono_literals;
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (std::chrono::steady_clock::now() < end) {
        if (content_of(out_).find(text) != std::string::npos) {
            return true;
        }
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

program_result running_program::wait() {
    if (!reaped_) {
        waitpid(child_, &how_, 0);
        reaped_ = true;
    }
    program_result result;
    result.exit_code = WIFEXITED(how_) ? WEXITSTATUS(how_) : -1;
    result.signal = WIFSIGNALED(how_) ? WTERMSIG(how_) : 0;
    result.out = content_of(out_);
    result.err = content_of(err_);
    return result;
}

std::vector<std::string> train_arguments(const std::string& data, const std::string& more) {
    std::vector<std::string> arguments = {"train", data, "--target", data == randhie ? "mdvis" : "y"};
    for (const std::string& word : words(more)) {
        arguments.push_back(word);
    }
    return arguments;
}

program_result train(const std::string& more, const std::vector<std::string>& environment) {
    return run_program(train_arguments(randhie, more), environment);
}

program_result train_on(const std::string& data, const std::string& more) {
    return run_program(train_arguments(data, more));
}

void expect_refusal(const program_result& result, const std::vector<std::string>& parts) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.digest(), "") << result.out;
    EXPECT_EQ(count_of(result.err, "\n"), 1u) << result.err;
    EXPECT_EQ(result.err.rfind("bitstep: ", 0), 0u) << result.err;
    for (const std::string& part : parts) {
        EXPECT_NE(result.err.find(part), std::string::npos) << result.err << "lacks\n" << part;
    }
}

std::vector<std::string> words(const std::string& line) {
    std::istringstream stream(line);
    return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
        ++count;
    }
    return count;
}

} // namespace bitstep_test
