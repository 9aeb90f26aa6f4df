// SPDX-License-Identifier: Apache-2.0
// Two files of tensors against each other: what `compare` finds. How it is told: compare_report.
#pragma once

#include "program/tensors/tensor_difference.hpp"
#include "program/tensors/tensor_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bitstep::program {

/// A tensor, or an entry of the metadata, that only one file has, or that has another form or text in each.
struct tensor_mismatch {
    std::optional<tensor_info> a;
    std::optional<tensor_info> b;
};
struct metadata_mismatch {
    std::string key;
    std::optional<std::string> a;
    std::optional<std::string> b;
};

struct comparison {
    std::vector<compared_tensor> compared; ///< in both files with one form, equal or not; in the order of the digest
    std::vector<tensor_mismatch> mismatches;
    bool metadata_compared = false;
    std::vector<metadata_mismatch> metadata;
    std::string digest_a; ///< empty where they were not wanted
    std::string digest_b;

    std::uint64_t equal_tensors() const;
    bool equal() const;
};

/// Reads both files once; with digests B a second time where just one of them is a state, whose digest has an order of
/// its own.
comparison compare_files(const tensor_file& a, const tensor_file& b, bool with_digests);

/// How much compare_files reads at most, with digests.
std::uint64_t bytes_to_compare(const tensor_file& a, const tensor_file& b);

} // namespace bitstep::program
