// SPDX-License-Identifier: Apache-2.0
#include "program/tensors/difference_report.hpp"

#include "program/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bitstep::program {
namespace {

constexpr std::size_t columns = 7; // before the last one, which is not padded
using table_row = std::array<std::string, columns + 1>;

bool has_distances(const tensor_info& tensor) { return tensor.dtype == "F32" || tensor.dtype == "F64"; }

// Elements that are no whole number of bytes are counted in bytes, and then have no place in the shape.
bool counts_bytes(const compared_tensor& one) { return one.difference.elements != one.tensor.elements; }

// The coordinates of an element, row-major.
std::vector<std::uint64_t> coordinates(const std::vector<std::uint64_t>& shape, std::uint64_t index) {
    std::vector<std::uint64_t> place(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        place[i] = index % shape[i];
        index /= shape[i];
    }
    return place;
}

std::string first_text(const compared_tensor& one) {
    const tensor_difference& found = one.difference;
    const std::string place = counts_bytes(one) ? fmt::format("byte {}", found.first)
                                                : shape_text(coordinates(one.tensor.shape, found.first));
    if (found.first_a.value.empty()) {
        return fmt::format("{}  {} / {}", place, found.first_a.bits, found.first_b.bits);
    }
    return fmt::format("{}  {} / {}  ({} / {})", place, found.first_a.value, found.first_b.value, found.first_a.bits,
                       found.first_b.bits);
}

table_row row_of(const compared_tensor& one) {
    const tensor_difference& found = one.difference;
    const bool distances = has_distances(one.tensor);
    const bool none = !distances || found.nan_against_number == found.differing;
    return {shown_name(one.tensor),
            one.tensor.dtype,
            shape_text(one.tensor.shape),
            fmt::format("{}", one.tensor.elements),
            counts_bytes(one) ? counted(found.differing, "byte") : fmt::format("{}", found.differing),
            distances ? fmt::format("{}", found.nan_against_number) : "-",
            none ? "-" : fmt::format("{}", found.largest_distance),
            first_text(one)};
}

std::vector<std::string> aligned(const std::vector<table_row>& rows) {
    std::vector<std::string> lines(rows.size());
    for (std::size_t column = 0; column < columns; ++column) {
        std::size_t width = 0;
        for (const table_row& row : rows) {
            width = std::max(width, character_count(row[column]));
        }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::string blanks(width - character_count(rows[i][column]), ' ');
            lines[i] += column < 3 ? rows[i][column] + blanks + "  " : blanks + rows[i][column] + "  ";
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        lines[i] += rows[i].back();
    }
    return lines;
}

nlohmann::ordered_json element_json(const shown_element& element) {
    nlohmann::ordered_json shown;
    if (!element.value.empty()) {
        shown["value"] = element.value; // as text: JSON has no infinities, and readers of JSON may round
    }
    shown["bits"] = element.bits;
    return shown;
}

} // namespace

std::string difference_table(const std::vector<compared_tensor>& compared, const std::string& pair) {
    std::vector<table_row> rows = {
        {"tensor", "dtype", "shape", "elements", "differ", "nan", "ulp", "first difference, " + pair}};
    std::size_t differing = 0;
    for (const compared_tensor& one : compared) {
        if (one.difference.differing != 0 && ++differing <= most_lines) {
            rows.push_back(row_of(one));
        }
    }
    std::string text;
    if (differing != 0) {
        text = fmt::format("{}\n", fmt::join(aligned(rows), "\n"));
    }
    if (differing > most_lines) {
        text += fmt::format("... and {} more\n", differing - most_lines);
    }
    const std::size_t equal = compared.size() - differing;
    if (equal != 0) {
        text += fmt::format("{} equal\n", counted(equal, differing == 0 ? "tensor" : "other tensor"));
    }
    return text;
}

nlohmann::ordered_json difference_json(const compared_tensor& one, const char* a, const char* b) {
    const tensor_difference& found = one.difference;
    nlohmann::ordered_json entry = {{"name", one.tensor.name},
                                    {"dtype", one.tensor.dtype},
                                    {"shape", one.tensor.shape},
                                    {"elements", one.tensor.elements},
                                    {counts_bytes(one) ? "differing_bytes" : "differing", found.differing}};
    if (has_distances(one.tensor)) {
        entry["nan_against_number"] = found.nan_against_number;
        entry["largest_distance"] = found.largest_distance;
    }
    if (found.differing == 0) {
        return entry;
    }
    nlohmann::ordered_json& first = entry["first"];
    if (counts_bytes(one)) {
        first["byte"] = found.first;
    } else {
        first["index"] = coordinates(one.tensor.shape, found.first);
    }
    first[a] = element_json(found.first_a);
    first[b] = element_json(found.first_b);
    return entry;
}

std::string counted(std::uint64_t count, const std::string& noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string first_lines(const std::vector<std::string>& lines) {
    const std::size_t shown = std::min(lines.size(), most_lines);
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) {
        text += lines[i] + "\n";
    }
    return shown == lines.size() ? text : text + fmt::format("... and {} more\n", lines.size() - shown);
}

} // namespace bitstep::program
