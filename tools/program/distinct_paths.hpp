// SPDX-License-Identifier: Apache-2.0
// Two outputs that are one file would destroy each other; an output that is an input would destroy that.
#pragma once

#include <string>
#include <vector>

namespace bitstep::program {

struct named_path {
    std::string name; ///< of the option or argument
    std::string path; ///< empty: not given
};

/// input_error where two of them lead to one file, links followed, whether it exists or not.
void require_distinct(const std::vector<named_path>& paths);

} // namespace bitstep::program
