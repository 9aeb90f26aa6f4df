// SPDX-License-Identifier: Apache-2.0
// `bitstep info`: what this build of the library is and what it would do on this machine.
#include "program/info.hpp"

#include "program/report_choice.hpp"
#include "program/run_choice.hpp"
#include "program/text.hpp"

#include <bitstep/bitstep.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

namespace bitstep::program {
namespace {

constexpr const char* about = "Show versions, this processor, and which archs (kernel sets) and threads would run";
constexpr const char* footer = "Examples:\n  bitstep info\n  bitstep info --json";

#if defined(__clang__)
constexpr const char* compiler = __VERSION__; // names itself
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

constexpr arch all_archs[] = {arch::reference, arch::baseline, arch::avx2, arch::avx512, arch::neon64};
constexpr const char* variables[] = {"BITSTEP_ARCH", "BITSTEP_NUM_THREADS", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT",
                                     "OMP_DYNAMIC",  "OMP_PROC_BIND",       "OMP_PLACES",      "OMP_WAIT_POLICY"};

// "model name" on x86, "Hardware" or "Model" on some AArch64 systems; many of those name nothing.
std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        const std::string key = line.substr(0, line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1) + 1);
        if (colon + 2 < line.size() && (key == "model name" || key == "Hardware" || key == "Model")) {
            return printable(line.substr(colon + 2));
        }
    }
    return "unknown";
}

nlohmann::ordered_json collect() {
    const arch active = chosen_arch({}); // first: a bad environment ends here
    const int threads = chosen_threads(0);
    nlohmann::ordered_json facts;
    facts["version"] = version();
    facts["numerics_version"] = numerics_version();
    facts["compiler"] = compiler;
    facts["cpu"] = cpu_model();
    facts["usable_cpus"] = std::thread::hardware_concurrency();
    facts["active_arch"] = arch_name(active);
    for (const arch which : all_archs) {
        facts["archs"].push_back({{"name", arch_name(which)},
                                  {"compiled", arch_compiled(which)},
                                  {"runnable", arch_runnable(which)},
                                  {"active", which == active}});
    }
    facts["threads"] = threads;
    facts["openmp"] = BITSTEP_PROGRAM_OPENMP != 0;
    facts["environment"] = nlohmann::ordered_json::object();
    for (const char* name : variables) {
        if (const char* value = std::getenv(name)) {
            facts["environment"][name] = printable(value);
        }
    }
    return facts;
}

const char* describe(const nlohmann::ordered_json& one) {
    if (one["active"].get<bool>()) {
        return "active";
    }
    if (one["runnable"].get<bool>()) {
        return "runnable";
    }
    return one["compiled"].get<bool>() ? "compiled, not runnable on this machine" : "not compiled";
}

void print(const nlohmann::ordered_json& facts) {
    const auto text = [&](const char* key) { return facts[key].get<std::string>(); };
    fmt::print("bitstep      {}, numerics version {}\n", text("version"), facts["numerics_version"].get<int>());
    fmt::print("compiler     {}\n", text("compiler"));
    fmt::print("processor    {}, {} usable CPUs\n", text("cpu"), facts["usable_cpus"].get<unsigned>());
    const char* heading = "arch";
    for (const auto& one : facts["archs"]) {
        fmt::print("{:<12} {:<10} {}\n", heading, one["name"].get<std::string>(), describe(one));
        heading = "";
    }
    fmt::print("threads      {}\n", facts["threads"].get<int>());
    fmt::print("OpenMP       {}\n",
               facts["openmp"].get<bool>() ? "yes" : "no: this build runs one thread, whatever is asked for");
    heading = "environment";
    for (const auto& [name, value] : facts["environment"].items()) {
        fmt::print("{:<12} {}={}\n", heading, name, value.get<std::string>());
        heading = "";
    }
    if (facts["environment"].empty()) {
        fmt::print("{:<12} none of BITSTEP_* and OMP_* is set\n", heading);
    }
}

} // namespace

void add_info(CLI::App& app, command& chosen) {
    const auto as_json = std::make_shared<bool>(false);
    CLI::App* info = app.add_subcommand("info", about);
    info->footer(footer);
    info->add_flag("--json", *as_json, "print one JSON object, for programs");
    info->callback([as_json, &chosen] {
        chosen = [as_json] {
            const nlohmann::ordered_json facts = collect();
            if (*as_json) {
                print_json(facts);
            } else {
                print(facts);
            }
            return exit_code::done;
        };
    });
}

} // namespace bitstep::program
