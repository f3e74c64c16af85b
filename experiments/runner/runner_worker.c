/* The ranks of a sweep over MPI ranks that simulate: one thread more than runs talks with rank 0, the others work. */
#include <stdlib.h>
#include <string.h>
#include "runner/runner_message.h"
#include "runner/runner_mpi.h"

struct service {
    struct ranks *r;
    const volatile sig_atomic_t *stop;
    ranks_lost_fn *on_lost;
    void *context;
    struct runner *runner;
    char *decoded_dir;
    unsigned threads;
    uint64_t batch;
    struct gpu_params **configs;
    size_t n_configs;
    struct assignment *done; /* by several threads: in critical(service) */
    size_t n_here;
    double last_sent;
    double looked, silence_s; /* when rank 0 was last listened for, and how long it has been silent */
};

static void clear_configs(struct service *s)
{
    for (size_t i = 0; i < s->n_configs; i++) gpu_params_free(s->configs[i]);
    free(s->configs);
    s->configs = NULL;
    s->n_configs = 0;
}

/* A new batch. Runs of the one before are all done, or rank 0 waits for them no more. */
static int begin_batch(struct service *s, const char *text, size_t size, struct error *err)
{
    struct runner_options options;
    char *decoded_dir;
#pragma omp taskwait
    if (message_read_options(&options, &s->batch, &decoded_dir, text, size, err) < 0) return -1;
    clear_configs(s);
    if (!s->runner) {
        s->decoded_dir = decoded_dir;
        return runner_new(&s->runner, NULL, &options, err);
    }
    free(decoded_dir);
    options.decoded_dir = s->decoded_dir;
    s->runner->options = options;
    return 0;
}

static int add_config(struct service *s, const char *text, size_t size, struct error *err)
{
    struct gpu_params **configs = realloc(s->configs, (s->n_configs + 1) * sizeof *configs);
    struct gpu_params *params = gpu_params_new();
    if (configs) s->configs = configs;
    if (!configs || !params) {
        gpu_params_free(params);
        return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    }
    s->configs[s->n_configs++] = params;
    return gpu_params_parse(params, "configuration from rank 0", text, size, ".", err);
}

static void finish(struct service *s, struct assignment *a)
{
#pragma omp critical(service)
    {
        a->next = s->done;
        s->done = a;
    }
}

static void simulate(struct service *s, struct assignment *a)
{
    const double began = clock_s();
    if (*s->stop) error_set(&a->job.result.err, ERR_INTERRUPTED, "interrupted");
    else runner_simulate(s->runner, &a->job, NULL);
    a->seconds = clock_s() - began;
    finish(s, a);
}

static int receive_run(struct service *s, const char *text, size_t size, struct error *err)
{
    struct assignment *a;
    struct error why;
    int result = message_read_run(&a, s->configs, s->n_configs, text, size, &why);
    if (!a) {
        *err = why;
        return -1;
    }
    s->n_here++;
    if (result == 0) result = plan_pool_reserve(s->runner->pool, &a->launch, 1, &why);
    if (result < 0) {
        a->job.result.err = why;
        finish(s, a);
        return 0;
    }
#pragma omp task firstprivate(s, a) untied
    simulate(s, a);
    return 0;
}

static int send_done(struct service *s, bool *is_quiet, struct error *err)
{
    struct assignment *list, *next;
#pragma omp critical(service)
    {
        list = s->done;
        s->done = NULL;
    }
    for (struct assignment *a = list; a; a = next) {
        struct bytes bytes = {0};
        const struct result_head head = {a->batch, a->number, a->seconds};
        next = a->next;
        *is_quiet = false;
        s->n_here--;
        if (bytes_reserve(&bytes, sizeof head) < 0) return error_set(err, ERR_MEMORY, "out of memory for a result");
        memcpy(bytes.data, &head, bytes.n = sizeof head);
        if (result_pack(&bytes, &a->job.result) < 0) return error_set(err, ERR_MEMORY, "out of memory for a result");
        s->last_sent = clock_s();
        if (mail_post(s->r, 0, TAG_RESULT, bytes.data, bytes.n, err) < 0) return -1;
        assignment_free(a);
    }
    return 0;
}

static int receive(struct service *s, bool *is_home, bool *is_quiet, struct error *err)
{
    int from, tag, result = 0;
    size_t size;
    char *data = mail_take(s->r, &from, &tag, &size);
    *is_quiet = !data;
    if (!data) return 0;
    if (tag == TAG_OPTIONS) result = begin_batch(s, data, size, err);
    else if (tag == TAG_CONFIG) result = add_config(s, data, size, err);
    else if (tag == TAG_RUN) result = receive_run(s, data, size, err);
    else if (tag == TAG_HOME) *is_home = true;
    free(data);
    return result;
}

/* Rank 0 beats while it is busy too, so its silence means that it is gone. Only time spent listening counts, a second a
 * look at most: a rank that stood still itself, or waited for its runs to end, has missed nothing that is not in its
 * mail. */
static int check_first(struct service *s, bool is_quiet, struct error *err)
{
    const double now = clock_s(), passed = now - s->looked;
    s->looked = now;
    s->silence_s = is_quiet ? s->silence_s + (passed < 1 ? passed : 1) : 0;
    if (!s->r->has_beat || s->silence_s < s->r->timeout_s) return 0;
    error_set(err, ERR_RUN, "rank %d: rank 0 has not been heard of for %g s and is lost: this rank ends", s->r->rank,
              s->r->timeout_s);
    error_at(err, NULL, 0, -1, "the same command continues from here: finished runs are in the store");
    if (s->on_lost) s->on_lost(s->context, err); /* runs in hand would go on, for nobody */
    return -1;
}

static int serve(struct service *s, struct error *err)
{
    unsigned pause_us = PAUSE_MIN_US;
    for (bool is_home = false, is_quiet = false; !is_home;) {
        if (receive(s, &is_home, &is_quiet, err) < 0 || check_first(s, is_quiet, err) < 0) return -1;
        if (send_done(s, &is_quiet, err) < 0) return -1;
        if (s->n_here && clock_s() - s->last_sent > BEAT_S) {
            s->last_sent = clock_s();
            if (mail_post_text(s->r, 0, TAG_BEAT, strdup(" "), err) < 0) return -1;
        }
        mail_sweep(s->r);
        if (is_quiet) mail_rest(&pause_us);
        else pause_us = PAUSE_MIN_US;
    }
    return 0;
}

int ranks_serve(struct ranks *r, const volatile sig_atomic_t *stop, ranks_lost_fn *on_lost, void *context,
                struct error *err)
{
    struct service s = {.r = r,
                        .stop = stop,
                        .on_lost = on_lost,
                        .context = context,
                        .looked = clock_s(),
                        .threads = r->peers[r->rank].threads};
    int result = 0;
#pragma omp parallel num_threads(s.threads + 1)
#pragma omp master
    result = serve(&s, err);
    while (s.done) { /* only after an error */
        struct assignment *next = s.done->next;
        assignment_free(s.done);
        s.done = next;
    }
    clear_configs(&s);
    runner_free(s.runner);
    free(s.decoded_dir);
    return result;
}
