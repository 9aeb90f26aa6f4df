// SPDX-License-Identifier: Apache-2.0
// Options, hyper-parameters and reports of the C interface, see call.hpp.
#include "call.hpp"

#include "../message.hpp"

#include <cstring>

namespace bitstep::c_api {
namespace {

// Where each field ends: the sizes that a caller's struct can have. A new field goes to the end, and here.
constexpr std::size_t report_ends[] = {
    sizeof(std::size_t),
    offsetof(bitstep_run_report, ran) + sizeof(int),
    offsetof(bitstep_run_report, threads) + sizeof(int),
};
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
constexpr std::size_t hyper_ends[] = {
    sizeof(std::size_t),
    offsetof(bitstep_hyper_parameters, lr) + sizeof(double),
    offsetof(bitstep_hyper_parameters, beta1) + sizeof(double),
    offsetof(bitstep_hyper_parameters, beta2) + sizeof(double),
    offsetof(bitstep_hyper_parameters, eps) + sizeof(double),
    offsetof(bitstep_hyper_parameters, decay) + sizeof(double),
    offsetof(bitstep_hyper_parameters, t) + sizeof(long long),
};

/// full = the fields that the caller's struct has; the others keep the defaults that `full` comes with.
template <class Struct, std::size_t Ends>
status read_sized(const char* name, const Struct* given, const std::size_t (&ends)[Ends], Struct& full) noexcept {
    std::size_t size = 0;
    std::memcpy(&size, given, sizeof size);
    for (const std::size_t end : ends) {
        if (size != end) continue;
        std::memcpy(&full, given, size);
        return {};
    }
    return internal::message() << name << ".struct_size must be the end of a field, at most " << ends[Ends - 1]
                               << " in this library, got " << size << status_code::invalid_argument;
}

} // namespace

call::call(const bitstep_options* given) noexcept {
    if (given == nullptr) return;
    bitstep_options full = BITSTEP_OPTIONS_INIT;
    checks_.add(read_sized("options", given, options_ends, full));
    if (ok() && full.report != nullptr) {
        bitstep_run_report unused = BITSTEP_RUN_REPORT_INIT;
        checks_.add(read_sized("options.report", full.report, report_ends, unused));
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
    if (report_ != nullptr) opts_.report = &ran_;
}

call& call::needs_hyper(const bitstep_hyper_parameters* given) noexcept {
    if (!needs("hyper", given).ok()) return *this;
    bitstep_hyper_parameters full = BITSTEP_HYPER_PARAMETERS_INIT;
    checks_.add(read_sized("hyper", given, hyper_ends, full));
    hyper_ = {full.lr, full.beta1, full.beta2, full.eps, full.decay, full.t};
    return *this;
}

bitstep_status call::done(const status& result) const noexcept {
    if (report_ != nullptr && result.ok()) {
        bitstep_run_report full = BITSTEP_RUN_REPORT_INIT;
        std::memcpy(&full.struct_size, report_, sizeof full.struct_size);
        full.ran = static_cast<int>(ran_.ran);
        full.threads = ran_.threads;
        std::memcpy(report_, &full, full.struct_size);
    }
    return finish(result);
}

} // namespace bitstep::c_api
