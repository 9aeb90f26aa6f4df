// SPDX-License-Identifier: Apache-2.0
// Files for tests: temporary ones, those of the repository, and what stands in them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace bitstep_test {

/// An empty folder that lives, with all that comes into it, as long as the object.
class temporary_folder {
public:
    temporary_folder();
    ~temporary_folder();
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    const std::filesystem::path& path() const { return path_; }
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    /// How many files and folders are in it.
    std::size_t entries() const;

private:
    std::filesystem::path path_;
};

/// A file alone in a folder of its own; lives as long as the object.
class temporary_file {
public:
    explicit temporary_file(const std::string& content, const std::string& name = "data.csv");
    const std::string& path() const { return path_; }

private:
    temporary_folder folder_;
    std::string path_;
};

/// The bytes of a file; empty where there is none.
std::string content_of(const std::string& path);

/// The path of data/<name>.safetensors beside these tests.
std::string sample(const std::string& name);

/// The data of the examples: 20190 rows, to predict "mdvis".
inline const std::string randhie = BITSTEP_TEST_DATA "/randhie.csv";

} // namespace bitstep_test
