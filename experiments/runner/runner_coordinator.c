/* Rank 0 of a sweep over MPI ranks: gives out the runs of a batch and takes their results.
 *
 * Runs go out longest first, as many to a rank as it has threads and some more, so that nobody waits for an answer.
 * A rank that has runs and is not heard of for RANK_TIMEOUT_S (environment: POISE_RANK_TIMEOUT, seconds) is lost:
 * its runs are given out again. That helps where the launcher lets the others live (Open MPI: mpirun
 * --enable-recovery); elsewhere the job ends, and the same command goes on from what is stored. The others watch
 * rank 0 in the same way (runner_beat.c, runner_worker.c). */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "runner/runner_message.h"
#include "runner/runner_mpi.h"

static unsigned threads_of(const struct ranks *r, int rank, unsigned most)
{
    return most && most < r->peers[rank].threads ? most : r->peers[rank].threads;
}

unsigned ranks_threads(const struct ranks *r, unsigned most)
{
    unsigned n = 0;
    for (int i = 1; i < r->size; i++) n += threads_of(r, i, most);
    return n;
}

struct coordination {
    struct ranks *r;
    struct batch *b;
    const struct gpu_params **configs; /* of this batch, by number */
    size_t n_configs;
    uint32_t *config_of; /* by position in `missing` */
    int *owner;          /* the rank that has it; 0: nobody; -1: done */
    size_t *again, n_again, n_out;
};

static int number_configs(struct coordination *c, struct error *err)
{
    const size_t n = c->b->n_missing;
    c->configs = calloc(n + 1, sizeof *c->configs);
    c->config_of = calloc(n + 1, sizeof *c->config_of);
    c->owner = calloc(n + 1, sizeof *c->owner);
    c->again = calloc(n + 1, sizeof *c->again);
    if (!c->configs || !c->config_of || !c->owner || !c->again)
        return error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
    for (size_t k = 0; k < n; k++) {
        const struct gpu_params *params = c->b->jobs[c->b->missing[k]].params;
        size_t i = c->n_configs;
        while (i > 0 && c->configs[i - 1] != params) i--;
        if (i == 0) c->configs[c->n_configs++] = params;
        c->config_of[k] = (uint32_t)(i ? i - 1 : c->n_configs - 1);
    }
    return 0;
}

/* The next run to give out: one that a lost rank had, which gets a process of its own, or one that nobody has in
 * hand. */
static bool find_work(struct coordination *c, size_t *k)
{
    if (batch_is_stopped(c->b)) return false;
    if (c->n_again == 0) return batch_next(c->b, k) == TURN_RUN;
    *k = c->again[--c->n_again];
    return true;
}

static int give(struct coordination *c, int rank, size_t k, struct error *err)
{
    struct peer *peer = &c->r->peers[rank];
    const struct run_job *job = &c->b->jobs[c->b->missing[k]];
    while (peer->n_configs <= c->config_of[k]) { /* in order, so that its numbers are ours */
        json_t *json = gpu_params_json(c->configs[peer->n_configs]);
        char *text = json_dumps(json, JSON_COMPACT);
        json_decref(json);
        if (mail_post_text(c->r, rank, TAG_CONFIG, text, err) < 0) return -1;
        peer->n_configs++;
    }
    c->owner[k] = rank;
    c->n_out++;
    if (peer->n_out++ == 0) peer->heard = clock_s();
    return mail_post_text(c->r, rank, TAG_RUN, message_run(job, c->r->batch, k, c->config_of[k]), err);
}

/* As many as it has threads, and an eighth more that wait there. */
static int fill(struct coordination *c, int rank, struct error *err)
{
    const unsigned threads = threads_of(c->r, rank, c->b->runner->threads_asked);
    size_t k;
    while (!c->r->peers[rank].is_lost && !c->r->peers[rank].is_stopped &&
           c->r->peers[rank].n_out < threads + threads / 8 + 1 && find_work(c, &k))
        if (give(c, rank, k, err) < 0) return -1;
    return 0;
}

static void accept_result(struct coordination *c, int rank, const char *data, size_t size)
{
    struct result_head head;
    if (size < sizeof head) return;
    memcpy(&head, data, sizeof head);
    if (head.batch != c->r->batch || head.number >= c->b->n_missing) return;
    if (c->r->peers[rank].n_out) c->r->peers[rank].n_out--, c->n_out--;
    if (c->owner[head.number] == -1) return; /* late: somebody else was quicker */
    const size_t job = c->b->missing[head.number];
    struct run_result *result = &c->b->jobs[job].result;
    memset(&result->err, 0, sizeof result->err);
    result_unpack(result, data + sizeof head, size - sizeof head);
    if (result->err.code == ERR_INTERRUPTED) { /* it was not begun */
        c->owner[head.number] = 0;
        c->again[c->n_again++] = head.number;
        memset(&result->err, 0, sizeof result->err);
        c->r->peers[rank].is_stopped = true;
        return;
    }
    c->owner[head.number] = -1;
    c->r->load.runs++;
    batch_finish(c->b, job, head.seconds);
}

static void look_for_lost(struct coordination *c, double now)
{
    for (int i = 1; i < c->r->size; i++) {
        struct peer *peer = &c->r->peers[i];
        if (peer->is_lost || peer->n_out == 0 || now - peer->heard < c->r->timeout_s) continue;
        peer->is_lost = true;
        c->r->load.lost++;
        for (size_t k = 0; k < c->b->n_missing; k++)
            if (c->owner[k] == i) { /* perhaps it is what ended the rank */
                c->owner[k] = 0, c->again[c->n_again++] = k;
                c->b->jobs[c->b->missing[k]].is_isolated = true;
            }
        c->n_out -= peer->n_out;
        peer->n_out = 0;
        if (c->b->runner->options.progress)
            fprintf(c->b->runner->options.progress,
                    "\nrank %d has not been heard of for %g s: its runs are given out again\n", i, c->r->timeout_s);
    }
}

static bool all_lost(const struct ranks *r)
{
    for (int i = 1; i < r->size; i++)
        if (!r->peers[i].is_lost && !r->peers[i].is_stopped) return false;
    return true;
}

static int coordinate(struct coordination *c, struct error *err)
{
    struct ranks *r = c->r;
    unsigned pause_us = PAUSE_MIN_US;
    for (int i = 1; i < r->size; i++)
        if (fill(c, i, err) < 0) return -1;
    while (c->b->n_done < c->b->n_missing && !(batch_is_stopped(c->b) && c->n_out == 0)) {
        int from, tag;
        size_t size;
        const double now = clock_s(), began = thread_cpu_s();
        char *data = mail_take(r, &from, &tag, &size);
        if (!data) {
            look_for_lost(c, now);
            if (all_lost(r))
                return error_set(err, ERR_RUN, "all ranks but the first are lost: %zu of %zu runs were done",
                                 c->b->n_done, c->b->n_missing);
            for (int i = 1; i < r->size && (c->n_again || c->b->n_elsewhere); i++)
                if (fill(c, i, err) < 0) return -1;
            mail_sweep(r);
            mail_rest(&pause_us);
            continue;
        }
        pause_us = PAUSE_MIN_US;
        r->peers[from].heard = now;
        r->peers[from].is_lost = false; /* slow, not dead */
        if (tag == TAG_RESULT) accept_result(c, from, data, size);
        free(data);
        const int result = fill(c, from, err);
        r->load.busy_s += thread_cpu_s() - began;
        if (result < 0) return -1;
    }
    return 0;
}

int ranks_execute(struct ranks *r, struct batch *b, struct error *err)
{
    struct coordination c = {.r = r, .b = b};
    r->batch++;
    int result = number_configs(&c, err);
    for (int i = 1; i < r->size && result == 0; i++) {
        r->peers[i].n_out = r->peers[i].n_configs = 0;
        result = mail_post_text(r, i, TAG_OPTIONS, message_options(r->batch, &b->runner->options), err);
    }
    if (result == 0) result = coordinate(&c, err);
    free(c.configs);
    free(c.config_of);
    free(c.owner);
    free(c.again);
    return result;
}
