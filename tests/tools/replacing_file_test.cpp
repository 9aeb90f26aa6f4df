// SPDX-License-Identifier: Apache-2.0
// Files written whole or not at all: what is there after a commit, an abort, a full disk and a kill.
#include "child_process.hpp"
#include "files.hpp"
#include "program/replacing_file.hpp"
#include "refusal.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bitstep_test {
namespace {

namespace fs = std::filesystem;
using bitstep::program::input_error;
using bitstep::program::replacing_file;

void put(const fs::path& path, const std::string& content) { std::ofstream(path, std::ios::binary) << content; }

void write(replacing_file& file, const std::string& content) { file.write(content.data(), content.size()); }

void replace(const std::string& path, const std::string& content) {
    replacing_file file(path);
    write(file, content);
    file.commit();
}

// A folder for each test. Every test ends with as many files in it as it expects: no leftovers.
class replacing_file_test : public testing::Test {
protected:
    std::size_t files() const { return made_.entries(); }

    static std::string refusal(const std::string& at) {
        return refusal_of([&] { const replacing_file file(at); });
    }

private:
    const temporary_folder made_;

protected:
    const fs::path folder = made_.path();
    const std::string path = made_ / "state.bin";
};

TEST_F(replacing_file_test, a_commit_makes_the_file_and_nothing_else) {
    std::string all;
    replacing_file file(path);
    EXPECT_EQ(file.temporary_path(), path + "." + std::to_string(getpid()) + ".tmp");
    for (const std::size_t size : {0u, 1u, 65535u, 1u, 65536u, 3u, 200000u, 7u}) { // around the buffer's size
        const std::string piece(size, static_cast<char>('a' + all.size() % 26));
        write(file, piece);
        all += piece;
    }
    EXPECT_FALSE(fs::exists(path));
    file.commit();
    EXPECT_EQ(content_of(path), all);
    EXPECT_EQ(files(), 1u);
}

TEST_F(replacing_file_test, a_commit_replaces_the_old_file) {
    put(path, "a longer old one");
    replace(path, "new");
    EXPECT_EQ(content_of(path), "new");
    EXPECT_EQ(files(), 1u);
}

TEST_F(replacing_file_test, a_name_without_a_folder_is_in_the_working_folder) {
    const fs::path before = fs::current_path();
    fs::current_path(folder);
    replace("plain", "new");
    fs::current_path(before);
    EXPECT_EQ(content_of(folder / "plain"), "new");
}

TEST_F(replacing_file_test, without_a_commit_the_old_file_stays) {
    put(path, "old");
    {
        replacing_file file(path);
        write(file, std::string(300000, 'x'));
    }
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(files(), 1u);
}

TEST_F(replacing_file_test, after_a_commit_nothing_more_is_taken) {
    replacing_file file(path);
    file.commit();
    EXPECT_THROW(write(file, "more"), std::logic_error);
    EXPECT_THROW(file.commit(), std::logic_error);
    EXPECT_EQ(content_of(path), "");
}

TEST_F(replacing_file_test, the_old_permissions_are_kept_and_hold_while_it_is_written) {
    put(path, "old");
    for (const mode_t mode : {0600u, 0640u, 0664u, 0755u}) {
        ASSERT_EQ(chmod(path.c_str(), mode), 0);
        replacing_file file(path);
        struct stat state = {};
        ASSERT_EQ(stat(file.temporary_path().c_str(), &state), 0);
        EXPECT_EQ(state.st_mode & 0777 & ~mode, 0u) << "a secret is readable meanwhile";
        file.commit();
        ASSERT_EQ(stat(path.c_str(), &state), 0);
        EXPECT_EQ(state.st_mode & 0777, mode);
    }
}

TEST_F(replacing_file_test, a_new_file_has_the_permissions_that_umask_leaves) {
    const mode_t before = umask(027);
    replace(path, "new");
    umask(before);
    struct stat state = {};
    ASSERT_EQ(stat(path.c_str(), &state), 0);
    EXPECT_EQ(state.st_mode & 0777, 0640u);
}

TEST_F(replacing_file_test, a_symbolic_link_stays_one_and_its_target_is_replaced) {
    fs::create_directory(folder / "deep");
    put(folder / "deep" / "target", "old");
    fs::create_symlink("deep/middle", path);              // relative to the folder of the link,
    fs::create_symlink("target", folder / "deep/middle"); // each time
    replace(path, "new");
    EXPECT_TRUE(fs::is_symlink(path));
    EXPECT_TRUE(fs::is_symlink(folder / "deep/middle"));
    EXPECT_EQ(content_of(folder / "deep/target"), "new");
}

TEST_F(replacing_file_test, a_link_to_nothing_gets_its_target) {
    fs::create_symlink(folder / "target", path);
    replace(path, "new");
    EXPECT_TRUE(fs::is_symlink(path));
    EXPECT_EQ(content_of(folder / "target"), "new");
}

TEST_F(replacing_file_test, what_a_killed_process_of_the_same_number_left_is_replaced) {
    put(path + "." + std::to_string(getpid()) + ".tmp", "left over, and longer than what comes");
    replace(path, "new");
    EXPECT_EQ(content_of(path), "new");
    EXPECT_EQ(files(), 1u);
}

TEST_F(replacing_file_test, a_link_planted_as_the_temporary_file_is_not_followed) {
    put(folder / "victim", "old");
    fs::create_symlink(folder / "victim", path + "." + std::to_string(getpid()) + ".tmp");
    replace(path, "new");
    EXPECT_EQ(content_of(folder / "victim"), "old");
    EXPECT_FALSE(fs::is_symlink(path));
}

TEST_F(replacing_file_test, a_file_that_another_has_taken_away_is_not_committed) {
    put(path, "old");
    replacing_file file(path);
    fs::remove(file.temporary_path());
    put(file.temporary_path(), "of another process");
    EXPECT_THROW(file.commit(), input_error);
    EXPECT_EQ(content_of(path), "old");
}

TEST_F(replacing_file_test, another_process_may_write_into_it_by_name) {
    replacing_file file(path);
    put(file.temporary_path(), "written by name");
    file.commit();
    EXPECT_EQ(content_of(path), "written by name");
}

TEST_F(replacing_file_test, places_where_no_file_can_be_are_refused) {
    EXPECT_EQ(refusal(""), "\"\" names no file");
    EXPECT_EQ(refusal(folder.string()), folder.string() + ": is a directory");
    EXPECT_EQ(refusal(folder.string() + "/"), "\"" + folder.string() + "/\" names no file");
    EXPECT_EQ(refusal("/no/such/file"), "/no/such/file: No such file or directory");
    put(path, "");
    EXPECT_EQ(refusal(path + "/file"), path + "/file: Not a directory");
    EXPECT_EQ(refusal("/dev/full"), "/dev/full: is no regular file"); // a rename would remove the device
    const std::string fifo = (folder / "fifo").string();
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_EQ(refusal(fifo), fifo + ": is no regular file");
    const std::string loop = (folder / "loop").string();
    fs::create_symlink("loop", loop);
    EXPECT_EQ(refusal(loop), loop + ": Too many levels of symbolic links");
    const std::string too_long = (folder / std::string(252, 'n')).string(); // a name that fits, but not with .<pid>.tmp
    EXPECT_NE(refusal(too_long).find(std::strerror(ENAMETOOLONG)), std::string::npos) << refusal(too_long);
    EXPECT_EQ(files(), 3u);
}

// As an ordinary user: the superuser may write everywhere.
TEST_F(replacing_file_test, folders_and_files_that_may_not_be_written_are_refused) {
    put(path, "old");
    ASSERT_EQ(chmod(path.c_str(), 0444), 0);
    const auto as_user = [&](const std::string& at, const char* reason) {
        return status_of_child([&] {
            if (geteuid() == 0 && seteuid(65534) != 0) {
                return 98;
            }
            return refusal_of([&] { replace(at, "new"); }) == at + ": " + reason ? 0 : 1;
        });
    };
    ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
    EXPECT_EQ(as_user(path, "Permission denied"), 0) << "a read-only file";
    ASSERT_EQ(chmod(folder.c_str(), 0555), 0);
    EXPECT_EQ(as_user((folder / "new").string(), "Permission denied"), 0) << "a read-only folder";
    ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(files(), 1u);
}

// A folder that may be written but not listed cannot be opened to be synced: the file is written all the same.
TEST_F(replacing_file_test, a_folder_that_cannot_be_listed_takes_files) {
    ASSERT_EQ(chmod(folder.c_str(), 0333), 0);
    const int status = status_of_child([&] {
        if (geteuid() == 0 && seteuid(65534) != 0) {
            return 98;
        }
        replace(path, "new");
        return 0;
    });
    ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(content_of(path), "new");
}

// A limit on file sizes answers a write as a full disk does: with an error, after some bytes went in.
TEST_F(replacing_file_test, a_disk_that_is_full_leaves_the_old_file) {
    put(path, "old");
    for (const std::size_t size : {5000u, 300000u}) { // at the commit, and at a write
        const int status = status_of_child([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit = {4096, 4096};
            if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
                return 98;
            }
            const std::string said = refusal_of([&] { replace(path, std::string(size, 'x')); });
            return said == path + ": " + std::strerror(EFBIG) ? 0 : 1;
        });
        EXPECT_EQ(status, 0) << size;
        EXPECT_EQ(content_of(path), "old");
        EXPECT_EQ(files(), 1u);
    }
}

TEST_F(replacing_file_test, a_kill_in_the_middle_leaves_the_old_file) {
    put(path, "old");
    const int status = status_of_child([&] {
        replacing_file file(path);
        write(file, std::string(300000, 'x'));
        std::raise(SIGKILL);
        return 0;
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(files(), 2u); // the new one beside it, which nobody reads
}

} // namespace
} // namespace bitstep_test
