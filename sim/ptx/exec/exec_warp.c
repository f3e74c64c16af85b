/* What looks at several lanes at once, and the moves that are no lane function: predicates, packing, votes,
 * shuffles. */
#include <stdio.h>
#include <string.h>
#include "exec/exec.h"
#include "exec/lane_macros.h"

static uint32_t predicate(const struct warp *w, uint32_t slot)
{
    uint32_t value;
    memcpy(&value, w->regs + slot, 4);
    return value;
}

static void put_predicate(struct warp *w, uint32_t slot, uint32_t value, uint32_t mask)
{
    if (slot == NO_SLOT) return;
    value = (value & mask) | (predicate(w, slot) & ~mask);
    memcpy(w->regs + slot, &value, 4);
}

static uint32_t get32(const struct warp *w, uint32_t slot, uint32_t l)
{
    uint32_t value;
    memcpy(&value, w->regs + slot + l * 4, 4);
    return value;
}

static uint64_t get64(const struct warp *w, uint32_t slot, uint32_t l)
{
    uint64_t value;
    memcpy(&value, w->regs + slot + l * 8, 8);
    return value;
}

static void exec_pack(struct warp *w, const struct uop *u, uint32_t mask)
{
    uint64_t wide[LANES] = {0};
    uint32_t narrow[LANES];
    for (uint32_t v = 0; v < u->n_vec; v++)
        EACH_LANE wide[l] |= (uint64_t)get32(w, u->vec[v], (uint32_t)l) << (v * u->op);
    EACH_LANE narrow[l] = (uint32_t)wide[l];
    if (u->width == 64) put64(w->regs + u->d, wide, mask);
    else put32(w->regs + u->d, narrow, mask);
}

static void exec_unpack(struct warp *w, const struct uop *u, uint32_t mask)
{
    uint64_t wide[LANES];
    uint32_t element[LANES];
    EACH_LANE wide[l] = u->width == 64 ? get64(w, u->a, (uint32_t)l) : get32(w, u->a, (uint32_t)l);
    for (uint32_t v = 0; v < u->n_vec; v++) {
        if (u->vec[v] == NO_SLOT) continue;
        EACH_LANE element[l] = (uint32_t)(wide[l] >> (v * u->op)) & (u->op == 16 ? 0xffffu : ~0u);
        put32(w->regs + u->vec[v], element, mask);
    }
}

/* Clocks count the launch's warp instructions: increasing, and the same in every run. */
static void exec_clock(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    const bool high = u->op == SPECIAL_CLOCK_HI || u->op == SPECIAL_GLOBALTIMER_HI;
    const uint64_t now = high ? r->counts.warp_insts >> 32 : r->counts.warp_insts;
    uint64_t wide[LANES];
    uint32_t narrow[LANES];
    EACH_LANE wide[l] = now;
    EACH_LANE narrow[l] = (uint32_t)now;
    if (u->width == 64) put64(w->regs + u->d, wide, mask);
    else put32(w->regs + u->d, narrow, mask);
}

static void exec_vote(struct warp *w, const struct uop *u, uint32_t mask)
{
    const uint32_t p = predicate(w, u->a) ^ (u->flags & UOP_A_NOT ? FULL_MASK : 0);
    uint32_t result[LANES], bits = 0;
    EACH_LANE
    {
        const uint32_t members = get32(w, u->b, l) & mask, yes = p & members;
        const bool all = yes == members, none = yes == 0;
        result[l] = yes;
        bits |= (u->op == VOTE_ALL ? all : u->op == VOTE_ANY ? !none : all || none) ? lane_bits[l] : 0;
    }
    if (u->op == VOTE_BALLOT) put32(w->regs + u->d, result, mask);
    else put_predicate(w, u->d, bits, mask);
}

/* What the ISA leaves open, told once a launch: the value of a lane that does not execute the shuffle, and what a
 * lane gets that is not in its own mask of members. */
static void tell_shuffle(struct run *r, const struct warp *w, const struct uop *u, uint32_t mask, uint32_t reader,
                         uint32_t source)
{
    char text[160];
    if (r->has_told_shuffle || !r->services || !r->services->undefined) return;
    uint32_t outside = 0;
    if (u->gathers)
        for (uint32_t left = mask; left; left &= left - 1) {
            const uint32_t l = (uint32_t)__builtin_ctz(left);
            outside |= get32(w, u->e, l) >> l & 1 ? 0 : 1u << l;
        }
    if (reader == LANES && !outside) return;
    r->has_told_shuffle = true;
    if (r->shadows) { /* what comes first is told, by whom runs in order */
        r->shadows->gives_up = true;
        return;
    }
    if (reader < LANES)
        snprintf(text, sizeof text,
                 "a shuffle gives lane %u the value of lane %u, which does not execute it: undefined in PTX, 0 here",
                 reader, source);
    else
        snprintf(text, sizeof text,
                 "a shuffle is executed by lane %d, which is not in its own mask of members: undefined in PTX, as if "
                 "it were here",
                 __builtin_ctz(outside));
    r->services->undefined(r->services->self, r->kernel->info.name, r->kernel->insts[u - r->kernel->code].line, text);
}

/* [PTX ISA 9.7.9.6]: c holds the clamp in bits 0-4 and the segment mask in bits 8-12. A lane that does not execute
 * it has an unpredictable value: 0, since a public reduction by a few lanes comes out right on hardware only if such
 * values add nothing. */
static void exec_shuffle(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    uint32_t out[LANES], inside = 0, reader = LANES, source = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t b = get32(w, u->b, l) & 31, c = get32(w, u->c, l), clamp = c & 31, segment = c >> 8 & 31;
        const uint32_t most = (l & segment) | (clamp & ~segment), least = l & segment;
        uint32_t from = l;
        bool valid = false;
        switch (u->op) {
        case SHUFFLE_UP:
            from = l - b;
            valid = (int32_t)from >= (int32_t)most;
            break;
        case SHUFFLE_DOWN:
            from = l + b;
            valid = from <= most;
            break;
        case SHUFFLE_BFLY:
            from = l ^ b;
            valid = from <= most;
            break;
        default:
            from = least | (b & ~segment);
            valid = from <= most;
            break;
        }
        from = valid ? from & 31 : l;
        out[l] = mask >> from & 1 ? get32(w, u->a, from) : 0;
        if (mask >> l & 1 && !(mask >> from & 1) && reader == LANES) reader = l, source = from;
        inside |= valid ? 1u << l : 0;
    }
    tell_shuffle(r, w, u, mask, reader, source);
    put32(w->regs + u->d, out, mask);
    put_predicate(w, u->d2, inside, mask);
}

static void exec_match(struct warp *w, const struct uop *u, uint32_t mask)
{
    uint32_t out[LANES], same_bits = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t members = get32(w, u->b, l) & mask;
        uint32_t same = 0;
        for (uint32_t k = 0; k < LANES; k++) {
            const bool equal =
                u->width == 64 ? get64(w, u->a, l) == get64(w, u->a, k) : get32(w, u->a, l) == get32(w, u->a, k);
            same |= members & (equal ? 1u << k : 0);
        }
        out[l] = u->op ? (same == members ? members : 0) : same;
        same_bits |= same == members ? 1u << l : 0;
    }
    put32(w->regs + u->d, out, mask);
    put_predicate(w, u->d2, same_bits, mask);
}

static void exec_redux(struct warp *w, const struct uop *u, uint32_t mask)
{
    uint32_t out[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        const uint32_t members = get32(w, u->b, l) & mask;
        uint64_t sum = 0;
        bool first = true;
        for (uint32_t left = members; left; left &= left - 1) {
            const uint64_t x = get32(w, u->a, (uint32_t)__builtin_ctz(left));
            sum = first ? x : atomic_apply(u->op, (enum ptx_type)u->type, sum, x, 0) & UINT32_MAX;
            first = false;
        }
        out[l] = (uint32_t)sum;
    }
    put32(w->regs + u->d, out, mask);
}

static void exec_elect(struct warp *w, const struct uop *u, uint32_t mask)
{
    uint32_t leader[LANES], is = 0;
    EACH_LANE
    {
        const uint32_t members = get32(w, u->b, (uint32_t)l) & mask;
        leader[l] = members ? (uint32_t)__builtin_ctz(members) : 0;
        is |= members && leader[l] == (uint32_t)l ? lane_bits[l] : 0;
    }
    put32(w->regs + u->d, leader, mask);
    put_predicate(w, u->d2, is, mask);
}

static void exec_isspacep(struct warp *w, const struct uop *u, uint32_t mask)
{
    uint32_t bits = 0;
    EACH_LANE
    {
        const uint64_t a = get64(w, u->a, l);
        const bool shared = a - PTX_SHARED_WINDOW <= UINT32_MAX, local = a - PTX_LOCAL_WINDOW <= UINT32_MAX,
                   param = a - PTX_PARAM_WINDOW <= UINT32_MAX;
        const bool is = u->space == SP_SHARED  ? shared
                        : u->space == SP_LOCAL ? local
                        : u->space == SP_PARAM ? param
                                               : u->space == SP_GLOBAL && !shared && !local;
        bits |= is ? lane_bits[l] : 0;
    }
    put_predicate(w, u->d, bits, mask);
}

static uint32_t combine(uint8_t op, uint32_t a, uint32_t b)
{
    switch (op) {
    case PRED_AND: return a & b;
    case PRED_OR: return a | b;
    case PRED_XOR: return a ^ b;
    case PRED_NOT: return ~a;
    default: return a;
    }
}

/* setp.f16x2 d|d2: the lower and the upper elements; set.f16x2: both in one register */
static void exec_compare_pair(struct warp *w, const struct uop *u, uint32_t mask)
{
    uint32_t is[2], out[LANES] = {0};
    const uint32_t c = u->op == PRED_MOV ? 0 : predicate(w, u->c) ^ (u->flags & UOP_C_NOT ? FULL_MASK : 0);
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t a[LANES], b[LANES];
        EACH_LANE a[l] = get32(w, u->a, (uint32_t)l) >> 16 * k & 0xffff;
        EACH_LANE b[l] = get32(w, u->b, (uint32_t)l) >> 16 * k & 0xffff;
        is[k] = u->fn.compare((unsigned char *)a, (unsigned char *)b) ^ (u->flags & UOP_INVERT ? FULL_MASK : 0);
        if (u->op != PRED_MOV) is[k] = combine(u->op, is[k], c);
        EACH_LANE out[l] |= is[k] & lane_bits[l] ? (uint32_t)u->imm << 16 * k : 0;
    }
    if (u->kind == UOP_SET) {
        put32(w->regs + u->d, out, mask);
        return;
    }
    put_predicate(w, u->d, is[0], mask);
    put_predicate(w, u->d2, is[1], mask);
}

static void exec_compare(struct warp *w, const struct uop *u, uint32_t mask)
{
    if (u->n_vec) {
        exec_compare_pair(w, u, mask);
        return;
    }
    uint32_t is = u->fn.compare(w->regs + u->a, w->regs + u->b), c = 0;
    if (u->flags & UOP_INVERT) is = ~is;
    uint32_t is_not = ~is;
    if (u->op != PRED_MOV) {
        c = predicate(w, u->c) ^ (u->flags & UOP_C_NOT ? FULL_MASK : 0);
        is = combine(u->op, is, c);
        is_not = combine(u->op, is_not, c);
    }
    if (u->kind == UOP_SETP) {
        put_predicate(w, u->d, is, mask);
        put_predicate(w, u->d2, is_not, mask);
        return;
    }
    uint32_t out[LANES];
    EACH_LANE out[l] = is & lane_bits[l] ? (uint32_t)u->imm : 0;
    put32(w->regs + u->d, out, mask);
}

static void exec_pred(struct warp *w, const struct uop *u, uint32_t mask)
{
    const uint32_t a = predicate(w, u->a) ^ (u->flags & UOP_A_NOT ? FULL_MASK : 0);
    const uint32_t b = predicate(w, u->b) ^ (u->flags & UOP_B_NOT ? FULL_MASK : 0);
    put_predicate(w, u->d, combine(u->op, a, b), mask);
}

void exec_warp_op(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    uint32_t all[LANES];
    switch (u->kind) {
    case UOP_SETP:
    case UOP_SET: exec_compare(w, u, mask); break;
    case UOP_PRED: exec_pred(w, u, mask); break;
    case UOP_PACK: exec_pack(w, u, mask); break;
    case UOP_UNPACK: exec_unpack(w, u, mask); break;
    case UOP_CLOCK: exec_clock(r, w, u, mask); break;
    case UOP_VOTE: exec_vote(w, u, mask); break;
    case UOP_SHUFFLE: exec_shuffle(r, w, u, mask); break;
    case UOP_MATCH: exec_match(w, u, mask); break;
    case UOP_REDUX: exec_redux(w, u, mask); break;
    case UOP_ISSPACEP: exec_isspacep(w, u, mask); break;
    case UOP_ACTIVE:
        EACH_LANE all[l] = mask;
        put32(w->regs + u->d, all, mask);
        break;
    case UOP_ELECT: exec_elect(w, u, mask); break;
    case UOP_SYNC_LANES: break; /* the lanes have gathered */
    case UOP_LOAD_ARG:
    case UOP_STORE_ARG: exec_argument(w, u, mask); break;
    default: break;
    }
}
