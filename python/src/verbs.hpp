// SPDX-License-Identifier: Apache-2.0
// The functions of the module _core: all arguments in order, all of them objects. bitstep/__init__.py has the names,
// defaults and documentation.
#pragma once

#include <nanobind/nanobind.h>

namespace bitstep::python {

namespace nb = nanobind;

nb::object distributed_step(nb::handle worker_xs, nb::handle worker_ys, nb::handle weights, nb::handle ema_weights,
                            nb::handle m, nb::handle v, nb::handle lr, nb::handle beta1, nb::handle beta2,
                            nb::handle eps, nb::handle decay, nb::handle t, nb::handle threads, nb::handle accumulate);
void adam_ema_update(nb::handle grad, nb::handle weights, nb::handle ema_weights, nb::handle m, nb::handle v,
                     nb::handle lr, nb::handle beta1, nb::handle beta2, nb::handle eps, nb::handle decay, nb::handle t,
                     nb::handle threads, nb::handle check_state);
nb::object predict(nb::handle X, nb::handle w, nb::handle threads, nb::handle accumulate);
nb::object residual(nb::handle X, nb::handle y, nb::handle w, nb::handle threads, nb::handle accumulate);
nb::object gradient(nb::handle X, nb::handle y, nb::handle w, nb::handle threads, nb::handle accumulate);
nb::object mean(nb::handle worker_grads, nb::handle counts, nb::handle threads, nb::handle accumulate);
nb::object ring(nb::handle worker_vectors, nb::handle op, nb::handle trace);
nb::object info();

} // namespace bitstep::python
