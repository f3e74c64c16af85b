/* What encoder and decoder of the at-rest form predict, and both in the same order. Only the predictions that failed
 * are stored, as residuals:
 *
 *   next instruction   the one that followed this instruction last time
 *   lanes, unguarded   the lanes of the previous instruction
 *   lanes, guarded     the active lanes, off by what this instruction's guard took away last time
 *   access kind        the kind at this instruction last time
 *   access base        moved to lane 0: within a warp last base + stride of the loop; a warp's first base: that of the
 *                      previous warp + distance between warps
 *   scattered lanes    the neighbour lane's address, or this lane's last address at this instruction, whichever is
 *                      shorter
 *
 * A distance is believed after it was seen twice, so that a jump between two loops costs one residual and not two. */
#ifndef TRACE_ATREST_H
#define TRACE_ATREST_H
#include <string.h>
#include "column.h"
#include "internal.h"

/* How an access was written: what the kinds column says. */
enum form_of_access { FORM_UNIFORM, FORM_STRIDED, FORM_NEW_STRIDE, FORM_BY_NEIGHBOUR, FORM_BY_LANE, N_ACCESS_FORMS };

struct predictor {                       /* one per static instruction */
    uint64_t base, step, step_seen;      /* last base in this warp, believed and last distance */
    uint64_t first, across, across_seen; /* the same between the warps' first bases */
    uint64_t warp;                       /* warp of the last access + 1 */
    uint32_t stride, guard;              /* last stride; lanes the guard took away */
    uint32_t form;
    uint64_t lane[TRACE_LANES];
};

/* The instruction that followed this one last time, in one line of the host's cache with its neighbours'. is_plain:
 * no guard, no access. */
struct successor {
    uint32_t next, is_plain;
};

/* One per instruction and one more, whose successor is a warp's first instruction. */
static inline void predictors_init(struct predictor *p, struct successor *after, const struct trace_inst *code,
                                   uint32_t n_code)
{
    memset(p, 0, (size_t)n_code * sizeof *p);
    for (uint32_t i = 0; i < n_code; i++)
        after[i] = (struct successor){i + 1, !(code[i].flags & TRACE_GUARDED) && !inst_is_memory(&code[i])};
    after[n_code] = (struct successor){0, 0};
}

static inline uint64_t predict_base(const struct predictor *p, uint64_t warp)
{
    return p->warp == warp + 1 ? p->base + p->step : p->first + p->across;
}

static inline void learn_base(struct predictor *p, uint64_t warp, uint64_t base)
{
    if (p->warp == warp + 1) {
        const uint64_t step = base - p->base;
        if (step == p->step_seen) p->step = step;
        p->step_seen = step;
    } else {
        const uint64_t across = base - p->first;
        if (across == p->across_seen) p->across = across;
        p->across_seen = across;
        p->first = base;
        p->warp = warp + 1;
    }
    p->base = base;
}

static inline uint32_t first_lane(uint32_t mask) { return (uint32_t)__builtin_ctz(mask); }
static inline uint64_t words_base(const uint32_t *words) { return (uint64_t)words[2] << 32 | words[1]; }
/* The base as it would be in lane 0, so that it does not move when the first lane drops out. */
static inline uint64_t lane0_base(uint64_t base, uint32_t mask, uint32_t stride)
{
    return base - first_lane(mask) * (uint64_t)(int64_t)(int32_t)stride;
}
#endif
