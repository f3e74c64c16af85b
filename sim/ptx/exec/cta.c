/* A CTA: what its warps start with, and their turns, each until it waits or ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec/exec.h"
#include "poise/arena.h"

#define FILE_ALIGN 64u

static uint32_t dynamic_shared_offset(const struct ptx_kernel *k) { return (k->info.static_shared_bytes + 15u) & ~15u; }

static void fill32(unsigned char *at, uint32_t value)
{
    for (uint32_t l = 0; l < LANES; l++) memcpy(at + l * 4, &value, 4);
}

static void fill64(unsigned char *at, uint64_t value)
{
    for (uint32_t l = 0; l < LANES; l++) memcpy(at + l * 8, &value, 8);
}

/* The same of clusters: places of CTAs, and of clusters, counted along x, then y, then z. */
static uint32_t cluster_value(const struct run *r, enum special id)
{
    const uint32_t *cluster = r->kernel->cluster, *grid = r->grid->grid, *cta = r->cta;
    if (id >= SPECIAL_CLUSTERID_X && id <= SPECIAL_CLUSTERID_Z)
        return cta[id - SPECIAL_CLUSTERID_X] / cluster[id - SPECIAL_CLUSTERID_X];
    if (id >= SPECIAL_NCLUSTERID_X && id <= SPECIAL_NCLUSTERID_Z)
        return grid[id - SPECIAL_NCLUSTERID_X] / cluster[id - SPECIAL_NCLUSTERID_X];
    if (id >= SPECIAL_CLUSTER_CTAID_X && id <= SPECIAL_CLUSTER_CTAID_Z)
        return cta[id - SPECIAL_CLUSTER_CTAID_X] % cluster[id - SPECIAL_CLUSTER_CTAID_X];
    if (id >= SPECIAL_CLUSTER_NCTAID_X && id <= SPECIAL_CLUSTER_NCTAID_Z) return cluster[id - SPECIAL_CLUSTER_NCTAID_X];
    if (id == SPECIAL_CLUSTER_NCTARANK) return cluster[0] * cluster[1] * cluster[2];
    return cta[0] % cluster[0] + cluster[0] * (cta[1] % cluster[1] + cluster[1] * (cta[2] % cluster[2]));
}

/* The value of a special register in one lane. */
static uint64_t special_value(const struct run *r, const struct warp *w, enum special id, uint32_t lane)
{
    const uint32_t *block = r->grid->block, *grid = r->grid->grid, thread = w->index * LANES + lane;
    switch (id) {
    case SPECIAL_TID_X: return thread % block[0];
    case SPECIAL_TID_Y: return thread / block[0] % block[1];
    case SPECIAL_TID_Z: return thread / block[0] / block[1];
    case SPECIAL_NTID_X: return block[0];
    case SPECIAL_NTID_Y: return block[1];
    case SPECIAL_NTID_Z: return block[2];
    case SPECIAL_CTAID_X: return r->cta[0];
    case SPECIAL_CTAID_Y: return r->cta[1];
    case SPECIAL_CTAID_Z: return r->cta[2];
    case SPECIAL_NCTAID_X: return grid[0];
    case SPECIAL_NCTAID_Y: return grid[1];
    case SPECIAL_NCTAID_Z: return grid[2];
    case SPECIAL_LANEID: return lane;
    case SPECIAL_WARPID: return w->index;
    case SPECIAL_NWARPID: return r->n_warps;
    case SPECIAL_NSMID: return 1;
    case SPECIAL_LANEMASK_EQ: return 1u << lane;
    case SPECIAL_LANEMASK_LT: return (1u << lane) - 1;
    case SPECIAL_LANEMASK_LE: return (2u << lane) - 1;
    case SPECIAL_LANEMASK_GE: return ~((1u << lane) - 1);
    case SPECIAL_LANEMASK_GT: return ~((2u << lane) - 1);
    case SPECIAL_DYNAMIC_SMEM: return r->grid->dynamic_shared_bytes;
    case SPECIAL_TOTAL_SMEM: return r->shared_bytes;
    case SPECIAL_ENVREG1: return r->services ? (uint32_t)(r->services->grid_workspace >> 32) : 0;
    case SPECIAL_ENVREG2: return r->services ? (uint32_t)r->services->grid_workspace : 0;
    case SPECIAL_AGGREGATE_SMEM: return r->shared_bytes; /* the device keeps none for itself */
    case SPECIAL_GRIDID: return r->services ? r->services->grid_id : 0;
    /* execution knows no SMs, and no graphs: their launches come one by one */
    case SPECIAL_SMID:
    case SPECIAL_GRAPH_EXEC:
    case SPECIAL_ENVREG: return 0;
    default: return cluster_value(r, id);
    }
}

static bool changes_by_cta(const struct slot_init *x)
{
    return x->source == SLOT_SPECIAL && x->index >= SPECIAL_CTAID_X && x->index <= SPECIAL_CLUSTER_CTARANK;
}

static void fill_slot(const struct run *r, const struct warp *w, const struct slot_init *x)
{
    unsigned char *at = w->regs + x->slot;
    uint64_t value = x->value;
    if (x->source == SLOT_FRAME) return; /* the call fills it */
    if (x->source == SLOT_STACK) value = r->kernel->stack_base;
    if (x->source == SLOT_SPECIAL && changes_by_cta(x)) { /* the same in all lanes, and filled for each CTA */
        fill32(at, (uint32_t)special_value(r, w, (enum special)x->index, 0));
        return;
    }
    if (x->source == SLOT_SPECIAL) {
        const uint32_t bytes = x->width / 8;
        for (uint32_t l = 0; l < LANES; l++) {
            const uint64_t v = special_value(r, w, (enum special)x->index, l);
            memcpy(at + l * bytes, &v, bytes); /* little-endian, as the device */
        }
        return;
    }
    if (x->source == SLOT_ARGUMENT) {
        for (uint32_t l = 0; l < LANES; l++) {
            const uint64_t address = ARGUMENT_BASE + value + (uint64_t)l * x->index;
            memcpy(at + l * 8, &address, 8);
        }
        return;
    }
    if (x->source == SLOT_VARIABLE) value += r->kernel->module->addresses[x->index];
    if (x->source == SLOT_CONSTANTS) value = r->kernel->module->constants;
    if (x->source == SLOT_DYNAMIC_SHARED) value += dynamic_shared_offset(r->kernel);
    if (x->width == 1) {
        const uint32_t mask = value ? FULL_MASK : 0;
        memcpy(at, &mask, 4);
    } else if (x->width == 64) {
        fill64(at, value);
    } else {
        fill32(at, (uint32_t)value);
    }
}

void run_free(struct run *r)
{
    for (uint32_t i = 0; r->warps && i < r->n_warps; i++) free(r->warps[i].saved);
    free(r->own_block);
}

static size_t stack_depth(const struct ptx_kernel *k) { return STACK_DEPTH + (k->n_callees ? 2 * MAX_CALL_FRAMES : 0); }
static size_t most_frames(const struct ptx_kernel *k) { return k->n_callees ? MAX_CALL_FRAMES : 0; }

/* All of a run's memory, one behind the other; without a base only its size is of use. Returns how much of it, from the
 * beginning on, is to be zero. */
static size_t lay_out(struct run *r, size_t param_bytes, struct arena *in)
{
    const struct ptx_kernel *k = r->kernel;
    const size_t n = r->n_warps;
    r->files = arena_take(in, n * k->file_bytes, 1, FILE_ALIGN);
    r->shared = arena_take(in, r->shared_bytes, 1, FILE_ALIGN);
    r->local = arena_take(in, n * LANES * r->local_bytes, 1, FILE_ALIGN);
    r->params = arena_take(in, param_bytes, 1, FILE_ALIGN);
    r->warps = ARENA_TAKE(in, struct warp, n);
    r->extents = ARENA_TAKE(in, struct ptx_extent, (size_t)k->n_code + 1);
    const size_t zeros = in->used;
    r->stacks = ARENA_TAKE(in, struct stack_entry, n * stack_depth(k));
    r->frames = ARENA_TAKE(in, struct frame, n * most_frames(k));
    in->used = (in->used + FILE_ALIGN) / FILE_ALIGN * FILE_ALIGN;
    return zeros;
}

static void measure(struct run *r)
{
    const struct ptx_kernel *k = r->kernel;
    const uint32_t *block = r->grid->block, threads = block[0] * block[1] * block[2];
    r->n_warps = (threads + LANES - 1) / LANES;
    r->shared_bytes = r->grid->dynamic_shared_bytes ? dynamic_shared_offset(k) + r->grid->dynamic_shared_bytes
                                                    : k->info.static_shared_bytes;
    r->local_bytes = (k->info.local_bytes + 15u) & ~15u;
}

size_t run_bytes(const struct run *r, size_t param_bytes)
{
    struct run as = {.kernel = r->kernel, .grid = r->grid};
    struct arena size = {0};
    measure(&as);
    lay_out(&as, param_bytes, &size);
    return size.used;
}

int run_new(struct run *r, const void *params, size_t param_bytes, void *memory)
{
    const struct ptx_kernel *k = r->kernel;
    const size_t bytes = run_bytes(r, param_bytes);
    struct arena in = {.base = memory, .size = bytes};
    measure(r);
    if (!memory) in.base = r->own_block = aligned_alloc(FILE_ALIGN, bytes);
    if (!in.base) return error_set(r->err, ERR_MEMORY, "kernel %s: out of memory", k->info.name);
    memset(in.base, 0, lay_out(r, param_bytes, &in));
    const uint32_t threads = r->grid->block[0] * r->grid->block[1] * r->grid->block[2];
    const size_t depth = stack_depth(k), frames = most_frames(k);
    if (param_bytes) memcpy(r->params, params, param_bytes);
    for (uint32_t i = 0; i < r->n_warps; i++) {
        struct warp *w = &r->warps[i];
        const uint32_t left = threads - i * LANES;
        w->index = i;
        w->lanes = left >= LANES ? FULL_MASK : (1u << left) - 1;
        w->stack = r->stacks + i * depth;
        w->frames = r->frames + i * frames;
        w->regs = r->files + (size_t)i * k->file_bytes;
        w->local = r->local + (size_t)i * LANES * r->local_bytes;
        for (size_t s = 0; s < k->n_inits; s++) fill_slot(r, w, &k->inits[s]);
    }
    return 0;
}

static void start_warp(struct run *r, struct warp *w)
{
    const struct ptx_kernel *k = r->kernel;
    for (size_t s = 0; s < k->n_inits; s++)
        if (changes_by_cta(&k->inits[s]) || k->inits[s].source == SLOT_STACK) fill_slot(r, w, &k->inits[s]);
    for (size_t s = 0; s < k->n_zeros; s++) memset(w->regs + k->zeros[s].slot, 0, k->zeros[s].bytes);
    w->n_frames = 0;
    w->saved_bytes = 0;
    w->busy = w->in_round = 0;
    w->spin_pc = NO_INDEX;
    w->round_changed = false;
    w->spins = w->has_turned = w->is_held = false;
    w->held_mask = 0;
    w->depth = 1;
    w->stack[0] = (struct stack_entry){0, NO_INDEX, w->lanes, ENTRY_RUNS};
    w->state = WARP_READY;
    w->local_base = PTX_LOCAL_WINDOW + (r->kernel->has_generic_params ? PARAM_BANK_BYTES : 0) +
                    (r->cta_index * r->n_warps + w->index) * LANES * r->local_bytes;
}

static int deadlock(struct run *r)
{
    const struct ptx_kernel *k = r->kernel;
    char text[400] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < r->n_warps && n < 300; i++) {
        const struct warp *w = &r->warps[i];
        if (w->state != WARP_WAITS) continue;
        const int more = snprintf(text + n, sizeof text - n, "%swarp %u at barrier %u (line %u)", n ? ", " : "", i,
                                  w->barrier, k->insts[w->wait - k->code].line);
        n += more > 0 ? (size_t)more : 0;
    }
    return error_set(r->err, ERR_DEADLOCK, "kernel %s: block (%u,%u,%u): no barrier can be completed: %s", k->info.name,
                     r->cta[0], r->cta[1], r->cta[2], text);
}

void cta_start(struct run *r, uint64_t index, struct trace_warp_buffer *buffers)
{
    const uint32_t *grid = r->grid->grid;
    r->cta_index = index;
    r->cta[0] = (uint32_t)(index % grid[0]);
    r->cta[1] = (uint32_t)(index / grid[0] % grid[1]);
    r->cta[2] = (uint32_t)(index / grid[0] / grid[1]);
    r->progress = r->idle_since = r->counts.warp_insts;
    memset(r->shared, 0, r->shared_bytes);
    if (r->kernel->stack_slot == NO_SLOT) memset(r->local, 0, (size_t)r->n_warps * LANES * r->local_bytes);
    memset(r->barriers, 0, sizeof r->barriers);
    for (uint32_t i = 0; i < r->n_warps; i++) {
        start_warp(r, &r->warps[i]);
        r->warps[i].buffer = buffers ? &buffers[i] : NULL;
    }
}

/* Nothing of the launch has gone on for long: what the warp in hand stands at tells why, as a rule. */
static int idles(struct run *r, const struct warp *w)
{
    const struct ptx_kernel *k = r->kernel;
    const uint32_t pc = w->stack[w->depth - 1].pc, line = k->insts[pc < k->n_code ? pc : k->n_code - 1].line;
    error_set(
        r->err, ERR_LIMIT,
        "kernel %s: no progress in %llu warp instructions: no memory changed, no warp ended or came to a barrier; "
        "block (%u,%u,%u), warp %u is at line %u",
        k->info.name, (unsigned long long)r->idle_limit, r->cta[0], r->cta[1], r->cta[2], w->index, line);
    return error_at(r->err, k->module->name, line, -1, NULL);
}

/* Whether a turn would be for nothing. */
static bool only_waits(const struct run *r, const struct warp *w) { return w->spins && r->changed <= w->spin_at; }

static bool all_wait(const struct run *r)
{
    for (uint32_t i = 0; i < r->n_warps; i++)
        if (r->warps[i].state == WARP_READY && !only_waits(r, &r->warps[i]) && !r->warps[i].is_held) return false;
    return true;
}

int cta_round(struct run *r, uint64_t turn_insts, bool asks_all)
{
    const uint64_t asked = r->services ? r->services->turn_insts : 0;
    bool waits = false, goes_on = false;
    for (uint32_t i = 0; i < r->n_warps; i++) {
        struct warp *w = &r->warps[i];
        if (w->state == WARP_READY && (asks_all || !only_waits(r, w))) {
            const uint64_t begin = r->counts.warp_insts, before_idle = r->idle_limit - (begin - r->idle_since);
            uint64_t turn = turn_insts < r->spin_insts ? turn_insts : r->spin_insts;
            if (turn > before_idle) turn = before_idle;
            if (asked && turn > asked) turn = asked;
            r->stop = turn < r->limit - begin ? begin + turn : r->limit;
            r->turn_begin = begin;
            if (w->spins && asks_all) warp_turn_lanes(w);
            w->spins = w->is_held = false;
            w->round_begin = begin - w->in_round;
            if (warp_run(r, w) < 0) return -1;
            w->round_changed = round_changed_memory(r, w);
            w->in_round = r->counts.warp_insts - w->round_begin;
            const bool goes_on_alone = w->state == WARP_READY && r->changed < begin;
            w->busy = goes_on_alone ? w->busy + r->counts.warp_insts - begin : 0;
            if (!goes_on_alone) r->progress = r->idle_since = r->counts.warp_insts;
            else if (r->counts.warp_insts - r->idle_since >= r->idle_limit) return idles(r, w);
            if (w->busy >= r->spin_insts) {
                warp_turn_lanes(w);
                w->busy = 0;
                r->spin_insts = AFTER_SPIN_INSTS;
            }
        }
        waits |= w->state == WARP_WAITS;
        goes_on |= w->state == WARP_READY;
    }
    if (!waits && !goes_on) return CTA_ENDED;
    if (waits && barriers_release(r)) {
        r->progress = r->idle_since = r->counts.warp_insts;
        return CTA_GOES_ON;
    }
    if (!goes_on) return deadlock(r);
    return all_wait(r) ? CTA_SPINS : CTA_GOES_ON;
}
