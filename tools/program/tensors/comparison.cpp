// SPDX-License-Identifier: Apache-2.0
#include "program/tensors/comparison.hpp"

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

bool is_state(const tensor_file& file) { return file.metadata.count("bitstep_state") != 0; }

} // namespace

std::uint64_t comparison::equal_tensors() const {
    const auto is_equal = [](const compared_tensor& one) { return one.difference.differing == 0; };
    return static_cast<std::uint64_t>(std::count_if(compared.begin(), compared.end(), is_equal));
}

bool comparison::equal() const { return equal_tensors() == compared.size() && mismatches.empty() && metadata.empty(); }

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

    // One order serves both digests unless just one file is a state.
    const bool one_pass = with_digests && steps_a.has_value() == steps_b.has_value();
    digest sum_a;
    digest sum_b;
    comparison found;
    for (const auto& [place, pair] : pairs) {
        const bool hashed = one_pass && place.covered();
        if (pair.comparable()) {
            found.compared.push_back({*pair.a, compare_tensors(a, *pair.a, hashed ? &sum_a : nullptr, b, *pair.b,
                                                               hashed ? &sum_b : nullptr)});
            continue;
        }
        found.mismatches.push_back({copy_of(pair.a), copy_of(pair.b)});
        if (hashed && pair.a != nullptr) {
            add_tensor(sum_a, a, *pair.a);
        }
        if (hashed && pair.b != nullptr) {
            add_tensor(sum_b, b, *pair.b);
        }
    }
    if (one_pass && steps_a && steps_b) {
        sum_a.add_integer(*steps_a);
        sum_b.add_integer(*steps_b);
    }
    if (with_digests) {
        found.digest_a = one_pass ? sum_a.hex() : file_digest(a);
        found.digest_b = one_pass ? sum_b.hex() : file_digest(b);
    }
    found.metadata_compared = is_state(a) && is_state(b);
    if (found.metadata_compared) {
        found.metadata = compare_metadata(a.metadata, b.metadata);
    }
    return found;
}

} // namespace bitstep::program
