/* What the machine is made of: of each kind of unit (unit_list.def) what the parts that see all units must know of it.
 * A kind that says nothing of when it may run out of step (skip.c) is ticked in its turn. */
#include "machine/cpus.h"

#include <stdio.h>
#include <string.h>

/* ---- SMs ---- */

static uint32_t sms_count(const struct gpu *g) { return g->params->core.sms; }
static cycle_t sms_next(const struct gpu *g, uint32_t i) { return g->sms[i].wake; }
static bool sms_idle(const struct gpu *g, uint32_t i) { return sm_idle(&g->sms[i]); }
static void sms_dump(const struct gpu *g, uint32_t i, char *text, size_t size) { sm_dump(&g->sms[i], text, size); }

static void sms_finish(struct gpu *g, uint32_t i, cycle_t end, struct gpu_stats *stats)
{
    sm_charge(&g->sms[i], end);
    stats_add_core(stats, &g->sms[i].stats);
    stats_add_l1(stats, &g->sms[i].l1.stats);
}

/* ---- the network: its packets stand in the queues of those who send and take them ---- */

static uint32_t network_count(const struct gpu *g)
{
    (void)g;
    return 1;
}

static bool network_idle(const struct gpu *g, uint32_t i)
{
    (void)i;
    return !ports_wanted(&g->requests) && !ports_wanted(&g->replies);
}

static cycle_t network_next(const struct gpu *g, uint32_t i)
{
    return network_idle(g, i) ? NEVER : g->clocks.next[DOMAIN_XBAR];
}

static void network_dump(const struct gpu *g, uint32_t i, char *text, size_t size)
{
    (void)i;
    snprintf(text, size, "network: %u ports with requests, %u with replies", g->requests.n_waiting,
             g->replies.n_waiting);
}

static void network_finish(struct gpu *g, uint32_t i, cycle_t end, struct gpu_stats *stats)
{
    (void)i, (void)end;
    stats_add_xbar(stats, &g->xbar_stats);
}

/* ---- banks of L2 ---- */

static uint32_t banks_count(const struct gpu *g) { return g->params->l2.banks; }
static cycle_t banks_next(const struct gpu *g, uint32_t i) { return g->banks[i].wake; }
static bool banks_idle(const struct gpu *g, uint32_t i) { return l2_idle(&g->banks[i]); }
static void banks_dump(const struct gpu *g, uint32_t i, char *text, size_t size) { l2_dump(&g->banks[i], text, size); }

static void banks_finish(struct gpu *g, uint32_t i, cycle_t end, struct gpu_stats *stats)
{
    l2_finish(&g->banks[i], end);
    stats_add_l2(stats, &g->banks[i].stats);
}

/* ---- channels of DRAM ---- */

static uint32_t channels_count(const struct gpu *g) { return g->params->dram.channels; }
static cycle_t channels_next(const struct gpu *g, uint32_t i) { return g->channels[i].visit; }
static bool channels_idle(const struct gpu *g, uint32_t i) { return dram_idle(&g->channels[i]); }

static void channels_dump(const struct gpu *g, uint32_t i, char *text, size_t size)
{
    dram_dump(&g->channels[i], text, size);
}

static void channels_finish(struct gpu *g, uint32_t i, cycle_t end, struct gpu_stats *stats)
{
    dram_finish(&g->channels[i], end);
    stats_add_dram(stats, &g->channels[i].stats);
}

/* ---- mechanisms, of which each may own a unit ---- */

static uint32_t mechs_count(const struct gpu *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_shares; i++) n += g->shares[i].n_mechs;
    return n;
}

/* Those of the first launch stand before those of the second. */
static const struct share *share_of_mech(const struct gpu *g, uint32_t *i)
{
    const struct share *s = g->shares;
    for (; *i >= s->n_mechs; s++) *i -= s->n_mechs;
    return s;
}

static const struct mech_instance *mech_of(const struct gpu *g, uint32_t i)
{
    const struct share *s = share_of_mech(g, &i);
    return &s->mechs[i];
}

static const struct unit_ops *unit_of(const struct gpu *g, uint32_t i) { return mech_of(g, i)->type->unit; }
static cycle_t mechs_next(const struct gpu *g, uint32_t i) { return unit_of(g, i) ? g->units_wake : NEVER; }

static bool mechs_idle(const struct gpu *g, uint32_t i)
{
    return !unit_of(g, i) || unit_of(g, i)->idle(mech_of(g, i)->self);
}

static void mechs_dump(const struct gpu *g, uint32_t i, char *text, size_t size)
{
    if (unit_of(g, i)->dump) unit_of(g, i)->dump(mech_of(g, i)->self, text, size);
}

static void mechs_finish(struct gpu *g, uint32_t i, cycle_t end, struct gpu_stats *stats)
{
    (void)stats; /* those of a mechanism are its own */
    const struct share *s = share_of_mech(g, &i);
    if (s->mechs[i].type->end) s->mechs[i].type->end(s->mechs[i].self, share_end(g, s, end));
}

/* ---- all of them ---- */

const struct unit_type gpu_units[] = {
#define UNITS(id, name, domain, plan) {name, DOMAIN_##domain, id##_count, id##_next, id##_idle, id##_dump, id##_finish},
#include "machine/unit_list.def"
#undef UNITS
};
const uint32_t n_gpu_units = COUNT_OF(gpu_units);

bool gpu_is_asleep(const struct gpu *g)
{
    for (const struct unit_type *u = gpu_units; u < gpu_units + n_gpu_units; u++)
        for (uint32_t i = 0, n = u->count(g); i < n; i++)
            if (u->next(g, i) != NEVER) return false;
    return true;
}

void gpu_finish(struct gpu *g, cycle_t end, struct gpu_stats *stats)
{
    const struct clocks *c = &g->clocks;
    memset(stats, 0, sizeof *stats);
    gpu_meter_resident(g, end);
    stats->core_cycles = end;
    stats->full_cycles = g->full_cycles;
    for (const struct unit_type *u = gpu_units; u < gpu_units + n_gpu_units; u++) {
        /* its cycles that begin before core cycle `end` */
        const cycle_t until = clocks_cycle_from(c, u->domain, end * c->period[DOMAIN_CORE]);
        for (uint32_t i = 0, n = u->count(g); i < n; i++) u->finish(g, i, until, stats);
    }
}

/* Ends a unit's line; returns where the next begins. */
static size_t end_line(char *text, size_t size, size_t used)
{
    used += strlen(text + used);
    if (used + 1 < size) text[used++] = '\n';
    text[used] = '\0';
    return used;
}

void gpu_dump(const struct gpu *g, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (const struct unit_type *u = gpu_units; u < gpu_units + n_gpu_units; u++)
        for (uint32_t i = 0, n = u->count(g); i < n && used + 1 < size; i++) {
            if (u->idle(g, i)) continue;
            u->dump(g, i, text + used, size - used);
            used = end_line(text, size, used);
        }
}
