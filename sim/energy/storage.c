/* Area and leakage of storage from its bits, and what mechanisms take of energy. Published points:
 *
 *   arrays    0.58 KB more in an L1 are 0.002 mm2 at 45 nm and leak 0.5 mW [TSC §5.6]; a cell alone is 0.346 um2
 *             [Mistry et al., IEDM 2007]; a small array of its own takes twice as much (assumed)
 *   queues    one of 32 flits of 32 bytes, with a port to write and one to read, is 0.1186 mm2 at 40 nm [GPUWATTCH,
 *             router.cc]; 94 KB more in queues that are there are 6.9, the low value [THESIS 3.7.3]; 15.9 KB of CCN
 *             are 4.82, the high one [THESIS 4.5.4]
 *   wires     177 um2 a bit and mm at 40 nm, global ones, half of them over logic [GPUWATTCH, interconnect.cc]; 3.5 mm
 *             lie between neighbours of 15 SMs on 700 mm2 [THESIS 4.5.5]
 *   switches  two by two ports of 32 bytes are 0.0268 mm2 at 40 nm, 15 by 12 are 5.80, the high value [GPUWATTCH,
 *             crossbar.cc]. Two of the latter, one a direction, are the 11.6 mm2 that THESIS 3.7.3 gives a 32+32
 *             crossbar's wires of 27 mm2; with their buffers of eight flits GPUWattch has 27.4
 *
 * GPUWATTCH: gpgpu-sim_distribution at 90ec3399, src/gpuwattch. Between 40 and 45 nm, and beyond, areas go with the
 * square of the process. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "energy_internal.h"

static const struct {
    struct energy_range um2; /* a bit; of wires, one to a neighbour */
    double node_nm;
} areas[] = {
    [STORAGE_ARRAY] = {{0.346, 0.002e6 / 4736, 0.7}, 45},
    [STORAGE_QUEUE] = {{6.9e6 / (94 * 8192), 0.1186e6 / 8192, 4.82e6 / (15 * 8704.0)}, 40},
    [STORAGE_REGISTER] = {{2, 4, 8}, 45}, /* assumed: a flip-flop of ten cells */
    [STORAGE_WIRES] = {{0.5 * 177 * 3.5, 177 * 3.5, 2 * 177 * 3.5}, 40},
    [STORAGE_SWITCH] = {{13, 0.0268e6 / (2 * 2 * 256), 11.6e6 / (64 * 8 * 180)}, 40},
};

struct energy_range storage_mm2(enum storage_kind kind, uint64_t bits, double node_nm)
{
    const double factor = 1e-6 * (double)bits * pow(node_nm / areas[kind].node_nm, 2);
    const struct energy_range a = areas[kind].um2;
    return (struct energy_range){a.low * factor, a.value * factor, a.high * factor};
}

/* 15 by 12 ports, a network a direction, as the thesis scales them: with the bytes of both. */
double crossbar_mm2(double crosspoint_bits, double node_nm)
{
    const double um2 = 11.6e6 / (64 * 8 * 180);
    return 1e-6 * crosspoint_bits * um2 * pow(node_nm / 40, 2);
}

/* 0.5 mW for 4,736 bits at 45 nm [TSC §5.6]; wires do not leak. */
struct energy_range storage_leakage_w(enum storage_kind kind, uint64_t bits, double node_nm)
{
    static const double cells[] = {
        [STORAGE_ARRAY] = 1, [STORAGE_QUEUE] = 2, [STORAGE_REGISTER] = 4, [STORAGE_SWITCH] = 1};
    if (kind == STORAGE_WIRES) return (struct energy_range){0, 0, 0};
    const double w = 0.5e-3 / 4736 * cells[kind] * (double)bits * energy_scaled(LAW_LEAKAGE, 45, node_nm);
    return (struct energy_range){0.3 * w, w, 2 * w};
}

static void add(struct energy_range *to, struct energy_range what, double times)
{
    to->low += what.low * times;
    to->value += what.value * times;
    to->high += what.high * times;
}

struct storage_cost storage_of(const struct mech_cost *rows, size_t n, uint32_t sms, double node_nm)
{
    struct storage_cost out = {0};
    for (size_t i = 0; i < n; i++) {
        const uint64_t all = rows[i].sm_bits * sms + rows[i].gpu_bits;
        const bool is_wires = rows[i].kind == STORAGE_WIRES;
        add(&out.mm2, storage_mm2(rows[i].kind, all, node_nm), is_wires ? sqrt(15.0 / sms) : 1);
        if (is_wires || rows[i].kind == STORAGE_SWITCH) continue;
        out.sm_bits += rows[i].sm_bits;
        out.gpu_bits += rows[i].gpu_bits;
        out.bits += all;
    }
    return out;
}

const struct storage_published storage_published[] = {
    {"ccn", "ring and shadow tags", "mm2", "THESIS 4.5.4", 4.38, 40, 15},
    {"ccn", "buffers and queues", "mm2", "THESIS 4.5.4", 4.82, 40, 15},
    {"ccn", "part of a die of 700 mm2", "fraction", "THESIS 4.5.4", 0.013, 0, 15},
    {"poise", "storage", "bytes", "THESIS 5.7.9", 536, 0, 32},
    {"tsc", "storage an L1", "bytes", "TSC Tab. 3", 592, 0, 15},
    {"tsc", "area an L1", "mm2", "TSC 5.6", 0.002, 45, 15},
    {"tsc", "energy an access", "pJ", "TSC 5.6", 0.8, 45, 15},
    {"tsc", "leakage an L1", "mW", "TSC 5.6", 0.5, 45, 15},
    {"mrpb", "storage an L1", "bytes", "TSC Tab. 3", 1239, 0, 15},
};
const size_t n_storage_published = COUNT_OF(storage_published);

/* ---- energy ---- */

static double count_of(const json_t *mechs, unsigned i, const char *counter)
{
    const json_t *stats = json_object_get(json_array_get(mechs, i), "stats");
    return json_number_value(json_object_get(stats, counter));
}

static void add_events(struct energy_range *to, const struct energy_run *run, unsigned i)
{
    struct mech_event events[MECH_EVENTS_MAX];
    const double node = energy_node_nm(run->params), logic = energy_scaled(LAW_LOGIC, 45, node);
    const size_t n = mech_events(&run->stack[i], run->params, events);
    for (size_t e = 0; e < n; e++) {
        const double count = 1e-12 * count_of(run->mechs, i, events[e].counter);
        const double pj = sram_pj((double)events[e].array_bits / 8192, events[e].bits / 8) * logic;
        const struct energy_range wires = wire_pj(events[e].bits, energy_pitch_mm(run->params), node);
        add(to, events[e].array_bits ? (struct energy_range){0.6 * pj, pj, 1.6 * pj} : wires, count);
    }
}

/* A plain L1's tags have 20 bits [TSC Tab. 3]. What its organisation adds is read with every access: 0.0008 nJ for 592
 * bytes at 45 nm [TSC §5.6]. */
static void add_organisation(struct energy_range *to, const struct energy_run *run, const struct gpu_stats *stats,
                             double seconds)
{
    const struct gpu_params *p = run->params;
    const uint64_t bits =
        p->l1.organisation == L1_PLAIN || p->l1.organisation == L1_SECTORED ? 0 : gpu_l1_extra_bits(p, 20);
    const double node = energy_node_nm(p), accesses = gpu_stats_value(stats, "l1d_load_accesses"),
                 pj = 0.8 * (double)bits / 4736 * energy_scaled(LAW_LOGIC, 45, node);
    add(to, storage_leakage_w(STORAGE_ARRAY, bits * p->core.sms, node), seconds);
    add(to, (struct energy_range){0.6 * pj, pj, 1.6 * pj}, 1e-12 * accesses);
}

struct energy_range energy_of_mechanisms(const struct energy_run *run, const struct gpu_stats *stats)
{
    struct energy_range sum = {0};
    const double seconds = gpu_stats_value(stats, "core_cycles") / run->params->clock.core_mhz * 1e-6,
                 node = energy_node_nm(run->params);
    for (unsigned i = 0; i < run->n_stack; i++) {
        struct mech_cost rows[MECH_COSTS_MAX];
        uint32_t sms;
        const size_t n = mech_costs(&run->stack[i], run->params, rows, &sms);
        for (size_t r = 0; r < n; r++)
            add(&sum, storage_leakage_w(rows[r].kind, rows[r].sm_bits * sms + rows[r].gpu_bits, node), seconds);
        add_events(&sum, run, i);
    }
    add_organisation(&sum, run, stats, seconds);
    return sum;
}
