/* For each window: every candidate from one snapshot, each on some thread; the best goes on. The order of better and
 * worse is total and does not know of threads, so a thread may keep its own best, and the best of these is the same
 * on any number of threads. */
#include "run/fork.h"

#include <jansson.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "mech/oracle.h"

/* How a candidate's window went. */
struct outcome {
    uint64_t insts, end;
    uint32_t candidate;
    bool is_done, is_known;
};
struct worker {
    struct simulation *simulation;
    struct snapshot *end; /* of its best candidate in this window */
    struct outcome best;
    struct error err; /* of its first candidate that failed */
    uint32_t failed;  /* which one; UINT32_MAX: none */
    uint64_t forks, forked_insts, baseline_insts;
};
struct forking {
    struct worker *workers;
    unsigned n, at; /* at: the oracle's place on the stack */
    struct snapshot *start;
    uint64_t insts; /* at the start */
    uint64_t until;
};

int fork_wanted(const struct mech_spec *stack, unsigned n_stack)
{
    for (unsigned i = 0; i < n_stack; i++)
        if (stack[i].type == &mech_oracle) return (int)i;
    return -1;
}

static bool is_better(const struct outcome *a, const struct outcome *b)
{
    if (!a->is_known || !b->is_known) return a->is_known;
    if (a->insts != b->insts) return a->insts > b->insts;
    return a->end != b->end ? a->end < b->end : a->candidate < b->candidate;
}

static void put_tuple(struct simulation *s, unsigned at, struct tuple tuple)
{
    oracle_set(simulation_mech(s, at), tuple, simulation_now(s));
    simulation_ask(s);
}

static int try_candidate(struct forking *f, struct worker *w, uint32_t candidate, struct error *err)
{
    struct simulation *s = w->simulation;
    if (simulation_restore(s, f->start, err) < 0) return -1;
    const struct oracle *oracle = simulation_mech(s, f->at);
    const struct tuple tuple = oracle->candidates[candidate];
    const bool is_baseline = tuple.N == oracle->W && tuple.p == oracle->W;
    put_tuple(s, f->at, tuple);
    if (simulation_run(s, f->until, err) < 0) return -1;
    const struct outcome o = {simulation_insts(s) - f->insts, simulation_now(s), candidate, simulation_is_done(s),
                              true};
    w->forks++;
    w->forked_insts += o.insts;
    if (is_baseline) w->baseline_insts = o.insts;
    if (!is_better(&o, &w->best)) return 0;
    w->best = o;
    return simulation_snapshot(s, &w->end, err);
}

static void try_on(struct forking *f, struct worker *w, uint32_t candidate)
{
    struct error err;
    if (try_candidate(f, w, candidate, &err) == 0) return;
    if (candidate < w->failed) w->err = err, w->failed = candidate;
}

/* The worker with the best candidate of a window, or NULL. A tuple that deadlocks only loses; when all fail, the
 * first one's error is told. */
static struct worker *try_all(struct forking *f, uint32_t n_candidates, struct error *err)
{
    struct worker *best = &f->workers[0];
    for (unsigned i = 0; i < f->n; i++) {
        f->workers[i].best = (struct outcome){0};
        f->workers[i].failed = UINT32_MAX;
    }
    if (f->n == 1) {
        for (uint32_t c = 0; c < n_candidates; c++) try_on(f, &f->workers[0], c);
    } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(f->n)
        for (uint32_t c = 0; c < n_candidates; c++) try_on(f, &f->workers[omp_get_thread_num()], c);
    }
    const struct worker *first = NULL;
    for (unsigned i = 0; i < f->n; i++) {
        struct worker *w = &f->workers[i];
        if (is_better(&w->best, &best->best)) best = w;
        if (w->failed != UINT32_MAX && (!first || w->failed < first->failed)) first = w;
    }
    if (first && (!best->best.is_known || first->err.code != ERR_DEADLOCK)) {
        *err = first->err;
        return NULL;
    }
    return best;
}

static int note(struct decisions *d, struct forking *f, const struct worker *best, const struct tuple *tuple,
                struct error *err)
{
    if ((d->n & (d->n - 1)) == 0) {
        struct decision *more = realloc(d->items, (d->n ? 2 * d->n : 1) * sizeof *more);
        if (!more) return error_set(err, ERR_MEMORY, "no memory for %zu decisions", 2 * d->n);
        d->items = more;
    }
    uint64_t baseline = 0;
    for (unsigned i = 0; i < f->n; i++) {
        baseline += f->workers[i].baseline_insts;
        f->workers[i].baseline_insts = 0;
    }
    const uint64_t from = snapshot_cycle(f->start);
    d->items[d->n++] = (struct decision){from, best->best.end - from, best->best.insts, baseline, tuple->N, tuple->p};
    return 0;
}

static int all_windows(struct forking *f, struct simulation *main, struct decisions *out, struct error *err)
{
    const struct oracle *oracle = simulation_mech(main, f->at);
    const uint32_t window = oracle->params.window, n = oracle->n;
    struct tuple candidates[ORACLE_CANDIDATES];
    memcpy(candidates, oracle->candidates, sizeof candidates);
    for (;;) {
        f->until = snapshot_cycle(f->start) + window;
        struct worker *best = try_all(f, n, err);
        if (!best) return -1;
        const uint64_t end = best->best.end;
        if (end == snapshot_cycle(f->start)) return simulation_restore(main, f->start, err); /* a limit */
        if (note(out, f, best, &candidates[best->best.candidate], err) < 0) return -1;
        struct snapshot *was = f->start;
        f->start = best->end;
        best->end = was;
        f->insts += best->best.insts;
        if (best->best.is_done || end < f->until) return simulation_restore(main, f->start, err);
    }
}

/* Whether the launch ends within min_cycles when it is left alone; the simulation then stands at its end. */
static int is_short(struct simulation *s, unsigned at, struct error *err)
{
    const uint64_t min = ((const struct oracle *)simulation_mech(s, at))->params.min_cycles;
    return min ? simulation_run(s, simulation_now(s) + min, err) : 0;
}

static int fork_windows(struct forking *f, struct simulation *main, struct decisions *out, struct error *err)
{
    if (simulation_snapshot(main, &f->start, err) < 0) return -1;
    const int ends = is_short(main, f->at, err);
    out->short_launches = ends == 1;
    if (ends) return ends < 0 ? -1 : 0;
    if (simulation_restore(main, f->start, err) < 0) return -1;
    f->insts = simulation_insts(main);
    for (unsigned i = 1; i < f->n; i++)
        if (simulation_twin(&f->workers[i].simulation, main, err) < 0) return -1;
    return all_windows(f, main, out, err);
}

/* What the launch that went on does not know of itself. */
static void tell_oracle(struct simulation *s, unsigned at, const struct decisions *d)
{
    struct oracle *oracle = simulation_mech(s, at);
    oracle->stats.forks = d->forks;
    oracle->stats.forked_insts = d->forked_insts;
    oracle->stats.short_launches = d->short_launches;
}

int fork_run(struct simulation *main, unsigned at, const struct gpu_limits *limits, struct decisions *out,
             struct error *err)
{
    struct forking f = {.n = limits && limits->threads > 1 ? limits->threads : 1, .at = at};
    if (f.n > ORACLE_CANDIDATES) f.n = ORACLE_CANDIDATES;
    if (!(f.workers = calloc(f.n, sizeof *f.workers))) return error_set(err, ERR_MEMORY, "no memory to fork a run");
    f.workers[0].simulation = main;
    const int result = fork_windows(&f, main, out, err);
    for (unsigned i = 0; i < f.n; i++) {
        out->forks += f.workers[i].forks;
        out->forked_insts += f.workers[i].forked_insts;
        if (i) simulation_free(f.workers[i].simulation);
        snapshot_free(f.workers[i].end);
    }
    snapshot_free(f.start);
    free(f.workers);
    if (result == 0) tell_oracle(main, at, out);
    return result;
}

int fork_replay(struct simulation *s, unsigned at, const struct decisions *d, struct error *err)
{
    for (size_t i = 0; i < d->n; i++) {
        if (d->items[i].from > simulation_now(s) && simulation_run(s, d->items[i].from, err) < 0) return -1;
        put_tuple(s, at, (struct tuple){d->items[i].N, d->items[i].p});
    }
    if (simulation_run(s, 0, err) < 0) return -1;
    tell_oracle(s, at, d);
    return 0;
}

json_t *decisions_json(const struct decisions *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->n; i++) {
        const struct decision *w = &d->items[i];
        json_array_append_new(list,
                              json_pack("{s:I,s:I,s:i,s:i,s:I,s:I}", "cycle", (json_int_t)w->from, "cycles",
                                        (json_int_t)w->cycles, "N", (int)w->N, "p", (int)w->p, "warp_insts",
                                        (json_int_t)w->insts, "baseline_warp_insts", (json_int_t)w->baseline_insts));
    }
    return list;
}

void decisions_free(struct decisions *d)
{
    free(d->items);
    *d = (struct decisions){0};
}
