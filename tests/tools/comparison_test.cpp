// SPDX-License-Identifier: Apache-2.0
// How much `compare` reads is what it says beforehand, and the digests do not depend on which file comes first.
#include "program/tensors/comparison.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace bitstep_test {
namespace {

using bitstep::program::bytes_to_compare;
using bitstep::program::compare_files;
using bitstep::program::file_digest;
using bitstep::program::tensor_file;
using bitstep::program::tensor_info;
using bitstep::program::tensor_metadata;

// Four tensors of one F32, whose order by name is not that of a state.
tensor_file four_tensors(const tensor_metadata& metadata, std::uint64_t& bytes_read) {
    tensor_file file;
    file.path = "t.safetensors";
    file.metadata = metadata;
    for (const char* name : {"weights", "ema_weights", "m", "v"}) {
        file.tensors.push_back({name, "F32", {1}, 1, 4 * file.tensors.size(), 4});
    }
    file.read = [&bytes_read](const tensor_info& tensor, std::uint64_t, void* out, std::size_t size) {
        const float value = static_cast<float>(tensor.offset);
        std::memcpy(out, &value, size);
        bytes_read += size;
    };
    return file;
}

TEST(comparison_test, reads_as_much_as_it_says_and_finds_each_files_own_digest) {
    const tensor_metadata state = {{"bitstep_state", "1"}, {"t", "7"}};
    struct row {
        tensor_metadata a;
        tensor_metadata b;
        std::uint64_t bytes;
    };
    const row rows[] = {{{}, {}, 32}, {state, state, 32}, {state, {}, 48}, {{}, state, 48}};
    for (const row& r : rows) {
        std::uint64_t read = 0;
        const tensor_file a = four_tensors(r.a, read);
        const tensor_file b = four_tensors(r.b, read);
        const auto found = compare_files(a, b, true);
        EXPECT_EQ(read, r.bytes);
        EXPECT_EQ(bytes_to_compare(a, b), r.bytes);
        EXPECT_EQ(found.digest_a, file_digest(a));
        EXPECT_EQ(found.digest_b, file_digest(b));
        EXPECT_EQ(found.digest_a == found.digest_b, r.a == r.b);
        EXPECT_TRUE(found.equal());
    }
}

} // namespace
} // namespace bitstep_test
