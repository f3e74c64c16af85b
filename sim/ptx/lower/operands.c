/* Operands -> slots of the register file. Immediates, addresses of variables and special registers are slots too,
 * filled when a launch begins, so that every operand of every lane function is the same thing: 32 elements at an
 * offset. */
#include <string.h>
#include "lower/lower.h"

#define MAX_FILE_BYTES ((uint64_t)16 << 20) /* register file of one warp */
#define CONST_LOOK_BACK 256                 /* how far an equal constant is searched */

static uint32_t file_take(struct lower *l, uint64_t bytes, uint64_t align)
{
    const uint64_t at = (l->file_bytes + align - 1) / align * align;
    if (at + bytes > MAX_FILE_BYTES)
        return lower_fail(l, "kernel %s needs too many registers", l->kernel->info.name), 0;
    l->file_bytes = at + bytes;
    return (uint32_t)at;
}

uint32_t slot_new(struct lower *l, uint32_t width)
{
    return width == 1 ? file_take(l, 4, 4) : file_take(l, width == 64 ? SLOT64 : SLOT32, 64);
}

static uint32_t init_slot(struct lower *l, const struct slot_init *wanted)
{
    struct ptx_kernel *k = l->kernel;
    for (size_t i = k->n_inits; i-- > 0 && k->n_inits - i <= CONST_LOOK_BACK;) {
        const struct slot_init *x = &k->inits[i];
        if (x->width == wanted->width && x->source == wanted->source && x->value == wanted->value &&
            x->index == wanted->index)
            return x->slot;
    }
    if (ARRAY_ROOM(k->inits, k->cap_inits, k->n_inits) < 0) return lower_memory(l), 0;
    struct slot_init *x = &k->inits[k->n_inits++];
    *x = *wanted;
    x->slot = slot_new(l, wanted->width);
    return x->slot;
}

uint32_t const_slot(struct lower *l, uint32_t width, uint64_t value)
{
    if (width < 64) value &= ((uint64_t)1 << width) - 1;
    return init_slot(l, &(struct slot_init){.width = (uint8_t)(width == 16 || width == 8 ? 32 : width),
                                            .source = SLOT_VALUE,
                                            .value = value});
}

uint32_t constants_slot(struct lower *l)
{
    return init_slot(l, &(struct slot_init){.width = 64, .source = SLOT_CONSTANTS});
}

static uint32_t special_slot(struct lower *l, uint32_t special, uint32_t width)
{
    uint32_t *slot = &l->special_slots[special][width == 64];
    if (*slot == NO_SLOT)
        *slot =
            init_slot(l, &(struct slot_init){.width = width == 64 ? 64 : 32, .source = SLOT_SPECIAL, .index = special});
    return *slot;
}

uint32_t reg_slot(struct lower *l, uint32_t reg)
{
    struct reg *r = &l->regs[reg];
    if (r->slot == NO_SLOT) r->slot = slot_new(l, type_bits(r->type));
    return r->slot;
}

uint32_t new_register(struct lower *l, enum ptx_type type)
{
    if (ARRAY_ROOM(l->regs, l->cap_regs, l->n_regs) < 0) return lower_memory(l), 0;
    l->regs[l->n_regs] = (struct reg){type, NO_SLOT};
    return (uint32_t)l->n_regs++;
}

void use_src(struct lower *l, uint32_t reg)
{
    for (uint32_t i = 0; i < l->r.n_src; i++)
        if (l->r.src[i] == reg) return;
    if (l->r.n_src < TRACE_MAX_SRC) l->r.src[l->r.n_src++] = reg;
    else lower_fail(l, "more source registers than a trace instruction holds");
}

void use_dst(struct lower *l, uint32_t reg)
{
    for (uint32_t i = 0; i < l->r.n_dst; i++)
        if (l->r.dst[i] == reg) return;
    if (l->r.n_dst < TRACE_MAX_DST) l->r.dst[l->r.n_dst++] = reg;
    else lower_fail(l, "more destination registers than a trace instruction holds");
}

uint32_t carry_slot(struct lower *l, bool reads, bool writes)
{
    if (l->cc == NO_INDEX) {
        if (ARRAY_ROOM(l->regs, l->cap_regs, l->n_regs) < 0) return lower_memory(l), 0;
        l->cc = (uint32_t)l->n_regs;
        l->regs[l->n_regs++] = (struct reg){T_PRED, NO_SLOT};
    }
    if (reads) use_src(l, l->cc);
    if (writes) use_dst(l, l->cc);
    return reg_slot(l, l->cc);
}

const struct operand *operand_at(struct lower *l, uint32_t k)
{
    if (k < l->inst->n_operands) return &l->inst->operands[k];
    lower_fail(l, "%s: operand %u is missing", l->inst->text, k + 1);
    return NULL;
}

void need_operands(struct lower *l, uint32_t least, uint32_t most)
{
    if (l->inst->n_operands < least || l->inst->n_operands > most)
        lower_fail(l, "%s has %u operands, expected %u", l->inst->text, l->inst->n_operands,
                   l->inst->n_operands < least ? least : most);
}

uint32_t width_of_reg(const struct lower *l, const struct operand *o)
{
    (void)l;
    return o->kind == OPND_REG ? type_bits(o->type) : o->kind == OPND_SPECIAL ? 32 : 0;
}

/* Where a static shared variable stands in the CTA's window. */
static uint64_t place_shared(struct lower *l, struct var *v)
{
    if (v->stamp != l->kernel_stamp) {
        v->stamp = l->kernel_stamp;
        v->offset = (l->shared_bytes + v->align - 1) / v->align * v->align;
        l->shared_bytes = v->offset + v->bytes;
        if (l->shared_bytes > 256u << 10)
            lower_fail(l, "kernel %s needs more than 256 KiB of shared memory", l->kernel->info.name);
    }
    return v->offset;
}

/* In the thread's local memory, or in the frame of the function that is being lowered. */
static uint64_t place_local(struct lower *l, struct var *v)
{
    struct ptx_kernel_info *info = &l->kernel->info;
    uint32_t *bytes = l->callee == NO_INDEX ? &info->local_bytes : &l->kernel->callees[l->callee].local_bytes;
    if (v->stamp != v->owner->stamp) {
        v->stamp = v->owner->stamp;
        v->offset = (*bytes + v->align - 1) / v->align * v->align;
        if (v->offset + v->bytes > 480u << 10)
            lower_fail(l, "kernel %s needs more than 480 KiB of local memory a thread", info->name);
        else *bytes = (uint32_t)(v->offset + v->bytes);
    }
    return v->offset;
}

uint32_t stack_slot(struct lower *l)
{
    struct ptx_kernel *k = l->kernel;
    if (k->stack_slot == NO_SLOT) k->stack_slot = init_slot(l, &(struct slot_init){.width = 32, .source = SLOT_STACK});
    return k->stack_slot;
}

/* The address of a variable (in its own space) as a slot. */
static uint32_t variable_slot(struct lower *l, struct var *v, int64_t addend, uint32_t width)
{
    if (width != 64 && width != 32) return lower_fail(l, "%s: an address needs 32 or 64 bits", l->inst->text), 0;
    struct slot_init init = {.width = (uint8_t)width, .source = SLOT_VALUE};
    if (v->is_opaque && v->index == NO_INDEX)
        return lower_fail(l, "%s must be declared outside of functions", v->name), 0;
    if (v->is_opaque) {
        init.value = PTX_TEXTURE_WINDOW + v->index;
    } else if (v->space == SP_SHARED) {
        init.value = v->is_extern ? 0 : place_shared(l, v);
        if (v->is_extern) init.source = SLOT_DYNAMIC_SHARED;
    } else if (v->is_extern) {
        return lower_fail(l, "external variable %s is not defined in this module", v->name), 0;
    } else if (v->space == SP_LOCAL) {
        init.value = place_local(l, v);
        if (l->callee != NO_INDEX) {
            init.source = SLOT_FRAME;
            init.index = l->callee;
        }
    } else if (v->space == SP_PARAM) {
        uint32_t reg;
        init.value = v->offset;
        if (!v->is_kernel_param) {
            if (width != 64) return lower_fail(l, "the address of %s needs 64 bits", v->name), 0;
            init.value = arg_slot(l, v, &reg);
            init.source = SLOT_ARGUMENT;
            init.index = (uint32_t)v->bytes;
            use_src(l, reg);
        }
    } else {
        init.source = SLOT_VARIABLE;
        init.index = v->index;
    }
    init.value += (uint64_t)addend;
    if (width == 32 && init.source == SLOT_VALUE) init.value &= UINT32_MAX;
    return init_slot(l, &init);
}

static uint64_t immediate(struct lower *l, const struct operand *o, uint32_t width, bool is_float)
{
    if (!is_float || o->kind == OPND_INT) {
        if (is_float) { /* 1 written where 1.0 is meant */
            const double wide = (double)o->value;
            struct operand as_float = {.kind = OPND_F64};
            memcpy(&as_float.value, &wide, 8);
            return immediate(l, &as_float, width, true);
        }
        if (o->kind != OPND_INT && width != (o->kind == OPND_F32 ? 32 : 64))
            lower_fail(l, "%s: a floating-point immediate where an integer is expected", l->inst->text);
        return (uint64_t)o->value;
    }
    double wide;
    float narrow;
    uint32_t low = (uint32_t)o->value;
    uint64_t bits;
    if (o->kind == OPND_F32) {
        if (width == 32) return low;
        memcpy(&narrow, &low, 4);
        wide = (double)narrow;
        memcpy(&bits, &wide, 8);
        return bits;
    }
    if (width == 64) return (uint64_t)o->value;
    memcpy(&wide, &o->value, 8);
    narrow = (float)wide;
    memcpy(&low, &narrow, 4);
    return low;
}

static void wrong_width(struct lower *l, const struct operand *o, uint32_t width)
{
    lower_fail(l, "%s: a register of %u bits (%s) where %u bits are expected", l->inst->text, type_bits(o->type),
               type_name(o->type), width);
}

uint32_t source(struct lower *l, const struct operand *o, uint32_t width, bool is_float)
{
    if (!o || l->failed) return 0;
    switch (o->kind) {
    case OPND_REG:
        if (type_bits(o->type) != width) return wrong_width(l, o, width), 0;
        if (o->negated || o->n) return lower_fail(l, "%s: '!' and '|' are for predicates", l->inst->text), 0;
        if (o->part && l->inst->mnemonic[0] != 'v') return lower_fail(l, "%s takes whole registers", l->inst->text), 0;
        use_src(l, l->func->reg_base + o->reg);
        return reg_slot(l, l->func->reg_base + o->reg);
    case OPND_INT:
    case OPND_F32:
    case OPND_F64: return const_slot(l, width, immediate(l, o, width, is_float));
    case OPND_FUNC:
        if (width != 64) return lower_fail(l, "%s: the address of a function has 64 bits", l->inst->text), 0;
        return const_slot(l, 64, PTX_CODE_WINDOW + 16 * (uint64_t)o->func->number);
    case OPND_VAR: return variable_slot(l, o->var, o->value, width);
    case OPND_SPECIAL:
        if (o->reg >= FIRST_DYNAMIC_SPECIAL) return lower_fail(l, "%s: clocks are read by mov alone", l->inst->text), 0;
        if (o->reg == SPECIAL_EXPLICIT_CLUSTER)
            return lower_fail(l, "%s: %%is_explicit_cluster is a predicate", l->inst->text), 0;
        if (width == 64 && !special_has_64_bits(o->reg))
            return lower_fail(l, "%s: special registers have 32 bits", l->inst->text), 0;
        return special_slot(l, o->reg, width);
    default: return lower_fail(l, "%s: this operand cannot be a source", l->inst->text), 0;
    }
}

uint32_t source_at(struct lower *l, uint32_t k, uint32_t width, bool is_float)
{
    return source(l, operand_at(l, k), width, is_float);
}

uint32_t dest(struct lower *l, const struct operand *o, uint32_t width)
{
    if (!o || l->failed) return 0;
    if (o->kind == OPND_SINK) return slot_new(l, width);
    if (o->kind != OPND_REG || o->negated)
        return lower_fail(l, "%s: the destination must be a register", l->inst->text), 0;
    if (type_bits(o->type) != width) return wrong_width(l, o, width), 0;
    use_dst(l, l->func->reg_base + o->reg);
    return reg_slot(l, l->func->reg_base + o->reg);
}

uint32_t dest_at(struct lower *l, uint32_t k, uint32_t width) { return dest(l, operand_at(l, k), width); }

/* A predicate, possibly negated, or the immediates 0 and 1. */
uint32_t predicate_source(struct lower *l, const struct operand *o, bool *negated)
{
    *negated = false;
    if (!o || l->failed) return 0;
    if (o->kind == OPND_INT) return const_slot(l, 1, o->value ? 1 : 0);
    if (o->kind == OPND_SPECIAL && o->reg == SPECIAL_EXPLICIT_CLUSTER) {
        *negated = o->negated;
        return const_slot(l, 1, l->kernel->is_clustered);
    }
    if (o->kind != OPND_REG || o->type != T_PRED) return lower_fail(l, "%s: expected a predicate", l->inst->text), 0;
    *negated = o->negated;
    use_src(l, l->func->reg_base + o->reg);
    return reg_slot(l, l->func->reg_base + o->reg);
}

/* [base + offset] -> u.a, u.imm, UOP_WIDE_BASE; *var = the variable named, or NULL. */
void address_at(struct lower *l, uint32_t k, const struct var **var)
{
    const struct operand *o = operand_at(l, k);
    *var = NULL;
    if (!o || l->failed) return;
    if (o->kind != OPND_ADDRESS) {
        lower_fail(l, "%s: operand %u must be an address in brackets", l->inst->text, k + 1);
        return;
    }
    const struct operand *base = &o->items[0];
    if (base->kind == OPND_REG) {
        const uint32_t width = type_bits(base->type);
        if (width != 64 && width != 32) {
            lower_fail(l, "%s: an address register has 32 or 64 bits", l->inst->text);
            return;
        }
        l->u.a = source(l, base, width, false);
        l->u.imm = o->value;
        if (width == 64) l->u.flags |= UOP_WIDE_BASE;
        else if (l->u.space == SP_CONST) l->u.b = constants_slot(l);
        return;
    }
    l->u.flags |= UOP_WIDE_BASE;
    if (base->kind == OPND_INT) {
        l->u.a = const_slot(l, 64, (uint64_t)o->value);
        return;
    }
    *var = base->var;
    l->u.imm = 0;
    if (base->var->space != SP_PARAM || base->var->is_kernel_param) l->u.a = variable_slot(l, base->var, o->value, 64);
    else l->u.imm = o->value; /* the caller knows what to do with an argument */
}

/* A .param variable of a device function or of a call lives in the register file, `bytes` for each lane. It has a
 * register number too, so that traces name the dependence. */
uint32_t arg_slot(struct lower *l, struct var *v, uint32_t *reg)
{
    if (v->owner && v->stamp != v->owner->stamp) {
        if (ARRAY_ROOM(l->regs, l->cap_regs, l->n_regs) < 0) return lower_memory(l), 0;
        v->stamp = v->owner->stamp;
        v->index = (uint32_t)l->n_regs;
        l->regs[l->n_regs++] = (struct reg){v->bytes > 4 ? T_B64 : T_B32, NO_SLOT};
        v->offset = file_take(l, v->bytes * LANES, 64);
    }
    *reg = v->index;
    return (uint32_t)v->offset;
}
