/* Sweeps over MPI ranks.
 *
 *     rank 0   batch ---> ranks: options, configurations (each once), runs     <--- results, heartbeats
 *     rank k   messages ---> OpenMP tasks, one thread more than runs: it talks, the others simulate
 *
 * Runs go out longest first, as many to a rank as it has threads and some more, so that nobody waits for an answer. A rank that has
 * runs and is not heard of for RANK_TIMEOUT_S (environment: POISE_RANK_TIMEOUT, seconds) is lost: its runs are given out again.
 * That helps where the launcher lets the others live (Open MPI: mpirun --enable-recovery); elsewhere the job ends, and the
 * same command goes on from what is stored. Both sides poll with pauses: a waiting rank leaves its processor to others.
 * Nobody blocks in a send, so neither a dead rank nor two that send at once can hold the other up. */
#include "runner_ranks.h"

#include <jansson.h>
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "runner_internal.h"
#include "runner_message.h"

enum { TAG_OPTIONS = 1, TAG_CONFIG, TAG_RUN, TAG_HOME, TAG_RESULT, TAG_BEAT };
enum { RANK_TIMEOUT_S = 60, BEAT_S = 2, PAUSE_MIN_US = 50, PAUSE_MAX_US = 2000 };

struct hello { char version[48]; int model; uint64_t stats_size, error_size; unsigned threads; };
struct mail { MPI_Request request; char *data; };
struct peer {
    unsigned threads;
    double heard;
    size_t n_out;      /* runs that it has */
    size_t n_configs;  /* of this batch, sent to it */
    bool is_lost, has_left; /* not heard of; or it was told to stop */
};
struct ranks {
    int rank, size;
    struct peer *peers; /* rank 0 only */
    uint64_t batch;
    struct mail *outbox;
    size_t n_outbox, cap_outbox;
    struct ranks_load load;
};

/* Processor time of this thread: what its work costs, whoever else uses the machine. */
static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- mail ---- */

static void sweep_outbox(struct ranks *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->n_outbox; i++) {
        int is_sent = 0;
        MPI_Test(&r->outbox[i].request, &is_sent, MPI_STATUS_IGNORE);
        if (is_sent) free(r->outbox[i].data);
        else r->outbox[kept++] = r->outbox[i];
    }
    r->n_outbox = kept;
}

/* Takes `data`; does not wait. */
static int post(struct ranks *r, int to, int tag, char *data, size_t size, struct error *err)
{
    if (r->n_outbox == r->cap_outbox) {
        const size_t capacity = 2 * r->cap_outbox + 64;
        struct mail *outbox = realloc(r->outbox, capacity * sizeof *outbox);
        if (!outbox) {
            free(data);
            return error_set(err, ERR_MEMORY, "out of memory for messages");
        }
        r->outbox = outbox;
        r->cap_outbox = capacity;
    }
    struct mail *mail = &r->outbox[r->n_outbox++];
    mail->data = data;
    r->load.messages++;
    MPI_Isend(data, (int)size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &mail->request);
    return 0;
}

static int post_text(struct ranks *r, int to, int tag, char *text, struct error *err)
{
    return text ? post(r, to, tag, text, strlen(text), err) : error_set(err, ERR_MEMORY, "out of memory for a message");
}

/* The next message, if one is there: the caller's text with a 0 behind it. */
static char *take(struct ranks *r, int *from, int *tag, size_t *size)
{
    int is_there = 0, n = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there) return NULL;
    MPI_Get_count(&status, MPI_BYTE, &n);
    char *data = calloc(1, (size_t)n + 1);
    if (!data) return NULL; /* it stays and is asked for again */
    MPI_Recv(data, n, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    *size = (size_t)n;
    r->load.messages++;
    return data;
}

static void rest(unsigned *pause_us)
{
    usleep(*pause_us);
    *pause_us = *pause_us * 2 < PAUSE_MAX_US ? *pause_us * 2 : PAUSE_MAX_US;
}

/* ---- begin and end ---- */

/* This rank's share of its node: what it may run on, and not more than the node has for each of its simulating ranks. */
static unsigned share_of_node(int rank)
{
    MPI_Comm node;
    int n = 1, first_here = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &n);
    const int is_first = rank == 0;
    MPI_Allreduce(&is_first, &first_here, 1, MPI_INT, MPI_MAX, node);
    MPI_Comm_free(&node);
    const long online = sysconf(_SC_NPROCESSORS_ONLN), workers = n - first_here;
    const long share = workers > 0 && online / workers > 1 ? online / workers : 1, allowed = omp_get_num_procs();
    return (unsigned)(share < allowed ? share : allowed);
}

int ranks_begin(struct ranks **out, struct error *err)
{
    int provided, result = 0;
    *out = NULL;
    if (ranks_launched() <= 1) return 0;
    struct ranks *r = calloc(1, sizeof *r);
    if (!r) return error_set(err, ERR_MEMORY, "out of memory for ranks");
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->size);
    struct hello mine = {.model = SIM_MODEL_VERSION, .stats_size = gpu_stat_table.size, .error_size = sizeof *err, .threads = share_of_node(r->rank)};
    snprintf(mine.version, sizeof mine.version, "%s", POISE_VERSION);
    struct hello *all = calloc((size_t)r->size, sizeof *all);
    r->peers = calloc((size_t)r->size, sizeof *r->peers);
    if (!all || !r->peers) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < r->size && result == 0; i++) {
        r->peers[i].threads = all[i].threads;
        if (all[i].model != mine.model || all[i].stats_size != mine.stats_size || all[i].error_size != mine.error_size || strcmp(all[i].version, mine.version) != 0)
            result = error_set(err, ERR_USAGE, "rank %d runs poise %s, model %d, another build than rank %d: install the same on all nodes", i, all[i].version, all[i].model, r->rank);
    }
    free(all);
    *out = r;
    r->load.ranks = (unsigned)r->size;
    if (result == 0 && r->size > 1) return 0;
    ranks_end(r);
    *out = NULL;
    return result;
}

void ranks_end(struct ranks *r)
{
    struct error ignored;
    if (!r) return;
    for (int i = 1; r->rank == 0 && i < r->size; i++) post_text(r, i, TAG_HOME, strdup(" "), &ignored);
    const double until = clock_s() + 1;
    for (unsigned pause_us = PAUSE_MIN_US; r->n_outbox && clock_s() < until; rest(&pause_us)) sweep_outbox(r);
    for (size_t i = 0; i < r->n_outbox; i++) { /* to a lost rank */
        MPI_Cancel(&r->outbox[i].request);
        MPI_Request_free(&r->outbox[i].request);
    }
    MPI_Finalize();
    free(r->outbox);
    free(r->peers);
    free(r);
}

bool ranks_is_first(const struct ranks *r) { return !r || r->rank == 0; }
const struct ranks_load *ranks_load(const struct ranks *r) { return r ? &r->load : NULL; }

static unsigned threads_of(const struct ranks *r, int rank, unsigned most) { return most && most < r->peers[rank].threads ? most : r->peers[rank].threads; }

unsigned ranks_threads(const struct ranks *r, unsigned most)
{
    unsigned n = 0;
    for (int i = 1; i < r->size; i++) n += threads_of(r, i, most);
    return n;
}

/* ---- rank 0 ---- */

struct coordination {
    struct ranks *r;
    struct batch *b;
    const struct gpu_params **configs; /* of this batch, by number */
    size_t n_configs;
    uint32_t *config_of; /* by position in `missing` */
    int *owner;          /* the rank that has it; 0: nobody; -1: done */
    size_t *again, n_again, next, n_done, n_out;
    double timeout_s;
};

static int number_configs(struct coordination *c, struct error *err)
{
    const size_t n = c->b->n_missing;
    c->configs = calloc(n + 1, sizeof *c->configs);
    c->config_of = calloc(n + 1, sizeof *c->config_of);
    c->owner = calloc(n + 1, sizeof *c->owner);
    c->again = calloc(n + 1, sizeof *c->again);
    if (!c->configs || !c->config_of || !c->owner || !c->again) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
    for (size_t k = 0; k < n; k++) {
        const struct gpu_params *params = c->b->jobs[c->b->missing[k]].params;
        size_t i = c->n_configs;
        while (i > 0 && c->configs[i - 1] != params) i--;
        if (i == 0) c->configs[c->n_configs++] = params;
        c->config_of[k] = (uint32_t)(i ? i - 1 : c->n_configs - 1);
    }
    return 0;
}

static bool has_work(const struct coordination *c) { return (c->n_again || c->next < c->b->n_missing) && !batch_is_stopped(c->b); }

static int give(struct coordination *c, int rank, struct error *err)
{
    struct peer *peer = &c->r->peers[rank];
    const size_t k = c->n_again ? c->again[--c->n_again] : c->next++;
    const struct run_job *job = &c->b->jobs[c->b->missing[k]];
    while (peer->n_configs <= c->config_of[k]) { /* in order, so that its numbers are ours */
        json_t *json = gpu_params_json(c->configs[peer->n_configs]);
        char *text = json_dumps(json, JSON_COMPACT);
        json_decref(json);
        if (post_text(c->r, rank, TAG_CONFIG, text, err) < 0) return -1;
        peer->n_configs++;
    }
    c->owner[k] = rank;
    c->n_out++;
    if (peer->n_out++ == 0) peer->heard = clock_s();
    return post_text(c->r, rank, TAG_RUN, message_run(job, c->r->batch, k, c->config_of[k]), err);
}

/* As many as it has threads, and an eighth more that wait there. */
static int fill(struct coordination *c, int rank, struct error *err)
{
    const unsigned threads = threads_of(c->r, rank, c->b->runner->threads_asked);
    while (!c->r->peers[rank].is_lost && !c->r->peers[rank].has_left && c->r->peers[rank].n_out < threads + threads / 8 + 1 && has_work(c))
        if (give(c, rank, err) < 0) return -1;
    return 0;
}

struct result_head { uint64_t batch, number; double seconds; };

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
        c->r->peers[rank].has_left = true;
        return;
    }
    c->owner[head.number] = -1;
    c->n_done++;
    c->r->load.runs++;
    batch_finish(c->b, job, head.seconds);
}

static void look_for_lost(struct coordination *c, double now)
{
    for (int i = 1; i < c->r->size; i++) {
        struct peer *peer = &c->r->peers[i];
        if (peer->is_lost || peer->n_out == 0 || now - peer->heard < c->timeout_s) continue;
        peer->is_lost = true;
        c->r->load.lost++;
        for (size_t k = 0; k < c->b->n_missing; k++)
            if (c->owner[k] == i) c->owner[k] = 0, c->again[c->n_again++] = k;
        c->n_out -= peer->n_out;
        peer->n_out = 0;
        if (c->b->runner->options.progress) fprintf(c->b->runner->options.progress, "\nrank %d has not been heard of for %g s: its runs are given out again\n", i, c->timeout_s);
    }
}

static bool all_lost(const struct ranks *r)
{
    for (int i = 1; i < r->size; i++)
        if (!r->peers[i].is_lost && !r->peers[i].has_left) return false;
    return true;
}

static int coordinate(struct coordination *c, struct error *err)
{
    struct ranks *r = c->r;
    unsigned pause_us = PAUSE_MIN_US;
    for (int i = 1; i < r->size; i++)
        if (fill(c, i, err) < 0) return -1;
    while (c->n_done < c->b->n_missing && !(batch_is_stopped(c->b) && c->n_out == 0)) {
        int from, tag;
        size_t size;
        const double now = clock_s(), began = cpu_s();
        char *data = take(r, &from, &tag, &size);
        if (!data) {
            look_for_lost(c, now);
            if (all_lost(r)) return error_set(err, ERR_RUN, "all ranks but the first are lost: %zu of %zu runs were done", c->n_done, c->b->n_missing);
            for (int i = 1; i < r->size && c->n_again; i++)
                if (fill(c, i, err) < 0) return -1;
            sweep_outbox(r);
            rest(&pause_us);
            continue;
        }
        pause_us = PAUSE_MIN_US;
        r->peers[from].heard = now;
        r->peers[from].is_lost = false; /* slow, not dead */
        if (tag == TAG_RESULT) accept_result(c, from, data, size);
        free(data);
        const int result = fill(c, from, err);
        r->load.busy_s += cpu_s() - began;
        if (result < 0) return -1;
    }
    return 0;
}

int ranks_execute(struct ranks *r, struct batch *b, struct error *err)
{
    const char *timeout = getenv("POISE_RANK_TIMEOUT");
    struct coordination c = {.r = r, .b = b, .timeout_s = timeout && atof(timeout) > 0 ? atof(timeout) : RANK_TIMEOUT_S};
    r->batch++;
    int result = number_configs(&c, err);
    for (int i = 1; i < r->size && result == 0; i++) {
        r->peers[i].n_out = r->peers[i].n_configs = 0;
        result = post_text(r, i, TAG_OPTIONS, message_options(r->batch, &b->runner->options), err);
    }
    if (result == 0) result = coordinate(&c, err);
    free(c.configs);
    free(c.config_of);
    free(c.owner);
    free(c.again);
    return result;
}

/* ---- the other ranks ---- */

struct service {
    struct ranks *r;
    const volatile sig_atomic_t *stop;
    struct runner *runner;
    char *decoded_dir;
    unsigned threads;
    uint64_t batch;
    struct gpu_params **configs;
    size_t n_configs;
    struct assignment *done; /* by several threads: in critical(service) */
    size_t n_here;
    double last_sent;
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
        if (post(s->r, 0, TAG_RESULT, bytes.data, bytes.n, err) < 0) return -1;
        assignment_free(a);
    }
    return 0;
}

static int receive(struct service *s, bool *is_home, bool *is_quiet, struct error *err)
{
    int from, tag, result = 0;
    size_t size;
    char *data = take(s->r, &from, &tag, &size);
    *is_quiet = !data;
    if (!data) return 0;
    if (tag == TAG_OPTIONS) result = begin_batch(s, data, size, err);
    else if (tag == TAG_CONFIG) result = add_config(s, data, size, err);
    else if (tag == TAG_RUN) result = receive_run(s, data, size, err);
    else *is_home = true;
    free(data);
    return result;
}

static int serve(struct service *s, struct error *err)
{
    unsigned pause_us = PAUSE_MIN_US;
    for (bool is_home = false, is_quiet = false; !is_home;) {
        if (receive(s, &is_home, &is_quiet, err) < 0) return -1;
        if (send_done(s, &is_quiet, err) < 0) return -1;
        if (s->n_here && clock_s() - s->last_sent > BEAT_S) {
            s->last_sent = clock_s();
            if (post_text(s->r, 0, TAG_BEAT, strdup(" "), err) < 0) return -1;
        }
        sweep_outbox(s->r);
        if (is_quiet) rest(&pause_us);
        else pause_us = PAUSE_MIN_US;
    }
    return 0;
}

int ranks_serve(struct ranks *r, const volatile sig_atomic_t *stop, struct error *err)
{
    struct service s = {.r = r, .stop = stop, .threads = r->peers[r->rank].threads};
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
