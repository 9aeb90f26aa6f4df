// SPDX-License-Identifier: Apache-2.0
// The replaced allocation functions; see allocation.hpp.
#include "support/allocation.hpp"

#include "support/sanitizers.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

// Sanitizers replace malloc themselves.
#if defined(__GLIBC__) && !defined(BITSTEP_TEST_THREAD_SANITIZER) && !defined(BITSTEP_TEST_ADDRESS_SANITIZER) &&       \
    !defined(BITSTEP_TEST_MEMORY_SANITIZER)
#define BITSTEP_TEST_REPLACES_MALLOC 1
#endif

namespace bitstep_test {
namespace {

std::atomic<std::size_t> news{0};
std::atomic<std::size_t> mallocs{0};
thread_local std::size_t until_failure = 0;
thread_local bool all_after = false;

/// True where this allocation is the one to fail.
bool fails_now() noexcept {
    if (until_failure == 0) {
        return false;
    }
    --until_failure;
    const bool fails = until_failure == 0;
    if (fails) {
        errno = ENOMEM; // as malloc does
        until_failure = all_after ? 1 : 0;
    }
    return fails;
}

} // namespace

allocation_counts allocations() noexcept { return {news.load(), mallocs.load()}; }

void reset_allocations() noexcept {
    news = 0;
    mallocs = 0;
}

void fail_allocation(std::size_t k) noexcept {
    until_failure = k;
    all_after = false;
}

void fail_allocations_from(std::size_t k) noexcept {
    until_failure = k;
    all_after = true;
}

#if defined(BITSTEP_TEST_REPLACES_MALLOC)
bool mallocs_are_seen() noexcept { return true; }
#else
bool mallocs_are_seen() noexcept { return false; }
#endif

} // namespace bitstep_test

using bitstep_test::fails_now;

#if defined(BITSTEP_TEST_REPLACES_MALLOC)
// glibc's own names for what it does when nobody replaces malloc.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);

void* malloc(std::size_t size) {
    ++bitstep_test::mallocs;
    return fails_now() ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    ++bitstep_test::mallocs;
    return fails_now() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
    ++bitstep_test::mallocs;
    return fails_now() ? nullptr : __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
    ++bitstep_test::mallocs;
    return fails_now() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    *block = memalign(alignment, size);
    return *block == nullptr ? ENOMEM : 0;
}
void free(void* block) { __libc_free(block); }
}
#endif

namespace {

void* take(std::size_t size, std::size_t alignment) noexcept {
    ++bitstep_test::news;
    if (fails_now()) {
        return nullptr;
    }
    size = size == 0 ? 1 : size;
#if defined(BITSTEP_TEST_REPLACES_MALLOC)
    return alignment == 0 ? __libc_malloc(size) : __libc_memalign(alignment, size);
#else
    void* block = nullptr;
    if (alignment == 0) {
        return std::malloc(size);
    }
    return posix_memalign(&block, alignment < sizeof(void*) ? sizeof(void*) : alignment, size) == 0 ? block : nullptr;
#endif
}

void* take_or_throw(std::size_t size, std::size_t alignment) {
    void* block = take(size, alignment);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return block;
}

} // namespace

void* operator new(std::size_t size) { return take_or_throw(size, 0); }
void* operator new[](std::size_t size) { return take_or_throw(size, 0); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size, 0); }
void* operator new(std::size_t size, std::align_val_t to) { return take_or_throw(size, static_cast<std::size_t>(to)); }
void* operator new[](std::size_t size, std::align_val_t to) {
    return take_or_throw(size, static_cast<std::size_t>(to));
}
void* operator new(std::size_t size, std::align_val_t to, const std::nothrow_t&) noexcept {
    return take(size, static_cast<std::size_t>(to));
}
void* operator new[](std::size_t size, std::align_val_t to, const std::nothrow_t&) noexcept {
    return take(size, static_cast<std::size_t>(to));
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
