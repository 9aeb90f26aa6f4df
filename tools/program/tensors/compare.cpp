// SPDX-License-Identifier: Apache-2.0
// `bitstep compare`: its command line. The work: comparison.cpp and tensor_difference.cpp; the words: compare_report.cpp.
#include "program/tensors/compare.hpp"

#include "program/report_choice.hpp"
#include "program/tensors/byte_progress.hpp"
#include "program/tensors/compare_report.hpp"
#include "program/tensors/comparison.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

namespace bitstep::program {
namespace {

constexpr const char* about = "Say where and by how much two files of tensors differ";

constexpr const char* footer =
    "Examples:\n"
    "  bitstep compare here.safetensors there.safetensors\n"
    "  bitstep compare --raw f32 here.bin there.bin\n"
    "  bitstep compare --quiet state.safetensors yesterday.safetensors && echo same bits\n\n"
    "A and B are safetensors files, such as the states that `bitstep train` saves, or with --raw plain arrays of\n"
    "little-endian numbers. Tensors are matched by name; where they stand in the file does not matter. For each that\n"
    "differs: in how many elements, in how many of these NaN stands against a number, the largest distance of the others\n"
    "in ulp, and the first differing element, in decimal (shortest text that reads back to the same bits) and as a\n"
    "hexadecimal float. Then the names that only one file has, other dtypes and shapes, and both digests.\n\n"
    "Equal means equal bits, but every NaN equals every NaN. A distance counts the steps from one representable number\n"
    "to the next; -0 and +0 are one step apart, infinity is one step from the largest finite number. dtypes other than\n"
    "F32 and F64 are compared as bytes, without a distance; elements smaller than a byte, byte by byte. Metadata is\n"
    "compared only between two states (files whose metadata has \"bitstep_state\"), and then counts.\n\n"
    "Digest of a file: XXH3-128 over the bytes of its tensors, little-endian, each NaN of F32 and F64 as the quiet one,\n"
    "in the order of the names (by bytes); of a state over weights, ema_weights, m, v and the number of steps as 8 bytes,\n"
    "which is the digest that `bitstep train` printed for it. Names and shapes are not in it.\n\n"
    "Files are read once, 1 MiB at a time: memory does not grow with them. Where just one of them is a state, B is read\n"
    "a second time for its digest.\n"
    "Exit codes: 0 equal, 1 different, 2 a file that cannot be read or no good command line.";

struct compare_options {
    std::string a;
    std::string b;
    std::string raw;
    report_choice report;
};

tensor_file open_side(const std::string& path, const std::string& raw) {
    return raw.empty() ? open_safetensors(path) : open_raw(path, raw == "f64" ? "F64" : "F32");
}

exit_code run(const compare_options& chosen) {
    tensor_file a = open_side(chosen.a, chosen.raw);
    tensor_file b = open_side(chosen.b, chosen.raw);
    comparison found;
    {
        byte_progress shown(bytes_to_compare(a, b), !chosen.report.quiet);
        count_reads(a, shown);
        count_reads(b, shown);
        found = compare_files(a, b, chosen.report.json || !chosen.report.quiet);
    }
    if (chosen.report.json) {
        print_json(compare_json(a, b, found));
    } else if (!chosen.report.quiet) {
        fmt::print("{}", compare_text(a, b, found));
    }
    return found.equal() ? exit_code::done : exit_code::difference;
}

} // namespace

void add_compare(CLI::App& app, command& chosen) {
    const auto options = std::make_shared<compare_options>();
    CLI::App* compare = app.add_subcommand("compare", about);
    compare->footer(footer);
    compare->add_option("A", options->a, "a file")->required()->type_name("");
    compare->add_option("B", options->b, "another")->required()->type_name("");
    compare->add_option("--raw", options->raw, "both are arrays without a header, of this type: f32 or f64")
        ->check(CLI::IsMember({"f32", "f64"}))
        ->type_name("TYPE");
    add_report_options(*compare, options->report, "print nothing; the exit code tells");
    compare->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

} // namespace bitstep::program
