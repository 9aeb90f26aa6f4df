// SPDX-License-Identifier: Apache-2.0
// The work of `allreduce`: tensors of several files through the library's allreduce_mean, or its ring, into a new file.
#pragma once

#include "program/tensors/tensor_difference.hpp"

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bitstep::program {

struct allreduce_plan {
    std::string out;
    std::vector<std::string> inputs; ///< at least one
    std::vector<long long> counts;   ///< one for each input, or none
    bool ring = false;               ///< write what a ring would produce, and compare it with the mean
    options library;                 ///< arch, threads, accumulate
    bool show_progress = false;
    std::size_t block =
        std::size_t{1} << 18; ///< elements of a tensor in memory at a time, of each worker; decides no bit
};

struct allreduce_outcome {
    std::size_t tensors = 0;
    std::size_t f32_tensors = 0;
    std::uint64_t elements = 0;
    std::uint64_t file_bytes = 0;
    std::string digest;                ///< as `compare` shows it for the new file
    int threads = 1;                   ///< the largest team that ran
    std::vector<compared_tensor> ring; ///< ring against mean, where the ring was asked for
};

/// Memory: workers x block elements; with the ring (workers + 1) x the largest tensor. input_error where files, counts or
/// options are to blame; `out` is then as it was.
allreduce_outcome run_allreduce(const allreduce_plan& plan);

} // namespace bitstep::program
