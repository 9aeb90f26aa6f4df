// SPDX-License-Identifier: Apache-2.0
#include "numpy_fields.hpp"
#include "verbs.hpp"

#include <bitstep/info.hpp>

#include <utility>

namespace nb = nanobind;

namespace {

/// Defines `name` so that it takes anything for each argument, None too: the functions say themselves what they refuse.
template <class Result, class... Arguments>
void define(nb::module_& module, const char* name, Result (*function)(Arguments...)) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        module.def(name, function, (static_cast<void>(I), nb::arg().none())...);
    }
    (std::index_sequence_for<Arguments...>{});
}

} // namespace

NB_MODULE(_core, module) {
    namespace python = bitstep::python;
    python::load_numpy();
    python::look_at_numpy_fields();
    module.doc() = "The compiled part of bitstep; bitstep/__init__.py is its interface.";
    define(module, "distributed_step", &python::distributed_step);
    define(module, "adam_ema_update", &python::adam_ema_update);
    define(module, "predict", &python::predict);
    define(module, "residual", &python::residual);
    define(module, "gradient", &python::gradient);
    define(module, "ddp_allreduce_average_grads", &python::mean);
    define(module, "simulate_ring_allreduce", &python::ring);
    define(module, "info", &python::info);
    module.def("version", &bitstep::version);
}
