// SPDX-License-Identifier: Apache-2.0
// A thread sanitizer that knows nothing of the OpenMP runtime's locks and barriers reports races where there are none;
// one that is not there reports none where there are. `seeded_race ordered` has none, `seeded_race race` has one.
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
    const bool race = argc == 2 && std::strcmp(argv[1], "race") == 0;
    int sum = 0;
    int last = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp critical
        sum += 1;
#pragma omp barrier
        if (race) {
            last = sum; // every thread writes it, in no order
        } else {
#pragma omp single
            last = sum;
        }
    }
    std::printf("%d %d\n", sum, last);
    return 0;
}
