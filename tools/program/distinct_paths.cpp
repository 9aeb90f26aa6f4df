// SPDX-License-Identifier: Apache-2.0
#include "program/distinct_paths.hpp"

#include "program/errors.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

namespace bitstep::program {

void require_distinct(const std::vector<named_path>& paths) {
    std::map<std::filesystem::path, std::string> names;
    for (const named_path& each : paths) {
        if (each.path.empty()) {
            continue;
        }
        std::error_code failed;
        std::filesystem::path leads_to =
            std::filesystem::weakly_canonical(std::filesystem::absolute(each.path, failed), failed);
        if (failed) {
            leads_to = each.path; // whoever opens it says what is wrong
        }
        const auto [earlier, is_new] = names.emplace(leads_to, each.name);
        if (!is_new) {
            throw input_error(fmt::format("{} and {} are the same file", earlier->second, each.name));
        }
    }
}

} // namespace bitstep::program
