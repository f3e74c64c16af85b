/* One run from its first cycle to its last, and what identifies it. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "run/fork.h"
#include "machine/machine.h"
#include "poise/cpu_stream.h"
#include "poise/simulation.h"
#include "run/phases.h"
#include "run/steady.h"
#include "run/waves.h"

int gpu_run(struct gpu_result *out, const struct plan *plan, const struct gpu_params *params,
            const struct mech_spec *stack, unsigned n_stack, const struct gpu_limits *limits, struct error *err)
{
    return gpu_run_carry(out, plan, params, stack, n_stack, limits, NULL, err);
}

/* The stack is there from the first cycle, or from the end of the warm-up. */
static int start(struct simulation **out, const struct plan *plan, const struct gpu_params *params,
                 const struct mech_spec *stack, unsigned n_stack, const struct gpu_limits *limits,
                 struct gpu_carry *carry, struct error *err)
{
    const uint64_t warmup = limits ? limits->warmup_cycles : 0;
    *out = NULL;
    if (hooks_check(stack, n_stack, err) < 0) return -1;
    if (!warmup) return simulation_new(out, plan, params, stack, n_stack, limits, carry, err);
    if (limits->watch || limits->timeline || limits->atomics)
        return error_set(err, ERR_USAGE, "a run with a warm-up cannot be watched or recorded");
    if (carry)
        return error_set(err, ERR_USAGE, "a warm-up goes with single launches, not with those that carry caches over");
    if (simulation_new(out, plan, params, NULL, 0, limits, NULL, err) < 0) return -1;
    /* else it ends within */
    const bool is_shared = limits->warm && !limits->max_insts && (!limits->max_cycles || limits->max_cycles > warmup);
    if (is_shared ? simulation_restore(*out, limits->warm, err) < 0 : simulation_run(*out, warmup, err) < 0) return -1;
    return simulation_switch(*out, stack, n_stack, err);
}

/* The oracle decides by forking; what is to be recorded goes the same way once more. */
static int run_forked(struct gpu_result *out, const struct plan *plan, const struct gpu_params *params,
                      const struct mech_spec *stack, unsigned n_stack, const struct gpu_limits *limits,
                      struct gpu_carry *carry, struct error *err)
{
    const int at = fork_wanted(stack, n_stack);
    struct simulation *sim = NULL;
    struct decisions decisions = {0};
    struct gpu_limits unrecorded = limits ? *limits : (struct gpu_limits){0};
    unrecorded.timeline = NULL;
    unrecorded.watch = NULL;
    unrecorded.atomics = NULL;
    unrecorded.cores = 0; /* futures are tried side by side */
    int result = start(&sim, plan, params, stack, n_stack, &unrecorded, carry, err);
    if (result == 0) result = fork_run(sim, (unsigned)at, &unrecorded, &decisions, err);
    if (result == 0 && limits && (limits->timeline || limits->watch || limits->atomics)) {
        simulation_free(sim);
        result = start(&sim, plan, params, stack, n_stack, limits, NULL, err);
        if (result == 0) result = fork_replay(sim, (unsigned)at, &decisions, err);
    }
    if (result == 0) result = simulation_end(sim, out, err);
    if (result == 0) json_object_set_new(out->mechs[at], "decisions", decisions_json(&decisions));
    simulation_free(sim);
    decisions_free(&decisions);
    return result;
}

/* By a part of its waves; *is_of_use is false where the interval came out wider than asked. */
static int run_sampled(struct simulation *sim, const struct plan *plan, const struct gpu_params *params, double eps,
                       struct gpu_result *out, bool *is_of_use, struct error *err)
{
    struct wave_estimate e;
    int result = waves_run(sim, plan, params, eps, &e, err);
    *is_of_use = result < 0 || e.cycles.error <= eps;
    if (result >= 0 && *is_of_use) result = simulation_end(sim, out, err);
    if (result == 0 && *is_of_use && e.cycles.cycles > 0) {
        json_t *errors = json_object();
        for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
            if (e.errors[i] > 0) json_object_set_new(errors, gpu_stat_table.rows[i].name, json_real(e.errors[i]));
        out->sampled = json_pack("{s:s,s:{s:I},s:o}", "name", GPU_SAMPLED, "params", "warp_insts",
                                 (json_int_t)out->stats->warp_insts, "stats", errors);
        out->estimate = e.cycles;
        *out->stats = e.stats;
    }
    free(e.errors);
    return result < 0 ? -1 : 0;
}

static int check_shortcuts(const struct plan *plan, const struct mech_spec *stack, unsigned n_stack,
                           const struct gpu_limits *l, const struct gpu_carry *carry, struct error *err)
{
    if (l && l->sample > 0 &&
        (carry || l->early_end > 0 || l->max_cycles || l->max_insts || l->warmup_cycles || l->timeline || l->watch ||
         l->cpu || l->beside || l->atomics))
        return error_set(
            err, ERR_USAGE,
            "a launch is simulated in part only by itself, without limits, a warm-up, caches that are carried "
            "over and records");
    if (!l || !(l->early_end > 0)) return 0;
    if (carry)
        return error_set(err, ERR_USAGE,
                         "an early end goes with single launches, not with those that carry caches over");
    if (plan->n_waits)
        return error_set(err, ERR_USAGE,
                         "a run whose warps wait for each other cannot end early: core.waiting=recorded can");
    if (fork_wanted(stack, n_stack) >= 0)
        return error_set(err, ERR_USAGE, "a run that tries futures cannot end early: none of them is steady");
    return 0;
}

int gpu_run_carry(struct gpu_result *out, const struct plan *plan, const struct gpu_params *params,
                  const struct mech_spec *stack, unsigned n_stack, const struct gpu_limits *limits,
                  struct gpu_carry *carry, struct error *err)
{
    struct simulation *sim = NULL;
    struct gpu_estimate estimate = {0};
    const double early_end = limits ? limits->early_end : 0;
    memset(out, 0, sizeof *out);
    if (limits && limits->phases) return phases_run(out, limits, carry, err);
    if (check_shortcuts(plan, stack, n_stack, limits, carry, err) < 0) return -1;
    if (fork_wanted(stack, n_stack) >= 0 && limits && limits->cpu)
        return error_set(err, ERR_USAGE, "a run that tries futures has no CPU programs");
    const struct gpu_beside *beside = limits ? limits->beside : NULL;
    if (beside && (fork_wanted(stack, n_stack) >= 0 || fork_wanted(beside->stack, beside->n_stack) >= 0))
        return error_set(err, ERR_USAGE, "a run that tries futures has one launch, not two side by side");
    if (fork_wanted(stack, n_stack) >= 0) return run_forked(out, plan, params, stack, n_stack, limits, carry, err);
    int result = start(&sim, plan, params, stack, n_stack, limits, carry, err);
    if (result == 0 && limits && limits->sample > 0) {
        bool is_of_use;
        result = run_sampled(sim, plan, params, limits->sample, out, &is_of_use, err);
        simulation_free(sim);
        if (result < 0 || is_of_use) return result;
        result = start(&sim, plan, params, stack, n_stack, limits, carry, err);
    }
    if (result == 0)
        result = early_end > 0 ? steady_run(sim, plan_warp_insts(plan), early_end, &estimate, err)
                               : simulation_run(sim, 0, err);
    if (result >= 0) result = simulation_end(sim, out, err);
    if (result == 0) out->estimate = estimate;
    simulation_free(sim);
    return result;
}

/* What it has from plug-ins: the hashes of their files. */
static void add_plugins(json_t *config, const struct gpu_params *p)
{
    const uint32_t policies[] = {p->l1.replacement, p->l2.replacement, p->fetch.replacement, p->lsu.const_replacement,
                                 p->lsu.tex_replacement},
                   l1 = p->l1.organisation, l2 = p->l2.organisation;
    const struct plugin_file *files[COUNT_OF(policies) + 2] = {
        l1 >= L1_OF_PLUGINS ? plugins_of_organisation(l1 - L1_OF_PLUGINS) : NULL,
        l2 >= L2_OF_PLUGINS ? plugins_of_organisation(l2 - L2_OF_PLUGINS) : NULL};
    for (size_t i = 0; i < COUNT_OF(policies); i++)
        if (policies[i] >= REPLACE_VALUES) files[2 + i] = plugins_of_replacement(policies[i] - REPLACE_VALUES);
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        char digits[HASH_TEXT_SIZE];
        if (!files[i]) continue;
        if (!json_object_get(config, "plugins")) json_object_set_new(config, "plugins", json_array());
        hash_text(&files[i]->hash, digits);
        json_array_append_new(json_object_get(config, "plugins"), json_string(digits));
    }
}

char *gpu_key_config(const struct gpu_params *params)
{
    json_t *config = gpu_params_json(params);
    json_object_del(config, "name"); /* names change nothing */
    json_object_del(config, "energy");
    json_object_del(json_object_get(config, "dram"), "part");
    add_plugins(config, params);
    char *text = json_dumps(config, JSON_COMPACT);
    json_decref(config);
    return text;
}

static int add_stack(struct hasher *hasher, const struct mech_spec *stack, unsigned n, struct error *err)
{
    char mech[4096];
    int result = 0;
    for (unsigned i = 0; i < n && result == 0; i++) {
        result = mech_key(&stack[i], mech, sizeof mech, err);
        if (result == 0) hasher_add(hasher, mech, strlen(mech) + 1);
    }
    return result;
}

/* Every policy of the run, how long it lasts, and what decides. */
static int add_phases(struct hasher *hasher, const struct gpu_phases *phases, struct error *err)
{
    char lasts[32];
    int result = 0;
    for (unsigned i = 0; i < phases->n && result == 0; i++) {
        const struct gpu_phase *p = &phases->items[i];
        char *config = gpu_key_config(p->params);
        if (!config) return error_set(err, ERR_MEMORY, "no memory for a run key");
        hasher_add(hasher, config, strlen(config) + 1);
        free(config);
        result = add_stack(hasher, p->stack, p->n_stack, err);
        snprintf(lasts, sizeof lasts, ",phase=%" PRIu64, p->cycles);
        hasher_add(hasher, lasts, strlen(lasts) + 1);
    }
    if (phases->rule) hasher_add(hasher, phases->rule, strlen(phases->rule) + 1);
    return result;
}

int gpu_run_key_with(struct hash *out, const struct hash *trace, const char *config, const struct mech_spec *stack,
                     unsigned n_stack, const struct gpu_limits *limits, struct error *err)
{
    char tail[96];
    struct hasher *hasher = hasher_new();
    if (!hasher) return error_set(err, ERR_MEMORY, "no memory for a run key");
    hasher_add(hasher, trace->bytes, sizeof trace->bytes);
    hasher_add(hasher, config, strlen(config));
    int result = add_stack(hasher, stack, n_stack, err);
    snprintf(tail, sizeof tail, "max_cycles=%" PRIu64 ",model=%d", limits ? limits->max_cycles : 0, SIM_MODEL_VERSION);
    hasher_add(hasher, tail, strlen(tail));
    snprintf(tail, sizeof tail, ",max_insts=%" PRIu64, limits ? limits->max_insts : 0);
    /* keys of runs without it stay what they were */
    if (limits && limits->max_insts) hasher_add(hasher, tail, strlen(tail));
    snprintf(tail, sizeof tail, ",warmup=%" PRIu64, limits ? limits->warmup_cycles : 0);
    if (limits && limits->warmup_cycles) hasher_add(hasher, tail, strlen(tail)); /* likewise */
    snprintf(tail, sizeof tail, ",early_end=%.17g", limits ? limits->early_end : 0);
    if (limits && limits->early_end > 0) hasher_add(hasher, tail, strlen(tail));
    snprintf(tail, sizeof tail, ",sample=%.17g,waves=%d", limits ? limits->sample : 0, WAVES_VERSION);
    if (limits && limits->sample > 0) hasher_add(hasher, tail, strlen(tail));
    for (unsigned i = 0; limits && limits->cpu && i < limits->cpu->n; i++)
        hasher_add(hasher, limits->cpu->streams[i]->hash.bytes, sizeof limits->cpu->streams[i]->hash.bytes);
    if (limits && limits->cpu && limits->cpu->without_gpu) hasher_add(hasher, ",without_gpu", 12);
    if (limits && limits->phases && result == 0) result = add_phases(hasher, limits->phases, err);
    const struct gpu_beside *beside = limits ? limits->beside : NULL;
    if (beside)
        hasher_add(hasher, beside->is_same_program ? ",beside own" : ",beside", beside->is_same_program ? 11 : 7);
    if (beside) hasher_add(hasher, beside->trace.bytes, sizeof beside->trace.bytes);
    if (beside && result == 0) result = add_stack(hasher, beside->stack, beside->n_stack, err);
    *out = hasher_finish(hasher);
    return result;
}

int gpu_run_key(struct hash *out, const struct hash *trace, const struct gpu_params *params,
                const struct mech_spec *stack, unsigned n_stack, const struct gpu_limits *limits, struct error *err)
{
    char *config = gpu_key_config(params);
    if (!config) return error_set(err, ERR_MEMORY, "no memory for a run key");
    const int result = gpu_run_key_with(out, trace, config, stack, n_stack, limits, err);
    free(config);
    return result;
}
