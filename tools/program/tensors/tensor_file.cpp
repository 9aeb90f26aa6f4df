// SPDX-License-Identifier: Apache-2.0
#include "program/tensors/tensor_file.hpp"

#include "program/tensors/state_layout.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

namespace bitstep::program {

std::uint64_t tensor_file::bytes() const {
    std::uint64_t sum = 0;
    for (const tensor_info& tensor : tensors) {
        sum += tensor.bytes;
    }
    return sum;
}

std::uint64_t tensor_file::elements() const {
    std::uint64_t sum = 0;
    for (const tensor_info& tensor : tensors) {
        sum += tensor.elements;
    }
    return sum;
}

tensor_file open_safetensors(const std::string& path) {
    const auto reader = std::make_shared<const safetensors_reader>(path);
    return {path, reader->header().tensors, reader->header().metadata,
            [reader](const tensor_info& tensor, std::uint64_t first, void* out, std::size_t size) {
                reader->read(tensor, first, out, size);
            }};
}

std::optional<std::uint64_t> state_steps(const tensor_file& file) {
    const auto steps = file.metadata.find("t");
    if (!is_state(file.metadata) || steps == file.metadata.end()) {
        return {};
    }
    for (const char* name : state_tensors) {
        const auto is_it = [name](const tensor_info& tensor) { return tensor.name == name; };
        if (std::none_of(file.tensors.begin(), file.tensors.end(), is_it)) {
            return {};
        }
    }
    const std::string& text = steps->second;
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
        return {};
    }
    return value;
}

digest_place place_in_digest(bool state, const std::string& name) {
    if (!state) {
        return {0, name};
    }
    const auto found = std::find(state_tensors.begin(), state_tensors.end(), name);
    return {static_cast<int>(found - state_tensors.begin()), name};
}

void add_tensor(digest& sum, const tensor_file& file, const tensor_info& tensor) {
    with_type_of(tensor, [&](auto type) {
        std::vector<decltype(type)> values(std::min<std::uint64_t>(file_chunk, tensor.bytes) / sizeof(type));
        for (std::uint64_t first = 0; first < tensor.bytes; first += file_chunk) {
            const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(file_chunk, tensor.bytes - first));
            file.read(tensor, first, values.data(), size);
            sum.add(values.data(), size / sizeof(type));
        }
    });
}

std::string file_digest(const tensor_file& file) {
    const std::optional<std::uint64_t> steps = state_steps(file);
    std::map<digest_place, const tensor_info*> in_order;
    for (const tensor_info& tensor : file.tensors) {
        in_order[place_in_digest(steps.has_value(), tensor.name)] = &tensor;
    }
    digest sum;
    for (const auto& [place, tensor] : in_order) {
        if (place.covered()) {
            add_tensor(sum, file, *tensor);
        }
    }
    if (steps) {
        sum.add_integer(*steps);
    }
    return sum.hex();
}

std::string shown_name(const tensor_info& tensor) { return tensor.name.empty() ? "(unnamed)" : printable(tensor.name); }

std::string form_of(const tensor_info& tensor) { return tensor.dtype + " " + shape_text(tensor.shape); }

std::string shape_text(const std::vector<std::uint64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

} // namespace bitstep::program
