/* Rank 0's sign of life, by a thread of its own: rank 0 may fit a model or write its store for minutes without a word
 * to the others, and must not be taken for dead by them. The others listen all the time (runner_worker.c), and count
 * the silence. */
#include "runner/mpi_library.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include "runner/runner_mpi.h"

struct beat {
    struct ranks *r;
    pthread_t thread;
    pthread_mutex_t lock; /* of is_over */
    pthread_cond_t ended;
    bool is_over;
    MPI_Request *sent; /* by rank: the last beat, which may still be on its way */
};

static const char nothing[] = " ";

/* Whoever has not taken the last one gets no other: nothing piles up in front of a rank that stands still. */
static void beat_all(struct beat *b)
{
    pthread_mutex_lock(&b->r->lock);
    for (int i = 1; i < b->r->size; i++) {
        int is_sent = 1;
        if (b->sent[i] != mpi.no_request) mpi.Test(&b->sent[i], &is_sent, MPI_STATUS_IGNORE);
        if (is_sent) mpi.Isend(nothing, 1, mpi.bytes, i, TAG_BEAT, mpi.world, &b->sent[i]);
    }
    pthread_mutex_unlock(&b->r->lock);
}

/* False when it is over. */
static bool wait_a_while(struct beat *b)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double pause_s = b->r->timeout_s / 8 < BEAT_S ? b->r->timeout_s / 8 : BEAT_S,
                 at = (double)until.tv_nsec + 1e9 * pause_s;
    until.tv_sec += (time_t)(at / 1e9);
    until.tv_nsec = (long)(at - 1e9 * (double)(time_t)(at / 1e9));
    pthread_mutex_lock(&b->lock);
    while (!b->is_over && pthread_cond_timedwait(&b->ended, &b->lock, &until) == 0) continue;
    const bool goes_on = !b->is_over;
    pthread_mutex_unlock(&b->lock);
    return goes_on;
}

static void *run(void *beat)
{
    while (wait_a_while(beat)) beat_all(beat);
    return NULL;
}

struct beat *beat_begin(struct ranks *r)
{
    struct beat *b = calloc(1, sizeof *b);
    pthread_condattr_t monotonic;
    sigset_t all, before;
    if (!b || !(b->sent = malloc((size_t)r->size * sizeof *b->sent))) {
        free(b);
        return NULL;
    }
    b->r = r;
    for (int i = 0; i < r->size; i++) b->sent[i] = mpi.no_request;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&b->thread, NULL, run, b);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed) return b;
    free(b->sent);
    free(b);
    return NULL;
}

void beat_end(struct beat *b)
{
    if (!b) return;
    pthread_mutex_lock(&b->lock);
    b->is_over = true;
    pthread_cond_signal(&b->ended);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
    for (int i = 1; i < b->r->size; i++) { /* to a rank that is lost */
        int is_sent = 1;
        if (b->sent[i] != mpi.no_request) mpi.Test(&b->sent[i], &is_sent, MPI_STATUS_IGNORE);
        if (is_sent) continue;
        mpi.Cancel(&b->sent[i]);
        mpi.Request_free(&b->sent[i]);
    }
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->ended);
    free(b->sent);
    free(b);
}
