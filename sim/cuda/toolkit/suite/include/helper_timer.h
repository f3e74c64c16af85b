/* The stop watches of the samples' helper_timer.h. */
#ifndef POISE_SUITE_HELPER_TIMER_H
#define POISE_SUITE_HELPER_TIMER_H
#include <stdlib.h>
#include <time.h>

struct StopWatchInterface {
    double started, total;
    int sessions;
    bool is_running;
};
static inline double poise_now_ms()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}
static inline bool sdkCreateTimer(StopWatchInterface **out)
{
    *out = (StopWatchInterface *)calloc(1, sizeof **out);
    return *out != NULL;
}
static inline bool sdkDeleteTimer(StopWatchInterface **timer)
{
    free(*timer);
    *timer = NULL;
    return true;
}
static inline bool sdkStartTimer(StopWatchInterface **timer)
{
    (*timer)->started = poise_now_ms();
    (*timer)->is_running = true;
    return true;
}
static inline bool sdkStopTimer(StopWatchInterface **timer)
{
    (*timer)->total += poise_now_ms() - (*timer)->started;
    (*timer)->sessions++;
    (*timer)->is_running = false;
    return true;
}
static inline bool sdkResetTimer(StopWatchInterface **timer)
{
    (*timer)->total = 0;
    (*timer)->sessions = 0;
    (*timer)->started = poise_now_ms();
    return true;
}
static inline float sdkGetTimerValue(StopWatchInterface **timer)
{
    return (float)((*timer)->total + ((*timer)->is_running ? poise_now_ms() - (*timer)->started : 0));
}
static inline float sdkGetAverageTimerValue(StopWatchInterface **timer)
{
    return (*timer)->sessions ? (float)((*timer)->total / (*timer)->sessions) : 0;
}
#endif
