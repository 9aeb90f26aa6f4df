// SPDX-License-Identifier: Apache-2.0
// What makes a safetensors file a state of `bitstep train`. train/state_file writes and reads states; here is only what
// `compare`, which takes any file of tensors, has to know of them as well.
#pragma once

#include "program/tensors/safetensors.hpp"

#include <array>

namespace bitstep::program {

/// The key of the metadata that makes a file a state; its value is the version of the layout.
inline constexpr const char* state_marker = "bitstep_state";

/// Its tensors, in the order of the file and of the digest.
inline constexpr std::array<const char*, 4> state_tensors = {"weights", "ema_weights", "m", "v"};

/// Whether the file means to be a state. Whether it is a whole one is for its reader to check.
inline bool is_state(const tensor_metadata& metadata) { return metadata.count(state_marker) != 0; }
inline bool is_state(const safetensors_header& header) { return is_state(header.metadata); }

} // namespace bitstep::program
