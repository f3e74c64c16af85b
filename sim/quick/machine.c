#include "quick.h"

/* A crossbar without speedup whose inputs are queues, all asked for at once, moves this share of what its ports could:
 * 2 - sqrt(2). [Karol, Hluchyj, Morgan: Input Versus Output Queueing on a Space-Division Packet Switch, 1987] */
#define INPUT_QUEUED 0.586

static double cycles_of(double cycles, uint32_t mhz, const struct gpu_params *p)
{
    return cycles * p->clock.core_mhz / mhz;
}

static void latencies(struct quick_machine *m, const struct gpu_params *p)
{
    const double data = m->sectored ? 32 : m->line_bytes;
    const double flits = packet_flits(&p->xbar, p->xbar.header_bytes + (uint32_t)data, p->xbar.reply_flit_bytes);
    const double bursts = (data + p->dram.bus_bytes * p->dram.burst - 1) / (p->dram.bus_bytes * p->dram.burst);
    m->l2_latency = p->l2.round_trip_cycles
                        ? p->l2.round_trip_cycles
                        : (1 + flits) * m->request_flit + data / m->bank_bytes + cycles_of(1, p->clock.l2_mhz, p);
    m->dram_latency = p->dram.extra_cycles
                          ? p->dram.extra_cycles
                          : cycles_of(p->dram.tRCD + p->dram.tCL + bursts * p->dram.tCCD, p->clock.dram_mhz, p);
    m->row_latency = cycles_of(p->dram.tRCD, p->clock.dram_mhz, p);
    m->row_cycles = cycles_of(p->dram.tRC, p->clock.dram_mhz, p);
    m->l2_latency += p->l2.added_cycles;
    m->dram_latency += p->dram.added_cycles;
}

/* Machines without units of a kind do its work in others. (core/sm.c) */
static void count_units(struct quick_machine *m, const struct core_params *core)
{
    const uint32_t counts[N_UNITS] = {
        [UNIT_SP] = core->sp_units,         [UNIT_SFU] = core->sfu_units,         [UNIT_LSU] = 1,
        [UNIT_INT] = core->int_units,       [UNIT_DP] = core->dp_units,           [UNIT_BRANCH] = core->branch_units,
        [UNIT_TENSOR] = core->tensor_units, [UNIT_TEXTURE] = core->texture_units, [UNIT_UDP] = core->uniform_units,
    };
    static const uint8_t instead[N_UNITS] = {
        [UNIT_INT] = UNIT_SP,      [UNIT_DP] = UNIT_SFU,    [UNIT_BRANCH] = UNIT_SP,
        [UNIT_TEXTURE] = UNIT_SFU, [UNIT_TENSOR] = UNIT_SP, [UNIT_UDP] = UNIT_INT,
    };
    for (int i = 0; i < N_UNITS; i++) {
        uint8_t unit = i == UNIT_LSU ? UNIT_SP : (uint8_t)i;
        while (!counts[unit] && unit) unit = instead[unit];
        m->unit_of[i] = unit;
    }
    for (int i = 0; i < N_UNITS; i++) m->unit_count[i] = counts[i] < QUICK_SCHEDULERS ? counts[i] : QUICK_SCHEDULERS;
}

int quick_machine_of(struct quick_machine *m, const struct gpu_params *p, const struct plan *plan, struct error *err)
{
    if (plan_names_chunks(p) || p->l1.organisation >= L1_LAMAR || p->l1.line_bytes != l2_line_bytes(p))
        return error_set(
            err, ERR_USAGE,
            "the quick model knows an L1 of whole lines or of sectors (l1.organisation=plain or sectored), "
            "with lines as long as L2's");
    *m = (struct quick_machine){
        .schedulers = p->core.schedulers,
        .max_lsu = p->lsu.pipeline_width < QUICK_LSU ? p->lsu.pipeline_width : QUICK_LSU,
        .loose_round_robin = p->core.scheduler == SCHEDULE_LRR,
        .sectored = p->l1.organisation == L1_SECTORED,
        .streaming = p->l1.streaming,
        .evicts_on_write = p->l1.write_hit == WRITE_EVICT_L1,
        .reads_on_write = p->l2.write_miss == WRITE_FETCH,
        .l1_sets = p->l1.sets,
        .l1_index = p->l1.sets & (p->l1.sets - 1)        ? MODULO_INDEX
                    : p->l1.set_index == FERMI_ANY_INDEX ? FERMI_INDEX
                                                         : p->l1.set_index,
        .l1_mshrs = p->l1.mshrs,
        .l1_merge = p->l1.mshr_merge,
        .l1_latency = p->l1.hit_latency,
        .line_bytes = p->l1.line_bytes,
        .l2_banks = p->l2.banks,
        .l2_sets = p->l2.sets,
        .l2_ways = l2_own_ways(p),
        .channels = p->dram.channels,
        .dram_banks = p->dram.banks,
        .shared_latency = p->lsu.shared_latency,
        .const_latency = p->lsu.const_latency,
        .request_flit = cycles_of(1, p->clock.xbar_mhz, p) / p->xbar.speedup,
        .reply_flit = cycles_of(1, p->clock.xbar_mhz, p),
        .crossbar_share = p->xbar.kind == 0 && p->xbar.speedup == 1 ? INPUT_QUEUED : 1,
        .bank_bytes = p->l2.data_port_bytes / cycles_of(1, p->clock.l2_mhz, p),
        .channel_bytes = (double)p->dram.bus_bytes * p->dram.burst * p->dram.pseudo_channels /
                         cycles_of(p->dram.tCCD, p->clock.dram_mhz, p),
        .miss_queue = p->l1.miss_queue,
        .all_sectors = (1u << p->l1.line_bytes / 32) - 1,
        .header_bytes = p->xbar.header_bytes,
        .request_flit_bytes = p->xbar.request_flit_bytes,
        .reply_flit_bytes = p->xbar.reply_flit_bytes,
        .whole_packets = p->xbar.whole_packets,
    };
    const uint32_t unit = p->core.shared_unit, shared = (plan->launch.shared_bytes + unit - 1) / unit * unit;
    m->l1_ways = l1_ways(&p->l1, shared * plan->ctas_per_sm);
    if (m->streaming) m->l1_mshrs = m->l1_sets * m->l1_ways;
    core_class_timing(&p->core, m->timing);
    count_units(m, &p->core);
    latencies(m, p);
    return 0;
}
