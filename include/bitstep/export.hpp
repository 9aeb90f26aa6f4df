// SPDX-License-Identifier: Apache-2.0
// Marks what the shared library exports; everything else is hidden.
#pragma once

#if defined(_WIN32)
#define BITSTEP_EXPORT
#else
#define BITSTEP_EXPORT __attribute__((visibility("default")))
#endif
