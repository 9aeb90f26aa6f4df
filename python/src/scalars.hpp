// SPDX-License-Identifier: Apache-2.0
// Numbers and options of a call. Only what is meant is taken: no bool for a number, no float for an integer, no text.
#pragma once

#include <bitstep/options.hpp>

#include <nanobind/nanobind.h>

namespace bitstep::python {

namespace nb = nanobind;

/// A Python or NumPy number, or an array of no axes (JAX's schedules give those), as double. TypeError names it. No bool,
/// date, time span or object in an array counts as a number.
double read_number(nb::handle object, const char* name);
/// The same of integers, and anything else with __index__. ValueError where it does not fit.
long long read_integer(nb::handle object, const char* name);

hyper_parameters read_hyper(nb::handle lr, nb::handle beta1, nb::handle beta2, nb::handle eps, nb::handle decay,
                            nb::handle t);
/// threads: None or 1 to 1024. accumulate: "native" or "wide".
options read_options(nb::handle threads, nb::handle accumulate);
options read_options(nb::handle threads);
/// True or False, nothing that only counts as one.
bool read_flag(nb::handle object, const char* name);
/// Which of two words, as its index; no other object is one because it prints like one.
int read_choice(nb::handle object, const char* name, const char* first, const char* second);

} // namespace bitstep::python
