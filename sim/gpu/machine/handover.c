/* A launch that goes on in another machine, of another L1 or under other mechanisms: the policy changes while it runs.
 *
 *   gpu_hold --> ticks until gpu_is_drained_at --> gpu_empty_l1s, unless L1 stays as it is --> gpu_take_over
 *
 * What is on its way is done first, so the new machine needs of the SMs only which CTAs and warps they hold, where
 * these are in the trace, and who waits at which barrier. L2 and the open rows of DRAM go over in run/carry.c; DRAM's
 * refreshes begin anew. */
#include "machine/cpus.h"
#include "machine/wake.h"

#include <string.h>

/* ---- which machines may follow each other ---- */

/* The first parameter of a group that two machines have differently; NULL: there is none. */
static const struct param_row *find_difference(const struct gpu_param_group *group, const struct gpu_params *a,
                                               const struct gpu_params *b, char was[PARAM_TEXT_MAX],
                                               char is[PARAM_TEXT_MAX])
{
    for (size_t r = 0; r < group->table.n_rows; r++) {
        params_text(&group->table.rows[r], (const char *)a + group->offset, was, PARAM_TEXT_MAX);
        params_text(&group->table.rows[r], (const char *)b + group->offset, is, PARAM_TEXT_MAX);
        if (strcmp(was, is) != 0) return &group->table.rows[r];
    }
    return NULL;
}

bool handover_keeps_l1(const struct gpu_params *a, const struct gpu_params *b)
{
    char was[PARAM_TEXT_MAX], is[PARAM_TEXT_MAX];
    size_t n;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(groups[i].table.owner, "l1") == 0 && find_difference(&groups[i], a, b, was, is)) return false;
    return true;
}

/* Whether the machines of one launch share a group of parameters, of this name. */
static bool is_shared_group(const char *owner)
{
    static const char *const free_groups[] = {"l1", "lsu", "energy"};
    for (size_t i = 0; i < COUNT_OF(free_groups); i++)
        if (strcmp(owner, free_groups[i]) == 0) return false;
    return true;
}

static int check_params(const struct gpu_params *of, const struct gpu_params *params, struct error *err)
{
    char was[PARAM_TEXT_MAX], is[PARAM_TEXT_MAX];
    size_t n;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    for (size_t i = 0; i < n; i++) {
        if (!is_shared_group(groups[i].table.owner)) continue;
        const struct param_row *row = find_difference(&groups[i], of, params, was, is);
        if (row)
            return error_set(
                err, ERR_USAGE,
                "%s.%s is %s, then %s: within a launch a policy may change mechanisms and parameters of l1 "
                "and lsu; give the others with --set, for all of the run",
                groups[i].table.owner, row->name, was, is);
    }
    return 0;
}

int handover_check(const struct plan *from, const struct gpu_params *of, const struct plan *to,
                   const struct gpu_params *params, struct error *err)
{
    if (check_params(of, params, err) < 0) return -1;
    if (from->n_waits || to->n_waits)
        return error_set(err, ERR_USAGE,
                         "warps of this launch wait for each other, and what they wait for is counted by one machine: "
                         "a run whose policy changes needs core.waiting=recorded");
    bool are_alike = from->n_warps == to->n_warps && from->n_steps == to->n_steps && from->n_insts == to->n_insts &&
                     from->ctas_per_sm == to->ctas_per_sm && from->launch.n_regs == to->launch.n_regs &&
                     from->first_line == to->first_line;
    for (uint32_t i = 0; i < from->n_warps && are_alike; i++)
        are_alike =
            from->warps[i].first_step == to->warps[i].first_step && from->warps[i].n_steps == to->warps[i].n_steps;
    return are_alike ? 0
                     : error_set(err, ERR_USAGE,
                                 "the two policies divide the launch into other steps, CTAs of an SM or lines of "
                                 "memory: a launch cannot go on from one to the other");
}

/* ---- a machine that stops ---- */

/* SMs are ticked in every cycle: who waits for a result alone has no event of its own, and is no deadlock. */
static uint64_t no_warp(void *self, const struct warp_set *set)
{
    (void)self;
    mask_again(set->ask_at, set->now + 1);
    return 0;
}

void gpu_hold(struct gpu *g, cycle_t now)
{
    g->shares->hooks.warp_may_issue.n = 1;
    g->shares->hooks.warp_may_issue.at[0].ask = no_warp;
    g->shares->hooks.warp_may_issue.at[0].self = NULL;
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        mask_again(&g->sms[i].ask_at, now);
        sleeper_wake(&g->sms[i].unit, now);
    }
}

/* Of a write queue what is below its mark stays for good. */
static bool channel_is_drained(const struct dram *d)
{
    const struct dram_params *p = d->params;
    const uint32_t mark = d->serves_writes ? p->write_low : p->write_high;
    return dram_in_channel(d) == (d->has_write_queue && d->n_writes < mark ? d->n_writes : 0);
}

bool gpu_is_drained_at(const struct gpu *g, cycle_t now)
{
    if (!gpu_is_drained(g) || ports_wanted(&g->requests) || ports_wanted(&g->replies)) return false;
    for (uint32_t i = 0; i < g->params->core.sms; i++)
        if (!sm_is_drained(&g->sms[i], now)) return false;
    for (uint32_t i = 0; i < g->params->l2.banks; i++) {
        const struct l2 *bank = &g->banks[i];
        if (!l2_idle(bank) || bank->to_dram.count || bank->from_dram.count || bank->draining >= 0) return false;
    }
    for (uint32_t i = 0; i < g->params->dram.channels; i++)
        if (!channel_is_drained(&g->channels[i])) return false;
    return true;
}

bool gpu_empty_l1s(struct gpu *g, cycle_t now)
{
    bool are_empty = true;
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        struct sm *sm = &g->sms[i];
        are_empty &= l1_write_all_back(&sm->l1, now);
        if (sm->l1.to_xbar.count) sleeper_wake(&sm->unit, now); /* the network sees its queue after its tick */
    }
    return are_empty;
}

/* ---- a machine that goes on ---- */

void gpu_take_over(struct gpu *g, const struct gpu *from)
{
    struct share *s = g->shares;
    s->next_cta = from->shares->next_cta;
    s->ctas_done = s->passed_over = from->shares->ctas_done;
    for (uint32_t i = 0; i < g->params->core.sms; i++) {
        sm_take_over(&g->sms[i], &from->sms[i], 0);
        sleeper_wake(&g->sms[i].unit, 1);
    }
    gpu_dispatch_ctas(g, 0);
}
