#include "run/phases.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "config/stats.h"
#include "machine/machine.h"
#include "run/fork.h"

struct phases {
    const struct gpu_phases *of;
    struct gpu_limits limits; /* of the phase that runs: what is left */
    struct simulation *sim;
    struct gpu_phase_seen seen[GPU_PHASES_MAX];
    struct gpu_stats *total;
    json_t *list;          /* of all that have ended */
    uint64_t drain_cycles; /* of all */
};

static int check(const struct gpu_limits *l, const struct gpu_carry *carry, struct error *err)
{
    const struct gpu_phases *p = l->phases;
    if (l->warmup_cycles || l->early_end > 0 || l->sample > 0 || l->timeline || l->watch || l->cpu || l->beside ||
        l->atomics || carry)
        return error_set(
            err, ERR_USAGE,
            "a run whose policy changes is one launch alone, from its start to its end: without a warm-up, "
            "an early end, a sample, records, CPU programs, a launch beside it and caches carried over");
    if (p->n < 1 || p->n > GPU_PHASES_MAX)
        return error_set(err, ERR_USAGE, "a run of %u policies; 1 to %d are possible", p->n, GPU_PHASES_MAX);
    for (unsigned i = 0; i < p->n; i++) {
        const bool is_last = i + 1 == p->n && !p->decide;
        if (is_last != (p->items[i].cycles == 0))
            return error_set(err, ERR_USAGE,
                             is_last
                                 ? "policy %u ('%s') is the last one and lasts to the end of the launch: it has no "
                                   "number of cycles"
                                 : "policy %u ('%s') lasts 0 cycles; all but one that lasts to the end need a number",
                             i + 1, p->items[i].name);
        if (fork_wanted(p->items[i].stack, p->items[i].n_stack) >= 0)
            return error_set(err, ERR_USAGE, "policy %u ('%s') tries futures: it needs a run of its own", i + 1,
                             p->items[i].name);
    }
    const struct gpu_phase *first = p->items;
    for (const struct gpu_phase *other = first + 1; other < first + p->n; other++)
        if (handover_check(first->plan, first->params, other->plan, other->params, err) < 0)
            return error_while(err, "policies '%s' and '%s'", first->name, other->name);
    return 0;
}

/* ---- what is kept of a phase ---- */

static json_t *phase_json(const struct gpu_phase *phase, const struct gpu_phase_seen *seen,
                          const struct gpu_result *result)
{
    json_t *mechs = json_array();
    for (unsigned i = 0; i < result->n_mechs; i++) json_array_append(mechs, result->mechs[i]);
    const uint64_t cycles = (uint64_t)result->stats->core_cycles;
    return json_pack("{s:s,s:I,s:I,s:I,s:b,s:o,s:o}", "policy", phase->name, "cycles", (json_int_t)cycles,
                     "drain_cycles", (json_int_t)(cycles - seen->cycles), "warp_insts", (json_int_t)seen->insts,
                     "complete", (int)result->complete, "stats", gpu_stats_json(result->stats), "mech", mechs);
}

/* The phase's simulation has come to its end, or is followed by another one. */
static int end_phase(struct phases *x, unsigned i, const struct gpu_phase_seen *seen, struct gpu_result *out,
                     struct error *err)
{
    struct gpu_result result;
    const int ended = simulation_end(x->sim, &result, err);
    simulation_free(x->sim);
    x->sim = NULL;
    if (ended < 0) return -1;
    stats_merge(&gpu_stat_table, x->total, result.stats);
    json_array_append_new(x->list, phase_json(&x->of->items[i], seen, &result));
    x->drain_cycles += result.stats->core_cycles - seen->cycles;
    if (x->limits.max_cycles) x->limits.max_cycles -= result.stats->core_cycles;
    if (x->limits.max_insts) x->limits.max_insts -= result.stats->warp_insts;
    out->complete = result.complete;
    if (result.arena_bytes > out->arena_bytes) out->arena_bytes = result.arena_bytes;
    if (json_array_size(x->list) == 1) { /* the first one's mechanisms are the run's */
        out->n_mechs = result.n_mechs;
        for (unsigned k = 0; k < result.n_mechs; k++) out->mechs[k] = json_incref(result.mechs[k]);
    }
    gpu_result_free(&result);
    return 0;
}

/* ---- from one to the next ---- */

/* Under which the run goes on behind phase i, or its own number: it ends in this one. */
static unsigned next_of(const struct phases *x, unsigned i)
{
    if (i + 1 < x->of->n) return i + 1;
    return x->of->decide ? x->of->decide(x->of->self, x->seen) : i;
}

static int start_next(struct phases *x, unsigned from, unsigned to, const struct gpu_phase_seen *seen,
                      struct gpu_result *out, struct error *err)
{
    const struct gpu_phase *p = &x->of->items[to];
    struct simulation *next = NULL;
    struct gpu_limits limits = x->limits;
    const uint64_t cycles = simulation_now(x->sim), insts = simulation_insts(x->sim);
    if (limits.max_cycles) limits.max_cycles -= cycles;
    if (limits.max_insts) limits.max_insts -= insts;
    if (simulation_follow(&next, x->sim, p->plan, p->params, p->stack, p->n_stack, &limits, err) < 0)
        return error_while(err, "from policy '%s' to '%s'", x->of->items[from].name, p->name);
    const int result = end_phase(x, from, seen, out, err);
    x->sim = next;
    return result;
}

static struct gpu_phase_seen look(const struct simulation *s)
{
    return (struct gpu_phase_seen){simulation_now(s), simulation_insts(s)};
}

/* A limit has been reached: as many cycles, or instructions, as are left. */
static bool is_at_limit(const struct phases *x)
{
    const struct gpu_limits *l = &x->limits;
    return (l->max_cycles && simulation_now(x->sim) >= l->max_cycles) ||
           (l->max_insts && simulation_insts(x->sim) >= l->max_insts);
}

/* All phases; *decided: which was, where something decides. */
static int run_all(struct phases *x, struct gpu_result *out, unsigned *decided, struct error *err)
{
    const struct gpu_phase *first = x->of->items;
    if (simulation_new(&x->sim, first->plan, first->params, first->stack, first->n_stack, &x->limits, NULL, err) < 0)
        return error_while(err, "policy '%s'", first->name);
    for (unsigned i = 0, n_run = 1;; n_run++) {
        const bool is_tried = n_run <= x->of->n;
        int result = simulation_run(x->sim, is_tried ? x->of->items[i].cycles : 0, err);
        if (result < 0) return error_while(err, "policy '%s'", x->of->items[i].name);
        struct gpu_phase_seen seen = look(x->sim);
        if (is_tried) x->seen[i] = seen;
        if (result == 1 || is_at_limit(x) || !is_tried) return end_phase(x, i, &seen, out, err);
        const unsigned next = next_of(x, i);
        if (n_run == x->of->n) *decided = next;
        if (next != i) {
            result = simulation_drain(x->sim, x->of->items[next].params, err);
            if (result < 0)
                return error_while(err, "policy '%s' gives way to '%s'", x->of->items[i].name, x->of->items[next].name);
            if (result == 1 || is_at_limit(x)) return end_phase(x, i, &seen, out, err);
            if (start_next(x, i, next, &seen, out, err) < 0) return -1;
        }
        i = next;
    }
}

int phases_run(struct gpu_result *out, const struct gpu_limits *limits, const struct gpu_carry *carry,
               struct error *err)
{
    unsigned decided = GPU_PHASES_MAX;
    struct phases x = {.of = limits->phases, .limits = *limits, .list = json_array()};
    memset(out, 0, sizeof *out);
    int result = check(limits, carry, err);
    if (result == 0 && !(x.total = calloc(1, sizeof *x.total)))
        result = error_set(err, ERR_MEMORY, "no memory for the statistics of a run");
    if (result == 0) result = run_all(&x, out, &decided, err);
    simulation_free(x.sim);
    out->stats = x.total;
    json_t *chosen = decided < x.of->n ? json_string(x.of->items[decided].name) : NULL;
    if (result == 0)
        out->phases = json_pack("{s:s,s:{},s:{s:I,s:I},s:O*,s:O}", "name", GPU_PHASES, "params", "stats", "changes",
                                (json_int_t)json_array_size(x.list) - 1, "drain_cycles", (json_int_t)x.drain_cycles,
                                "chosen", chosen, "phases", x.list);
    json_decref(chosen);
    json_decref(x.list);
    if (result < 0) gpu_result_free(out);
    return result;
}
