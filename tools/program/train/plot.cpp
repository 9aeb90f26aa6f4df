// SPDX-License-Identifier: Apache-2.0
// Around gnuplot: script in, picture out, and one line about whatever goes wrong. No shell, and no pipe that could
// break: its standard input is a file that nobody else sees, its standard output is the new picture.
#include "program/train/plot.hpp"

#include "program/errors.hpp"
#include "program/replacing_file.hpp"
#include "program/text.hpp"
#include "program/train/plot_script.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace bitstep::program {
namespace {

constexpr const char* not_installed = "gnuplot is not installed (Debian: gnuplot-nox)";

std::string extension_of(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    for (char& c : extension) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return extension;
}

struct closes_file {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using nameless_file = std::unique_ptr<std::FILE, closes_file>;

// Its last line that says something.
std::string last_words(std::FILE* file) {
    std::rewind(file);
    std::string text(64 * 1024, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    if (end == std::string::npos) {
        return "";
    }
    const std::size_t before = text.find_last_of("\r\n", end);
    const std::size_t begin = text.find_first_not_of(" \t", before == std::string::npos ? 0 : before + 1);
    return text.substr(begin, end + 1 - begin);
}

// -1 where nobody can tell: a parent that ignores SIGCHLD leaves this process no status to collect.
int exit_code_of(pid_t child) {
    int how = 0;
    while (waitpid(child, &how, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

// Returns "" or the reason.
std::string run_gnuplot(const std::string& script, const std::string& picture) {
    const nameless_file in(std::tmpfile());
    const nameless_file err(std::tmpfile());
    if (!in || !err || std::fwrite(script.data(), 1, script.size(), in.get()) != script.size() ||
        std::fflush(in.get()) != 0) {
        return fmt::format("no temporary file for gnuplot: {}", std::strerror(errno));
    }
    std::rewind(in.get());

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, fileno(in.get()), STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, picture.c_str(), O_WRONLY | O_TRUNC, 0);
    posix_spawn_file_actions_adddup2(&files, fileno(err.get()), STDERR_FILENO);
    char name[] = "gnuplot";
    char own_settings_only[] = "-d"; // not those of ~/.gnuplot
    char from_stdin[] = "-";
    char* const command[] = {name, own_settings_only, from_stdin, nullptr};
    pid_t child = 0;
    const int failed = posix_spawnp(&child, name, &files, nullptr, command, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) {
        return failed == ENOENT ? not_installed : fmt::format("gnuplot: {}", std::strerror(failed));
    }

    const int code = exit_code_of(child);
    if (code == 127) {
        return not_installed;
    }
    std::error_code unknown;
    const auto size = std::filesystem::file_size(picture, unknown);
    if (code <= 0 && !unknown && size > 0) {
        return "";
    }
    const std::string words = last_words(err.get());
    if (!words.empty()) {
        return "gnuplot: " + printable(words);
    }
    return code > 0 ? fmt::format("gnuplot failed with exit code {}", code) : "gnuplot drew nothing";
}

} // namespace

void check_plot_path(const std::string& path) {
    const std::string extension = extension_of(path);
    if (extension != ".svg" && extension != ".png") {
        throw input_error(fmt::format("{}: a picture ends in .svg or .png", printable_path(path)));
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        throw input_error(fmt::format("{}: is a directory", printable_path(path)));
    }
    const std::string folder = std::filesystem::path(path).parent_path().string();
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
        throw input_error(fmt::format("{}: there is no folder {}", printable_path(path), printable_path(folder)));
    }
}

std::string draw_plot(const plot_choice& choice, const std::vector<history_row>& rows) {
    try {
        check_plot_path(choice.path);
        const std::vector<curve> curves = curves_of(rows);
        if (curves.empty()) {
            return "there is no finite loss to draw";
        }
        const picture_format format = extension_of(choice.path) == ".svg" ? picture_format::svg : picture_format::png;
        replacing_file picture(choice.path);
        const std::string reason = run_gnuplot(plot_script(format, choice.title, curves), picture.temporary_path());
        if (reason.empty()) {
            picture.commit();
        }
        return reason;
    } catch (const input_error& error) {
        return error.what();
    }
}

} // namespace bitstep::program
