/* A run in pieces. What a run changes is the arena, and the few words of the watchdog beside it. */
#include "poise/simulation.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "mech/timeline.h"
#include "run/beside.h"
#include "run/carry.h"
#include "run/replay.h"
#include "machine/cpus.h"
#include "machine/skip.h"
#include "machine/watch.h"
#include "run/watchdog.h"

enum phase { RUNNING, AT_LIMIT, DONE };
struct simulation {
    const struct plan *plan;
    const struct gpu_params *params;
    struct gpu_limits limits;
    struct gpu_carry *carry;
    struct mech_spec stack[MECH_STACK_MAX];
    struct arena arena;
    struct gpu *g;      /* in the arena */
    struct moves moves; /* worked out when a snapshot of another instance is first restored */
    struct watchdog watchdog;
    enum phase phase;
    cycle_t now;          /* cycles run */
    uint32_t stop_cta;    /* simulation_run_to_cta; 0: nowhere */
    uint32_t ctas_before; /* done by the simulation that this one follows */
    bool is_drained;      /* another one goes on from here */
};
struct snapshot {
    const struct plan *plan;
    const struct gpu_params *params;
    struct mech_spec stack[MECH_STACK_MAX];
    char *bytes;
    const char *base; /* where they were */
    size_t used, size;
    struct watchdog watchdog;
    enum phase phase;
    cycle_t now;
};

static int start_programs(struct simulation *s, struct error *err)
{
    const struct gpu_cpu_programs *programs = s->limits.cpu;
    const struct gpu_limits *l = &s->limits;
    if (programs->n > s->params->cpu.cores)
        return error_set(err, ERR_USAGE,
                         "%u CPU programs on a machine with %u CPU cores: cpu.cores says how many there are",
                         programs->n, s->params->cpu.cores);
    if (s->plan->n_waits)
        return error_set(err, ERR_USAGE,
                         "a run with CPU programs launches its kernel again and again, and what warps wait for is "
                         "counted once: it needs core.waiting=recorded");
    if (s->carry || l->warmup_cycles || l->early_end > 0 || l->timeline || l->watch)
        return error_set(err, ERR_USAGE,
                         "a run with CPU programs has no warm-up and no early end, carries nothing over, and is not "
                         "recorded or watched");
    cpus_start(s->g, programs);
    return 0;
}

/* The machine in its memory, before its mechanisms and CTAs; the launches are checked. */
static int lay_out(struct simulation **out, const struct launched launched[], uint32_t n,
                   const struct gpu_params *params, const struct gpu_limits *limits, struct error *err)
{
    *out = NULL;
    struct simulation *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, ERR_MEMORY, "no memory for a run");
    *s = (struct simulation){.plan = launched->plan, .params = params, .watchdog = {.look = WATCHDOG_LOOK}};
    if (limits) s->limits = *limits;
    if (launched->n_stack) memcpy(s->stack, launched->stack, launched->n_stack * sizeof *s->stack);
    gpu_layout_shares(&s->arena, launched, n, params, s->limits.no_skip);
    if (arena_new(&s->arena, s->arena.used, err) < 0) {
        simulation_free(s);
        return -1;
    }
    s->g = gpu_layout_shares(&s->arena, launched, n, params, s->limits.no_skip);
    *out = s;
    return 0;
}

static int check_stack(const struct gpu_params *params, const struct mech_spec *stack, unsigned n_stack,
                       struct error *err)
{
    if (n_stack > MECH_STACK_MAX)
        return error_set(err, ERR_USAGE, "more than %d mechanisms on one stack", MECH_STACK_MAX);
    return gpu_params_check(params, err) < 0 ? -1 : hooks_check(stack, n_stack, err);
}

int simulation_new(struct simulation **out, const struct plan *plan, const struct gpu_params *params,
                   const struct mech_spec *stack, unsigned n_stack, const struct gpu_limits *limits,
                   struct gpu_carry *carry, struct error *err)
{
    *out = NULL;
    if (check_stack(params, stack, n_stack, err) < 0) return -1;
    const struct gpu_beside *beside = limits ? limits->beside : NULL;
    struct launched launched[SHARES_MAX] = {{plan, stack, n_stack, false}};
    if (beside && beside_check(&launched[0], params, limits, carry, err) < 0) return -1;
    if (beside) launched[1] = (struct launched){beside->plan, beside->stack, beside->n_stack, beside->is_same_program};
    struct simulation *s;
    if (lay_out(&s, launched, beside ? 2 : 1, params, limits, err) < 0) return -1;
    s->carry = carry;
    s->g->timeline = s->limits.timeline;
    timeline_begin(s->limits.timeline, params->core.sms);
    watch_begin(s->limits.watch);
    int result = s->limits.cpu ? start_programs(s, err) : 0;
    if (s->limits.atomics && result == 0) result = atomics_note(s->g, s->limits.atomics, err);
    if (result == 0) result = gpu_start(s->g, launched, err);
    if (result == 0 && carry) result = carry_load(carry, s->g, err);
    if (result == 0) *out = s;
    else simulation_free(s);
    return result;
}

/* ---- one that goes on where another one stops ---- */

int simulation_follow(struct simulation **out, struct simulation *from, const struct plan *plan,
                      const struct gpu_params *params, const struct mech_spec *stack, unsigned n_stack,
                      const struct gpu_limits *limits, struct error *err)
{
    const struct launched launched = {plan, stack, n_stack, false};
    struct simulation *s;
    *out = NULL;
    if (check_stack(params, stack, n_stack, err) < 0 ||
        handover_check(from->plan, from->params, plan, params, err) < 0 ||
        lay_out(&s, &launched, 1, params, limits, err) < 0)
        return -1;
    int result = gpu_start_from(s->g, from->g, stack, n_stack, err);
    if (result == 0) result = carry_over(s->g, from->g, handover_keeps_l1(params, from->params), err);
    s->ctas_before = from->g->shares->ctas_done;
    if (result == 0) *out = s;
    else simulation_free(s);
    return result;
}

int simulation_twin(struct simulation **out, const struct simulation *of, struct error *err)
{
    return simulation_new(out, of->plan, of->params, of->stack, of->g->shares->n_mechs, &of->limits, NULL, err);
}

void simulation_free(struct simulation *s)
{
    if (!s) return;
    arena_free(&s->arena);
    moves_free(&s->moves);
    free(s);
}

uint64_t simulation_now(const struct simulation *s) { return s->now; }
bool simulation_is_done(const struct simulation *s) { return s->phase == DONE; }

uint64_t simulation_insts(const struct simulation *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->params->core.sms; i++) sum += s->g->sms[i].stats.warp_insts;
    return sum;
}

struct simulation_work simulation_work(const struct simulation *s)
{
    const struct share *share = s->g->shares;
    const struct plan *plan = share->plan;
    const uint32_t warps = share->n_ctas ? plan->n_warps / share->n_ctas : 0,
                   slots = plan->ctas_per_sm * s->params->core.sms;
    struct simulation_work work = {.warps = warps * (slots < share->n_ctas ? slots : share->n_ctas)};
    for (uint32_t i = 0; i < s->params->core.sms; i++)
        for (uint32_t w = 0; w < s->params->core.max_warps; w++) {
            const struct warp *warp = &s->g->sms[i].warps[w];
            if (!warp->in_use || warp->is_finished) continue;
            const uint64_t left = (uint64_t)(warp->end - warp->next);
            work.resident = left > work.resident ? left : work.resident;
        }
    for (uint32_t w = share->next_cta * warps; w < plan->n_warps; w++)
        work.to_come = plan->warps[w].n_steps > work.to_come ? plan->warps[w].n_steps : work.to_come;
    return work;
}

/* ---- running ---- */

/* All SMs as they are when cycle `now` begins. */
static void sample(const struct gpu *g, struct gpu_timeline *t, cycle_t now)
{
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        struct feature_counters counters;
        sm_counters(&g->sms[i], now, &counters);
        timeline_sample(t, i, &counters);
    }
    timeline_sampled(t);
}

/* The next tick is in core cycle `now`: until it, nothing changes. */
static void sample_until(const struct gpu *g, struct gpu_timeline *t, uint64_t now)
{
    while (timeline_next(t) <= now) sample(g, t, (cycle_t)timeline_next(t));
}

static uint64_t lesser(uint64_t a, uint64_t b) { return a && a < b ? a : b; }

/* With CPU programs a run ends where all have ended once, and the kernel; it may be running again then. */
static bool is_done(const struct gpu *g) { return g->cpus && cpus_count(g) ? cpus_done(g) : gpu_done(g); }

/* Ticks until done (1), `limit` (0), or an error (-1), on one thread or as the leader of a crew. s->now is how far it
 * has come. The core cycle in which a limit on instructions is reached is ticked to its end: the other domains may have
 * cycles left in it. */
static int lead_to(struct simulation *s, cycle_t limit, struct apart *apart, struct error *err)
{
    struct gpu *g = s->g;
    const struct gpu_limits *limits = &s->limits;
    const uint64_t period = g->clocks.period[DOMAIN_CORE];
    /* by somebody who looks at all SMs in the same cycle */
    const bool is_seen = limits->timeline || limits->watch || limits->max_insts || s->stop_cta;
    skip_plan(g, is_seen, limits->watch, (cycle_t)lesser(s->watchdog.look, limit));
    gpu_go_on(g, s->now * period);
    while (!is_done(g)) {
        const uint64_t time = gpu_next_time(g);
        s->now = limit;
        /* whoever ticks every cycle has something due for ever: the units know better */
        const bool is_asleep = time == NEVER_TIME || (g->no_skip && gpu_is_asleep(g));
        if (is_asleep && s->phase == RUNNING) return watchdog_deadlock(g, g->clocks.time / period, err);
        const uint64_t until = time < limit * period ? time : limit * period;
        if (until >= s->watchdog.look * period) {
            if (watchdog_looks(&s->watchdog, g, limits->watchdog_cycles, until))
                return watchdog_deadlock(g, s->watchdog.look, err);
            skip_plan(g, is_seen, limits->watch, (cycle_t)lesser(s->watchdog.look, limit));
        }
        if (limits->timeline) sample_until(g, limits->timeline, time / period);
        if (time >= limit * period) {
            gpu_catch_up(g, limit * period - 1);
            return 0;
        }
        gpu_tick_at(g, time);
        if (apart && --apart->left == 0) apart_look(apart, g);
        if (g->cpus) cpus_launch_again(g, time);
        if (limits->watch) watch_sample(limits->watch, g);
        if (s->phase == RUNNING && limits->max_insts && simulation_insts(s) >= limits->max_insts) {
            limit = clocks_cycle(&g->clocks, DOMAIN_CORE, time) + 1;
            s->phase = AT_LIMIT;
        }
        if (s->stop_cta && g->shares->next_cta >= s->stop_cta) {
            limit = clocks_cycle(&g->clocks, DOMAIN_CORE, time) + 1;
            s->stop_cta = 0;
        }
    }
    s->now = clocks_cycle(&g->clocks, DOMAIN_CORE, g->clocks.time) + 1;
    s->phase = DONE;
    gpu_catch_up(g, g->clocks.time);
    return 1;
}

struct stretch {
    struct simulation *s;
    cycle_t limit;
    struct apart apart;
    struct error *err;
    int result;
};

static void lead(void *self)
{
    struct stretch *x = self;
    x->result = lead_to(x->s, x->limit, &x->apart, x->err);
}

/* The same on as many threads as the run may have. */
static int tick_to(struct simulation *s, cycle_t limit, struct error *err)
{
    struct stretch x = {.s = s, .limit = limit, .err = err};
    if (s->limits.cores < 2) return lead_to(s, limit, NULL, err);
    struct crew *crew = crew_new(s->limits.cores, err);
    if (!crew) return -1;
    if (apart_begin(&x.apart, s->g, crew, s->stack, &s->limits)) crew_run(crew, lead, &x);
    else x.result = lead_to(s, limit, NULL, err);
    apart_end(s->g);
    crew_free(crew);
    return x.result;
}

int simulation_run(struct simulation *s, uint64_t until, struct error *err)
{
    const uint64_t limit =
        lesser(s->limits.max_cycles, lesser(MAX_CYCLE, clocks_limit(&s->g->clocks, s->params->xbar.speedup)));
    if (s->phase != RUNNING || (until && until <= s->now)) return s->phase == DONE;
    const int result = tick_to(s, (cycle_t)lesser(until, limit), err);
    if (result == 0 && s->phase == RUNNING && s->now == limit) {
        if (watchdog_stands(&s->watchdog, s->g, s->limits.watchdog_cycles, limit))
            return watchdog_deadlock(s->g, limit, err);
        s->phase = AT_LIMIT;
    }
    return result;
}

int simulation_drain(struct simulation *s, const struct gpu_params *next, struct error *err)
{
    const bool keeps_l1 = handover_keeps_l1(s->params, next);
    const unsigned cores = s->limits.cores;
    int result = s->phase == DONE;
    s->limits.cores = 0; /* a cycle at a time */
    gpu_hold(s->g, s->now);
    while (result == 0 && s->phase == RUNNING) {
        s->is_drained = gpu_is_drained_at(s->g, s->now) &&
                        (keeps_l1 || (gpu_empty_l1s(s->g, s->now) && gpu_is_drained_at(s->g, s->now)));
        if (s->is_drained) break;
        result = simulation_run(s, s->now + 1, err);
    }
    s->limits.cores = cores;
    return result;
}

int simulation_run_to_cta(struct simulation *s, uint32_t ctas, struct error *err)
{
    if (s->phase == RUNNING && s->g->shares->next_cta >= ctas) return 0;
    s->stop_cta = ctas;
    const int result = simulation_run(s, 0, err);
    s->stop_cta = 0;
    return result;
}

uint32_t simulation_ctas(const struct simulation *s) { return s->g->shares->next_cta; }

bool simulation_decides_l2(const struct simulation *s) { return s->g->banks[0].policy || s->g->banks[0].is_placed; }

int simulation_pass_over(struct simulation *s, uint32_t n, struct error *err)
{
    struct share *share = s->g->shares;
    if (replay_into(s->g, s->plan, share->next_cta, share->next_cta + n, err) < 0) return -1;
    share->next_cta += n;
    share->ctas_done += n;
    share->passed_over += n;
    return 0;
}

/* ---- copies ---- */

static int unrecorded(const struct simulation *s, struct error *err)
{
    if (!s->limits.timeline && !s->limits.watch && !s->limits.atomics && !s->carry && !s->limits.beside) return 0;
    return error_set(err, ERR_USAGE,
                     "a run that is recorded, watched, carries caches over or has two launches cannot be forked");
}

int simulation_snapshot(const struct simulation *s, struct snapshot **into, struct error *err)
{
    if (unrecorded(s, err) < 0) return -1;
    if (!*into && !(*into = calloc(1, sizeof **into))) return error_set(err, ERR_MEMORY, "no memory for a snapshot");
    struct snapshot *copy = *into;
    if (copy->size < s->arena.used) {
        free(copy->bytes);
        copy->size = 0;
        if (!(copy->bytes = malloc(s->arena.used)))
            return error_set(err, ERR_MEMORY, "no memory for a snapshot of %zu bytes", s->arena.used);
        copy->size = s->arena.used;
    }
    memcpy(copy->bytes, s->arena.base, s->arena.used);
    memcpy(copy->stack, s->stack, sizeof copy->stack);
    copy->plan = s->plan;
    copy->params = s->params;
    copy->base = s->arena.base;
    copy->used = s->arena.used;
    copy->watchdog = s->watchdog;
    copy->phase = s->phase;
    copy->now = s->now;
    return 0;
}

int simulation_stats(struct simulation *s, struct snapshot **room, struct gpu_stats *out, struct error *err)
{
    if (simulation_snapshot(s, room, err) < 0) return -1;
    gpu_finish(s->g, s->now, out);
    memcpy(s->arena.base, (*room)->bytes, s->arena.used);
    return 0;
}

uint64_t snapshot_cycle(const struct snapshot *copy) { return copy->now; }

void snapshot_free(struct snapshot *copy)
{
    if (copy) free(copy->bytes);
    free(copy);
}

/* The arena becomes a copy of `bytes`, with all pointers as they must be. */
static int take_copy(struct simulation *s, const char *bytes, const char *base, size_t used, struct error *err)
{
    if (base != s->arena.base && !s->moves.words && moves_new(&s->moves, s->plan, s->params, err) < 0) return -1;
    memcpy(s->arena.base, bytes, used);
    s->arena.used = used;
    gpu_move(&s->arena, base, &s->moves);
    s->arena.used = s->g->machine_bytes;
    stack_place(s->g, &s->arena);
    const struct share *share = s->g->shares;
    for (uint32_t i = 0; i < share->n_mechs && base != s->arena.base; i++)
        if (share->mechs[i].type->moved) share->mechs[i].type->moved(share->mechs[i].self);
    stack_use_order(s->g);
    s->g->no_skip = s->limits.no_skip;
    return 0;
}

/* Makes the arena at least so large; what is in it is lost unless `keeps`. */
static int make_room(struct simulation *s, size_t size, bool keeps, struct error *err)
{
    struct arena old = s->arena;
    if (size <= s->arena.size) return 0;
    if (arena_new(&s->arena, size, err) < 0) {
        s->arena = old;
        return -1;
    }
    s->g = (struct gpu *)(void *)s->arena.base;
    const int result = keeps ? take_copy(s, old.base, old.base, old.used, err) : 0;
    arena_free(&old);
    return result;
}

int simulation_restore(struct simulation *s, const struct snapshot *copy, struct error *err)
{
    if (unrecorded(s, err) < 0) return -1;
    if (copy->plan != s->plan || copy->params != s->params)
        return error_set(err, ERR_USAGE, "a snapshot of another launch or machine");
    if (make_room(s, copy->used, false, err) < 0 || take_copy(s, copy->bytes, copy->base, copy->used, err) < 0)
        return -1;
    memcpy(s->stack, copy->stack, sizeof s->stack);
    s->watchdog = copy->watchdog;
    s->phase = copy->phase;
    s->now = copy->now;
    return 0;
}

int simulation_switch(struct simulation *s, const struct mech_spec *stack, unsigned n_stack, struct error *err)
{
    if (n_stack > MECH_STACK_MAX)
        return error_set(err, ERR_USAGE, "more than %d mechanisms on one stack", MECH_STACK_MAX);
    if (hooks_check(stack, n_stack, err) < 0 || make_room(s, stack_bytes(s->g, stack, n_stack), true, err) < 0)
        return -1;
    memset(s->stack, 0, sizeof s->stack);
    if (n_stack) memcpy(s->stack, stack, n_stack * sizeof *stack);
    return stack_switch(s->g, &s->arena, stack, n_stack, s->now, err);
}

void *simulation_mech(struct simulation *s, unsigned i) { return s->g->shares->mechs[i].self; }

void simulation_ask(struct simulation *s)
{
    for (uint32_t i = 0; i < s->params->core.sms; i++) {
        mask_again(&s->g->sms[i].ask_at, s->now);
        sleeper_wake(&s->g->sms[i].unit, s->now);
    }
}

/* ---- the end ---- */

int simulation_end(struct simulation *s, struct gpu_result *out, struct error *err)
{
    struct gpu *g = s->g;
    memset(out, 0, sizeof *out);
    out->complete = s->phase == DONE && g->shares->passed_over == s->ctas_before;
    out->arena_bytes = s->arena.used;
    out->stats = malloc(sizeof *out->stats);
    if (!out->stats) return error_set(err, ERR_MEMORY, "no memory for the statistics of a run");
    gpu_finish(g, s->now, out->stats);
    timeline_end(s->limits.timeline, s->now);
    watch_end(s->limits.watch, g);
    int result = s->carry ? carry_save(s->carry, g, err) : 0;
    const struct stats_elsewhere elsewhere = gpu_elsewhere(g);
    /* With CPU programs the last launch of the kernel is cut off where all have ended once: nothing is drained. */
    if (result == 0)
        result = stats_check(out->stats, &elsewhere, (out->complete && !s->limits.cpu) || s->is_drained, err);
    if (s->limits.cpu) cpus_result(g, &out->cpu);
    for (out->n_mechs = 0; out->n_mechs < g->shares->n_mechs; out->n_mechs++)
        out->mechs[out->n_mechs] = mech_result(&g->shares->mechs[out->n_mechs], &s->stack[out->n_mechs]);
    if (s->limits.beside && result == 0) result = beside_results(out, g, s->stack, s->limits.beside, s->now, err);
    if (result < 0) gpu_result_free(out);
    return result;
}

void gpu_result_free(struct gpu_result *result)
{
    free(result->stats);
    result->stats = NULL;
    for (unsigned i = 0; i < result->n_mechs; i++) json_decref(result->mechs[i]);
    for (unsigned i = 0; i < result->cpu.n; i++) json_decref(result->cpu.stats[i]);
    result->cpu.n = 0;
    result->n_mechs = 0;
    json_decref(result->sampled);
    json_decref(result->phases);
    result->sampled = result->phases = NULL;
    for (unsigned i = 0; i < result->n_launches; i++) {
        free(result->launches[i].stats);
        for (unsigned k = 0; k < result->launches[i].n_mechs; k++) json_decref(result->launches[i].mechs[k]);
    }
    result->n_launches = 0;
}
