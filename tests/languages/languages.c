/* SPDX-License-Identifier: Apache-2.0
 * The lines of languages.cpp from C99, through <bitstep/bitstep.h>. What is computed: shapes.txt.
 *     languages_c shapes.txt THREADS */
#include <bitstep/bitstep.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    size_t workers, micro_batches, examples, features, gap, rows;
} shape;

static uint64_t generator; /* SplitMix64 */
static uint64_t next_number(void) {
    uint64_t z = generator += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static uint64_t hash_bytes(uint64_t bits, size_t size, uint64_t all) { /* FNV-1a */
    size_t i;
    for (i = 0; i < size; ++i) all = (all ^ ((bits >> 8 * i) & 0xFF)) * 0x100000001B3u;
    return all;
}

static void require(bitstep_status done) {
    if (done == BITSTEP_OK) return;
    fprintf(stderr, "%s\n", bitstep_last_error());
    exit(2);
}

static void* room_for(size_t count, size_t size) {
    void* found = calloc(count, size);
    if (found == NULL) exit(3);
    return found;
}

static void write_line(const shape* of, const char* type, const char* mode, const char* verb, uint64_t hash) {
    printf("%zux%zux%zux%zu+%zu %s %s %s %016llx\n", of->workers, of->micro_batches, of->examples, of->features,
           of->gap, type, mode, verb, (unsigned long long)hash);
}

/* Both types from one text, as C has no templates. */
#define T float
#define BITS uint32_t
#define DIGITS 24
#define OF(name) bitstep_##name##_f32
#define LOCAL(name) name##_float
#define TYPE_NAME "float"
#include "languages_of_type.h"
#undef T
#undef BITS
#undef DIGITS
#undef OF
#undef LOCAL
#undef TYPE_NAME
#define T double
#define BITS uint64_t
#define DIGITS 53
#define OF(name) bitstep_##name##_f64
#define LOCAL(name) name##_double
#define TYPE_NAME "double"
#include "languages_of_type.h"

int main(int count, char** arguments) {
    FILE* file = count == 3 ? fopen(arguments[1], "r") : NULL;
    char text[512];
    uint64_t number = 0;
    if (file == NULL) {
        fprintf(stderr, "usage: %s shapes.txt THREADS\n", arguments[0]);
        return 2;
    }
    while (fgets(text, sizeof text, file) != NULL) {
        shape of;
        if (sscanf(text, "%zu %zu %zu %zu %zu", &of.workers, &of.micro_batches, &of.examples, &of.features, &of.gap) !=
            5)
            continue;
        of.rows = of.workers * of.micro_batches * of.examples;
        write_lines_float(&of, number, atoi(arguments[2]));
        write_lines_double(&of, number, atoi(arguments[2]));
        ++number;
    }
    return fclose(file);
}
