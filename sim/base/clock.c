#include "poise/clock.h"

#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
double clock_s(void) { return seconds(CLOCK_MONOTONIC); }
double thread_cpu_s(void) { return seconds(CLOCK_THREAD_CPUTIME_ID); }
