// SPDX-License-Identifier: Apache-2.0
#include "program/text.hpp"

#include <algorithm>

namespace bitstep::program {
namespace {

constexpr std::size_t longest = 60;

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

bool continues_utf8(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

} // namespace

std::string printable(std::string_view text) {
    std::size_t end = text.size();
    if (end > longest) {
        end = longest;
        while (end > 0 && continues_utf8(text[end])) {
            --end;
        }
    }
    std::string shown(text.substr(0, end));
    std::replace_if(shown.begin(), shown.end(), is_control, '?');
    return end < text.size() ? shown + "..." : shown;
}

} // namespace bitstep::program
