// SPDX-License-Identifier: Apache-2.0
#include "program/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bitstep::program {
namespace {

constexpr std::size_t longest_shown = 60;

bool continues_utf8(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

std::string without_controls(std::string text) {
    std::replace_if(text.begin(), text.end(), is_control, '?');
    return text;
}

template <class Shown>
std::string joined(const std::vector<std::string>& items, std::size_t most, const Shown& shown) {
    std::string list;
    for (std::size_t i = 0; i < std::min(items.size(), most); ++i) {
        list += (i == 0 ? "" : ", ") + shown(items[i]);
    }
    return items.size() > most ? fmt::format("{} and {} more", list, items.size() - most) : list;
}

} // namespace

std::string printable(std::string_view text) { return without_controls(shortened(text, longest_shown)); }

std::string printable_path(std::string_view path) { return without_controls(std::string(path)); }

std::string listed(const std::vector<std::string>& names, std::size_t most) { return joined(names, most, printable); }

std::string listed_paths(const std::vector<std::string>& paths, std::size_t most) {
    return joined(paths, most, printable_path);
}

std::string shortened(std::string_view text, std::size_t longest) {
    if (text.size() <= longest) {
        return std::string(text);
    }
    std::size_t end = longest;
    while (end > 0 && continues_utf8(text[end])) {
        --end;
    }
    return std::string(text.substr(0, end)) + "...";
}

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

std::size_t character_count(std::string_view text) {
    return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_utf8));
}

} // namespace bitstep::program
