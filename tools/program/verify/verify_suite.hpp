// SPDX-License-Identifier: Apache-2.0
// The work of `verify`: every shape, type and accumulate mode, first on `reference` with one thread, then on every kernel
// set and thread count asked for; each result compared bit for bit with the first, and the first with what numerics
// version 1 gives. Next: verify_report shows it.
#pragma once

#include "program/digest.hpp"
#include "program/verify/verify_operations.hpp"

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bitstep::program {

/// One line of the table: a kernel set with a thread count, over all shapes.
struct verify_run {
    arch which = arch::reference;
    int threads = 1;
    int team = 0;                 ///< the largest team that was delivered
    std::size_t shapes = 0;       ///< compared, each shape x type x mode once
    std::size_t numbers = 0;      ///< compared
    std::size_t differences = 0;  ///< results (an operation on a shape) that differ
    std::string first_difference; ///< where: operation, shape, element, both values in hexadecimal
    std::string digest;           ///< as verify_outcome's, over what this run gave
};

struct verify_outcome {
    std::vector<verify_run> runs;
    std::string digest; ///< over the comparison's results, each once: the status code, then the numbers

    bool compared_anything() const;
    bool equal() const;     ///< every run compared something, and nothing differs
    bool as_frozen() const; ///< the digest is frozen_digest: this build computes what numerics version 1 says
};

/// The digest of numerics version 1. Another one may only come with another version of docs/numerics.md.
inline constexpr const char* frozen_digest = "b7b453f683a8a6804de8bd45ae50800e";

/// Calls what it is given, once, in surroundings that the library must neither mind nor change.
using surroundings = std::function<void(const std::function<void()>& calls)>;

/// Runs all of verify_shapes() on each of archs x threads; only the library's calls are made within `around`.
verify_outcome run_verify(
    const std::vector<arch>& archs, const std::vector<int>& threads,
    const surroundings& around = [](const std::function<void()>& calls) { calls(); });

/// From plainest to best.
inline constexpr arch every_arch[] = {arch::reference, arch::baseline, arch::avx2, arch::avx512, arch::neon64};

/// What the digest covers of an operation: its status code, then its numbers.
template <class T>
void add_results(digest& sum, const std::vector<operation_result<T>>& results);

/// Compares what one run gave with the comparison, and adds it to the run's line. `shape` names the shape in a difference.
template <class T>
void compare_results(const std::vector<operation_result<T>>& expected, const std::vector<operation_result<T>>& got,
                     const std::string& shape, verify_run& run);

} // namespace bitstep::program
