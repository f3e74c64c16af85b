#include "poise/threads.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include "poise/number.h"

static unsigned processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0) return 1;
    const int n = CPU_COUNT(&set);
    return n < 1 ? 1 : (unsigned)n;
}

int host_threads(unsigned *n, bool *is_asked, struct error *err)
{
    const char *own = getenv("POISE_THREADS"), *openmp = getenv("OMP_NUM_THREADS");
    const bool is_own = own && *own;
    uint64_t value = 0;
    if (is_asked) *is_asked = is_own;
    if (is_own) {
        if (!whole_parse(own, 0, HOST_THREADS_MAX, &value))
            return error_set(err, ERR_INPUT, "POISE_THREADS = %s is not a whole number up to %u", own,
                             HOST_THREADS_MAX);
    } else if (openmp) {
        const char *end = whole_scan(openmp, &value);
        if (!end || (*end && *end != ',')) value = 0;
    }
    if (value == 0) value = processors();
    *n = value > HOST_THREADS_MAX ? HOST_THREADS_MAX : (unsigned)value;
    return 0;
}

int thread_start(pthread_t *thread, void *(*work)(void *self), void *self)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(thread, NULL, work, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

struct share {
    void (*work)(void *self, unsigned index);
    void *self;
    unsigned index;
    pthread_t thread;
    int failed;
};

static void *run_share(void *self)
{
    struct share *s = self;
    s->work(s->self, s->index);
    return NULL;
}

void threads_run(unsigned n, void (*work)(void *self, unsigned index), void *self)
{
    struct share shares[HOST_THREADS_MAX];
    if (n > HOST_THREADS_MAX) n = HOST_THREADS_MAX;
    for (unsigned i = 1; i < n; i++) {
        shares[i] = (struct share){.work = work, .self = self, .index = i};
        shares[i].failed = thread_start(&shares[i].thread, run_share, &shares[i]);
    }
    work(self, 0);
    for (unsigned i = 1; i < n; i++) {
        if (shares[i].failed) run_share(&shares[i]);
        else pthread_join(shares[i].thread, NULL);
    }
}
