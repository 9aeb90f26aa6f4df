// SPDX-License-Identifier: Apache-2.0
// The quick way into a NumPy array, for dictionaries of thousands of small ones.
#pragma once

#include "arrays.hpp"

namespace bitstep::python {

/// Once, after load_numpy(): whether fields lie where they are expected. Makes two arrays.
void look_at_numpy_fields();

/// The fields of an exact numpy.ndarray of this machine's float32 or float64, read where they lie: 10 ns, where a buffer
/// takes 130 ns. False, and nothing done, for every other array, which the buffer protocol then takes or refuses.
bool read_numpy_fields(nb::handle object, array& out);

} // namespace bitstep::python
