// SPDX-License-Identifier: Apache-2.0
#include "program/tensors/allreduce_report.hpp"

#include "program/tensors/difference_report.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

namespace bitstep::program {
namespace {

constexpr std::size_t most_inputs = 8; // named in the text

const char* accumulate_name(const allreduce_plan& plan) {
    return plan.library.accumulate == accumulate_mode::wide ? "wide" : "native";
}

std::string ring_text(const std::vector<compared_tensor>& compared) {
    const tensor_difference total = total_of(compared);
    std::string text = difference_table(compared, "ring / mean");
    text +=
        fmt::format("ring    differs from the mean in {} of {}", total.differing, counted(total.elements, "element"));
    if (total.largest_distance != 0) {
        text += fmt::format(", by at most {} ulp", total.largest_distance);
    }
    return text + "\n";
}

} // namespace

std::string allreduce_text(const allreduce_plan& plan, const allreduce_outcome& outcome) {
    std::string text =
        fmt::format("in      {}: {}", counted(plan.inputs.size(), "worker"), listed_paths(plan.inputs, most_inputs));
    if (!plan.counts.empty()) {
        text += fmt::format("; counts {}", fmt::join(plan.counts, ","));
    }
    text += fmt::format("\nout     {}: {} ({} F32, {} F64), {}, {}\n", printable_path(plan.out),
                        counted(outcome.tensors, "tensor"), outcome.f32_tensors, outcome.tensors - outcome.f32_tensors,
                        counted(outcome.elements, "element"), counted(outcome.file_bytes, "byte"));
    text += fmt::format("run     {}, accumulate {}, arch {}, {}\n", plan.ring ? "ring" : "mean", accumulate_name(plan),
                        arch_name(plan.library.arch), counted(static_cast<std::uint64_t>(outcome.threads), "thread"));
    return text + (plan.ring ? ring_text(outcome.ring) : "") + fmt::format("digest {}\n", outcome.digest);
}

nlohmann::ordered_json allreduce_json(const allreduce_plan& plan, const allreduce_outcome& outcome) {
    nlohmann::ordered_json report = {{"out", plan.out}, {"inputs", plan.inputs}, {"workers", plan.inputs.size()}};
    if (!plan.counts.empty()) {
        report["counts"] = plan.counts;
    }
    report["operation"] = plan.ring ? "ring" : "mean";
    report["accumulate"] = accumulate_name(plan);
    report["arch"] = arch_name(plan.library.arch);
    report["threads"] = outcome.threads;
    report["tensors"] = outcome.tensors;
    report["f32_tensors"] = outcome.f32_tensors;
    report["f64_tensors"] = outcome.tensors - outcome.f32_tensors;
    report["elements"] = outcome.elements;
    report["bytes"] = outcome.file_bytes;
    if (plan.ring) {
        const tensor_difference total = total_of(outcome.ring);
        nlohmann::ordered_json& ring = report["ring_against_mean"];
        ring = {{"differing", total.differing},
                {"nan_against_number", total.nan_against_number},
                {"largest_distance", total.largest_distance}};
        ring["tensors"] = nlohmann::ordered_json::array();
        for (const compared_tensor& one : outcome.ring) {
            ring["tensors"].push_back(difference_json(one, "ring", "mean"));
        }
    }
    report["digest"] = outcome.digest;
    return report;
}

} // namespace bitstep::program
