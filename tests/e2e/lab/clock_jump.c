/* Preloaded: the clock of the wall jumps by days, forwards and back, whenever somebody looks. Monotonic time goes on
 * as it is. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *t);
int clock_gettime(clockid_t id, struct timespec *t)
{
    const int result = (int)syscall(SYS_clock_gettime, id, t);
    if (id == CLOCK_REALTIME) t->tv_sec += (random() % 2000 - 1000) * 86400;
    return result;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    const int result = clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return result;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
