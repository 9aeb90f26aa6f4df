// SPDX-License-Identifier: Apache-2.0
#include "program/tensors/comparison.hpp"

#include "program/tensors/state_layout.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace bitstep::program {
namespace {

struct tensor_pair {
    const tensor_info* a = nullptr;
    const tensor_info* b = nullptr;

    bool comparable() const {
        return a != nullptr && b != nullptr && a->dtype == b->dtype && a->shape == b->shape && a->bytes == b->bytes;
    }
};

std::optional<tensor_info> copy_of(const tensor_info* tensor) {
    return tensor == nullptr ? std::nullopt : std::optional(*tensor);
}

std::optional<std::string> entry(const tensor_metadata& metadata, const std::string& key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::nullopt : std::optional(found->second);
}

std::vector<metadata_mismatch> compare_metadata(const tensor_metadata& a, const tensor_metadata& b) {
    std::set<std::string> keys;
    for (const tensor_metadata* one : {&a, &b}) {
        for (const auto& [key, text] : *one) {
            keys.insert(key);
        }
    }
    std::vector<metadata_mismatch> mismatches;
    for (const std::string& key : keys) {
        if (entry(a, key) != entry(b, key)) {
            mismatches.push_back({key, entry(a, key), entry(b, key)});
        }
    }
    return mismatches;
}

// The pass over both in the order of A's digest serves B's as well where both are states or both are not.
bool needs_second_pass(const tensor_file& a, const tensor_file& b) {
    return state_steps(a).has_value() != state_steps(b).has_value();
}

std::string finished(digest& sum, const std::optional<std::uint64_t>& steps) {
    if (steps) {
        sum.add_integer(*steps);
    }
    return sum.hex();
}

} // namespace

std::uint64_t comparison::equal_tensors() const {
    const auto is_equal = [](const compared_tensor& one) { return one.difference.differing == 0; };
    return static_cast<std::uint64_t>(std::count_if(compared.begin(), compared.end(), is_equal));
}

bool comparison::equal() const { return equal_tensors() == compared.size() && mismatches.empty() && metadata.empty(); }

std::uint64_t bytes_to_compare(const tensor_file& a, const tensor_file& b) {
    return a.bytes() + b.bytes() * (needs_second_pass(a, b) ? 2 : 1);
}

comparison compare_files(const tensor_file& a, const tensor_file& b, bool with_digests) {
    const std::optional<std::uint64_t> steps_a = state_steps(a);
    const std::optional<std::uint64_t> steps_b = state_steps(b);
    std::map<digest_place, tensor_pair> pairs;
    for (const tensor_info& tensor : a.tensors) {
        pairs[place_in_digest(steps_a.has_value(), tensor.name)].a = &tensor;
    }
    for (const tensor_info& tensor : b.tensors) {
        pairs[place_in_digest(steps_a.has_value(), tensor.name)].b = &tensor;
    }

    const bool again = with_digests && needs_second_pass(a, b);
    digest sum_a;
    digest sum_b;
    comparison found;
    for (const auto& [place, pair] : pairs) {
        const bool hashed_a = with_digests && place.covered();
        const bool hashed_b = hashed_a && !again;
        if (pair.comparable()) {
            found.compared.push_back({*pair.a, compare_tensors(a, *pair.a, hashed_a ? &sum_a : nullptr, b, *pair.b,
                                                               hashed_b ? &sum_b : nullptr)});
            continue;
        }
        found.mismatches.push_back({copy_of(pair.a), copy_of(pair.b)});
        if (hashed_a && pair.a != nullptr) {
            add_tensor(sum_a, a, *pair.a);
        }
        if (hashed_b && pair.b != nullptr) {
            add_tensor(sum_b, b, *pair.b);
        }
    }
    if (with_digests) {
        found.digest_a = finished(sum_a, steps_a);
        found.digest_b = again ? file_digest(b) : finished(sum_b, steps_b);
    }
    found.metadata_compared = is_state(a.metadata) && is_state(b.metadata);
    if (found.metadata_compared) {
        found.metadata = compare_metadata(a.metadata, b.metadata);
    }
    return found;
}

} // namespace bitstep::program
