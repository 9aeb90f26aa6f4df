// SPDX-License-Identifier: Apache-2.0
#include "program/data/csv_blocks.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace bitstep::program {
namespace {

// One past the last end of a row, 0 where none is certain: behind a carriage return a line feed may follow.
std::size_t end_of_rows(std::string_view text) {
    bool quoted = std::count(text.begin(), text.end(), '"') % 2 != 0;
    for (std::size_t i = text.size(); i > 0; --i) {
        const char c = text[i - 1];
        if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == '\n' || (c == '\r' && i < text.size()))) {
            return i;
        }
    }
    return 0;
}

} // namespace

csv_blocks::csv_blocks(source read, std::size_t read_bytes, std::size_t longest_row)
    : read_(std::move(read)), read_bytes_(read_bytes), longest_row_(longest_row) {}

bool csv_blocks::next(csv_block& block) {
    block.text = std::exchange(rest_, {});
    block.cut_row = 0;
    std::size_t end = 0;
    while (end == 0 && !at_end_) {
        const std::size_t before = block.text.size();
        // Doubling, so that the search for its end stays linear in a long row.
        const std::size_t wanted = std::max(read_bytes_, std::min(before, longest_row_ + 1 - before));
        block.text.resize(before + wanted);
        const std::size_t count = read_(block.text.data() + before, wanted);
        block.text.resize(before + count);
        at_end_ = count < wanted;
        end = at_end_ ? block.text.size() : end_of_rows(block.text);
        if (end == 0 && block.text.size() > longest_row_) {
            block.cut_row = longest_row_;
            at_end_ = true;
            return true;
        }
    }
    rest_.assign(block.text, end);
    block.text.resize(end);
    return end != 0;
}

} // namespace bitstep::program
