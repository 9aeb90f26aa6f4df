// SPDX-License-Identifier: Apache-2.0
// bitstep: one data-parallel training step on the CPU, with the same bits on every machine.
// This header is the whole C++ interface; each verb has a header of its own.
#pragma once

#include <bitstep/adam_ema_update.hpp>
#include <bitstep/allreduce_mean.hpp>
#include <bitstep/distributed_step.hpp>
#include <bitstep/gradient.hpp>
#include <bitstep/info.hpp>
#include <bitstep/options.hpp>
#include <bitstep/predict.hpp>
#include <bitstep/residual.hpp>
#include <bitstep/simulate_ring_allreduce.hpp>
#include <bitstep/status.hpp>
#include <bitstep/views.hpp>

/// The whole C++ interface: templates on T = float and double, compiled into the library. Nothing is kept between calls
/// but the environment variables, read once; nothing is printed, thrown or aborted; a call that fails has changed nothing and says why in its status.
namespace bitstep {}
