/* What the plan says of static instructions: units, registers and their banks, and what a memory instruction does. */
#include "plan/plan.h"
#include "poise/sass.h"

static const uint8_t unit_of[TRACE_N_CLASSES] = {
    [TRACE_INT] = UNIT_INT,         [TRACE_INT_MUL] = UNIT_INT,   [TRACE_INT_DIV] = UNIT_SFU,
    [TRACE_FP] = UNIT_SP,           [TRACE_FP_MUL] = UNIT_SP,     [TRACE_FP_DIV] = UNIT_SFU,
    [TRACE_DP] = UNIT_DP,           [TRACE_DP_DIV] = UNIT_SFU,    [TRACE_SFU] = UNIT_SFU,
    [TRACE_BRANCH] = UNIT_BRANCH,   [TRACE_BARRIER] = UNIT_SP,    [TRACE_FENCE] = UNIT_SP,
    [TRACE_EXIT] = UNIT_SP,         [TRACE_LOAD] = UNIT_LSU,      [TRACE_STORE] = UNIT_LSU,
    [TRACE_ATOMIC] = UNIT_LSU,      [TRACE_TENSOR] = UNIT_TENSOR, [TRACE_UDP] = UNIT_UDP,
    [TRACE_TEXTURE] = UNIT_TEXTURE,
};

void plan_inst_banks(struct plan_inst *inst)
{
    enum { BANKS = 32 }; /* numbers from there on are of none */
    struct plan_banks b = {0};
    const uint32_t sources = inst->n_regs - inst->n_dst;
    for (uint32_t i = 0; i < PLAN_USUAL_BANKS; i++) {
        const bool is_destination = i == PLAN_USUAL_BANKS - 1,
                   is_there = is_destination ? inst->n_dst > 0 : i < sources;
        if (is_there) b.numbers |= inst->regs[is_destination ? 0 : inst->n_dst + i] % BANKS << 8 * i;
        if (is_there) b.is_there |= 0xffu << 8 * i;
        else b.stand_in |= (BANKS + i) << 8 * i;
    }
    if (sources >= PLAN_USUAL_BANKS || inst->n_dst > 1) b.numbers |= PLAN_MORE_BANKS;
    inst->banks = b;
}

bool plan_load_passes_l1(const struct plan *plan, const struct trace_inst *inst)
{
    const bool is_global_load = inst->cls == TRACE_LOAD && inst->space == TRACE_SPACE_GLOBAL;
    return trace_load_passes_l1(inst) || (plan->skips_l1 && is_global_load);
}

static uint8_t different_sources(const struct plan_inst *inst)
{
    uint32_t found = 0;
    for (uint32_t i = inst->n_dst; i < inst->n_regs; i++) {
        uint32_t k = inst->n_dst;
        while (inst->regs[k] != inst->regs[i]) k++;
        found |= (uint32_t)(k == i) << (i - inst->n_dst);
    }
    return (uint8_t)found;
}

void plan_code(struct plan *plan, const struct trace_inst *code, const struct sass *sass)
{
    for (uint32_t i = 0; i < plan->n_insts; i++) {
        const struct trace_inst *from = &code[i];
        struct plan_inst *to = &plan->insts[i];
        to->cls = from->cls;
        to->unit = sass && sass_on_fma(sass, i) ? UNIT_SP : unit_of[from->cls];
        to->is_memory = from->cls == TRACE_LOAD || from->cls == TRACE_STORE || from->cls == TRACE_ATOMIC;
        to->wants_result = from->cls == TRACE_ATOMIC && (from->flags & TRACE_RESULT_USED);
        to->is_global_load = from->cls == TRACE_LOAD && from->space == TRACE_SPACE_GLOBAL;
        to->op = MEMORY_OP(from->cache_op, trace_inst_scope(from)) & 63u;
        to->passes_l1 = plan_load_passes_l1(plan, from);
        plan->passes_l1 |= to->passes_l1;
        to->barrier = from->barrier & 15;
        to->barrier_warps = from->cls == TRACE_BARRIER ? (from->threads + TRACE_LANES - 1) / TRACE_LANES : 0;
        to->pc = from->pc;
        for (uint32_t k = 0; k < from->n_dst; k++)
            if (from->dst[k] != TRACE_NO_REG) to->regs[to->n_regs++] = from->dst[k];
        to->n_dst = to->n_regs;
        for (uint32_t k = 0; k < from->n_src; k++)
            if (from->src[k] != TRACE_NO_REG) to->regs[to->n_regs++] = from->src[k];
        for (uint32_t k = to->n_regs; k < TRACE_MAX_DST + TRACE_MAX_SRC; k++)
            to->regs[k] = (uint16_t)plan->launch.n_regs;
        to->result = to->n_dst ? to->regs[0] : plan->launch.n_regs + 1;
        to->sources = different_sources(to);
        plan_inst_banks(to);
    }
}

uint8_t plan_action(const struct plan *plan, const struct trace_inst *inst)
{
    switch (inst->cls) {
    case TRACE_BARRIER: return ACT_BARRIER;
    case TRACE_FENCE: return ACT_FENCE;
    case TRACE_LOAD:
    case TRACE_STORE:
    case TRACE_ATOMIC:
        if (inst->space == TRACE_SPACE_SHARED) return ACT_SHARED;
        if (inst->space == TRACE_SPACE_CONST || inst->space == TRACE_SPACE_PARAM) return ACT_CONST;
        if (inst->space == TRACE_SPACE_TEXTURE && inst->cls == TRACE_LOAD && plan->caches_textures) return ACT_TEXTURE;
        return inst->cls == TRACE_LOAD ? ACT_LOAD : inst->cls == TRACE_STORE ? ACT_STORE : ACT_ATOMIC;
    default: return ACT_ALU;
    }
}
