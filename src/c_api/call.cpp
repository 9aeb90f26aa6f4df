// SPDX-License-Identifier: Apache-2.0
// Options, hyper-parameters and reports of the C interface, see call.hpp.
#include "call.hpp"

#include "../message.hpp"

#include <cstring>
#include <iterator>

namespace bitstep::c_api {
namespace {

// Where each field ends: the sizes that a caller's struct can have. A new field goes to the end, and here; the last end
// is the struct's, or a later field could fall into the padding that callers of today leave undefined.
constexpr std::size_t report_ends[] = {
    offsetof(bitstep_run_report, threads) +
        sizeof(int), // an output is filled where it lies: none is shorter than the first
};
static_assert(std::end(report_ends)[-1] == sizeof(bitstep_run_report));
constexpr std::size_t options_ends[] = {
    sizeof(std::size_t),
    offsetof(bitstep_options, threads) + sizeof(int),
    offsetof(bitstep_options, accumulate) + sizeof(int),
    offsetof(bitstep_options, arch) + sizeof(int),
    offsetof(bitstep_options, check_state) + sizeof(int),
    offsetof(bitstep_options, serial_below_bytes) + sizeof(std::size_t),
    offsetof(bitstep_options, report) + sizeof(void*),
    offsetof(bitstep_options, parallel_for) + sizeof(bitstep_parallel_for),
    offsetof(bitstep_options, pool) + sizeof(void*),
};
static_assert(std::end(options_ends)[-1] == sizeof(bitstep_options));
constexpr std::size_t hyper_ends[] = {
    sizeof(std::size_t),
    offsetof(bitstep_hyper_parameters, lr) + sizeof(double),
    offsetof(bitstep_hyper_parameters, beta1) + sizeof(double),
    offsetof(bitstep_hyper_parameters, beta2) + sizeof(double),
    offsetof(bitstep_hyper_parameters, eps) + sizeof(double),
    offsetof(bitstep_hyper_parameters, decay) + sizeof(double),
    offsetof(bitstep_hyper_parameters, t) + sizeof(long long),
};
static_assert(std::end(hyper_ends)[-1] == sizeof(bitstep_hyper_parameters));

// Numbers are cast from one language's enum to the other's.
template <class InC, class InCpp>
constexpr bool same(InC in_c, InCpp in_cpp) noexcept {
    return static_cast<int>(in_c) == static_cast<int>(in_cpp);
}
static_assert(same(BITSTEP_OK, status_code::ok));
static_assert(same(BITSTEP_NULL_POINTER, status_code::null_pointer));
static_assert(same(BITSTEP_INVALID_ARGUMENT, status_code::invalid_argument));
static_assert(same(BITSTEP_INVALID_SHAPE, status_code::invalid_shape));
static_assert(same(BITSTEP_OVERLAP, status_code::overlap));
static_assert(same(BITSTEP_NON_FINITE, status_code::non_finite));
static_assert(same(BITSTEP_GRADIENT_OVERFLOW, status_code::gradient_overflow));
static_assert(same(BITSTEP_WORKSPACE_TOO_SMALL, status_code::workspace_too_small));
static_assert(same(BITSTEP_OUT_OF_MEMORY, status_code::out_of_memory));
static_assert(same(BITSTEP_ARCH_UNAVAILABLE, status_code::arch_unavailable));
static_assert(same(BITSTEP_ACCUMULATE_NATIVE, accumulate_mode::native));
static_assert(same(BITSTEP_ACCUMULATE_WIDE, accumulate_mode::wide));
static_assert(same(BITSTEP_ARCH_AUTOMATIC, arch::automatic) && same(BITSTEP_ARCH_REFERENCE, arch::reference));
static_assert(same(BITSTEP_ARCH_BASELINE, arch::baseline) && same(BITSTEP_ARCH_AVX2, arch::avx2));
static_assert(same(BITSTEP_ARCH_AVX512, arch::avx512) && same(BITSTEP_ARCH_NEON64, arch::neon64));
static_assert(same(BITSTEP_CHECK_BY_DEFAULT, check_mode::by_default));
static_assert(same(BITSTEP_CHECK_OFF, check_mode::off) && same(BITSTEP_CHECK_ON, check_mode::on));
static_assert(same(BITSTEP_RING_MEAN, ring_op::mean) && same(BITSTEP_RING_SUM, ring_op::sum));
static_assert(same(BITSTEP_RING_REDUCE_SCATTER, ring_phase::reduce_scatter));
static_assert(same(BITSTEP_RING_ALL_GATHER, ring_phase::all_gather));

/// A report of C's, seen as C++'s behind its size.
struct report_twin {
    std::size_t struct_size;
    run_report body;
};
static_assert(offsetof(report_twin, body) == offsetof(bitstep_run_report, ran));
static_assert(offsetof(run_report, threads) - offsetof(run_report, ran) ==
              offsetof(bitstep_run_report, threads) - offsetof(bitstep_run_report, ran));

/// full = the fields that the caller's struct has; the others keep the defaults that `full` comes with. Its struct_size is
/// the one that was checked.
template <class Struct, std::size_t Ends>
status read_sized(const char* name, const Struct* given, const std::size_t (&ends)[Ends], Struct& full) noexcept {
    std::size_t size = 0;
    std::memcpy(&size, given, sizeof size);
    for (const std::size_t end : ends) {
        if (size != end) continue;
        std::memcpy(&full, given, size);
        full.struct_size = size;
        return {};
    }
    return internal::message() << name << ".struct_size must be the end of a field, at most " << ends[Ends - 1]
                               << " in this library, got " << size << " (start from the struct's _INIT)"
                               << status_code::invalid_argument;
}

} // namespace

call::call(const bitstep_options* given) noexcept {
    if (given == nullptr) return;
    bitstep_options full = BITSTEP_OPTIONS_INIT;
    checks_.add(read_sized("options", given, options_ends, full));
    if (ok() && full.report != nullptr) {
        bitstep_run_report asked = BITSTEP_RUN_REPORT_INIT;
        checks_.add(read_sized("options.report", full.report, report_ends, asked));
    }
    if (!ok()) return;
    opts_.threads = full.threads;
    opts_.accumulate = static_cast<accumulate_mode>(full.accumulate);
    opts_.arch = static_cast<arch>(full.arch);
    opts_.check_state = static_cast<check_mode>(full.check_state);
    opts_.serial_below_bytes = full.serial_below_bytes;
    opts_.parallel_for = full.parallel_for;
    opts_.pool = full.pool;
    report_ = full.report;
    if (report_ != nullptr) opts_.report = &as_twin<report_twin>(report_)->body; // where it lies: checked for overlaps
}

call& call::needs_hyper(const bitstep_hyper_parameters* given) noexcept {
    if (!needs("hyper", given).ok()) return *this;
    bitstep_hyper_parameters full = BITSTEP_HYPER_PARAMETERS_INIT;
    checks_.add(read_sized("hyper", given, hyper_ends, full));
    hyper_ = {full.lr, full.beta1, full.beta2, full.eps, full.decay, full.t};
    return *this;
}

bitstep_status call::done(const status& result) const noexcept {
    if (report_ != nullptr) static_cast<void>(as_twin<report_twin>(report_)); // and back
    return finish(result);
}

} // namespace bitstep::c_api
