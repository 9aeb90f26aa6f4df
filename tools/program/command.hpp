// SPDX-License-Identifier: Apache-2.0
// A subcommand as main() sees it: add_<name>() declares its options and, if the command line names it, stores what to run.
#pragma once

#include "program/errors.hpp"

#include <functional>

namespace CLI {
class App;
}

namespace bitstep::program {

using command = std::function<exit_code()>;

} // namespace bitstep::program
