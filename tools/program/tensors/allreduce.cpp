// SPDX-License-Identifier: Apache-2.0
// `bitstep allreduce`: its command line. The work: allreduce_run.cpp; the words: allreduce_report.cpp.
#include "program/tensors/allreduce.hpp"

#include "program/report_choice.hpp"
#include "program/run_choice.hpp"
#include "program/tensors/allreduce_report.hpp"
#include "program/tensors/allreduce_run.hpp"
#include "program/whole_number.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

namespace bitstep::program {
namespace {

constexpr const char* about = "Average the tensors of several files, in an order that fixes every bit";

constexpr const char* footer =
    "Examples:\n"
    "  bitstep allreduce mean.safetensors worker0.safetensors worker1.safetensors worker2.safetensors\n"
    "  bitstep allreduce mean.safetensors a.safetensors b.safetensors --counts 3,1 --accumulate wide\n"
    "  bitstep allreduce ring.safetensors worker*.safetensors --ring\n\n"
    "Every input is a safetensors file with the same tensors: names, shapes and dtypes, F32 or F64. OUT gets their mean,\n"
    "elementwise. It is written whole or not at all, may be one of the inputs, and is not overwritten where it is a file\n"
    "of another kind. Its tensors stand in the order of element size (F64 first), then name; of the metadata it keeps\n"
    "\"format\", where all inputs agree on it.\n\n"
    "Order of operations, per element: the inputs are added in pairs, the pairs in pairs and so on, in the order of the\n"
    "command line (a fixed binary tree, from +0, so no mean is -0), then one division by their number. With --counts each\n"
    "is first multiplied by its number of examples, over the greatest common divisor of all, and the divisor is the sum\n"
    "of these: the mean over examples. Threads and kernels decide no bit. docs/numerics.md section 4 has every operation.\n"
    "NaN and infinities propagate.\n\n"
    "--ring writes what a ring all-reduce over the inputs would have produced instead, each tensor a ring of its own: cut\n"
    "into as many chunks as there are workers, each chunk added up in the order in which it travels. The report then says\n"
    "in how many elements, and by how many ulp at most, that differs from the mean above.\n\n"
    "Memory: at most 2 MiB for each input, whatever the size of the files; with --ring the largest tensor, for each input\n"
    "and once more. The digest is that of `bitstep compare` for OUT.\n"
    "Exit codes: 0 done, 2 inputs that do not fit together or no good command line; OUT is then as it was.";

struct allreduce_options {
    allreduce_plan plan;
    run_choice run;
    report_choice report;
};

exit_code run(const allreduce_options& chosen) {
    allreduce_plan plan = chosen.plan;
    if (plan.ring && !plan.counts.empty()) {
        throw input_error("--ring excludes --counts: a ring adds the workers' copies as they are, without weights");
    }
    if (plan.ring && chosen.run.accumulate == "wide") {
        throw input_error("--ring excludes --accumulate wide: a ring sends and adds numbers of the tensors' own type");
    }
    plan.library = library_options(chosen.run);
    plan.show_progress = !chosen.report.quiet;
    const allreduce_outcome outcome = run_allreduce(plan);
    if (chosen.report.json) {
        print_json(allreduce_json(plan, outcome));
    } else if (chosen.report.quiet) {
        fmt::print("digest {}\n", outcome.digest);
    } else {
        fmt::print("{}", allreduce_text(plan, outcome));
    }
    return exit_code::done;
}

} // namespace

void add_allreduce(CLI::App& app, command& chosen) {
    const auto options = std::make_shared<allreduce_options>();
    CLI::App* allreduce = app.add_subcommand("allreduce", about);
    allreduce->footer(footer);
    allreduce->add_option("OUT", options->plan.out, "the file to write")->required()->type_name("");
    allreduce->add_option("IN", options->plan.inputs, "files to average, one for each worker")
        ->required()
        ->type_name("");
    allreduce
        ->add_option("--counts", options->plan.counts, "examples behind each input, such as 3,1: weights of the mean")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(not_negative)
        ->type_name("N,N,...");
    allreduce->add_flag("--ring", options->plan.ring, "write what a ring all-reduce would produce, and compare");
    add_accumulate_option(*allreduce, options->run);
    add_run_options(*allreduce, options->run);
    add_report_options(*allreduce, options->report, "print the digest alone");
    allreduce->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

} // namespace bitstep::program
