/* SPDX-License-Identifier: MIT */
/* The distances between the bytes that choose, from the numbers that may come. */
#include "record/preload/sampling.c"

#include <math.h>
#include <stdio.h>

/* What of the recorder isn't here. */
bool ticks_of_processor;
uint64_t clock_nanoseconds(void) { return 1; }
void count_missed(void) {}
void start_recorder(void) {}

static double worst_error(void) {
    double worst = 0;
    for (double x = 1; x > 1e-16; x *= 0.9999) {
        const double error = fabs(ln_of(x) - log(x));
        if (error > worst) worst = error;
    }
    return worst;
}

int main(void) {
    start_sampling(1000);
    const uint64_t shortest = distance_of(UINT64_MAX), longest = distance_of(0);
    const double error = worst_error();
    printf("from %llu to %llu bytes; the logarithm is off by %g\n", (unsigned long long)shortest,
           (unsigned long long)longest, error);
    return shortest == 1 && longest == 36737 && error < 1e-7 ? 0 : 1;
}
