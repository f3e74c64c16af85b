/* Events: a thread ends its run; a run arrives at a node. Rank 0 is one server that takes results in the order of
 * their arrival. Nodes have as many runs waiting as runner_coordinator.c sends ahead: an eighth of their threads and
 * one. */
#include "poise/scaling.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/table.h"
#include "store/store_internal.h"

struct event {
    double at;
    uint32_t node;
    uint32_t run;
    bool is_arrival;
};
struct heap {
    struct event *items;
    size_t n;
};
struct order {
    double estimate;
    uint32_t run;
};

static bool is_before(const struct event *a, const struct event *b)
{
    if (a->at < b->at || a->at > b->at) return a->at < b->at;
    return a->node != b->node ? a->node < b->node : a->run < b->run;
}

static void push(struct heap *h, struct event e)
{
    size_t i = h->n++;
    for (; i > 0 && is_before(&e, &h->items[(i - 1) / 2]); i = (i - 1) / 2) h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = e;
}

static struct event pop(struct heap *h)
{
    const struct event first = h->items[0], last = h->items[--h->n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && is_before(&h->items[child + 1], &h->items[child])) child++;
        if (!is_before(&h->items[child], &last)) break;
        h->items[i] = h->items[child];
    }
    h->items[i] = last;
    return first;
}

static int by_estimate(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->estimate < y->estimate || x->estimate > y->estimate) return x->estimate < y->estimate ? 1 : -1;
    return (x->run > y->run) - (x->run < y->run);
}

/* Run i is one of the measured, drawn by a fixed hash of i (splitmix64): in the store's order, shards would meet the
 * period of the list. */
static size_t drawn(const struct scaling_input *in, uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (size_t)((z ^ z >> 31) % in->n);
}

static struct order *longest_first(const struct scaling_input *in)
{
    struct order *order = malloc((in->runs + 1) * sizeof *order);
    for (size_t i = 0; order && i < in->runs; i++) order[i] = (struct order){in->estimates[drawn(in, i)], (uint32_t)i};
    if (order) qsort(order, in->runs, sizeof *order, by_estimate);
    return order;
}

static double time_of(const struct scaling_input *in, uint32_t run) { return in->factor * in->seconds[drawn(in, run)]; }

struct node {
    uint32_t free_threads, first, n_waiting;
};

/* Runs given out one by one. `waiting`: a ring of `ahead` runs for each node. */
static void give_out(struct scaling_result *out, const struct scaling_input *in, const struct order *order,
                     struct heap *h, struct node *nodes, uint32_t *waiting, uint32_t slots)
{
    double server = 0, busy = 0;
    size_t next = 0;
    out->first_idle_s = INFINITY;
    for (size_t k = 0; k < in->nodes; k++) nodes[k].free_threads = (uint32_t)in->threads;
    for (uint32_t round = 0; round < slots; round++) /* node by node fills, as the first loop of rank 0 does */
        for (uint32_t k = 0; k < in->nodes && next < in->runs; k++) {
            server += in->run_cost_s / 2, busy += in->run_cost_s / 2;
            push(h, (struct event){server + in->latency_s, k, order[next++].run, true});
        }
    while (h->n) {
        const struct event e = pop(h);
        struct node *node = &nodes[e.node];
        uint32_t *ring = waiting + (size_t)e.node * slots;
        if (e.is_arrival) {
            ring[(node->first + node->n_waiting++) % slots] = e.run;
        } else {
            node->free_threads++;
            out->makespan_s = e.at;
            server = fmax(server, e.at + in->latency_s) + in->run_cost_s;
            busy += in->run_cost_s;
            if (next < in->runs) push(h, (struct event){server + in->latency_s, e.node, order[next++].run, true});
            else if (node->n_waiting == 0 && e.at < out->first_idle_s) out->first_idle_s = e.at;
        }
        while (node->free_threads && node->n_waiting) {
            const uint32_t run = ring[node->first];
            node->first = (node->first + 1) % slots;
            node->n_waiting--, node->free_threads--;
            push(h, (struct event){e.at + time_of(in, run), e.node, run, false});
        }
    }
    out->makespan_s = fmax(out->makespan_s, server);
    out->coordinator_share = busy / out->makespan_s;
    out->messages_hz = 2 * (double)in->runs / out->makespan_s;
}

/* Every node has its own list: `ends` is a heap of its threads. */
static double shards(const struct scaling_input *in, const struct order *order, struct heap *h, struct node *nodes)
{
    double makespan = 0;
    for (uint32_t k = 0; k < in->nodes; k++) nodes[k].free_threads = 0;
    for (size_t i = 0; i < in->nodes * in->threads; i++) h->items[i] = (struct event){0, 0, (uint32_t)i, false};
    /* One pass a node over the sorted list would read it `nodes` times; a heap a node, each in its own part of the
     * items, reads it once. */
    for (size_t i = 0; i < in->runs; i++) {
        const uint32_t k = order[i].run % (uint32_t)in->nodes;
        struct heap own = {h->items + k * in->threads, in->threads};
        struct event e = pop(&own);
        e.at += time_of(in, order[i].run);
        if (e.at > makespan) makespan = e.at;
        push(&own, e);
    }
    return makespan;
}

int scaling_simulate(struct scaling_result *out, const struct scaling_input *in, struct error *err)
{
    const uint32_t slots = (uint32_t)(in->threads + in->threads / 8 + 1);
    *out = (struct scaling_result){0};
    if (in->n == 0 || in->runs == 0 || in->nodes == 0 || in->threads == 0 || in->runs > UINT32_MAX / 2 ||
        in->nodes * slots > 1u << 28)
        return error_set(err, ERR_USAGE,
                         "%zu runs on %zu nodes of %zu threads: each above 0, at most 2^31 runs and 2^28 places",
                         in->runs, in->nodes, in->threads);
    struct order *order = longest_first(in);
    struct node *nodes = calloc(in->nodes, sizeof *nodes);
    struct heap h = {malloc((in->nodes * slots + 1) * 2 * sizeof *h.items), 0};
    uint32_t *waiting = calloc(in->nodes, slots * sizeof *waiting);
    int result = 0;
    if (!order || !nodes || !h.items || !waiting) {
        result = error_set(err, ERR_MEMORY, "out of memory for %zu runs", in->runs);
    } else {
        for (size_t i = 0; i < in->runs; i++) out->ideal_s += time_of(in, (uint32_t)i);
        out->ideal_s /= (double)(in->nodes * in->threads);
        give_out(out, in, order, &h, nodes, waiting, slots);
        out->shards_s = shards(in, order, &h, nodes);
    }
    free(order);
    free(nodes);
    free(h.items);
    free(waiting);
    return result;
}

/* ---- a store's times ---- */

/* Of rank 0 for a run, where this store has seen no ranks; what it was on the machine of SCALING.md. */
static const double run_cost_assumed_us = 100;
static const double latency_s = 2e-3; /* PAUSE_MAX_US of runner_mpi.h */

struct times {
    double *seconds, *estimates;
    size_t n;
    double mean, longest, bytes_per_run, run_cost_us;
    bool is_cost_measured;
};

static int number_of(struct store *store, const char *sql, double *out, struct error *err)
{
    sqlite3_stmt *statement;
    if (store_prepare(store, &statement, sql, err) < 0) return -1;
    const int step = sqlite3_step(statement);
    if (step == SQLITE_ROW) *out = sqlite3_column_double(statement, 0);
    sqlite3_finalize(statement);
    return step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : store_fail(store, err, "reading the store");
}

static int read_times(struct store *store, struct times *t, struct error *err)
{
    double n = 0, bytes = 0;
    sqlite3_stmt *statement;
    int step;
    /* The estimate is the runner's own: the mean rate over the runs of the trace, times its instructions. */
    static const char sql[] = "SELECT runs.seconds, (SELECT avg(r.seconds) FROM runs AS r WHERE r.trace = runs.trace "
                              "AND r.code = 0 AND r.complete)"
                              " FROM runs WHERE code = 0 AND complete ORDER BY key";
    if (number_of(store, "SELECT count(*) FROM runs WHERE code = 0 AND complete", &n, err) < 0 ||
        number_of(store, "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()", &bytes, err) < 0)
        return -1;
    if (n < 1) return error_set(err, ERR_INPUT, "%s: no complete run that would say how long runs take", store->path);
    t->bytes_per_run = bytes / n;
    t->run_cost_us = run_cost_assumed_us;
    const int found =
        number_of(store, "SELECT CAST(value AS REAL) FROM sound_provenance WHERE name = 'coordinator_us_per_run'",
                  &t->run_cost_us, err);
    t->is_cost_measured = found == 1;
    t->seconds = calloc((size_t)n, sizeof *t->seconds);
    t->estimates = calloc((size_t)n, sizeof *t->estimates);
    if (found < 0 || !t->seconds || !t->estimates)
        return found < 0 ? -1 : error_set(err, ERR_MEMORY, "out of memory for %g times", n);
    if (store_prepare(store, &statement, sql, err) < 0) return -1;
    while ((step = sqlite3_step(statement)) == SQLITE_ROW && (double)t->n < n) {
        t->seconds[t->n] = sqlite3_column_double(statement, 0);
        t->estimates[t->n] = sqlite3_column_double(statement, 1);
        t->mean += t->seconds[t->n] / n;
        if (t->seconds[t->n] > t->longest) t->longest = t->seconds[t->n];
        t->n++;
    }
    const int result = step == SQLITE_DONE ? 0 : store_fail(store, err, "reading the store");
    sqlite3_finalize(statement);
    return result;
}

static json_t *row_json(const struct scaling_input *in, const struct times *t, const struct scaling_result *r)
{
    return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "factor", in->factor, "mean_s", in->factor * t->mean,
                     "ideal_s", r->ideal_s, "makespan_s", r->makespan_s, "efficiency", r->ideal_s / r->makespan_s,
                     "coordinator_share", r->coordinator_share, "messages_hz", r->messages_hz, "shards_s", r->shards_s,
                     "shards_efficiency", r->ideal_s / r->shards_s);
}

static void print_head(const struct scaling_input *in, const struct times *t, FILE *out)
{
    fprintf(out,
            "%zu runs on %zu nodes of %zu threads. Times of %zu measured runs, mean %.3g s, longest %.3g s, "
            "sampled with replacement.\n",
            in->runs, in->nodes, in->threads, t->n, t->mean, t->longest);
    fprintf(out, "Rank 0 spends %.3g us on a run (%s); a message takes %.3g ms, pauses of polling included.\n",
            t->run_cost_us, t->is_cost_measured ? "measured under mpirun" : "assumed: this store has seen no ranks",
            1e3 * in->latency_s);
    fprintf(out, "The store has %.3g bytes a run: %.3g GB in all.\n\n", t->bytes_per_run,
            1e-9 * t->bytes_per_run * (double)in->runs);
    fprintf(out, "| a run takes | all threads busy | given out by rank 0 | efficiency | rank 0 busy | messages/s | job "
                 "array of shards | efficiency |\n"
                 "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

int scaling_report(struct store *store, const struct scaling_shape *shape, FILE *out, json_t *json, struct error *err)
{
    static const double factors[] = {1, 10, 100, 1000};
    struct times t = {0};
    json_t *rows = json_array();
    int result = read_times(store, &t, err);
    if (shape->run_cost_us > 0) t.run_cost_us = shape->run_cost_us, t.is_cost_measured = true;
    struct scaling_input in = {.seconds = t.seconds,
                               .estimates = t.estimates,
                               .n = t.n,
                               .runs = shape->runs,
                               .nodes = shape->nodes,
                               .threads = shape->threads,
                               .run_cost_s = 1e-6 * t.run_cost_us,
                               .latency_s = latency_s};
    if (result == 0 && out) print_head(&in, &t, out);
    for (size_t i = 0; i < COUNT_OF(factors) && result == 0; i++) {
        struct scaling_result r;
        in.factor = factors[i];
        result = scaling_simulate(&r, &in, err);
        if (result < 0) break;
        json_array_append_new(rows, row_json(&in, &t, &r));
        if (out)
            fprintf(out, "| %.3g s | %.4g s | %.4g s | %.1f %% | %.1f %% | %.3g | %.4g s | %.1f %% |\n",
                    in.factor * t.mean, r.ideal_s, r.makespan_s, 100 * r.ideal_s / r.makespan_s,
                    100 * r.coordinator_share, r.messages_hz, r.shards_s, 100 * r.ideal_s / r.shards_s);
    }
    json_object_set_new(json, "scaling",
                        json_pack("{s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:b,s:f,s:O}", "runs", (json_int_t)in.runs, "nodes",
                                  (json_int_t)in.nodes, "threads", (json_int_t)in.threads, "measured_runs",
                                  (json_int_t)t.n, "mean_s", t.mean, "longest_s", t.longest, "coordinator_us_per_run",
                                  t.run_cost_us, "is_cost_measured", (int)t.is_cost_measured, "store_bytes_per_run",
                                  t.bytes_per_run, "rows", rows));
    json_decref(rows);
    free(t.seconds);
    free(t.estimates);
    return result;
}
