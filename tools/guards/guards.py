# SPDX-License-Identifier: Apache-2.0
"""The guards of docs/surroundings.md: what stands in the sources, what stands there without it, and the test that must
then fail. Next: main.py."""
import dataclasses

ENVIRONMENT, THREADS, MEMORY = "src/fp_environment.cpp", "src/parallel.cpp", "src/workspace.cpp"
LANES, REGISTERS = "src/kernels/lanes.hpp", "src/kernels/registers.hpp"


@dataclasses.dataclass(frozen=True)
class Guard:
    name: str
    file: str
    guarded: str  # stands in the file once
    without: str
    test: str
    filter: str = "*"  # GoogleTest's
    environment: tuple = ()
    needs: str = ""  # a flag of /proc/cpuinfo


def verb(name, file, begin, guarded="internal::guarded("):
    """A verb that computes in whatever environment its caller has. `begin` of the guarded call tells it from others."""
    return Guard(f"the verb's own environment: {name}", file, guarded + begin,
                 "[](auto run) { return run(); }(" + begin, "fp_environment_test", "*_numbers")


def thread(name, begin, test, cases, indent=12):
    """A thread that computes in whatever environment it has. `begin`: how the guarded body goes on."""
    outer, inner = "\n" + indent * " ", "\n" + (indent + 4) * " "
    body = f"({outer}[](void* c) {{{inner}auto& own = *static_cast<decltype(call)*>(c);{inner}{begin}"
    return Guard(f"a thread's own environment: {name}", THREADS, f"with_default_environment{body}",
                 f"[](void (*run)(void*), void* c) {{ run(c); }}{body}", test, cases)


def edge(name, file, guarded, without, needs):
    return Guard(f"nothing beyond an array: {name}", file, guarded, without, "bounds_test", needs=needs)


GUARDS = (
    Guard("rounding, flushing and traps are the default's", ENVIRONMENT, "_mm_setcsr(0x1F80);", "",
          "fp_environment_test", "*_numbers"),
    Guard("nothing is flushed", ENVIRONMENT, "_mm_setcsr(0x1F80);", "_mm_setcsr(0x9FC0);", "decay_test"),
    Guard("the environment is handed back", ENVIRONMENT, "_mm_setcsr(saved);", "", "fp_environment_test", "*_numbers"),
    Guard("errno is handed back", ENVIRONMENT, "errno = error;", "", "fp_environment_test", "*errno*"),
    verb("predict", "src/predict.cpp", "[&] { return internal::run_predict<T>(x, nullptr"),
    verb("residual", "src/predict.cpp", "[&] { return internal::run_predict<T>(x, &y"),
    verb("gradient", "src/gradient_call.cpp", "[&] {\n        return opts.accumulate"),
    verb("allreduce_mean", "src/reduce.cpp", "[&] {\n        return opts.accumulate"),
    verb("adam_ema_update", "src/adam_ema.cpp", "[&] { return internal::run_update"),
    verb("distributed_step", "src/distributed_step.cpp", "\n        [&] { return a.opts", "guarded("),
    verb("simulate_ring_allreduce", "src/simulate_ring_allreduce.cpp", "[&] { return internal::run_ring"),
    thread("OpenMP's", "own.body(", "fp_environment_test", "*teams:*pool_threads*"),
    thread("a caller's pool", "own.of.body(", "parallel_for_test", "*every_pool*"),
    thread("the caller, behind its pool", "own.asked.parallel_for(", "parallel_for_test", "*every_pool*", indent=8),

    Guard("a call inside a region is serial", THREADS, "omp_in_parallel() == 0 &&", "", "openmp_test",
          "*a_call_inside*"),
    Guard("a team of one waits for nobody", THREADS, "if (team < 2) return;", "", "openmp_test", "*foreign_region*"),
    Guard("columns are shared by the team that came", "src/column_split.cpp", "part / team * column_panel;",
          "part / static_cast<std::size_t>(plan.team.threads) * column_panel;", "openmp_test", "*every_team*",
          (("OMP_THREAD_LIMIT", "2"),)),
    Guard("tasks until none is left", "src/parallel.hpp", "i < s.tasks; i = s.next.fetch_add(1))",
          "i < s.tasks; i = s.tasks)", "openmp_test", "*every_team*", (("OMP_THREAD_LIMIT", "2"),)),
    Guard("no scratch is shared by callers", MEMORY, "block = owned_;",
          "static void* const shared = std::malloc(std::size_t{1} << 26U);\n        block = shared;", "openmp_test",
          "*eight_callers*"),
    Guard("a forked child is serial", THREADS, "if (had_threads) in_forked_child = true;", "", "fork_test",
          "*.after_use"),
    Guard("a failing allocation is seen", MEMORY, "if (owned_ == nullptr) {", "if (need.overflows()) {",
          "workspace_test", "*failing_allocations*"),
    Guard("no memory for the text of an error", "src/c_api/last_error.cpp", "get_or_make(); text != nullptr) {",
          "get_or_make(); true) {", "c_api_test", "*no_memory_at_all*"),

    edge("loads, AVX-512 float", REGISTERS, "_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << n) - 1), p)",
         "n == 0 ? _mm512_setzero_ps() : _mm512_loadu_ps(p)", "avx512bw"),
    edge("stores, AVX-512 double", REGISTERS,
         "_mm512_mask_storeu_pd(p, static_cast<__mmask8>((1U << n) - 1), values)", "_mm512_storeu_pd(p, values)",
         "avx512bw"),
    edge("loads, AVX2 float", REGISTERS, "_mm256_maskload_ps(p, ",
         "n != 0 ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, ", "avx2"),
    edge("loads, SSE2 and NEON", LANES, "i < n; ++i) padded[i] = p[i];", "i < count; ++i) padded[i] = p[i];", ""),
    edge("stores, AVX2, SSE2 and NEON", LANES, "i < n; ++i) p[i] = all[i];", "i < count; ++i) p[i] = all[i];", ""),
    Guard("any address will do", LANES, "batch::load_unaligned(p + i", "batch::load_aligned(p + i", "alignment_test"),
)
