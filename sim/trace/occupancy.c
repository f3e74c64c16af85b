#include "poise/occupancy.h"

static uint64_t round_up(uint64_t value, uint64_t unit) { return unit > 1 ? (value + unit - 1) / unit * unit : value; }

static void limit_to(struct occupancy *o, uint64_t ctas, enum occupancy_limit limit)
{
    if (ctas >= o->ctas) return;
    o->ctas = (uint32_t)ctas;
    o->limit = limit;
}

struct occupancy trace_occupancy(const struct trace_launch *launch, const struct sm_limits *limits)
{
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    const uint64_t warps = (threads + TRACE_LANES - 1) / TRACE_LANES;
    const uint64_t registers =
        warps * round_up((uint64_t)launch->regs_per_thread * TRACE_LANES, limits->warp_register_unit);
    const uint64_t shared = round_up(launch->shared_bytes, limits->shared_unit_bytes);
    struct occupancy o = {limits->ctas, 0, OCCUPANCY_CTAS};
    if (threads) {
        limit_to(&o, limits->threads / threads, OCCUPANCY_THREADS);
        limit_to(&o, limits->warps / warps, OCCUPANCY_WARPS);
    }
    if (registers) limit_to(&o, limits->registers / registers, OCCUPANCY_REGISTERS);
    if (shared) limit_to(&o, limits->shared_bytes / shared, OCCUPANCY_SHARED);
    o.warps = (uint32_t)(o.ctas * warps);
    return o;
}

struct occupancy trace_occupancy_of_grid(const struct trace_launch *launch, const struct sm_limits *limits,
                                         uint32_t sms)
{
    struct occupancy o = trace_occupancy(launch, limits);
    const uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2], even = (ctas + sms - 1) / sms;
    if (even < o.ctas) {
        o.warps = o.warps / o.ctas * (uint32_t)even;
        o.ctas = (uint32_t)even;
        o.limit = OCCUPANCY_GRID;
    }
    return o;
}

const char *occupancy_limit_text(enum occupancy_limit limit)
{
    switch (limit) {
#define X(id, text) \
    case OCCUPANCY_##id: return text;
        OCCUPANCY_LIMITS(X)
#undef X
    }
    return "?";
}
