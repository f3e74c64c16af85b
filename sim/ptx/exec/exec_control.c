/* One warp through its code: the SIMT stack, guards, barriers.
 *
 * An entry of the stack is a set of lanes with one program counter, and the instruction at which it meets those
 * below. Where a branch splits the top entry, that entry waits at the branch's immediate post-dominator and one
 * entry a path goes on top; an entry that reaches its meeting point is taken off. The fall-through path runs first. */
#include <fenv.h>
#include <string.h>
#include "exec/exec.h"

static void push(struct warp *w, uint32_t pc, uint32_t reconverge, uint32_t mask)
{
    if (mask && pc != reconverge) w->stack[w->depth++] = (struct stack_entry){pc, reconverge, mask, ENTRY_RUNS};
}

/* The top entry waits at the meeting point, if that is not where it is already expected. */
static void wait_at(struct warp *w, uint32_t reconverge)
{
    struct stack_entry *top = &w->stack[w->depth - 1];
    if (reconverge == NO_INDEX || reconverge == top->reconverge) w->depth--;
    else top->pc = reconverge;
}

static void exec_branch(struct warp *w, const struct uop *u, uint32_t active, uint32_t taken)
{
    struct stack_entry *top = &w->stack[w->depth - 1];
    const uint32_t falls = active & ~taken, next = top->pc;
    if (!falls) {
        top->pc = u->target;
    } else if (taken) {
        wait_at(w, u->reconverge);
        push(w, u->target, u->reconverge, taken);
        push(w, next, u->reconverge, falls);
    }
}

static int exec_branch_table(struct run *r, struct warp *w, const struct uop *u, uint32_t active, uint32_t taken)
{
    const uint32_t falls = active & ~taken, next = w->stack[w->depth - 1].pc, *table = r->kernel->tables + u->target;
    uint32_t to[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t index;
        memcpy(&index, w->regs + u->a + l * 4, 4);
        if (taken >> l & 1 && index >= u->e)
            return run_fault(r, w, u, l, "index %u of a table of %u targets", index, u->e);
        to[l] = index < u->e ? table[index] : 0;
    }
    wait_at(w, u->reconverge);
    for (uint32_t left = taken; left;) {
        const uint32_t first = (uint32_t)__builtin_ctz(left);
        uint32_t same = 0;
        for (uint32_t l = 0; l < LANES; l++) same |= left >> l & 1 && to[l] == to[first] ? 1u << l : 0;
        push(w, to[first], u->reconverge, same);
        left &= ~same;
    }
    push(w, next, u->reconverge, falls);
    return 0;
}

static void exec_exit(struct warp *w, uint32_t mask)
{
    for (uint32_t i = 0; i < w->depth; i++) w->stack[i].mask &= ~mask;
}

static void saturate(struct warp *w, const struct uop *u, uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        if (u->type == T_F64) {
            double x;
            memcpy(&x, w->regs + u->d + l * 8, 8);
            x = x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
            memcpy(w->regs + u->d + l * 8, &x, 8);
        } else {
            float x;
            memcpy(&x, w->regs + u->d + l * 4, 4);
            x = x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
            memcpy(w->regs + u->d + l * 4, &x, 4);
        }
    }
}

static void exec_rounded(struct warp *w, const struct uop *u, uint32_t mask)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    fesetround(modes[u->aux]);
    u->fn.lane(w->regs, u, mask);
    fesetround(FE_TONEAREST);
}

/* Everything that is not control flow. mask != 0 */
static int exec_plain(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    switch (u->kind) {
    case UOP_LANE:
        u->fn.lane(w->regs, u, mask);
        if (u->flags & UOP_SATURATE) saturate(w, u, mask);
        return 0;
    case UOP_ROUNDED:
        exec_rounded(w, u, mask);
        if (u->flags & UOP_SATURATE) saturate(w, u, mask);
        return 0;
    case UOP_LOAD: return exec_load(r, w, u, mask);
    case UOP_STORE: return exec_store(r, w, u, mask);
    case UOP_ATOMIC: return exec_atomic(r, w, u, mask);
    case UOP_BUILTIN: return exec_builtin(r, w, u, mask);
    case UOP_STACK: return exec_stack(r, w, u, mask);
    case UOP_TEXTURE: return exec_texture(r, w, u, mask);
    case UOP_SURFACE: return exec_surface(r, w, u, mask);
    case UOP_MMA: return exec_mma(r, w, u, mask);
    case UOP_LOAD_PART: return exec_load_part(r, w, u, mask);
    case UOP_MBARRIER: return exec_mbarrier(r, w, u, mask);
    case UOP_NOP:
        if (r->kernel->insts[u - r->kernel->code].cls == TRACE_FENCE) is_held_for_atomics(r, w, u);
        return 0;
    case UOP_YIELD: r->stop = r->counts.warp_insts; return 0;
    case UOP_TEXTURE_QUERY: return exec_texture_query(r, w, u, mask);
    case UOP_TRAP: return run_fault(r, w, u, (uint32_t)__builtin_ctz(mask), "%s", r->kernel->messages[u->imm]);
    default: exec_warp_op(r, w, u, mask); return 0;
    }
}

void warp_turn_lanes(struct warp *w)
{
    uint32_t above = 0, waiting = 0, at = 0;
    if (w->held_mask) return; /* the instruction in hand is half done */
    const uint32_t lowest = w->n_frames ? w->frames[w->n_frames - 1].depth : 0;
    for (uint32_t i = w->depth; i-- > lowest;) {
        const uint32_t idle = i + 1 < w->depth ? w->stack[i].mask & ~above : 0;
        above |= w->stack[i].mask;
        if (idle && w->stack[i].pc != w->stack[i].reconverge) waiting = idle, at = i;
    }
    if (!waiting || w->depth + 1 >= STACK_DEPTH) return;
    const struct stack_entry turned = {w->stack[at].pc, w->stack[at].reconverge, waiting, ENTRY_RUNS};
    w->stack[at].mask &= ~waiting;
    w->stack[w->depth++] = turned;
    w->has_turned = true;
}

bool round_changed_memory(const struct run *r, const struct warp *w)
{
    return w->round_changed || r->changed > (w->round_begin > r->turn_begin ? w->round_begin : r->turn_begin);
}

/* At the branch back of a loop that can only wait: where the round before was the same and changed no memory, the
 * turn is over. */
static void end_of_round(struct run *r, struct warp *w, const struct uop *u, uint32_t active, uint32_t taken)
{
    const uint32_t pc = (uint32_t)(u - r->kernel->code);
    const uint64_t now = r->counts.warp_insts, n = now - w->round_begin;
    if (r->waits && waits_trial_ends(r, taken)) return;
    w->spins = taken && w->spin_pc == pc && w->spin_mask == taken && n <= u->round && !round_changed_memory(r, w);
    if (w->spins && w->buffer && !waits_end_at(w, n)) trace_record_spun(w->buffer, n);
    if (r->waits) waits_round(r, w, u, active, taken, n);
    w->spin_pc = taken ? pc : NO_INDEX;
    w->spin_mask = taken;
    w->spin_at = w->round_begin = now;
    w->round_changed = false;
    if (w->spins && now - r->idle_since < SPIN_PATIENCE) r->stop = now;
}

static int end_of_turn(const struct run *r)
{
    if (r->counts.warp_insts < r->limit) return 0;
    return error_set(r->err, ERR_LIMIT, "kernel %s: %llu warp instructions executed, the limit", r->kernel->info.name,
                     (unsigned long long)r->limit);
}

static int exec_barrier(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint32_t id, threads = 0;
    if (is_held_for_atomics(r, w, u)) return 0;
    memcpy(&id, w->regs + u->a + lane * 4, 4);
    if (id >= N_BARRIERS) return run_fault(r, w, u, lane, "barrier %u, there are 0 to 15", id);
    if (u->b != NO_SLOT) memcpy(&threads, w->regs + u->b + lane * 4, 4);
    if (threads % LANES) return run_fault(r, w, u, lane, "a barrier of %u threads, not a multiple of 32", threads);
    struct barrier *b = &r->barriers[id];
    if ((b->warps || b->arrived) && b->threads != threads)
        return run_fault(r, w, u, lane, "barrier %u of %u threads is in use with %u", id, threads, b->threads);
    if (!b->warps && !b->arrived) *b = (struct barrier){.threads = threads, .all = 1};
    if (u->op == BARRIER_ARRIVE) {
        b->arrived++;
        return 0;
    }
    if (u->c != NO_SLOT) {
        uint32_t p;
        memcpy(&p, w->regs + u->c, 4);
        if (u->flags & UOP_C_NOT) p = ~p;
        b->popc += (uint32_t)__builtin_popcount(p & mask);
        b->all &= (p & mask) == mask;
        b->any |= (p & mask) != 0;
    }
    b->warps++;
    w->state = WARP_WAITS;
    w->barrier = id;
    w->wait = u;
    w->wait_mask = mask;
    return 0;
}

/* The baseline has no instruction for it, and a call takes longer. */
static inline uint32_t count_lanes(uint32_t mask)
{
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

int warp_run(struct run *r, struct warp *w)
{
    const struct uop *code = r->kernel->code;
    while (w->depth) {
        struct stack_entry *top = &w->stack[w->depth - 1];
        if (!top->mask || top->pc == top->reconverge) {
            w->depth--;
            if (w->n_frames) exec_frames_end(r, w);
            continue;
        }
        if (r->counts.warp_insts >= r->stop) return end_of_turn(r);
        const uint32_t pc = top->pc++, active = top->mask;
        const struct uop *u = &code[pc];
        uint32_t mask = guard_mask(w, u, active);
        enum gathered gathered = GATHER_RUNS;
        const bool gathers = u->gathers || (w->has_turned && u->kind == UOP_BARRIER);
        if (gathers && w->depth > 1 && mask && (gathered = gather_lanes(w, code, pc, &mask)) == GATHER_WAITS) continue;
        if (gathered == GATHER_PASSES && u->kind == UOP_BARRIER) continue; /* counted and recorded once for the warp */
        const bool branches = u->kind == UOP_BRANCH || u->kind == UOP_BRANCH_TABLE;
        r->counts.warp_insts++;
        const uint32_t executing = branches ? active : mask;
        r->counts.thread_insts += executing == FULL_MASK ? LANES : count_lanes(executing);
        if (w->buffer) {
            trace_record_step(w->buffer, pc, executing);
            if (u->flags & UOP_RECORD_GUARD) trace_record_guard(w->buffer, active);
        }
        if (u->kind == UOP_BRANCH) {
            exec_branch(w, u, active, mask);
            if (u->round) end_of_round(r, w, u, active, mask);
        } else if (!mask) {
            continue;
        } else if (u->kind == UOP_EXIT) {
            exec_exit(w, mask);
        } else if (u->kind == UOP_BRANCH_TABLE) {
            if (exec_branch_table(r, w, u, active, mask) < 0) return -1;
        } else if (u->kind == UOP_BARRIER) {
            if (exec_barrier(r, w, u, mask) < 0) return -1;
            if (w->state == WARP_WAITS) return 0;
        } else if (u->kind == UOP_CALL) {
            if (exec_call(r, w, u, mask) < 0) return -1;
        } else if (u->kind == UOP_RETURN) {
            w->depth--;
            exec_frames_end(r, w);
        } else if (exec_plain(r, w, u, mask) < 0) {
            return -1;
        }
    }
    w->state = WARP_DONE;
    if (w->waited) waits_warp_ends(r, w);
    return 0;
}

/* bar.red: every waiting lane gets the result. */
static void deliver(struct warp *w, const struct barrier *b)
{
    const struct uop *u = w->wait;
    if (u->op == BARRIER_POPC) {
        for (uint32_t left = w->wait_mask; left; left &= left - 1)
            memcpy(w->regs + u->d + (uint32_t)__builtin_ctz(left) * 4, &b->popc, 4);
    } else if (u->op == BARRIER_AND || u->op == BARRIER_OR) {
        uint32_t p;
        memcpy(&p, w->regs + u->d, 4);
        p = (u->op == BARRIER_AND ? b->all : b->any) ? p | w->wait_mask : p & ~w->wait_mask;
        memcpy(w->regs + u->d, &p, 4);
    }
}

bool barriers_release(struct run *r)
{
    bool released = false;
    uint32_t live = 0;
    for (uint32_t i = 0; i < r->n_warps; i++) live += r->warps[i].state != WARP_DONE;
    for (uint32_t id = 0; id < N_BARRIERS; id++) {
        struct barrier *b = &r->barriers[id];
        const uint32_t there = b->warps + b->arrived, expected = b->threads ? b->threads / LANES : live;
        if (!b->warps || there < expected) continue;
        for (uint32_t i = 0; i < r->n_warps; i++) {
            struct warp *w = &r->warps[i];
            if (w->state != WARP_WAITS || w->barrier != id) continue;
            deliver(w, b);
            w->state = WARP_READY;
        }
        *b = (struct barrier){0};
        released = true;
    }
    return released;
}
