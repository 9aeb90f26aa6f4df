// SPDX-License-Identifier: Apache-2.0
#include "program/tensors/allreduce_inputs.hpp"

#include "program/errors.hpp"
#include "program/tensors/state_layout.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace bitstep::program {
namespace {

constexpr std::size_t most_faults = 10;

// All faults in one line, each file named once: "b.safetensors: lacks w2; w1 is ...; c.safetensors: ...".
class fault_list {
public:
    void add(const worker_file& worker, const std::string& fault) {
        if (++count_ > most_faults) {
            return;
        }
        text_ += text_.empty() ? "" : "; ";
        if (last_ != &worker) {
            text_ += printable_path(worker.file.path) + ": ";
            last_ = &worker;
        }
        text_ += fault;
    }

    void throw_if_any() const {
        if (count_ != 0) {
            throw input_error(count_ <= most_faults ? text_
                                                    : fmt::format("{}; and {} more", text_, count_ - most_faults));
        }
    }

private:
    const worker_file* last_ = nullptr;
    std::size_t count_ = 0;
    std::string text_;
};

void check_types(const worker_file& worker, fault_list& faults) {
    for (const auto& [name, tensor] : worker.by_name) {
        if (tensor.dtype != "F32" && tensor.dtype != "F64") {
            faults.add(worker,
                       fmt::format("{} is {}, only F32 and F64 are averaged", shown_name(tensor), tensor.dtype));
        }
    }
}

void check_against(const worker_file& first, const worker_file& worker, fault_list& faults) {
    const std::string first_path = printable_path(first.file.path);
    for (const auto& [name, expected] : first.by_name) {
        const auto found = worker.by_name.find(name);
        if (found == worker.by_name.end()) {
            faults.add(worker, "lacks " + shown_name(expected));
        } else if (found->second.dtype != expected.dtype || found->second.shape != expected.shape) {
            faults.add(worker, fmt::format("{} is {}, {} has {}", shown_name(expected), form_of(found->second),
                                           first_path, form_of(expected)));
        }
    }
    for (const auto& [name, tensor] : worker.by_name) {
        if (first.by_name.count(name) == 0) {
            faults.add(worker, fmt::format("has {}, the first input does not", shown_name(tensor)));
        }
    }
}

} // namespace

std::vector<worker_file> open_workers(const std::vector<std::string>& paths) {
    std::vector<worker_file> workers;
    for (const std::string& path : paths) {
        workers.push_back({open_safetensors(path), {}});
        for (const tensor_info& tensor : workers.back().file.tensors) {
            workers.back().by_name[tensor.name] = tensor;
        }
    }
    fault_list faults;
    check_types(workers.front(), faults);
    for (std::size_t i = 1; i < workers.size(); ++i) {
        check_against(workers.front(), workers[i], faults);
    }
    faults.throw_if_any();
    return workers;
}

std::vector<tensor_info> output_tensors(const worker_file& any) {
    std::vector<tensor_info> tensors;
    for (const auto& [name, tensor] : any.by_name) {
        tensors.push_back(tensor);
    }
    const auto large_first = [](const tensor_info& a, const tensor_info& b) { return a.dtype > b.dtype; }; // F64, F32
    std::stable_sort(tensors.begin(), tensors.end(), large_first);
    return tensors;
}

tensor_metadata output_metadata(const std::vector<worker_file>& workers) {
    const auto format_of = [](const worker_file& worker) {
        const auto found = worker.file.metadata.find("format");
        return found == worker.file.metadata.end() ? std::nullopt : std::optional(found->second);
    };
    const std::optional<std::string> common = format_of(workers.front());
    const bool same = std::all_of(workers.begin(), workers.end(),
                                  [&](const worker_file& worker) { return format_of(worker) == common; });
    return common && same ? tensor_metadata{{"format", *common}} : tensor_metadata{};
}

void require_replaceable(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
        return; // nothing there, or what replacing_file refuses
    }
    bool is_a_state = false;
    try {
        is_a_state = is_state(open_safetensors(path).metadata);
    } catch (const input_error& error) {
        throw input_error(
            fmt::format("{}; it exists and is no safetensors file, so it is not overwritten", error.what()));
    }
    if (is_a_state) { // OUT forgotten, most likely
        throw input_error(fmt::format("{}: is a state of bitstep train, which the mean would not be, so it is not "
                                      "overwritten",
                                      printable_path(path)));
    }
}

} // namespace bitstep::program
