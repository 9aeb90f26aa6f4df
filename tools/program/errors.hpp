// SPDX-License-Identifier: Apache-2.0
// How the program ends: its exit codes, and the exception that means "the person or the data, not the program".
#pragma once

#include <stdexcept>

namespace bitstep::program {

enum class exit_code : int {
    done = 0,
    difference = 1,     ///< verify or compare found two results that differ, or verify had nothing to compare
    bad_input = 2,      ///< the command line, the environment or a file
    internal_error = 3, ///< all else
};

/// Its text is one line for people, without the program's name; main() prints it and returns bad_input.
class input_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace bitstep::program
