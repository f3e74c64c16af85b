/* Columns are encoded and compressed by threads of their own while the executor records more CTAs. The arrays of a
 * trace are the queue: they grow at their end, and a thread works on the warps that are complete. Growing moves an
 * array, so it waits until no thread is at work on it. */
#include <stdlib.h>
#include "encoder.h"
#include "poise/threads.h"

#define STRANDS_MAX 2
#define BATCH_STEPS 32768u /* so long an executor that has to move an array waits, more or less */

struct strand {
    struct background *all;
    struct encoder encoder;
    pthread_t thread;
};
struct background {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct encoder_source from; /* what follows is under the lock */
    uint64_t n_warps;
    unsigned at_work; /* threads that read the arrays */
    bool is_paused, is_complete, is_over;
    unsigned n;
    struct strand strands[STRANDS_MAX];
};

/* The end of a batch that begins at this warp. */
static uint64_t end_of_batch(const struct encoder_source *from, uint64_t warp, uint64_t end)
{
    const uint64_t first = from->warps[warp].first_step;
    while (warp < end && from->warps[warp].first_step - first < BATCH_STEPS) warp++;
    return warp;
}

static void *run_strand(void *self)
{
    struct strand *s = self;
    struct background *b = s->all;
    pthread_mutex_lock(&b->lock);
    while (!b->is_over) {
        if (b->is_complete && s->encoder.n_warps == b->n_warps) break;
        if (b->is_paused || s->encoder.n_warps == b->n_warps) {
            pthread_cond_wait(&b->changed, &b->lock);
            continue;
        }
        const struct encoder_source from = b->from;
        const uint64_t end = end_of_batch(&from, s->encoder.n_warps, b->n_warps);
        b->at_work++;
        pthread_mutex_unlock(&b->lock);
        encoder_warps(&s->encoder, &from, end);
        pthread_mutex_lock(&b->lock);
        b->at_work--;
        if (b->is_paused) pthread_cond_broadcast(&b->changed);
    }
    const bool is_over = b->is_over;
    pthread_mutex_unlock(&b->lock);
    if (!is_over) encoder_end(&s->encoder);
    return NULL;
}

static void join(struct background *b)
{
    for (unsigned i = 0; i < b->n; i++) pthread_join(b->strands[i].thread, NULL);
    b->n = 0;
}

struct background *background_start(const struct trace *trace, const struct encoder_source *from, unsigned threads)
{
    const unsigned n = threads > STRANDS_MAX ? STRANDS_MAX : threads - 1;
    struct background *b = threads > 1 ? calloc(1, sizeof *b) : NULL;
    if (!b) return NULL;
    bool failed = false;
    b->from = *from;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    for (unsigned i = 0; i < n; i++) {
        const unsigned parts = n == 1 ? ENCODE_ALL : i == 0 ? ENCODE_STEPS : ENCODE_ACCESSES;
        b->strands[i].all = b;
        failed |= encoder_init(&b->strands[i].encoder, trace, parts) < 0;
    }
    while (!failed && b->n < n) {
        failed = thread_start(&b->strands[b->n].thread, run_strand, &b->strands[b->n]) != 0;
        if (!failed) b->n++;
    }
    if (!failed) return b;
    background_free(b);
    return NULL;
}

void background_go_on(struct background *b, const struct encoder_source *from, uint64_t n_warps)
{
    pthread_mutex_lock(&b->lock);
    b->from = *from;
    b->n_warps = n_warps;
    b->is_paused = false;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

void background_pause(struct background *b)
{
    pthread_mutex_lock(&b->lock);
    b->is_paused = true;
    while (b->at_work) pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

int background_pack(struct background *b, struct container_out *out, const struct trace *trace)
{
    struct encoder encoders[STRANDS_MAX];
    const unsigned n = b->n;
    pthread_mutex_lock(&b->lock);
    b->is_complete = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    join(b);
    for (unsigned i = 0; i < n; i++) encoders[i] = b->strands[i].encoder;
    const int result = encoders_pack(out, encoders, n, trace);
    for (unsigned i = 0; i < n; i++) b->strands[i].encoder = encoders[i];
    return result;
}

void background_free(struct background *b)
{
    if (!b) return;
    pthread_mutex_lock(&b->lock);
    b->is_over = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    join(b);
    for (unsigned i = 0; i < STRANDS_MAX; i++) encoder_fini(&b->strands[i].encoder);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}
