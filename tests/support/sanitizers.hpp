// SPDX-License-Identifier: Apache-2.0
// Which sanitizer this was compiled with, if any, by GCC's names and Clang's.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define BITSTEP_TEST_THREAD_SANITIZER 1
#elif defined(__SANITIZE_ADDRESS__)
#define BITSTEP_TEST_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BITSTEP_TEST_THREAD_SANITIZER 1
#elif __has_feature(address_sanitizer)
#define BITSTEP_TEST_ADDRESS_SANITIZER 1
#elif __has_feature(memory_sanitizer)
#define BITSTEP_TEST_MEMORY_SANITIZER 1
#endif
#endif
