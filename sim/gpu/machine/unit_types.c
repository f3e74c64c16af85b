/* What the machine is made of: a row a kind of unit, which says what the parts that see all units must know of one.
 * They are ticked by their domain's function (gpu.c). A kind that is new is a row here; one that says nothing of when
 * it may run out of step (skip.c) is ticked in its turn. */
#include "cpu/cpus.h"

#include <stdio.h>
#include <string.h>

/* ---- SMs ---- */

static uint32_t count_sms(const struct gpu *g) { return g->params->core.sms; }
static cycle_t sm_next(const struct gpu *g, uint32_t i) { return g->sms[i].wake; }
static bool sm_is_idle(const struct gpu *g, uint32_t i) { return sm_idle(&g->sms[i]); }
static void dump_sm(const struct gpu *g, uint32_t i, char *text, size_t size) { sm_dump(&g->sms[i], text, size); }

static void finish_sm(struct gpu *g, uint32_t i, cycle_t end, struct gpu_stats *stats)
{
    sm_charge(&g->sms[i], end);
    stats_add_core(stats, &g->sms[i].stats);
    stats_add_l1(stats, &g->sms[i].l1.stats);
}

/* ---- the network: its packets stand in the queues of those who send and take them ---- */

static uint32_t count_network(const struct gpu *g)
{
    (void)g;
    return 1;
}

static bool network_is_idle(const struct gpu *g, uint32_t i)
{
    (void)i;
    return !ports_wanted(&g->requests) && !ports_wanted(&g->replies);
}

static cycle_t network_next(const struct gpu *g, uint32_t i)
{
    return network_is_idle(g, i) ? NEVER : g->clocks.next[DOMAIN_XBAR];
}

static void dump_network(const struct gpu *g, uint32_t i, char *text, size_t size)
{
    (void)i;
    snprintf(text, size, "network: %u ports with requests, %u with replies", g->requests.n_waiting,
             g->replies.n_waiting);
}

static void finish_network(struct gpu *g, uint32_t i, cycle_t end, struct gpu_stats *stats)
{
    (void)i, (void)end;
    stats_add_xbar(stats, &g->xbar_stats);
}

/* ---- banks of L2 ---- */

static uint32_t count_banks(const struct gpu *g) { return g->params->l2.banks; }
static cycle_t bank_next(const struct gpu *g, uint32_t i) { return g->banks[i].wake; }
static bool bank_is_idle(const struct gpu *g, uint32_t i) { return l2_idle(&g->banks[i]); }
static void dump_bank(const struct gpu *g, uint32_t i, char *text, size_t size) { l2_dump(&g->banks[i], text, size); }

static void finish_bank(struct gpu *g, uint32_t i, cycle_t end, struct gpu_stats *stats)
{
    l2_finish(&g->banks[i], end);
    stats_add_l2(stats, &g->banks[i].stats);
}

/* ---- channels of DRAM ---- */

static uint32_t count_channels(const struct gpu *g) { return g->params->dram.channels; }
static cycle_t channel_next(const struct gpu *g, uint32_t i) { return g->channels[i].visit; }
static bool channel_is_idle(const struct gpu *g, uint32_t i) { return dram_idle(&g->channels[i]); }

static void dump_channel(const struct gpu *g, uint32_t i, char *text, size_t size)
{
    dram_dump(&g->channels[i], text, size);
}

static void finish_channel(struct gpu *g, uint32_t i, cycle_t end, struct gpu_stats *stats)
{
    dram_finish(&g->channels[i], end);
    stats_add_dram(stats, &g->channels[i].stats);
}

/* ---- units that mechanisms own: one a mechanism at most ---- */

static uint32_t count_mechs(const struct gpu *g) { return g->n_units ? g->n_mechs : 0; }
static const struct unit_ops *unit_of(const struct gpu *g, uint32_t i) { return g->mechs[i].type->unit; }
static cycle_t unit_next(const struct gpu *g, uint32_t i) { return unit_of(g, i) ? g->units_wake : NEVER; }

static bool unit_is_idle(const struct gpu *g, uint32_t i)
{
    return !unit_of(g, i) || unit_of(g, i)->idle(g->mechs[i].self);
}

static void dump_unit(const struct gpu *g, uint32_t i, char *text, size_t size)
{
    if (unit_of(g, i)->dump) unit_of(g, i)->dump(g->mechs[i].self, text, size);
}

/* ---- CPU cores ---- */

static uint32_t count_cpus(const struct gpu *g) { return g->cpus ? g->cpus->running : 0; }
static cycle_t cpu_next(const struct gpu *g, uint32_t i) { return g->cpus->cores[i].wake; }

static bool cpu_is_idle(const struct gpu *g, uint32_t i)
{
    (void)g, (void)i;
    return false; /* its program goes on until the run ends */
}

static void dump_cpu(const struct gpu *g, uint32_t i, char *text, size_t size)
{
    cpu_core_dump(&g->cpus->cores[i], text, size);
}

static void finish_cpu(struct gpu *g, uint32_t i, cycle_t end, struct gpu_stats *stats)
{
    (void)stats; /* those of a core are its own */
    cpu_core_finish(&g->cpus->cores[i], end);
}

/* ---- all of them ---- */

const struct unit_type gpu_units[] = {
    {"SM", DOMAIN_CORE, count_sms, sm_next, sm_is_idle, dump_sm, finish_sm},
    {"network", DOMAIN_XBAR, count_network, network_next, network_is_idle, dump_network, finish_network},
    {"bank of L2", DOMAIN_L2, count_banks, bank_next, bank_is_idle, dump_bank, finish_bank},
    {"channel of DRAM", DOMAIN_DRAM, count_channels, channel_next, channel_is_idle, dump_channel, finish_channel},
    {"mechanism's unit", DOMAIN_CORE, count_mechs, unit_next, unit_is_idle, dump_unit, NULL},
    {"CPU core", DOMAIN_CPU, count_cpus, cpu_next, cpu_is_idle, dump_cpu, finish_cpu},
};
const uint32_t n_gpu_units = COUNT_OF(gpu_units);

bool gpu_is_asleep(const struct gpu *g)
{
    for (const struct unit_type *u = gpu_units; u < gpu_units + n_gpu_units; u++)
        for (uint32_t i = 0, n = u->count(g); i < n; i++)
            if (u->next_event(g, i) != NEVER) return false;
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
        for (uint32_t i = 0, n = u->finish ? u->count(g) : 0; i < n; i++) u->finish(g, i, until, stats);
    }
    for (uint32_t i = 0; i < g->n_mechs; i++)
        if (g->mechs[i].type->end) g->mechs[i].type->end(g->mechs[i].self, end);
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
