/* Basic blocks, their successors, and immediate post-dominators, where the lanes of a diverged warp meet again.
 * Post-dominators: Cooper, Harvey and Kennedy's iteration over the reversed graph, with one virtual exit. An exit
 * under a guard is no edge: the lanes that stay go on, and those are the ones that must meet. */
#include <stdlib.h>
#include <string.h>
#include "lower/lower.h"

static bool ends_block(const struct uop *u)
{
    return u->kind == UOP_BRANCH || u->kind == UOP_BRANCH_TABLE || u->kind == UOP_RETURN ||
           ((u->kind == UOP_EXIT || u->kind == UOP_TRAP) && u->guard == NO_SLOT);
}

uint32_t cfg_n_succ(const struct lower *l, const struct block *b)
{
    const struct uop *last = &l->code[b->end - 1];
    const uint32_t falls = last->guard != NO_SLOT;
    if (last->kind == UOP_BRANCH) return 1 + falls;
    if (last->kind == UOP_BRANCH_TABLE) return last->e + falls;
    return ends_block(last) ? 0 : 1;
}

uint32_t cfg_succ(const struct cfg *cfg, const struct lower *l, const struct block *b, uint32_t i)
{
    const struct uop *last = &l->code[b->end - 1];
    uint32_t to = b->end;
    if (last->kind == UOP_BRANCH && i == 0) to = last->target;
    if (last->kind == UOP_BRANCH_TABLE && i < last->e) to = l->kernel->tables[last->target + i];
    return cfg->block_of[to];
}

static void mark_leaders(const struct lower *l, uint8_t *leader)
{
    leader[0] = 1;
    for (size_t i = 0; i < l->n_code; i++) {
        const struct uop *u = &l->code[i];
        if (u->kind == UOP_BRANCH) leader[u->target] = 1;
        if (u->kind == UOP_BRANCH_TABLE)
            for (uint32_t k = 0; k < u->e; k++) leader[l->kernel->tables[u->target + k]] = 1;
        if (ends_block(u) && i + 1 < l->n_code) leader[i + 1] = 1;
    }
}

static int make_blocks(struct cfg *cfg, struct lower *l)
{
    const uint32_t n = (uint32_t)l->n_code;
    uint8_t *leader = calloc(n + 1, 1);
    cfg->block_of = calloc(n + 1, sizeof *cfg->block_of);
    if (leader && cfg->block_of) {
        mark_leaders(l, leader);
        for (uint32_t i = 0; i < n; i++) cfg->n_blocks += leader[i];
        cfg->blocks = calloc(cfg->n_blocks + 1, sizeof *cfg->blocks);
    }
    if (!leader || !cfg->blocks) {
        free(leader);
        return lower_memory(l), -1;
    }
    uint32_t block = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (leader[i]) cfg->blocks[block++].first = i;
        cfg->blocks[block - 1].end = i + 1;
        cfg->block_of[i] = block - 1;
        l->insts[i].block = block - 1;
        if (leader[i]) l->insts[i].flags |= TRACE_BLOCK_START;
    }
    free(leader);
    return 0;
}

/* Predecessors; the virtual exit (n_blocks) is preceded by the blocks that end lanes. */
static int make_preds(struct cfg *cfg, struct lower *l)
{
    const uint32_t n = cfg->n_blocks;
    uint64_t edges = 0;
    cfg->pred_start = calloc((size_t)n + 2, sizeof *cfg->pred_start);
    uint32_t *fill = calloc((size_t)n + 2, sizeof *fill);
    for (uint32_t b = 0; b < n; b++) {
        const uint32_t k = cfg_n_succ(l, &cfg->blocks[b]);
        edges += k ? k : 1;
    }
    if (edges < UINT32_MAX / 8) cfg->pred = calloc(edges + 1, sizeof *cfg->pred);
    if (!cfg->pred_start || !fill || !cfg->pred) {
        free(fill);
        return lower_memory(l), -1;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t b = 0; b < n; b++) {
            const uint32_t k = cfg_n_succ(l, &cfg->blocks[b]);
            for (uint32_t i = 0; i < (k ? k : 1); i++) {
                const uint32_t to = k ? cfg_succ(cfg, l, &cfg->blocks[b], i) : n;
                if (pass == 0) cfg->pred_start[to + 1]++;
                else cfg->pred[fill[to]++] = b;
            }
        }
        if (pass == 0) {
            for (uint32_t b = 0; b <= n; b++) cfg->pred_start[b + 1] += cfg->pred_start[b];
            memcpy(fill, cfg->pred_start, ((size_t)n + 1) * sizeof *fill);
        }
    }
    free(fill);
    return 0;
}

/* Post-order of the reversed graph from the virtual exit; unreachable blocks keep NO_INDEX. Returns how many there
 * are. */
static uint32_t reversed_order(const struct cfg *cfg, uint32_t *order, uint32_t *number, uint32_t *stack,
                               uint32_t *next)
{
    uint32_t depth = 0, n = 0;
    const uint32_t exit_node = cfg->n_blocks;
    memset(number, 0xff, ((size_t)exit_node + 1) * sizeof *number);
    stack[depth++] = exit_node;
    number[exit_node] = 0; /* seen */
    for (uint32_t b = 0; b <= exit_node; b++) next[b] = cfg->pred_start[b];
    while (depth) {
        const uint32_t b = stack[depth - 1];
        if (next[b] < cfg->pred_start[b + 1]) {
            const uint32_t p = cfg->pred[next[b]++];
            if (number[p] != NO_INDEX) continue;
            number[p] = 0;
            stack[depth++] = p;
        } else {
            order[n] = b;
            number[b] = n++;
            depth--;
        }
    }
    return n;
}

static uint32_t meet(const uint32_t *idom, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (a < b) a = idom[a];
        while (b < a) b = idom[b];
    }
    return a;
}

/* idom by post-order number: a node's immediate post-dominator has a higher number. */
static void iterate(const struct cfg *cfg, const struct lower *l, const uint32_t *order, const uint32_t *number,
                    uint32_t n, uint32_t *idom)
{
    memset(idom, 0xff, (size_t)n * sizeof *idom);
    idom[n - 1] = n - 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t at = n - 1; at-- > 0;) {
            const struct block *b = &cfg->blocks[order[at]];
            const uint32_t k = cfg_n_succ(l, b);
            uint32_t best = k ? NO_INDEX : n - 1;
            for (uint32_t i = 0; i < k; i++) {
                const uint32_t s = number[cfg_succ(cfg, l, b, i)];
                if (s == NO_INDEX || idom[s] == NO_INDEX) continue;
                best = best == NO_INDEX ? s : meet(idom, s, best);
            }
            if (best != idom[at]) {
                idom[at] = best;
                changed = true;
            }
        }
    }
}

static int post_dominators(struct cfg *cfg, struct lower *l)
{
    const size_t n = (size_t)cfg->n_blocks + 1;
    uint32_t *work = calloc(n * 5, sizeof *work);
    if (!work) return lower_memory(l), -1;
    uint32_t *order = work, *number = work + n, *stack = work + 2 * n, *next = work + 3 * n, *idom = work + 4 * n;
    const uint32_t reached = reversed_order(cfg, order, number, stack, next);
    iterate(cfg, l, order, number, reached, idom);
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        cfg->blocks[b].ipdom = NO_INDEX;
        if (number[b] == NO_INDEX) continue; /* no way out: an endless loop */
        const uint32_t to = order[idom[number[b]]];
        if (to != cfg->n_blocks) cfg->blocks[b].ipdom = to;
    }
    free(work);
    return 0;
}

int cfg_build(struct cfg *cfg, struct lower *l)
{
    *cfg = (struct cfg){0};
    if (make_blocks(cfg, l) < 0 || make_preds(cfg, l) < 0 || post_dominators(cfg, l) < 0) return -1;
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        struct uop *last = &l->code[cfg->blocks[b].end - 1];
        const uint32_t to = cfg->blocks[b].ipdom;
        last->reconverge = to == NO_INDEX ? NO_INDEX : cfg->blocks[to].first;
    }
    return 0;
}

void cfg_fini(struct cfg *cfg)
{
    free(cfg->blocks);
    free(cfg->block_of);
    free(cfg->pred);
    free(cfg->pred_start);
    *cfg = (struct cfg){0};
}
