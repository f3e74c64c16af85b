/* Control flow, calls, barriers and the instructions by which the lanes of a warp talk to each other. */
#include <stdio.h>
#include <string.h>
#include "lower.h"

static bool has_target(struct lower *l, const struct operand *o)
{
    if (o && o->kind == OPND_LABEL && o->reg <= l->func->n_insts) return true;
    lower_fail(l, "%s: the target must be a label", l->inst->text);
    return false;
}

void decode_bra(struct lower *l)
{
    const struct operand *o = operand_at(l, 0);
    need_operands(l, 1, 1);
    if (l->failed || !has_target(l, o)) return;
    if (has_mod(l, "uni")) l->t.flags |= TRACE_UNIFORM;
    fixup_add(l, (uint32_t)l->n_code, o->reg, false);
    emit(l, UOP_BRANCH, TRACE_BRANCH);
}

/* brx.idx %r, table: lane by lane, table[%r] */
void decode_brx(struct lower *l)
{
    struct ptx_kernel *k = l->kernel;
    need_operands(l, 2, 2);
    l->u.a = source_at(l, 0, 32, false);
    const struct operand *table = operand_at(l, 1);
    if (l->failed) return;
    if (table->kind != OPND_LIST || !table->n || !has_mod(l, "idx")) {
        lower_fail(l, "%s: operand 2 must be a list of .branchtargets", l->inst->text);
        return;
    }
    l->u.target = (uint32_t)k->n_tables;
    l->u.e = table->n;
    for (uint32_t i = 0; i < table->n; i++) {
        if (!has_target(l, &table->items[i])) return;
        if (ARRAY_ROOM(k->tables, k->cap_tables, k->n_tables) < 0) {
            lower_memory(l);
            return;
        }
        k->tables[k->n_tables] = 0;
        fixup_add(l, (uint32_t)k->n_tables++, table->items[i].reg, true);
    }
    if (has_mod(l, "uni")) l->t.flags |= TRACE_UNIFORM;
    emit(l, UOP_BRANCH_TABLE, TRACE_BRANCH);
}

/* In a kernel ret ends the lanes; in an inlined function it goes to the end of the body, where the call went on. */
void decode_ret(struct lower *l)
{
    need_operands(l, 0, 0);
    if (l->depth == 1) {
        emit(l, UOP_EXIT, TRACE_EXIT);
        return;
    }
    if (has_mod(l, "uni")) l->t.flags |= TRACE_UNIFORM;
    fixup_add(l, (uint32_t)l->n_code, (uint32_t)l->func->n_insts, false);
    emit(l, UOP_BRANCH, TRACE_BRANCH);
}

void decode_exit(struct lower *l)
{
    need_operands(l, 0, 0);
    emit(l, UOP_EXIT, TRACE_EXIT);
}

void decode_trap(struct lower *l)
{
    need_operands(l, 0, 0);
    l->u.imm = message_add(l, "the program executed trap");
    emit(l, UOP_TRAP, TRACE_EXIT);
}

void decode_ignored(struct lower *l) { emit(l, UOP_NOP, TRACE_INT); }

/* One argument or result that is passed in a register: a move between caller and callee. */
static void move_register(struct lower *l, uint32_t to, uint32_t from, uint32_t width)
{
    char name[16];
    snprintf(name, sizeof name, "mov_%u", width);
    const struct lane_op *op = lane_find(l->lanes, name);
    if (!op) {
        lower_fail(l, "%s: a register parameter of %u bits", l->inst->text, width);
        return;
    }
    begin(l);
    use_src(l, from);
    use_dst(l, to);
    l->u.a = reg_slot(l, from);
    l->u.d = reg_slot(l, to);
    l->u.fn.lane = op->fn;
    emit(l, UOP_LANE, TRACE_INT);
}

/* Formal and actual .param variables are one: the callee reads what the caller wrote. */
static void bind(struct lower *l, struct func *callee, const struct formal *formals, uint32_t n, const struct operand *actuals)
{
    if (n != (actuals ? actuals->n : 0)) {
        lower_fail(l, "call of %s: %u parameters where %u are declared", callee->name, actuals ? actuals->n : 0, n);
        return;
    }
    for (uint32_t i = 0; i < n && !l->failed; i++) {
        const struct operand *o = &actuals->items[i];
        struct var *formal = formals[i].var;
        if (!formal) {
            if (o->kind != OPND_REG || type_bits(o->type) != type_bits(formals[i].type) || o->negated)
                lower_fail(l, "call of %s: parameter %u must be a register of %u bits", callee->name, i + 1, type_bits(formals[i].type));
            continue;
        }
        if (o->kind != OPND_VAR || o->var->space != SP_PARAM || o->var->is_kernel_param || o->value || o->var->bytes != formal->bytes) {
            lower_fail(l, "call of %s: parameter %u must be a .param variable of %llu bytes", callee->name, i + 1,
                       (unsigned long long)formal->bytes);
            continue;
        }
        uint32_t reg;
        const uint32_t slot = arg_slot(l, o->var, &reg);
        formal->stamp = callee->stamp;
        formal->offset = slot;
        formal->index = reg;
    }
}

static void inline_call(struct lower *l, struct func *f, const struct operand *rets, const struct operand *args)
{
    const uint32_t caller_base = l->func->reg_base;
    if (open_function(l, f) < 0) return;
    bind(l, f, f->params, f->n_params, args);
    bind(l, f, f->rets, f->n_rets, rets);
    if (l->failed) return;
    for (uint32_t i = 0; i < f->n_params && !l->failed; i++)
        if (!f->params[i].var)
            move_register(l, f->reg_base + f->params[i].reg, caller_base + args->items[i].reg, type_bits(f->params[i].type));
    if (lower_function(l, f) < 0) return;
    for (uint32_t i = 0; i < f->n_rets && !l->failed; i++)
        if (!f->rets[i].var)
            move_register(l, caller_base + rets->items[i].reg, f->reg_base + f->rets[i].reg, type_bits(f->rets[i].type));
}

/* call (results), function, (arguments); the body is inlined behind it. A guarded call is jumped over. */
void decode_call(struct lower *l)
{
    const struct inst *i = l->inst;
    uint32_t k = 0;
    const struct operand *rets = NULL, *args = NULL;
    if (k < i->n_operands && i->operands[k].kind == OPND_LIST) rets = &i->operands[k++];
    const struct operand *name = operand_at(l, k++);
    if (k < i->n_operands && i->operands[k].kind == OPND_LIST) args = &i->operands[k++];
    if (l->failed) return;
    if (name->kind != OPND_FUNC || k < i->n_operands) {
        lower_fail(l, "%s: indirect calls are not supported", i->text);
        return;
    }
    struct func *f = name->func;
    if (!f->has_body) {
        char text[300];
        snprintf(text, sizeof text, "the program called %.200s, which has no body in this module", f->name);
        l->u.imm = message_add(l, text);
        emit(l, UOP_TRAP, TRACE_EXIT);
        return;
    }
    if (f->is_entry) {
        lower_fail(l, "kernel %s cannot be called", f->name);
        return;
    }
    if (i->guard) {
        l->u.flags ^= UOP_GUARD_NOT;
        fixup_add(l, (uint32_t)l->n_code, l->index + 1, false);
        emit(l, UOP_BRANCH, TRACE_BRANCH);
    } else {
        l->t.flags |= TRACE_UNIFORM;
        emit(l, UOP_NOP, TRACE_BRANCH);
    }
    if (!l->failed) inline_call(l, f, rets, args);
}

static bool pred_or_value(struct lower *l, uint32_t k, uint32_t *slot)
{
    bool negated;
    *slot = predicate_source(l, operand_at(l, k), &negated);
    if (negated) l->u.flags |= UOP_C_NOT;
    return !l->failed;
}

static void barrier_ids(struct lower *l, uint32_t k)
{
    const struct operand *id = operand_at(l, k);
    if (!id) return;
    l->u.a = source(l, id, 32, false);
    if (id->kind == OPND_INT) {
        if (id->value < 0 || id->value > 15) lower_fail(l, "%s: barrier %lld, there are 0 to 15", l->inst->text, (long long)id->value);
        l->t.barrier = (uint8_t)id->value;
    }
    if (k + 1 < l->inst->n_operands && !l->failed) {
        const struct operand *n = &l->inst->operands[k + 1];
        if (n->kind == OPND_REG && n->type == T_PRED) return; /* bar.red without a count */
        l->u.b = source(l, n, 32, false);
        if (n->kind == OPND_INT) l->t.threads = (uint32_t)n->value;
    }
}

/* bar.sync a{, n}   bar.arrive a, n   bar.red.op.type d, a{, n}, p   barrier.cta.sync   bar.warp.sync m */
void decode_bar(struct lower *l)
{
    if (has_mod(l, "warp")) { /* lanes of a warp go together already */
        need_operands(l, 1, 1);
        emit(l, UOP_NOP, TRACE_INT);
        return;
    }
    uint32_t first = 0;
    l->u.op = BARRIER_SYNC;
    if (has_mod(l, "arrive")) {
        l->u.op = BARRIER_ARRIVE;
        need_operands(l, 2, 2);
    } else if (has_mod(l, "red")) {
        l->u.op = has_mod(l, "popc") ? BARRIER_POPC : has_mod(l, "and") ? BARRIER_AND : BARRIER_OR;
        first = 1;
        need_operands(l, 3, 4);
        l->u.width = l->u.op == BARRIER_POPC ? 32 : 1;
        l->u.d = dest_at(l, 0, l->u.width);
        if (l->failed || !pred_or_value(l, l->inst->n_operands - 1, &l->u.c)) return;
    } else if (has_mod(l, "sync")) {
        need_operands(l, 1, 2);
    } else {
        lower_unknown(l);
        return;
    }
    barrier_ids(l, first);
    emit(l, UOP_BARRIER, TRACE_BARRIER);
}

/* vote{.sync}.all.pred p, q{, mask}   vote{.sync}.ballot.b32 d, q{, mask} */
void decode_vote(struct lower *l)
{
    bool negated;
    l->u.op = has_mod(l, "ballot") ? VOTE_BALLOT : has_mod(l, "all") ? VOTE_ALL : has_mod(l, "any") ? VOTE_ANY : VOTE_UNI;
    if (l->u.op == VOTE_UNI && !has_mod(l, "uni")) {
        lower_unknown(l);
        return;
    }
    need_operands(l, 2, 3);
    l->u.a = predicate_source(l, operand_at(l, 1), &negated);
    if (negated) l->u.flags |= UOP_A_NOT;
    l->u.b = l->inst->n_operands > 2 ? source_at(l, 2, 32, false) : const_slot(l, 32, FULL_MASK);
    l->u.d = dest_at(l, 0, l->u.op == VOTE_BALLOT ? 32 : 1);
    emit(l, UOP_VOTE, TRACE_INT);
}

void decode_activemask(struct lower *l)
{
    need_operands(l, 1, 1);
    l->u.d = dest_at(l, 0, 32);
    emit(l, UOP_ACTIVE, TRACE_INT);
}

/* shfl{.sync}.mode.b32 d|p, a, b, c{, mask} */
void decode_shfl(struct lower *l)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    uint8_t mode = 4;
    for (uint8_t i = 0; i < 4; i++)
        if (has_mod(l, modes[i])) mode = i;
    need_operands(l, has_mod(l, "sync") ? 5 : 4, has_mod(l, "sync") ? 5 : 4);
    if (l->failed) return;
    if (mode == 4 || !(has_mod(l, "b32") || has_mod(l, "u32") || has_mod(l, "s32") || has_mod(l, "f32"))) {
        lower_unknown(l);
        return;
    }
    const struct operand *d = operand_at(l, 0);
    l->u.op = mode;
    l->u.a = source_at(l, 1, 32, false);
    l->u.b = source_at(l, 2, 32, false);
    l->u.c = source_at(l, 3, 32, false);
    if (l->inst->n_operands > 4) l->u.e = source_at(l, 4, 32, false);
    l->u.d = dest(l, d, 32);
    if (d->n) l->u.d2 = dest(l, &d->items[0], 1);
    emit(l, UOP_SHUFFLE, TRACE_INT);
}

/* match.any.sync.b32 d, a, mask   match.all.sync.b64 d|p, a, mask */
void decode_match(struct lower *l)
{
    const uint32_t width = has_mod(l, "b64") ? 64 : 32;
    const bool all = has_mod(l, "all");
    need_operands(l, 3, 3);
    if (l->failed) return;
    if (!all && !has_mod(l, "any")) {
        lower_unknown(l);
        return;
    }
    const struct operand *d = operand_at(l, 0);
    l->u.op = all;
    l->u.width = (uint8_t)width;
    l->u.a = source_at(l, 1, width, false);
    l->u.b = source_at(l, 2, 32, false);
    l->u.d = dest(l, d, 32);
    if (d->n) l->u.d2 = dest(l, &d->items[0], 1);
    emit(l, UOP_MATCH, TRACE_INT);
}

/* redux.sync.add.s32 d, a, mask */
void decode_redux(struct lower *l)
{
    static const struct { const char *name; uint8_t op; } rows[] = {
        {"add", TRACE_ATOMIC_ADD}, {"min", TRACE_ATOMIC_MIN}, {"max", TRACE_ATOMIC_MAX}, {"and", TRACE_ATOMIC_AND},
        {"or", TRACE_ATOMIC_OR},   {"xor", TRACE_ATOMIC_XOR}};
    const enum ptx_type type = l->inst->n_mods ? type_named(l->inst->mods[l->inst->n_mods - 1]) : T_NONE;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (has_mod(l, rows[i].name)) l->u.op = rows[i].op;
    need_operands(l, 3, 3);
    if (l->failed) return;
    if (!l->u.op || type_bits(type) != 32 || type_kind(type) == 'f') {
        lower_unknown(l);
        return;
    }
    l->u.type = (uint8_t)type;
    l->u.a = source_at(l, 1, 32, false);
    l->u.b = source_at(l, 2, 32, false);
    l->u.d = dest_at(l, 0, 32);
    emit(l, UOP_REDUX, TRACE_INT);
}
