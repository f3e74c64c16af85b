/* cp.async and mbarrier. A copy is done at once, as a load and a store, so what waits for copies has nothing to wait
 * for; a barrier in shared memory is one word (exec_async.c). [PTX ISA 9.7.9.25, 9.7.13.15] */
#include <string.h>
#include "lower/lower.h"

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static void word_access(struct lower *l, enum space space, uint32_t bytes)
{
    l->u.space = (uint8_t)space;
    l->u.bytes = 4;
    l->u.width = 32;
    l->u.n_vec = (uint8_t)(bytes / 4);
    l->u.type = T_B32;
    l->t.space = space == SP_SHARED ? TRACE_SPACE_SHARED : TRACE_SPACE_GLOBAL;
    l->t.bytes = (uint8_t)bytes;
}

static bool copy_mods_are_known(const struct lower *l)
{
    static const char *const known[] = {"async", "ca", "cg", "shared", "shared::cta", "global"};
    for (uint32_t i = 0; i < l->inst->n_mods; i++) {
        bool found = starts(l->inst->mods[i], "L2::");
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) found |= !strcmp(l->inst->mods[i], known[k]);
        if (!found) return false;
    }
    return has_mod(l, "global") && (has_mod(l, "ca") || has_mod(l, "cg"));
}

/* cp.async.ca.shared.global [to], [from], 4, 8 or 16{, bytes that are read, or a predicate: none are}: the rest of
 * what is written is zero. */
static void decode_copy(struct lower *l)
{
    const struct var *v;
    const uint32_t hints = has_mod(l, "L2::cache_hint");
    if (!copy_mods_are_known(l)) {
        lower_unknown(l);
        return;
    }
    need_operands(l, 3 + hints, 4 + hints);
    if (l->failed) return;
    const struct operand *size = operand_at(l, 2);
    const int64_t bytes = size->kind == OPND_INT ? size->value : 0;
    if ((bytes != 4 && bytes != 8 && bytes != 16) || (has_mod(l, "cg") && bytes != 16)) {
        lower_fail(l, "%s: 4, 8 or 16 bytes are copied at a time, by .cg 16", l->inst->text);
        return;
    }
    const struct uop guard = l->u;
    const struct uses guard_uses = l->r;
    const uint32_t reg = new_register(l, T_B32); /* so that the store waits for its load */
    uint32_t words[4] = {reg_slot(l, reg), NO_SLOT, NO_SLOT, NO_SLOT};
    for (uint32_t i = 1; i < bytes / 4; i++) words[i] = slot_new(l, 32);
    word_access(l, SP_GLOBAL, (uint32_t)bytes);
    l->t.cache_op = has_mod(l, "cg") ? TRACE_CACHE_CG : TRACE_CACHE_CA;
    memcpy(l->u.vec, words, sizeof words);
    use_dst(l, reg);
    address_at(l, 1, &v);
    enum uop_kind kind = UOP_LOAD;
    if (l->inst->n_operands == 4 + hints) {
        const struct operand *part = operand_at(l, 3);
        const bool is_predicate = part->kind == OPND_REG && part->type == T_PRED;
        bool negated = false;
        kind = UOP_LOAD_PART;
        l->u.op = is_predicate;
        l->u.c = is_predicate ? predicate_source(l, part, &negated) : source(l, part, 32, false);
        if (negated) l->u.flags |= UOP_C_NOT;
    }
    emit(l, kind, TRACE_LOAD);
    if (l->failed) return;
    begin(l);
    l->u.guard = guard.guard;
    l->u.flags = guard.flags;
    l->r = guard_uses;
    word_access(l, SP_SHARED, (uint32_t)bytes);
    memcpy(l->u.vec, words, sizeof words);
    use_src(l, reg);
    address_at(l, 0, &v);
    if (v && v->space != SP_SHARED) lower_fail(l, "%s: %s is not in shared memory", l->inst->text, v->name);
    emit(l, UOP_STORE, TRACE_STORE);
}

static void mbarrier_word(struct lower *l, bool is_shared)
{
    l->u.space = is_shared ? SP_SHARED : SP_GENERIC;
    l->t.space = is_shared ? TRACE_SPACE_SHARED : TRACE_SPACE_GLOBAL;
    l->t.scope = TRACE_SCOPE_CTA;
    l->u.bytes = l->t.bytes = 8;
    l->u.n_vec = 1;
}

static bool is_in_shared(const struct lower *l)
{
    return has_mod(l, "shared") || has_mod(l, "shared::cta") || has_mod(l, "shared::cluster");
}

void decode_cp(struct lower *l)
{
    const struct var *v;
    if (l->inst->n_mods < 2 || strcmp(l->inst->mods[0], "async") != 0) {
        lower_unknown(l);
    } else if (!strcmp(l->inst->mods[1], "commit_group") || !strcmp(l->inst->mods[1], "wait_all") ||
               !strcmp(l->inst->mods[1], "wait_group")) {
        const uint32_t n = !strcmp(l->inst->mods[1], "wait_group");
        need_operands(l, n, n);
        emit(l, UOP_NOP, TRACE_INT);
    } else if (!strcmp(l->inst->mods[1], "mbarrier") && has_mod(l, "arrive")) {
        /* The copies are done. Without .noinc the barrier was to wait for one arrival more, which this is. */
        need_operands(l, 1, 1);
        if (!has_mod(l, "noinc")) {
            emit(l, UOP_NOP, TRACE_INT);
            return;
        }
        mbarrier_word(l, is_in_shared(l));
        address_at(l, 0, &v);
        l->u.op = MBARRIER_ARRIVE;
        l->u.b = const_slot(l, 32, 1);
        l->t.atomic = TRACE_ATOMIC_ADD;
        emit(l, UOP_MBARRIER, TRACE_ATOMIC);
    } else {
        decode_copy(l);
    }
}

static bool barrier_mods_are_known(const struct lower *l)
{
    static const char *const known[] = {"parity",  "noComplete", "expect_tx",   "acquire",
                                        "release", "relaxed",    "cta",         "cluster",
                                        "shared",  "b64",        "shared::cta", "shared::cluster"};
    for (uint32_t i = 1; i < l->inst->n_mods; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) found |= !strcmp(l->inst->mods[i], known[k]);
        if (!found) return false;
    }
    return l->inst->n_mods > 1;
}

/* mbarrier.arrive.expect_tx.b64 state, [a], n: the state may be left out. */
static void decode_arrival(struct lower *l, bool drops)
{
    const struct var *v;
    const bool returns = l->inst->n_operands && l->inst->operands[0].kind != OPND_ADDRESS;
    const bool expects = has_mod(l, "expect_tx"), counts = l->inst->n_operands == 2u + returns;
    need_operands(l, 1u + returns + (expects || has_mod(l, "noComplete")), 2u + returns);
    if (l->failed) return;
    l->u.op = drops ? MBARRIER_ARRIVE_DROP : MBARRIER_ARRIVE;
    address_at(l, returns, &v);
    l->u.b = counts && !expects ? source_at(l, 1u + returns, 32, false) : const_slot(l, 32, 1);
    l->u.c = expects ? source_at(l, 1u + returns, 32, false) : NO_SLOT;
    if (returns) l->u.d = dest_at(l, 0, 64);
    l->t.atomic = TRACE_ATOMIC_ADD;
    emit(l, UOP_MBARRIER, TRACE_ATOMIC);
}

/* mbarrier.try_wait.parity.b64 done, [a], phase{, time} */
static void decode_wait(struct lower *l, bool tries)
{
    const struct var *v;
    const bool is_parity = has_mod(l, "parity");
    need_operands(l, 3, 3u + tries);
    address_at(l, 1, &v);
    l->u.op = is_parity ? MBARRIER_WAIT_PARITY : MBARRIER_WAIT;
    l->u.b = source_at(l, 2, is_parity ? 32 : 64, false);
    if (l->inst->n_operands == 4) (void)source_at(l, 3, 32, false);
    l->u.d = dest_at(l, 0, 1);
    emit(l, UOP_MBARRIER, TRACE_LOAD);
}

void decode_mbarrier(struct lower *l)
{
    const struct var *v;
    const char *what = l->inst->n_mods ? l->inst->mods[0] : "";
    if (!barrier_mods_are_known(l)) {
        lower_unknown(l);
        return;
    }
    mbarrier_word(l, is_in_shared(l));
    if (!strcmp(what, "arrive") || !strcmp(what, "arrive_drop")) {
        decode_arrival(l, what[6] != '\0');
    } else if (!strcmp(what, "test_wait") || !strcmp(what, "try_wait")) {
        decode_wait(l, what[1] == 'r');
    } else if (!strcmp(what, "pending_count")) {
        need_operands(l, 2, 2);
        l->t = (struct trace_inst){0};
        l->u.op = MBARRIER_PENDING;
        l->u.b = source_at(l, 1, 64, false);
        l->u.d = dest_at(l, 0, 32);
        emit(l, UOP_MBARRIER, TRACE_INT);
    } else if (!strcmp(what, "init") || !strcmp(what, "inval")) {
        const bool is_init = !what[4];
        need_operands(l, 1u + is_init, 1u + is_init);
        address_at(l, 0, &v);
        l->u.op = is_init ? MBARRIER_INIT : MBARRIER_INVAL;
        if (is_init) l->u.b = source_at(l, 1, 32, false);
        emit(l, UOP_MBARRIER, TRACE_STORE);
    } else if (!strcmp(what, "expect_tx") || !strcmp(what, "complete_tx")) {
        need_operands(l, 2, 2);
        address_at(l, 0, &v);
        l->u.op = what[0] == 'e' ? MBARRIER_EXPECT : MBARRIER_COMPLETE;
        l->u.c = source_at(l, 1, 32, false);
        l->t.atomic = TRACE_ATOMIC_ADD;
        emit(l, UOP_MBARRIER, TRACE_ATOMIC);
    } else {
        lower_unknown(l);
    }
}
