/* One run: lay out, start, tick until the launch is done or a limit is reached, gather. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "../mech/timeline.h"
#include "carry.h"
#include "watch.h"

enum { WATCHDOG_DEFAULT = 1000000, WATCHDOG_LOOK = 65536 };

static uint64_t retired(const struct gpu *g)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->params->core.sms; i++) sum += g->sms[i].retired;
    return sum;
}

static int deadlock(const struct gpu *g, cycle_t now, struct error *err)
{
    char state[sizeof err->text];
    gpu_dump(g, state, sizeof state);
    error_set(err, ERR_DEADLOCK, "no instruction retires any more (core cycle %" PRIu64 ", %u of %u CTAs done):\n%.400s", now, g->ctas_done,
              g->n_ctas, state);
    return error_at(err, NULL, 0, -1, "a barrier that some warps never reach, or mechanisms that together let no warp issue");
}

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
static void sample_until(const struct gpu *g, struct gpu_timeline *t, cycle_t now)
{
    while (timeline_next(t) <= now) sample(g, t, timeline_next(t));
}

/* Ticks until done (1), a limit (0), or an error (-1). *end is the length of the run. */
static int tick_to_end(struct gpu *g, const struct gpu_limits *limits, cycle_t *end, struct error *err)
{
    const uint64_t period = g->clocks.period[DOMAIN_CORE];
    const cycle_t limit = limits->max_cycles && limits->max_cycles < MAX_CYCLE ? limits->max_cycles : MAX_CYCLE;
    const cycle_t patience = limits->watchdog_cycles ? limits->watchdog_cycles : WATCHDOG_DEFAULT;
    cycle_t look = WATCHDOG_LOOK, progress = 0;
    uint64_t last = 0;
    while (!gpu_done(g)) {
        const uint64_t time = gpu_next_time(g);
        *end = limit;
        if (time == NEVER) return deadlock(g, g->clocks.time / period, err);
        if (limits->timeline) sample_until(g, limits->timeline, time / period);
        if (time >= limit * period) return 0;
        gpu_tick_at(g, time);
        if (limits->watch) watch_sample(limits->watch, g);
        const cycle_t now = g->clocks.time / period;
        if (limits->max_insts && retired(g) >= limits->max_insts) {
            *end = now + 1;
            return 0;
        }
        if (now < look) continue;
        look = now + WATCHDOG_LOOK;
        const uint64_t n = retired(g);
        if (n != last) last = n, progress = now;
        else if (now - progress > patience) return deadlock(g, now, err);
    }
    *end = g->clocks.time / period + 1;
    return 1;
}

static json_t *mech_result(const struct mech_instance *m, const struct mech_spec *spec)
{
    json_t *object = mech_spec_json(spec), *stats = json_object();
    const void *from = m->type->stats_of ? m->type->stats_of(m->self) : NULL;
    if (from) {
        json_decref(stats);
        stats = stats_json(&m->type->stats, from);
        for (size_t i = 0; i < m->type->n_ratios; i++)
            json_object_set_new(stats, m->type->ratios[i].name, json_real(ratio_get(&m->type->ratios[i], from)));
    }
    json_object_set_new(object, "stats", stats);
    return object;
}

int gpu_run(struct gpu_result *out, const struct plan *plan, const struct gpu_params *params, const struct mech_spec *stack,
            unsigned n_stack, const struct gpu_limits *limits, struct error *err)
{
    return gpu_run_carry(out, plan, params, stack, n_stack, limits, NULL, err);
}

int gpu_run_carry(struct gpu_result *out, const struct plan *plan, const struct gpu_params *params, const struct mech_spec *stack,
                  unsigned n_stack, const struct gpu_limits *limits, struct gpu_carry *carry, struct error *err)
{
    static const struct gpu_limits none;
    struct arena arena = {0};
    memset(out, 0, sizeof *out);
    if (!limits) limits = &none;
    if (n_stack > MECH_STACK_MAX) return error_set(err, ERR_USAGE, "more than %d mechanisms on one stack", MECH_STACK_MAX);
    if (gpu_params_check(params, err) < 0 || hooks_check(stack, n_stack, err) < 0) return -1;
    gpu_layout(&arena, plan, params, stack, n_stack, limits->no_skip);
    if (arena_new(&arena, arena.used, err) < 0) return -1;
    struct gpu *g = gpu_layout(&arena, plan, params, stack, n_stack, limits->no_skip);
    cycle_t end = 0;
    g->timeline = limits->timeline;
    timeline_begin(limits->timeline, params->core.sms);
    watch_begin(limits->watch);
    int result = gpu_start(g, stack, err);
    if (result == 0 && carry) result = carry_load(carry, g, err);
    if (result == 0) result = tick_to_end(g, limits, &end, err);
    if (result >= 0) {
        out->complete = result == 1;
        out->arena_bytes = arena.used;
        out->stats = malloc(sizeof *out->stats);
        result = out->stats ? 0 : error_set(err, ERR_MEMORY, "no memory for the statistics of a run");
    }
    if (result == 0) {
        gpu_finish(g, end, out->stats);
        timeline_end(limits->timeline, end);
        watch_end(limits->watch, g);
        if (carry) result = carry_save(carry, g, err);
        if (result == 0) result = stats_check(out->stats, out->complete, err);
        for (out->n_mechs = 0; out->n_mechs < n_stack; out->n_mechs++)
            out->mechs[out->n_mechs] = mech_result(&g->mechs[out->n_mechs], &stack[out->n_mechs]);
    }
    arena_free(&arena);
    if (result < 0) gpu_result_free(out);
    return result;
}

void gpu_result_free(struct gpu_result *result)
{
    free(result->stats);
    result->stats = NULL;
    for (unsigned i = 0; i < result->n_mechs; i++) json_decref(result->mechs[i]);
    result->n_mechs = 0;
}

char *gpu_key_config(const struct gpu_params *params)
{
    json_t *config = gpu_params_json(params);
    json_object_del(config, "name"); /* a name changes nothing */
    char *text = json_dumps(config, JSON_COMPACT);
    json_decref(config);
    return text;
}

int gpu_run_key_with(struct hash *out, const struct hash *trace, const char *config, const struct mech_spec *stack, unsigned n_stack,
                     const struct gpu_limits *limits, struct error *err)
{
    char mech[4096], tail[96];
    struct hasher *hasher = hasher_new();
    if (!hasher) return error_set(err, ERR_MEMORY, "no memory for a run key");
    hasher_add(hasher, trace->bytes, sizeof trace->bytes);
    hasher_add(hasher, config, strlen(config));
    int result = 0;
    for (unsigned i = 0; result == 0 && i < n_stack; i++) {
        result = mech_key(&stack[i], mech, sizeof mech, err);
        if (result == 0) hasher_add(hasher, mech, strlen(mech) + 1);
    }
    snprintf(tail, sizeof tail, "max_cycles=%" PRIu64 ",model=%d", limits ? limits->max_cycles : 0, SIM_MODEL_VERSION);
    hasher_add(hasher, tail, strlen(tail));
    snprintf(tail, sizeof tail, ",max_insts=%" PRIu64, limits ? limits->max_insts : 0);
    if (limits && limits->max_insts) hasher_add(hasher, tail, strlen(tail)); /* keys of runs without it stay what they were */
    *out = hasher_finish(hasher);
    return result;
}

int gpu_run_key(struct hash *out, const struct hash *trace, const struct gpu_params *params, const struct mech_spec *stack,
                unsigned n_stack, const struct gpu_limits *limits, struct error *err)
{
    char *config = gpu_key_config(params);
    if (!config) return error_set(err, ERR_MEMORY, "no memory for a run key");
    const int result = gpu_run_key_with(out, trace, config, stack, n_stack, limits, err);
    free(config);
    return result;
}
