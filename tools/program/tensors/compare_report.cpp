// SPDX-License-Identifier: Apache-2.0
#include "program/tensors/compare_report.hpp"

#include "program/tensors/difference_report.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

namespace bitstep::program {
namespace {

std::string head_line(const char* side, const tensor_file& file) {
    std::string line = fmt::format("{}  {}: {}, {}", side, printable_path(file.path),
                                   counted(file.tensors.size(), "tensor"), counted(file.elements(), "element"));
    if (const auto steps = state_steps(file)) {
        line += fmt::format(", a state after {}", counted(*steps, "step"));
    }
    return line + "\n";
}

std::string mismatch_line(const tensor_mismatch& one) {
    if (one.a && one.b) {
        return fmt::format("{}: {} / {}", shown_name(*one.a), form_of(*one.a), form_of(*one.b));
    }
    const tensor_info& only = one.a ? *one.a : *one.b;
    return fmt::format("{}: {}, only in {}", shown_name(only), form_of(only), one.a ? "A" : "B");
}

std::string metadata_line(const metadata_mismatch& one) {
    const auto shown = [](const std::optional<std::string>& text) { return text ? printable(*text) : "(none)"; };
    return fmt::format("{}: {} / {}", printable(one.key), shown(one.a), shown(one.b));
}

template <class Item, class Line>
std::string section(const char* title, const std::vector<Item>& items, const Line& line) {
    if (items.empty()) {
        return {};
    }
    std::vector<std::string> lines;
    for (const Item& item : items) {
        lines.push_back("  " + line(item));
    }
    return fmt::format("{}, A / B\n{}", title, first_lines(lines));
}

std::string verdict(const comparison& found) {
    if (found.equal()) {
        return "equal\n";
    }
    const tensor_difference total = total_of(found.compared);
    const std::size_t tensors = found.compared.size() - found.equal_tensors() + found.mismatches.size();
    std::string line =
        fmt::format("different: {} of {}", tensors, counted(found.compared.size() + found.mismatches.size(), "tensor"));
    if (total.differing != 0) {
        line += fmt::format("; {} of {}", total.differing, counted(total.elements, "element"));
    }
    if (total.largest_distance != 0) {
        line += fmt::format(", at most {} ulp", total.largest_distance);
    }
    if (total.nan_against_number != 0) {
        line += fmt::format(", {} NaN against a number", total.nan_against_number);
    }
    if (!found.metadata.empty()) {
        line += "; metadata";
    }
    return line + "\n";
}

nlohmann::ordered_json side_json(const tensor_file& file, const std::string& sum) {
    nlohmann::ordered_json side = {
        {"path", file.path}, {"tensors", file.tensors.size()}, {"elements", file.elements()}, {"digest", sum}};
    if (const auto steps = state_steps(file)) {
        side["state_steps"] = *steps;
    }
    return side;
}

nlohmann::ordered_json form_json(const std::optional<tensor_info>& tensor) {
    if (!tensor) {
        return nullptr;
    }
    return {{"dtype", tensor->dtype}, {"shape", tensor->shape}};
}

nlohmann::ordered_json text_json(const std::optional<std::string>& text) {
    return text ? nlohmann::ordered_json(*text) : nlohmann::ordered_json(nullptr);
}

} // namespace

std::string compare_text(const tensor_file& a, const tensor_file& b, const comparison& found) {
    return head_line("A", a) + head_line("B", b) + difference_table(found.compared, "A / B") +
           section("tensors of other forms", found.mismatches, mismatch_line) +
           section("metadata", found.metadata, metadata_line) + verdict(found) +
           fmt::format("digest A {}\ndigest B {}\n", found.digest_a, found.digest_b);
}

nlohmann::ordered_json compare_json(const tensor_file& a, const tensor_file& b, const comparison& found) {
    const tensor_difference total = total_of(found.compared);
    nlohmann::ordered_json report = {{"equal", found.equal()},
                                     {"a", side_json(a, found.digest_a)},
                                     {"b", side_json(b, found.digest_b)},
                                     {"differing", total.differing},
                                     {"nan_against_number", total.nan_against_number},
                                     {"largest_distance", total.largest_distance}};
    report["tensors"] = nlohmann::ordered_json::array();
    for (const compared_tensor& one : found.compared) {
        report["tensors"].push_back(difference_json(one, "a", "b"));
    }
    report["mismatches"] = nlohmann::ordered_json::array();
    for (const tensor_mismatch& one : found.mismatches) {
        report["mismatches"].push_back(
            {{"name", one.a ? one.a->name : one.b->name}, {"a", form_json(one.a)}, {"b", form_json(one.b)}});
    }
    report["metadata_compared"] = found.metadata_compared;
    report["metadata"] = nlohmann::ordered_json::array();
    for (const metadata_mismatch& one : found.metadata) {
        report["metadata"].push_back({{"key", one.key}, {"a", text_json(one.a)}, {"b", text_json(one.b)}});
    }
    return report;
}

} // namespace bitstep::program
