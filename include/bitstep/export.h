// SPDX-License-Identifier: Apache-2.0
// Marks what the shared library exports; everything else is hidden. For C and C++.
#pragma once

#if defined(_WIN32) && defined(bitstep_EXPORTS) // CMake's, while it compiles the shared library
#define BITSTEP_EXPORT __declspec(dllexport)
#elif defined(_WIN32) // functions alone are exported: linkers find those without dllimport
#define BITSTEP_EXPORT
#else
#define BITSTEP_EXPORT __attribute__((visibility("default")))
#endif
