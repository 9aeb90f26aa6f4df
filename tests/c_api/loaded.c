/* SPDX-License-Identifier: Apache-2.0
 * Proves: a program in C may dlopen the shared library, call it with a team of two, and dlclose it, many times, while
 * OpenMP's idle threads live on; and where memory is short the answer is BITSTEP_OUT_OF_MEMORY, in the loading thread and in
 * a new one, not the loader's abort. Neither C++'s runtime nor bitstep is linked to this program: only then is the
 * thread-local storage of both allocated at its first use. */
#define _GNU_SOURCE
#include <bitstep/bitstep.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__GLIBC__)
#define CAN_FAIL 1
#else
#define CAN_FAIL 0
#endif

#define SKIPPED 77

typedef bitstep_status (*gradient_function)(const bitstep_row_sequence_f32*, const float*, float*, float*,
                                            const bitstep_options*, const bitstep_workspace*);
typedef const char* (*text_function)(void);

enum { rows_count = 4096, features = 64 };
static float x[rows_count * features], y[rows_count], w[features], grad[features];

struct library {
    void* handle;
    gradient_function gradient;
    text_function last_error;
};

/* Any pointer to a function, from dlsym; ISO C has no cast for it. */
static int load_symbol(void* handle, const char* name, void* function) {
    void* symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static int load(const char* path, struct library* library) {
    library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library->handle == NULL) {
        printf("%s\n", dlerror());
        return 0;
    }
    return load_symbol(library->handle, "bitstep_gradient_f32", &library->gradient) &&
           load_symbol(library->handle, "bitstep_last_error", &library->last_error);
}

static bitstep_status call(const struct library* library, int threads) {
    const bitstep_shard_f32 shard = {x, y, rows_count, features};
    const bitstep_row_sequence_f32 rows = {&shard, 1, features};
    bitstep_options options = BITSTEP_OPTIONS_INIT;
    options.threads = threads;
    options.serial_below_bytes = 0;
    return library->gradient(&rows, w, grad, NULL, &options, NULL);
}

/* X all ones, y all -1, w zero: the gradient is 2 in every element. */
static void fill(void) {
    size_t i;
    for (i = 0; i < sizeof x / sizeof *x; ++i) x[i] = 1;
    for (i = 0; i < sizeof y / sizeof *y; ++i) y[i] = -1;
}

static int unload(const char* path) {
    const struct timespec a_while = {0, 200000000};
    int i;
    for (i = 0; i < 5; ++i) {
        struct library library;
        grad[features - 1] = 0;
        if (!load(path, &library) || call(&library, 2) != BITSTEP_OK || grad[features - 1] != 2) return 1;
        if (dlclose(library.handle) != 0) return 2;
    }
    nanosleep(&a_while, NULL); /* the team's threads wake and fall asleep in OpenMP's library */
    return 0;
}

#if CAN_FAIL
static volatile int failing;
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);
void* malloc(size_t size) { return failing ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return failing ? NULL : __libc_calloc(count, size); }
void* memalign(size_t alignment, size_t size) { return failing ? NULL : __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

/* null where the call did as it should. */
static void* call_without_memory(void* argument) {
    const struct library* library = argument;
    bitstep_status status;
    float before[features];
    memset(before, 7, sizeof before);
    memcpy(grad, before, sizeof grad);
    failing = 1;
    status = call(library, 1);
    failing = 0;
    if (status != BITSTEP_OUT_OF_MEMORY || memcmp(grad, before, sizeof grad) != 0) {
        printf("status %d, text \"%s\", gradient %g\n", (int)status, library->last_error(), (double)grad[0]);
        return argument;
    }
    return NULL;
}
#endif

static int without_memory(const char* path) {
#if CAN_FAIL
    struct library library;
    pthread_t thread;
    void* wrong = NULL;
    if (!load(path, &library)) return 1;
    if (library.gradient(NULL, w, grad, NULL, NULL, NULL) != BITSTEP_NULL_POINTER) return 2; /* a text to keep */
    if (call_without_memory(&library) != NULL) return 3;
    if (strstr(library.last_error(), "could not allocate") == NULL) return 4;
    if (pthread_create(&thread, NULL, call_without_memory, &library) != 0) return 5;
    pthread_join(thread, &wrong);
    if (wrong != NULL) return 6;
    return call(&library, 1) == BITSTEP_OK ? 0 : 7;
#else
    (void)path;
    return SKIPPED;
#endif
}

int main(int count, char** arguments) {
    if (count != 3) return SKIPPED + 1;
    fill();
    return strcmp(arguments[1], "unload") == 0 ? unload(arguments[2]) : without_memory(arguments[2]);
}
