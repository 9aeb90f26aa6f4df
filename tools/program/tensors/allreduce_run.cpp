// SPDX-License-Identifier: Apache-2.0
#include "program/tensors/allreduce_run.hpp"

#include "program/errors.hpp"
#include "program/run_choice.hpp"
#include "program/tensors/allreduce_inputs.hpp"
#include "program/tensors/byte_progress.hpp"
#include "program/tensors/safetensors.hpp"
#include "program/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bitstep::program {
namespace {

// Elements [first, first + size) of one tensor, of every worker.
template <class T>
class worker_values {
public:
    worker_values(std::size_t workers, std::size_t capacity) : values_(workers, std::vector<T>(capacity)) {
        for (std::vector<T>& one : values_) {
            pointers_.push_back(one.data());
        }
    }

    void read(const std::vector<worker_file>& workers, const std::string& name, std::uint64_t first, std::size_t size) {
        for (std::size_t i = 0; i < workers.size(); ++i) {
            const tensor_info& tensor = workers[i].by_name.at(name);
            workers[i].file.read(tensor, first * sizeof(T), pointers_[i], size * sizeof(T));
        }
    }

    T* const* pointers() const { return pointers_.data(); }

private:
    std::vector<std::vector<T>> values_;
    std::vector<T*> pointers_;
};

class allreduce_work {
public:
    explicit allreduce_work(const allreduce_plan& plan) : plan_(plan), opts_(plan.library) { opts_.report = &report_; }

    // An empty list of tensors: options and counts are checked before any file is touched.
    void check_options() {
        if (!plan_.counts.empty() && plan_.counts.size() != plan_.inputs.size()) {
            throw input_error(
                fmt::format("--counts: {} numbers for {} inputs", plan_.counts.size(), plan_.inputs.size()));
        }
        require_ok(allreduce_mean<float>(nullptr, 0, plan_.inputs.size(), counts(), opts_));
    }

    // The mean is elementwise: tensors of any size pass through in blocks.
    template <class T>
    void write_mean(const std::vector<worker_file>& workers, const tensor_info& tensor, safetensors_writer& out) {
        const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(plan_.block, tensor.elements));
        worker_values<T> values(workers.size(), most);
        for (std::uint64_t first = 0; first < tensor.elements; first += most) {
            const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(most, tensor.elements - first));
            values.read(workers, tensor.name, first, size);
            mean_into(tensor, values, values.pointers()[0], size);
            out.write(values.pointers()[0], size * sizeof(T));
        }
    }

    // A ring cuts the whole vector into chunks, so here all of it must be in memory.
    template <class T>
    tensor_difference write_ring(const std::vector<worker_file>& workers, const tensor_info& tensor,
                                 safetensors_writer& out) {
        const auto size = static_cast<std::size_t>(tensor.elements);
        worker_values<T> values(workers.size(), size);
        std::vector<T> mean(size);
        if (size != 0) {
            values.read(workers, tensor.name, 0, size);
            mean_into(tensor, values, mean.data(), size);
            require_ok(
                simulate_ring_allreduce<T>(values.pointers(), workers.size(), size, ring_op::mean, values.pointers()),
                shown_name(tensor));
            out.write(values.pointers()[0], size * sizeof(T));
        }
        tensor_difference difference;
        difference.add(values.pointers()[0], mean.data(), size);
        return difference;
    }

    int threads() const { return threads_; }

private:
    const long long* counts() const { return plan_.counts.empty() ? nullptr : plan_.counts.data(); }

    template <class T>
    void mean_into(const tensor_info& tensor, const worker_values<T>& values, T* mean, std::size_t size) {
        const worker_tensor<T> all{nullptr, values.pointers(), mean, size};
        require_ok(allreduce_mean(&all, 1, plan_.inputs.size(), counts(), opts_), shown_name(tensor));
        threads_ = std::max(threads_, report_.threads);
    }

    const allreduce_plan& plan_;
    options opts_;
    run_report report_;
    int threads_ = 1;
};

// Everything but the digest, which is read back from the new file.
void write_output(const allreduce_plan& plan, allreduce_work& work, std::vector<worker_file>& workers,
                  allreduce_outcome& outcome) {
    const std::vector<tensor_info> tensors = output_tensors(workers.front());
    byte_progress shown(workers.front().file.bytes() * workers.size(), plan.show_progress);
    for (worker_file& worker : workers) {
        count_reads(worker.file, shown);
    }
    safetensors_writer out(plan.out, tensors, output_metadata(workers));
    for (const tensor_info& tensor : tensors) {
        const bool f32 = tensor.dtype == "F32";
        if (plan.ring) {
            outcome.ring.push_back({tensor, f32 ? work.write_ring<float>(workers, tensor, out)
                                                : work.write_ring<double>(workers, tensor, out)});
        } else if (f32) {
            work.write_mean<float>(workers, tensor, out);
        } else {
            work.write_mean<double>(workers, tensor, out);
        }
        outcome.f32_tensors += f32 ? 1 : 0;
    }
    out.commit();
    outcome.file_bytes = out.file_bytes();
}

} // namespace

allreduce_outcome run_allreduce(const allreduce_plan& plan) {
    allreduce_work work(plan);
    work.check_options();
    std::vector<worker_file> workers = open_workers(plan.inputs);
    require_replaceable(plan.out);
    allreduce_outcome outcome;
    write_output(plan, work, workers, outcome);
    const tensor_file written = open_safetensors(plan.out);
    outcome.tensors = written.tensors.size();
    outcome.elements = written.elements();
    outcome.digest = file_digest(written);
    outcome.threads = work.threads();
    return outcome;
}

} // namespace bitstep::program
