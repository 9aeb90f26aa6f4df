// SPDX-License-Identifier: Apache-2.0
// Marks what the shared library exports; everything else is hidden. For C and C++. While the static library is compiled
// (BITSTEP_STATIC) nothing is marked, so that a plug-in which links it does not export bitstep along with itself.
#pragma once

#if defined(BITSTEP_STATIC)
#define BITSTEP_EXPORT
#elif defined(_WIN32) && defined(bitstep_EXPORTS) // CMake's, while it compiles the shared library
#define BITSTEP_EXPORT __declspec(dllexport)
#elif defined(_WIN32) // functions alone are exported: linkers find those without dllimport
#define BITSTEP_EXPORT
#else
#define BITSTEP_EXPORT __attribute__((visibility("default")))
#endif
