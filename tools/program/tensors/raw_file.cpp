// SPDX-License-Identifier: Apache-2.0
// `compare --raw`: an array without a header as a tensor_file.
#include "program/regular_file.hpp"
#include "program/tensors/tensor_file.hpp"

#include <fmt/format.h>

#include <memory>

namespace bitstep::program {

tensor_file open_raw(const std::string& path, const std::string& dtype) {
    const auto file = std::make_shared<const regular_file>(path);
    tensor_info all;
    all.dtype = dtype;
    all.bytes = file->size();
    const std::uint64_t element = dtype == "F64" ? 8 : 4;
    if (all.bytes % element != 0) {
        file->refuse(fmt::format("{} bytes are no whole number of {} elements", all.bytes, dtype));
    }
    all.elements = all.bytes / element;
    all.shape = {all.elements};
    return {path, {all}, {}, [file](const tensor_info&, std::uint64_t first, void* out, std::size_t size) {
                file->read_at(first, out, size);
            }};
}

} // namespace bitstep::program
