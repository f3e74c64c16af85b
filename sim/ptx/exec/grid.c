/* CTAs that are resident together. A cooperative launch needs it, and a kernel in which a CTA waits for a later one
 * (a barrier over the grid made of atomics). All of them take turns, in ascending order and of equal length, so that
 * the result depends on the launch alone. */
#include <stdlib.h>
#include <string.h>
#include "exec/exec.h"
#include "poise/arena.h"

#define MAX_RESIDENTS 8192u
#define MAX_RESIDENT_BYTES ((uint64_t)2 << 30)
#define ORDERED_IDLE_TURNS 8u
#define BLOCK_BYTES ((size_t)8 << 20) /* runs lie side by side in blocks of so much, in large pages of the host */

struct residents {
    struct run *first;
    const void *params;
    size_t param_bytes, n;
    struct run **runs;                    /* by slot; NULL: free */
    size_t run_bytes, in_block, n_blocks; /* of a slot; slots of a block; blocks */
    unsigned char **blocks;               /* NULL: not needed so far */
    struct trace_warp_buffer **buffers;   /* by CTA; NULL: not begun, or written */
    uint8_t *has_ended;                   /* by CTA */
    uint8_t *spins;                       /* by slot: all its warps wait for memory to change since `counted` */
    uint64_t *counted;
    uint64_t next, end, written; /* CTAs: to begin, all, in the trace */
    struct trace_writer *recorder;
    uint32_t idle_turns; /* in a given order: turns of all since it, or memory, last came on */
};

static uint64_t bytes_of_cta(const struct run *r)
{
    const struct ptx_kernel *k = r->kernel;
    const uint64_t warp = k->file_bytes + (uint64_t)LANES * r->local_bytes + sizeof(struct warp) +
                          (STACK_DEPTH + (k->n_callees ? 2 * MAX_CALL_FRAMES : 0)) * sizeof(struct stack_entry) +
                          (k->n_callees ? MAX_CALL_FRAMES * sizeof(struct frame) : 0);
    return r->n_warps * warp + r->shared_bytes + r->kernel->info.param_bytes + sizeof *r;
}

static int out_of_memory(const struct residents *x)
{
    return error_set(x->first->err, ERR_MEMORY, "kernel %s: out of memory for %zu CTAs at once",
                     x->first->kernel->info.name, x->n);
}

static int begin(struct residents *x, size_t i)
{
    const struct run *first = x->first;
    unsigned char **block = &x->blocks[i / x->in_block];
    struct run *r = malloc(sizeof *r);
    if (!*block) *block = table_take(x->in_block, x->run_bytes);
    if (!r || !*block) {
        free(r);
        return out_of_memory(x);
    }
    x->runs[i] = r;
    *r = (struct run){.kernel = first->kernel,
                      .grid = first->grid,
                      .memory = first->memory,
                      .services = first->services,
                      .waits = first->waits,
                      .counts = first->counts,
                      .limit = first->limit,
                      .spin_insts = first->spin_insts,
                      .idle_limit = first->idle_limit,
                      .err = first->err};
    if (run_new(r, x->params, x->param_bytes, *block + i % x->in_block * x->run_bytes) < 0) return -1;
    struct trace_warp_buffer *buffers = NULL;
    if (x->recorder && !(buffers = trace_writer_buffers(x->recorder))) return out_of_memory(x);
    x->buffers[x->next] = buffers;
    cta_start(r, x->next++, buffers);
    return 0;
}

/* The CTA that ran alone until now: what was recorded of it moves to buffers of its own. */
static int adopt(struct residents *x, struct run *r)
{
    struct run *mine = malloc(sizeof *mine);
    if (!mine) return out_of_memory(x);
    x->runs[0] = mine;
    x->next = r->cta_index + 1;
    *mine = *r;
    r->own_block = NULL;
    r->warps = NULL;
    if (!x->recorder) return 0;
    struct trace_warp_buffer *theirs = mine->warps[0].buffer, *own = trace_writer_buffers(x->recorder);
    if (!own) return out_of_memory(x);
    x->buffers[mine->cta_index] = own;
    for (uint32_t i = 0; i < mine->n_warps; i++) {
        const struct trace_warp_buffer empty = own[i];
        own[i] = theirs[i];
        theirs[i] = empty;
        mine->warps[i].buffer = &own[i];
    }
    return 0;
}

/* CTAs go into the trace in ascending order. */
static int write_ended(struct residents *x)
{
    for (; x->written < x->end && x->has_ended[x->written]; x->written++) {
        struct trace_warp_buffer *buffers = x->buffers[x->written];
        x->buffers[x->written] = NULL;
        if (buffers && trace_writer_cta_put(x->recorder, buffers, x->first->err) < 0) return -1;
    }
    return 0;
}

static void slot_free(struct run **slot)
{
    if (*slot) run_free(*slot);
    free(*slot);
    *slot = NULL;
}

/* A turn for one slot, in which the next CTA begins if there is none. What is counted is the launch's, so it goes from
 * one to the next. */
static int slot_turn(struct residents *x, size_t i, uint64_t insts, bool asks_all)
{
    if (!x->runs[i] && begin(x, i) < 0) return -1;
    struct run *r = x->runs[i];
    r->counts = x->first->counts;
    r->idle_since = x->first->idle_since;
    r->changed = x->first->changed;
    const int rc = cta_round(r, insts, asks_all);
    x->first->counts = r->counts;
    x->first->idle_since = r->idle_since;
    x->first->changed = r->changed;
    x->spins[i] = rc == CTA_SPINS;
    x->counted[i] = r->counts.warp_insts;
    if (rc != CTA_ENDED) return rc;
    x->has_ended[r->cta_index] = 1;
    slot_free(&x->runs[i]);
    return write_ended(x) < 0 ? -1 : CTA_ENDED;
}

static bool is_empty(const struct residents *x, size_t i) { return !x->runs[i] && x->next == x->end; }

/* A turn for every slot. */
static int turn(struct residents *x)
{
    bool asks_all = x->next == x->end; /* nobody can go on */
    for (size_t i = 0; i < x->n && asks_all; i++)
        asks_all = !x->runs[i] || (x->spins[i] && x->first->changed <= x->counted[i]);
    for (size_t i = 0; i < x->n; i++) {
        if (is_empty(x, i)) continue;
        if (x->runs[i] && x->spins[i] && x->first->changed <= x->counted[i] && !asks_all) continue;
        if (slot_turn(x, i, RESIDENT_TURN_INSTS, asks_all) < 0) return -1;
    }
    return 0;
}

/* ---- in a given order of atomics ---- */

/* The slot of the CTA whose atomic is the first in the order; x->n: it is not resident. */
static size_t slot_of_next(const struct residents *x, struct ptx_order *order)
{
    const int64_t warp = ptx_order_next_warp(order);
    size_t i = 0;
    while (i < x->n && (warp < 0 || !x->runs[i] || x->runs[i]->cta_index != (uint64_t)warp / x->first->n_warps)) i++;
    return i;
}

static bool has_come_on(const struct residents *x, struct ptx_order *order, uint64_t changed, uint64_t progress)
{
    return x->first->changed != changed || ptx_order_progress(order) != progress;
}

/* The CTA whose atomic is next has turns as long as that brings the order on; then everybody has one. Where nobody can
 * go on, or some go round without changing memory for long, the order has an atomic that no thread comes to. */
static int turn_in_order(struct residents *x, struct ptx_order *order)
{
    const uint64_t changed = x->first->changed, before = ptx_order_progress(order);
    for (uint64_t progress = before;; progress = ptx_order_progress(order)) {
        const size_t i = slot_of_next(x, order);
        if (i < x->n && slot_turn(x, i, RESIDENT_TURN_INSTS, false) < 0) return -1;
        if (ptx_order_progress(order) == progress) break;
    }
    if (ptx_order_next_warp(order) < 0) return turn(x);
    bool goes_on = false;
    for (size_t i = 0; i < x->n; i++) {
        if (is_empty(x, i)) continue;
        const int rc = slot_turn(x, i, RESIDENT_TURN_INSTS, false);
        if (rc < 0) return -1;
        goes_on |= rc != CTA_SPINS;
    }
    x->idle_turns = has_come_on(x, order, changed, before) ? 0 : x->idle_turns + 1;
    if (x->idle_turns == 0 || (goes_on && x->idle_turns < ORDERED_IDLE_TURNS)) return 0;
    x->idle_turns = 0;
    if (ptx_order_drop(order)) x->first->changed = ++x->first->counts.warp_insts;
    return 0;
}

int run_residents(struct run *r, const void *params, size_t param_bytes, bool is_fresh, bool needs_all, uint64_t n_ctas,
                  struct trace_writer *recorder)
{
    struct residents x = {
        .first = r, .params = params, .param_bytes = param_bytes, .end = n_ctas, .recorder = recorder};
    uint64_t room = MAX_RESIDENT_BYTES / bytes_of_cta(r);
    if (room > MAX_RESIDENTS) room = MAX_RESIDENTS;
    if (needs_all && n_ctas > room)
        return error_set(r->err, ERR_INPUT, "kernel %s: a cooperative launch of %llu CTAs; %llu can be resident",
                         r->kernel->info.name, (unsigned long long)n_ctas, (unsigned long long)room);
    x.written = is_fresh ? 0 : r->cta_index;
    x.n = n_ctas - x.written < room ? n_ctas - x.written : room ? room : 1;
    x.run_bytes = run_bytes(r, param_bytes);
    x.in_block = x.run_bytes < BLOCK_BYTES ? BLOCK_BYTES / x.run_bytes : 1;
    if (x.in_block > x.n) x.in_block = x.n;
    x.n_blocks = (x.n + x.in_block - 1) / x.in_block;
    x.blocks = calloc(x.n_blocks, sizeof *x.blocks);
    x.runs = calloc(x.n, sizeof *x.runs);
    x.buffers = calloc(n_ctas, sizeof *x.buffers);
    x.has_ended = calloc(n_ctas, 1);
    x.spins = calloc(x.n, sizeof *x.spins);
    x.counted = calloc(x.n, sizeof *x.counted);
    int rc = x.blocks && x.runs && x.buffers && x.has_ended && x.spins && x.counted ? 0 : out_of_memory(&x);
    if (rc == 0 && !is_fresh) rc = adopt(&x, r);
    struct ptx_order *order = order_of(r);
    while (rc == 0 && x.written < n_ctas) {
        rc = order ? turn_in_order(&x, order) : turn(&x);
        run_tell_progress(r, x.written, n_ctas);
    }
    while (rc == 0 && order && ptx_order_next_warp(order) >= 0)
        ptx_order_drop(order); /* what threads have left there */
    for (size_t i = 0; x.runs && i < x.n; i++) slot_free(&x.runs[i]);
    for (uint64_t i = 0; x.buffers && i < n_ctas; i++) trace_writer_buffers_free(recorder, x.buffers[i]);
    for (size_t i = 0; x.blocks && i < x.n_blocks; i++) free(x.blocks[i]);
    free(x.blocks);
    free(x.runs);
    free(x.buffers);
    free(x.has_ended);
    free(x.spins);
    free(x.counted);
    return rc;
}
