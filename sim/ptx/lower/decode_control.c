/* Control flow, calls, barriers and the instructions by which the lanes of a warp talk to each other. */
#include <stdio.h>
#include <string.h>
#include "lower/lower.h"

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
        if (k->n_tables >= MAX_TABLES) {
            lower_fail(l, "%s: kernel %s has more than %zu branch targets", l->inst->text, k->info.name, MAX_TABLES);
            return;
        }
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

/* In a kernel ret ends the lanes; in a function it goes to the end of the body, where the call went on or a return
 * stands. */
void decode_ret(struct lower *l)
{
    need_operands(l, 0, 0);
    if (l->depth == 1 && l->callee == NO_INDEX) {
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

void decode_nanosleep(struct lower *l) { emit(l, UOP_YIELD, TRACE_INT); }
void decode_ignored(struct lower *l) { emit(l, UOP_NOP, TRACE_INT); }

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
        if (id->value < 0 || id->value > 15)
            lower_fail(l, "%s: barrier %lld, there are 0 to 15", l->inst->text, (long long)id->value);
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
    if (has_mod(l, "warp")) {
        need_operands(l, 1, 1);
        l->u.b = source_at(l, 0, 32, false);
        l->u.gathers = 1;
        emit(l, UOP_SYNC_LANES, TRACE_INT);
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
        /* bar.sync is .aligned: a warp that has diverged comes as one. Without that each thread comes on its own. */
        l->u.gathers = !strcmp(l->inst->mnemonic, "barrier") && !has_mod(l, "aligned");
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
    l->u.op = has_mod(l, "ballot") ? VOTE_BALLOT
              : has_mod(l, "all")  ? VOTE_ALL
              : has_mod(l, "any")  ? VOTE_ANY
                                   : VOTE_UNI;
    if (l->u.op == VOTE_UNI && !has_mod(l, "uni")) {
        lower_unknown(l);
        return;
    }
    need_operands(l, 2, 3);
    l->u.a = predicate_source(l, operand_at(l, 1), &negated);
    if (negated) l->u.flags |= UOP_A_NOT;
    l->u.b = l->inst->n_operands > 2 ? source_at(l, 2, 32, false) : const_slot(l, 32, FULL_MASK);
    l->u.d = dest_at(l, 0, l->u.op == VOTE_BALLOT ? 32 : 1);
    l->u.gathers = has_mod(l, "sync");
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
    l->u.gathers = l->inst->n_operands > 4;
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
    l->u.gathers = 1;
    emit(l, UOP_MATCH, TRACE_INT);
}

/* redux.sync.add.s32 d, a, mask */
void decode_redux(struct lower *l)
{
    static const struct {
        const char *name;
        uint8_t op;
    } rows[] = {{"add", TRACE_ATOMIC_ADD}, {"min", TRACE_ATOMIC_MIN}, {"max", TRACE_ATOMIC_MAX},
                {"and", TRACE_ATOMIC_AND}, {"or", TRACE_ATOMIC_OR},   {"xor", TRACE_ATOMIC_XOR}};
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
    l->u.gathers = 1;
    emit(l, UOP_REDUX, TRACE_INT);
}

/* elect.sync d|p, mask: the lowest lane of them */
void decode_elect(struct lower *l)
{
    need_operands(l, 2, 2);
    if (l->failed) return;
    const struct operand *d = operand_at(l, 0);
    l->u.b = source_at(l, 1, 32, false);
    l->u.d = dest(l, d, 32);
    if (d->n) l->u.d2 = dest(l, &d->items[0], 1);
    l->u.gathers = 1;
    emit(l, UOP_ELECT, TRACE_INT);
}

/* alloca.u64 d, size{, align}   stacksave.u64 d   stackrestore.u64 a: addresses in local memory */
void decode_stack(struct lower *l)
{
    const enum ptx_type type = l->inst->n_mods == 1 ? type_named(l->inst->mods[0]) : T_NONE;
    const char *name = l->inst->mnemonic;
    if (type != T_U64 && type != T_B64 && type != T_U32 && type != T_B32) {
        lower_unknown(l);
        return;
    }
    l->u.width = (uint8_t)type_bits(type);
    l->u.c = stack_slot(l);
    l->u.imm = 8;
    if (!strcmp(name, "alloca")) {
        l->u.op = STACK_ALLOCA;
        need_operands(l, 2, 3);
        l->u.a = source_at(l, 1, l->u.width, false);
        if (l->inst->n_operands == 3) {
            const struct operand *align = operand_at(l, 2);
            l->u.imm = align->value;
            if (align->kind != OPND_INT || l->u.imm < 1 || l->u.imm > 4096 || (l->u.imm & (l->u.imm - 1)))
                lower_fail(l, "%s: an alignment is a power of two up to 4096", l->inst->text);
        }
        l->u.d = dest_at(l, 0, l->u.width);
    } else {
        l->u.op = !strcmp(name, "stacksave") ? STACK_SAVE : STACK_RESTORE;
        need_operands(l, 1, 1);
        if (l->u.op == STACK_SAVE) l->u.d = dest_at(l, 0, l->u.width);
        else l->u.a = source_at(l, 0, l->u.width, false);
    }
    emit(l, UOP_STACK, TRACE_INT);
}
