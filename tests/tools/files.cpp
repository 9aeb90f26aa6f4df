// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace bitstep_test {

namespace fs = std::filesystem;

temporary_folder::temporary_folder() {
    std::string name = (fs::temp_directory_path() / "bitstep-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("cannot make " + name);
    }
    path_ = name;
}

temporary_folder::~temporary_folder() {
    std::error_code ignored;
    fs::permissions(path_, fs::perms::owner_all, ignored); // which a test may have taken away
    fs::remove_all(path_, ignored);
}

std::size_t temporary_folder::entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
}

temporary_file::temporary_file(const std::string& content, const std::string& name) : path_(folder_ / name) {
    std::ofstream(path_, std::ios::binary) << content;
}

std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string sample(const std::string& name) { return BITSTEP_TEST_SAMPLES "/" + name + ".safetensors"; }

} // namespace bitstep_test
