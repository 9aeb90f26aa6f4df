// SPDX-License-Identifier: Apache-2.0
// Between stages 1 and 2: the list of archs, see dispatch.hpp.
#include "dispatch.hpp"

#include "message.hpp"

#include <bitstep/info.hpp>

#include <cstdlib>
#include <cstring>

namespace bitstep {
namespace internal {
namespace {

struct arch_entry {
    arch id;
    const char* name;
    const kernel_table* kernels; ///< null where not compiled, and for reference
    bool (*cpu_runs)();
};

bool always() { return true; }
#if defined(__x86_64__)
// The compilers' run-time libraries read XCR0 too: a feature counts only where the OS saves its registers.
bool cpu_runs_avx2() { return __builtin_cpu_supports("avx2") != 0; }
bool cpu_runs_avx512() {
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512vl") != 0;
}
#else
bool cpu_runs_avx2() { return false; }
bool cpu_runs_avx512() { return false; }
#endif

// From plainest to best: the last runnable one is chosen.
const arch_entry entries[] = {
    {arch::reference, "reference", nullptr, always},
#if defined(BITSTEP_HAS_BASELINE)
    {arch::baseline, "baseline", &baseline_kernels, always},
#else
    {arch::baseline, "baseline", nullptr, always},
#endif
#if defined(BITSTEP_HAS_AVX2)
    {arch::avx2, "avx2", &avx2_kernels, cpu_runs_avx2},
#else
    {arch::avx2, "avx2", nullptr, cpu_runs_avx2},
#endif
#if defined(BITSTEP_HAS_AVX512)
    {arch::avx512, "avx512", &avx512_kernels, cpu_runs_avx512},
#else
    {arch::avx512, "avx512", nullptr, cpu_runs_avx512},
#endif
#if defined(BITSTEP_HAS_NEON64)
    {arch::neon64, "neon64", &neon64_kernels, always},
#else
    {arch::neon64, "neon64", nullptr, always},
#endif
};

const arch_entry* find(arch which) noexcept {
    for (const arch_entry& e : entries) {
        if (e.id == which) return &e;
    }
    return nullptr;
}

bool is_compiled(const arch_entry& e) noexcept { return e.id == arch::reference || e.kernels != nullptr; }

status not_runnable(const char* what, const char* name) noexcept {
    message m;
    m << what << " must be one of";
    const char* separator = " ";
    for (const arch_entry& e : entries) {
        if (!is_compiled(e) || !e.cpu_runs()) continue;
        m << separator << e.name;
        separator = ", ";
    }
    return m << " (runnable here), got \"" << name << "\"" << status_code::arch_unavailable;
}

arch best_runnable() noexcept {
    arch best = arch::reference;
    for (const arch_entry& e : entries) {
        if (is_compiled(e) && e.cpu_runs()) best = e.id;
    }
    return best;
}

/// BITSTEP_ARCH, read once; `automatic` where unset or empty. An unusable name stays an error for every later call.
struct environment_choice {
    arch chosen = arch::automatic;
    status read;
};
environment_choice from_environment() noexcept {
    environment_choice choice;
    const char* name = std::getenv("BITSTEP_ARCH");
    if (name == nullptr || *name == '\0') {
        choice.chosen = best_runnable();
        return choice;
    }
    for (const arch_entry& e : entries) {
        if (std::strcmp(e.name, name) == 0 && is_compiled(e) && e.cpu_runs()) choice.chosen = e.id;
    }
    if (choice.chosen == arch::automatic) choice.read = not_runnable("BITSTEP_ARCH", name);
    return choice;
}

} // namespace

status choose_arch(const options& opts, arch& chosen) noexcept {
    if (opts.arch == arch::automatic) {
        static const environment_choice environment = from_environment();
        chosen = environment.chosen;
        return environment.read.ok() ? status() : environment.read;
    }
    chosen = opts.arch;
    if (find(opts.arch) == nullptr) {
        return message() << "arch must be an enumerator of bitstep::arch, got " << static_cast<int>(opts.arch)
                         << status_code::arch_unavailable;
    }
    return arch_runnable(opts.arch) ? status() : not_runnable("arch", arch_name(opts.arch));
}

const kernel_table* kernels_for(arch which) noexcept {
    const arch_entry* e = find(which);
    return e == nullptr ? nullptr : e->kernels;
}

} // namespace internal

const char* arch_name(arch which) noexcept {
    const internal::arch_entry* e = internal::find(which);
    return e != nullptr ? e->name : which == arch::automatic ? "automatic" : "unknown";
}

status arch_from_name(const char* name, arch& which) noexcept {
    if (name == nullptr) return {status_code::null_pointer, "name must not be null"};
    for (const internal::arch_entry& e : internal::entries) {
        if (std::strcmp(e.name, name) == 0) {
            which = e.id;
            return {};
        }
    }
    return internal::not_runnable("arch", name);
}

bool arch_compiled(arch which) noexcept {
    const internal::arch_entry* e = internal::find(which);
    return e != nullptr && internal::is_compiled(*e);
}

bool arch_runnable(arch which) noexcept { return arch_compiled(which) && internal::find(which)->cpu_runs(); }

status active_arch(arch& which) noexcept { return internal::choose_arch({}, which); }

} // namespace bitstep
