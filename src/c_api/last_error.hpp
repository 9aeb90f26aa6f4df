// SPDX-License-Identifier: Apache-2.0
// The C interface's side of a status: the code goes back as a number, the text stays with the thread.
#pragma once

#include <bitstep/bitstep.h>
#include <bitstep/status.hpp>

namespace bitstep::c_api {

/// The last thing every C call does that returns a status: remembers the text (or that there is none) and gives the code.
bitstep_status finish(const status& result) noexcept;

} // namespace bitstep::c_api
