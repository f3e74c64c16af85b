#include "run/beside.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

uint32_t gpu_beside_sms(const struct gpu_params *params, unsigned which)
{
    return share_first_sm(params, which + 1, 2) - share_first_sm(params, which, 2);
}

/* ---- what may not be ---- */

/* Each launch has mechanisms of its own: one that decides for all of L2, or moves data between SMs, would be there
 * twice. */
static int check_stack(const struct mech_spec *stack, unsigned n, struct error *err)
{
    if (hooks_check(stack, n, err) < 0) return -1;
    for (unsigned i = 0; i < n; i++) {
        const struct mech_type *t = stack[i].type;
        const bool is_of_l2 = t->l2_bypass || t->l2_share || t->l2_may_evict || t->l2_insert || t->l2_on_hit ||
                              t->l2_on_access || t->l2_miss_route || t->l2_replacement;
        if (is_of_l2)
            return error_set(err, ERR_USAGE,
                             "%s decides about L2, which two launches side by side share: leave it out, or set "
                             "l2.replacement",
                             t->name);
        if (t->unit || t->miss_route || t->atomic_route)
            return error_set(err, ERR_USAGE, "%s connects all SMs, of which two launches side by side have a half each",
                             t->name);
    }
    return 0;
}

/* A plan knows how many CTAs an SM needs to hold for its share of the grid. */
static int check_plan(const struct plan *plan, const struct gpu_params *params, unsigned which, struct error *err)
{
    struct gpu_params half = *params;
    half.core.sms = gpu_beside_sms(params, which);
    if (plan->n_waits)
        return error_set(err, ERR_USAGE,
                         "warps of a launch that wait for each other need a machine to themselves: of two launches "
                         "side by side core.waiting=recorded");
    return plan_fits(plan, &half)
               ? 0
               : error_set(err, ERR_USAGE, "a plan of a machine of %u SMs is needed: a launch beside another has these",
                           half.core.sms);
}

int beside_check(const struct launched *first, const struct gpu_params *params, const struct gpu_limits *l,
                 const struct gpu_carry *carry, struct error *err)
{
    const struct gpu_beside *b = l->beside;
    if (params->core.sms < 2)
        return error_set(err, ERR_USAGE, "core.sms = 1: two launches side by side need an SM each");
    if (carry || l->warmup_cycles || l->early_end > 0 || l->timeline || l->atomics || l->cpu)
        return error_set(err, ERR_USAGE,
                         "two launches side by side have no warm-up, no early end and no CPU programs, carry nothing "
                         "over, and are not recorded");
    if (params->l1.organisation == L1_TSC && params->l1.tsc_mode == TSC_TOLD)
        return error_set(err, ERR_USAGE,
                         "l1.tsc_mode = told: one decision for all SMs, of which two launches side by "
                         "side have a half each");
    if (check_stack(first->stack, first->n_stack, err) < 0 || check_stack(b->stack, b->n_stack, err) < 0 ||
        check_plan(first->plan, params, 0, err) < 0 || check_plan(b->plan, params, 1, err) < 0)
        return -1;
    return b->is_same_program && b->plan->first_line != first->plan->first_line
               ? error_set(err, ERR_INPUT,
                           "launches of one program side by side count lines from one (plan_lines_join)")
               : 0;
}

/* ---- what each of them did ---- */

json_t *mech_result(const struct mech_instance *m, const struct mech_spec *spec)
{
    json_t *object = mech_spec_json(spec), *stats = json_object();
    const void *from = m->type->stats_of ? m->type->stats_of(m->self) : NULL;
    if (from) {
        json_decref(stats);
        stats = stats_json(&m->type->stats, from);
        mech_set_ratios(m->type, stats);
    }
    json_object_set_new(object, "stats", stats);
    if (m->type->detail) json_object_set_new(object, "detail", m->type->detail(m->self));
    return object;
}

/* An SM whose launch is over has no warp: its slots since then are idle, and are not the launch's. */
static void leave_out_idle(struct gpu_stats *stats, uint64_t slots)
{
    stats->issue_slots -= slots;
    stats->stall_idle -= slots;
}

static int launch_result(struct gpu_launch_result *out, const struct gpu *g, const struct share *s,
                         const struct mech_spec *stack, cycle_t end, struct error *err)
{
    struct gpu_stats *stats = calloc(1, sizeof *stats);
    if (!stats) return error_set(err, ERR_MEMORY, "no memory for the statistics of a launch");
    for (uint32_t i = s->first_sm; i < s->first_sm + s->n_sms; i++) {
        stats_add_core(stats, &g->sms[i].stats);
        stats_add_l1(stats, &g->sms[i].l1.stats);
    }
    stats->core_cycles = share_end(g, s, end);
    leave_out_idle(stats, (uint64_t)(end - stats->core_cycles) * g->params->core.schedulers * s->n_sms);
    *out = (struct gpu_launch_result){
        .cycles = stats->core_cycles, .sms = s->n_sms, .complete = s->ctas_done == s->n_ctas, .stats = stats};
    for (; out->n_mechs < s->n_mechs; out->n_mechs++)
        out->mechs[out->n_mechs] = mech_result(&s->mechs[out->n_mechs], &stack[out->n_mechs]);
    return 0;
}

int beside_results(struct gpu_result *out, const struct gpu *g, const struct mech_spec *first,
                   const struct gpu_beside *beside, cycle_t end, struct error *err)
{
    const struct mech_spec *stacks[] = {first, beside->stack};
    for (; out->n_launches < g->n_shares; out->n_launches++) {
        const uint32_t i = out->n_launches;
        if (launch_result(&out->launches[i], g, &g->shares[i], stacks[i], end, err) < 0) return -1;
    }
    return 0;
}
