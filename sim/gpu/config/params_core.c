/* What parameters of an SM come to: latencies of classes of instructions, ways of L1 beside shared memory,
 * occupancy. */
#include "config/params.h"

static struct class_timing timing_of(uint32_t latency, uint32_t interval)
{
    return (struct class_timing){(uint16_t)latency, (uint16_t)interval};
}

/* Shared memory gets the least of these sizes that holds the CTAs of the launch. */
uint32_t l1_ways(const struct l1_params *p, uint32_t shared_bytes)
{
    static const uint32_t sizes[][6] = {[SHARED_VOLTA] = {0, 8, 16, 32, 64, 96},
                                        [SHARED_TURING] = {32, 64, 64, 64, 64, 64},
                                        [SHARED_AMPERE] = {0, 8, 16, 32, 64, 100}};
    const uint32_t *kilobytes = sizes[p->shared_sizes];
    if (p->organisation == L1_DSC) return p->ways * p->dsc_tags;
    if (!p->unified_bytes) return p->ways;
    uint32_t i = 0;
    while (i + 1 < COUNT_OF(sizes[0]) && kilobytes[i] * 1024 < shared_bytes) i++;
    const uint32_t way_bytes = p->sets * p->line_bytes, carved = kilobytes[i] * 1024;
    return p->unified_bytes > carved + way_bytes ? (p->unified_bytes - carved) / way_bytes : 1;
}

void core_class_timing(const struct core_params *c, struct class_timing t[TRACE_N_CLASSES])
{
    const uint32_t passes = TRACE_LANES / c->simd_width;
    for (int i = 0; i < TRACE_N_CLASSES; i++) t[i] = timing_of(c->branch_latency, 1);
    t[TRACE_BRANCH].interval = (uint16_t)c->branch_interval;
    t[TRACE_INT] = timing_of(c->int_latency, c->int_interval);
    t[TRACE_INT_MUL] = timing_of(c->int_mul_latency, c->int_mul_interval);
    t[TRACE_INT_DIV] = timing_of(c->int_div_latency, c->int_div_interval);
    t[TRACE_FP] = timing_of(c->fp_latency, c->fp_interval);
    t[TRACE_FP_MUL] = timing_of(c->fp_mul_latency, c->fp_mul_interval);
    t[TRACE_FP_DIV] = timing_of(c->fp_div_latency, c->fp_div_interval);
    t[TRACE_DP] = timing_of(c->dp_latency, c->dp_interval);
    t[TRACE_DP_DIV] = timing_of(c->dp_div_latency, c->dp_div_interval);
    t[TRACE_SFU] = timing_of(c->sfu_latency, c->sfu_interval);
    t[TRACE_TENSOR] = c->tensor_units ? timing_of(c->tensor_latency, c->tensor_interval) : t[TRACE_FP_MUL];
    t[TRACE_UDP] = c->uniform_units ? timing_of(c->uniform_latency, c->uniform_interval) : t[TRACE_INT];
    t[TRACE_TEXTURE] = c->texture_units ? timing_of(c->texture_unit_latency, c->texture_unit_interval) : t[TRACE_SFU];
    for (int i = 0; i < TRACE_N_CLASSES; i++) {
        t[i].interval = (uint16_t)(t[i].interval * (passes ? passes : 1));
        t[i].latency = (uint16_t)(t[i].latency + c->operand_cycles);
    }
}

struct occupancy core_occupancy(const struct core_params *c, const struct trace_launch *launch)
{
    const struct sm_limits limits = {.threads = c->max_threads,
                                     .warps = c->max_warps,
                                     .ctas = c->max_ctas,
                                     .registers = c->registers,
                                     .warp_register_unit = c->register_unit,
                                     .shared_bytes = c->shared_bytes,
                                     .shared_unit_bytes = c->shared_unit};
    return trace_occupancy_of_grid(launch, &limits, c->sms);
}
