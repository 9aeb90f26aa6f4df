// SPDX-License-Identifier: Apache-2.0
// The files that `allreduce` averages: opened, proved to hold the same tensors, and put in the order of the output.
#pragma once

#include "program/tensors/tensor_file.hpp"

#include <map>
#include <string>
#include <vector>

namespace bitstep::program {

struct worker_file {
    tensor_file file;
    std::map<std::string, tensor_info> by_name;
};

/// input_error in one line that lists, up to a limit, what is missing, extra or of another form than in the first file,
/// or is neither F32 nor F64.
std::vector<worker_file> open_workers(const std::vector<std::string>& paths);

/// The tensors of the output: large elements first, so that all data are aligned, then by name. The order does not depend
/// on that of the inputs.
std::vector<tensor_info> output_tensors(const worker_file& any);

/// "format", where all inputs have the same.
tensor_metadata output_metadata(const std::vector<worker_file>& workers);

/// input_error where there is a file at `path` that is no safetensors file: arguments in the wrong order must not destroy
/// it.
void require_replaceable(const std::string& path);

} // namespace bitstep::program
