#include "plan.h"

#include <stdlib.h>
#include <string.h>
#include "address.h"
#include "coalesce.h"
#include "params.h"
#include "poise/arena.h"

static const uint8_t unit_of[TRACE_N_CLASSES] = {
    [TRACE_INT] = UNIT_INT,     [TRACE_INT_MUL] = UNIT_INT, [TRACE_INT_DIV] = UNIT_SFU, [TRACE_FP] = UNIT_SP,
    [TRACE_FP_MUL] = UNIT_SP,   [TRACE_FP_DIV] = UNIT_SFU, [TRACE_DP] = UNIT_DP,       [TRACE_DP_DIV] = UNIT_SFU,
    [TRACE_SFU] = UNIT_SFU,     [TRACE_BRANCH] = UNIT_SP,  [TRACE_BARRIER] = UNIT_SP,  [TRACE_FENCE] = UNIT_SP,
    [TRACE_EXIT] = UNIT_SP,     [TRACE_LOAD] = UNIT_LSU,   [TRACE_STORE] = UNIT_LSU,   [TRACE_ATOMIC] = UNIT_LSU,
};

static void plan_code(struct plan *plan, const struct trace *trace)
{
    for (uint32_t i = 0; i < plan->n_insts; i++) {
        const struct trace_inst *from = &trace->code[i];
        struct plan_inst *to = &plan->insts[i];
        to->cls = from->cls;
        to->unit = unit_of[from->cls];
        to->is_memory = from->cls == TRACE_LOAD || from->cls == TRACE_STORE || from->cls == TRACE_ATOMIC;
        to->wants_result = from->cls == TRACE_ATOMIC && (from->flags & TRACE_RESULT_USED);
        to->is_global_load = from->cls == TRACE_LOAD && from->space == TRACE_SPACE_GLOBAL;
        to->barrier = from->barrier & 15;
        to->barrier_warps = from->cls == TRACE_BARRIER ? (from->threads + TRACE_LANES - 1) / TRACE_LANES : 0;
        to->pc = from->pc;
        for (uint32_t k = 0; k < from->n_dst; k++)
            if (from->dst[k] != TRACE_NO_REG) to->regs[to->n_regs++] = from->dst[k];
        to->n_dst = to->n_regs;
        for (uint32_t k = 0; k < from->n_src; k++)
            if (from->src[k] != TRACE_NO_REG) to->regs[to->n_regs++] = from->src[k];
        for (uint32_t k = to->n_regs; k < TRACE_MAX_DST + TRACE_MAX_SRC; k++) to->regs[k] = (uint16_t)plan->launch.n_regs;
    }
}

static uint8_t action_of(const struct plan *plan, const struct trace_inst *inst, uint32_t mask)
{
    switch (inst->cls) {
    case TRACE_BARRIER: return mask ? ACT_BARRIER : ACT_ALU;
    case TRACE_FENCE: return mask ? ACT_FENCE : ACT_ALU;
    case TRACE_LOAD:
    case TRACE_STORE:
    case TRACE_ATOMIC:
        if (!mask) return ACT_NOTHING;
        if (inst->space == TRACE_SPACE_SHARED) return ACT_SHARED;
        if (inst->space == TRACE_SPACE_CONST || inst->space == TRACE_SPACE_PARAM) return ACT_CONST;
        if (inst->space == TRACE_SPACE_TEXTURE && inst->cls == TRACE_LOAD && plan->caches_textures) return ACT_TEXTURE;
        return inst->cls == TRACE_LOAD ? ACT_LOAD : inst->cls == TRACE_STORE ? ACT_STORE : ACT_ATOMIC;
    default: return ACT_ALU;
    }
}

/* One pass over every access of the trace: `visit` sees steps in order with decoded addresses. */
struct walk {
    struct plan *plan;
    const struct trace *trace;
    uint64_t low, high, local_low; /* pass 1: the lines that global memory spans, and the lowest of local memory */
    uint64_t capacity;
    int pass;
};

/* Lanes of a generic access that go to shared memory. */
static uint32_t shared_lanes(const struct trace_inst *inst, struct lanes *lanes)
{
    const uint64_t window = TRACE_SHARED_WINDOW, end = window + UINT32_MAX;
    if (inst->space != TRACE_SPACE_GLOBAL || lanes->high < window || lanes->low > end) return 0;
    uint32_t shared = 0;
    lanes_spread(lanes);
    for (uint32_t left = lanes->mask; left; left &= left - 1)
        if (lanes->addresses[__builtin_ctz(left)] - window <= UINT32_MAX) shared |= left & -left;
    return shared;
}

/* By address, as a generic access may go to local memory too. */
static bool is_local_line(const struct trace_inst *inst, const struct plan *plan, uint64_t line)
{
    const uint64_t address = line * plan->line_bytes;
    return inst->space == TRACE_SPACE_LOCAL || (inst->space == TRACE_SPACE_GLOBAL && address >= TRACE_LOCAL_WINDOW && address < TRACE_LOCAL_WINDOW_END);
}

/* Of a generic access that goes to shared memory with some lanes and elsewhere with others, only the latter take time. */
static int walk_access(struct walk *w, const struct trace_inst *inst, struct lanes *lanes, struct plan_step *step, struct error *err)
{
    struct plan *plan = w->plan;
    uint64_t lines[COALESCE_MAX];
    uint8_t sectors[COALESCE_MAX];
    const uint32_t shared = shared_lanes(inst, lanes);
    if (shared == lanes->mask) step->action = ACT_SHARED;
    else lanes->mask &= ~shared;
    if (step->action == ACT_SHARED) {
        if (w->pass == 2) step->n = (uint8_t)shared_passes(lanes, inst->bytes, plan->shared_banks);
        return 0;
    }
    const bool is_const = step->action == ACT_CONST, splits = step->action == ACT_ATOMIC && plan->splits_atomics;
    if (is_const && !plan->caches_constants) return 0;
    const uint32_t bytes = inst->bytes ? inst->bytes : 1, n = splits ? coalesce_atomic(lanes, bytes, plan->line_bytes, lines, sectors)
                                                                     : coalesce(lanes, bytes, plan->line_bytes, lines, sectors);
    w->plan->n_requests += n;
    if (w->pass == 1) {
        for (uint32_t i = 0; i < n && !is_const; i++) {
            uint64_t *low = is_local_line(inst, plan, lines[i]) ? &w->local_low : &w->low;
            if (lines[i] < *low) *low = lines[i];
            if (low == &w->low && lines[i] > w->high) w->high = lines[i];
        }
        return 0;
    }
    step->first = (uint32_t)(plan->n_requests - n);
    step->n = (uint8_t)n;
    for (uint32_t i = 0; i < n; i++) {
        const bool is_local = is_local_line(inst, plan, lines[i]);
        const uint64_t line = is_const   ? (inst->space == TRACE_SPACE_PARAM ? PARAM_LINES : CONST_LINES) + (lines[i] & 0x7fff)
                              : is_local ? lines[i] - w->local_low + LOCAL_LINES
                                         : lines[i] - plan->first_line;
        if (line >= (is_const ? CODE_LINES : is_local ? CONST_LINES : LOCAL_LINES))
            return error_set(err, ERR_INPUT, "%s: the launch touches memory over a range of more than %llu GB", trace_kernel(w->trace),
                             (unsigned long long)LOCAL_LINES * plan->line_bytes >> 30);
        plan->requests[step->first + i] = (plan_request)(line << 4 | sectors[i]);
    }
    return 0;
}

static int walk_trace(struct walk *w, struct error *err)
{
    const struct trace *t = w->trace;
    w->plan->n_requests = 0;
    for (uint32_t i = 0; i < w->plan->n_warps; i++) {
        const struct trace_warp *warp = &t->warps[i];
        const uint32_t *access = t->accesses + warp->first_access;
        for (uint64_t s = warp->first_step; s < warp->first_step + warp->n_steps; s++) {
            const struct trace_inst *inst = &t->code[t->steps[s].inst];
            const uint32_t mask = t->steps[s].mask;
            struct plan_step scratch, *step = w->pass == 2 ? &w->plan->steps[s] : &scratch;
            step->action = action_of(w->plan, inst, mask);
            if (w->pass == 2) {
                step->inst = (uint16_t)t->steps[s].inst;
                step->lanes = (uint8_t)__builtin_popcount(mask);
            }
            if (inst->cls < TRACE_LOAD || !mask) continue;
            struct lanes lanes;
            access += lanes_read(&lanes, access, mask);
            if (walk_access(w, inst, &lanes, step, err) < 0) return -1;
        }
    }
    return 0;
}

static void plan_occupancy(struct plan *plan, const struct gpu_params *params)
{
    const struct occupancy o = core_occupancy(&params->core, &plan->launch);
    plan->ctas_per_sm = o.ctas;
    plan->warps_per_scheduler = (o.warps + params->core.schedulers - 1) / params->core.schedulers;
}

static int plan_shape(struct plan *plan, const struct trace *trace, const struct gpu_params *params, struct error *err)
{
    plan->launch = trace->launch;
    plan->trace = trace->hash;
    plan->n_warps = (uint32_t)trace->n_warps;
    plan->n_insts = trace->launch.n_code;
    plan->n_steps = trace->n_steps;
    plan->line_bytes = params->l1.line_bytes;
    plan->shared_banks = params->lsu.shared_banks;
    plan->caches_constants = params->lsu.const_sets > 0;
    plan->caches_textures = params->lsu.tex_sets > 0;
    plan->splits_atomics = params->lsu.atomic_conflicts;
    plan->address_period = address_period(params);
    plan_occupancy(plan, params);
    if (plan->ctas_per_sm == 0)
        return error_set(err, ERR_INPUT, "%s: a CTA of %u warps, %u registers a thread and %u bytes of shared memory does not fit an SM",
                         trace_kernel(trace), trace->launch.warps_per_cta, trace->launch.regs_per_thread, trace->launch.shared_bytes);
    if (plan->n_insts > UINT16_MAX) return error_set(err, ERR_INPUT, "%s: more than 65535 static instructions", trace_kernel(trace));
    return 0;
}

int plan_new(struct plan **out, const struct trace *trace, const struct gpu_params *params, struct error *err)
{
    *out = NULL;
    struct plan *plan = calloc(1, sizeof *plan);
    if (!plan) return error_set(err, ERR_MEMORY, "no memory for a plan");
    struct walk walk = {.plan = plan, .trace = trace, .low = UINT64_MAX, .local_low = UINT64_MAX, .pass = 1};
    if (plan_shape(plan, trace, params, err) < 0 || walk_trace(&walk, err) < 0) goto failed;
    if (plan->n_requests > UINT32_MAX) {
        error_set(err, ERR_LIMIT, "%s: more than 2^32 line requests in one launch", trace_kernel(trace));
        goto failed;
    }
    /* Line numbers keep the low bits of addresses, so that launches of one program share L2 lines and address maps see real
     * bits; only a launch that straddles such a boundary counts from its lowest line. */
    uint64_t aligned = walk.low & ~(uint64_t)(LOCAL_LINES - 1);
    aligned -= aligned % plan->address_period;
    plan->first_line = walk.low == UINT64_MAX ? 0 : walk.high - aligned < LOCAL_LINES ? aligned : walk.low;
    plan->insts = calloc(plan->n_insts + 1, sizeof *plan->insts);
    plan->steps = table_new(plan->n_steps + 1, sizeof *plan->steps);
    plan->requests = table_new(plan->n_requests + 1, sizeof *plan->requests);
    plan->warps = calloc(plan->n_warps + 1, sizeof *plan->warps);
    plan->bytes = sizeof *plan + plan->n_insts * sizeof *plan->insts + plan->n_steps * sizeof *plan->steps +
                  plan->n_requests * sizeof *plan->requests + plan->n_warps * sizeof *plan->warps;
    if (!plan->insts || !plan->steps || !plan->requests || !plan->warps) {
        error_set(err, ERR_MEMORY, "%s: no memory for a plan of %zu bytes", trace_kernel(trace), plan->bytes);
        goto failed;
    }
    plan_code(plan, trace);
    for (uint32_t i = 0; i < plan->n_warps; i++)
        plan->warps[i] = (struct plan_warp){trace->warps[i].first_step, (uint32_t)trace->warps[i].n_steps};
    walk.pass = 2;
    if (walk_trace(&walk, err) < 0) goto failed;
    *out = plan;
    return 0;
failed:
    plan_free(plan);
    return -1;
}

void plan_free(struct plan *plan)
{
    if (!plan) return;
    free(plan->insts);
    free(plan->steps);
    free(plan->requests);
    free(plan->warps);
    free(plan);
}

uint32_t plan_warps_per_scheduler(const struct plan *plan) { return plan->warps_per_scheduler; }
uint64_t plan_warp_insts(const struct plan *plan) { return plan->n_steps; }
uint64_t plan_line_requests(const struct plan *plan) { return plan->n_requests; }
size_t plan_bytes(const struct plan *plan) { return plan->bytes; }

bool plan_fits(const struct plan *plan, const struct gpu_params *params)
{
    struct plan shape = *plan;
    plan_occupancy(&shape, params);
    return plan->line_bytes == params->l1.line_bytes && plan->shared_banks == params->lsu.shared_banks &&
           plan->caches_constants == (params->lsu.const_sets > 0) && plan->caches_textures == (params->lsu.tex_sets > 0) &&
           plan->splits_atomics == params->lsu.atomic_conflicts && plan->address_period == address_period(params) && plan->ctas_per_sm == shape.ctas_per_sm && plan->warps_per_scheduler == shape.warps_per_scheduler;
}
