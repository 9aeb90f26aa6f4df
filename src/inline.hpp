// SPDX-License-Identifier: Apache-2.0
// Compiler attributes. BITSTEP_INLINE, and behind the parameters of a lambda BITSTEP_INLINE_LAMBDA, keep
// small arithmetic out of the symbol table at every optimisation level.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer) || __has_feature(thread_sanitizer)
#define BITSTEP_SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BITSTEP_SANITIZED 1
#endif

#if defined(BITSTEP_SANITIZED)
// Instrumented and inlined without limit, one kernel file took GCC seven minutes and 1.5 GB.
#define BITSTEP_INLINE inline __attribute__((unused))
#define BITSTEP_INLINE_LAMBDA
#else
#define BITSTEP_INLINE inline __attribute__((always_inline, unused))
#define BITSTEP_INLINE_LAMBDA __attribute__((always_inline))
#endif
