/* Backward liveness over the blocks. Two things come of it: the registers that may be read before they are written,
 * which are cleared when a warp starts, and, with the schedule of each block (pressure.c), the largest number of
 * 32-bit registers alive at once, from which the hardware's register count is estimated where nobody gives it.
 * Values that an assembler would rather compute again than keep (constants, parameters, and copies of them) and
 * predicates do not count.
 *
 * Only registers that some block reads before writing ("exposed") can be alive between blocks, so only they have
 * bits. */
#include <stdlib.h>
#include <string.h>
#include "lower/pressure.h"

#define MAX_LIVE_BYTES ((uint64_t)96 << 20)

struct live {
    struct lower *l;
    const struct cfg *cfg;
    uint32_t *bit_of;  /* by register; NO_INDEX: not exposed */
    uint32_t *exposed; /* by bit: register */
    uint32_t n_bits;
    size_t words;
    uint64_t *in, *gen, *kill;
    uint8_t *is_cheap; /* can be computed again */
    uint32_t *defined; /* by register: block + 1 that last defined it */
};

static uint32_t weight(const struct live *v, uint32_t reg)
{
    return v->is_cheap[reg] ? 0 : type_bits(v->l->regs[reg].type) == 64 ? 2 : v->l->regs[reg].type == T_PRED ? 0 : 1;
}

static bool kills(const struct live *v, uint32_t inst) { return v->l->code[inst].guard == NO_SLOT; }

static int find_exposed(struct live *v)
{
    const struct lower *l = v->l;
    memset(v->bit_of, 0xff, l->n_regs * sizeof *v->bit_of);
    for (uint32_t b = 0; b < v->cfg->n_blocks; b++) {
        for (uint32_t i = v->cfg->blocks[b].first; i < v->cfg->blocks[b].end; i++) {
            const struct uses *r = &l->uses[i];
            for (uint32_t k = 0; k < r->n_src; k++) {
                const uint32_t reg = r->src[k];
                if (v->defined[reg] == b + 1 || v->bit_of[reg] != NO_INDEX) continue;
                v->bit_of[reg] = v->n_bits;
                v->exposed[v->n_bits++] = reg;
            }
            for (uint32_t k = 0; k < r->n_dst && kills(v, i); k++) v->defined[r->dst[k]] = b + 1;
        }
    }
    v->words = ((size_t)v->n_bits + 63) / 64;
    const uint64_t bytes = (uint64_t)v->cfg->n_blocks * v->words * 8;
    if (bytes > MAX_LIVE_BYTES)
        return lower_fail(v->l, "kernel %s is too large to analyse: %u blocks, %u registers alive between them",
                          l->kernel->info.name, v->cfg->n_blocks, v->n_bits);
    v->in = calloc(1, bytes + 8);
    v->gen = calloc(1, bytes + 8);
    v->kill = calloc(1, bytes + 8);
    return v->in && v->gen && v->kill ? 0 : (lower_memory(v->l), -1);
}

static void set_bit(uint64_t *set, uint32_t bit) { set[bit / 64] |= (uint64_t)1 << bit % 64; }
static bool has_bit(const uint64_t *set, uint32_t bit) { return set[bit / 64] >> bit % 64 & 1; }

static void fill_blocks(struct live *v)
{
    for (uint32_t b = 0; b < v->cfg->n_blocks; b++) {
        uint64_t *gen = v->gen + b * v->words, *kill = v->kill + b * v->words;
        for (uint32_t i = v->cfg->blocks[b].first; i < v->cfg->blocks[b].end; i++) {
            const struct uses *r = &v->l->uses[i];
            for (uint32_t k = 0; k < r->n_src; k++) {
                const uint32_t bit = v->bit_of[r->src[k]];
                if (bit != NO_INDEX && !has_bit(kill, bit)) set_bit(gen, bit);
            }
            for (uint32_t k = 0; k < r->n_dst && kills(v, i); k++)
                if (v->bit_of[r->dst[k]] != NO_INDEX) set_bit(kill, v->bit_of[r->dst[k]]);
        }
    }
}

static void live_out(const struct live *v, uint32_t b, uint64_t *out)
{
    const struct block *block = &v->cfg->blocks[b];
    memset(out, 0, v->words * 8);
    for (uint32_t i = 0, n = cfg_n_succ(v->l, block); i < n; i++) {
        const uint64_t *in = v->in + cfg_succ(v->cfg, v->l, block, i) * v->words;
        for (size_t w = 0; w < v->words; w++) out[w] |= in[w];
    }
}

/* Blocks whose live-in may grow wait in a stack, last block first. */
static int solve(struct live *v)
{
    const uint32_t n = v->cfg->n_blocks;
    uint32_t *stack = calloc(n, sizeof *stack), depth = 0;
    uint8_t *waits = calloc(n, 1);
    uint64_t *out = calloc(v->words + 1, 8);
    const bool ready = stack && waits && out;
    for (uint32_t b = 0; b < n && ready; b++) {
        stack[depth++] = b;
        waits[b] = 1;
    }
    while (depth && ready) {
        const uint32_t b = stack[--depth];
        bool grew = false;
        waits[b] = 0;
        live_out(v, b, out);
        for (size_t w = 0; w < v->words; w++) {
            const size_t at = b * v->words + w;
            const uint64_t in = v->gen[at] | (out[w] & ~v->kill[at]);
            grew |= in != v->in[at];
            v->in[at] = in;
        }
        for (uint32_t i = v->cfg->pred_start[b]; grew && i < v->cfg->pred_start[b + 1]; i++) {
            const uint32_t p = v->cfg->pred[i];
            if (!waits[p]) stack[depth++] = p;
            waits[p] = 1;
        }
    }
    free(stack);
    free(waits);
    free(out);
    return ready ? 0 : (lower_memory(v->l), -1);
}

static bool starts_with(const struct live *v, uint32_t inst, const char *text)
{
    return !strncmp(v->l->kernel->strings + v->l->insts[inst].name, text, strlen(text));
}

/* One definition, by an instruction whose sources are all cheap themselves. */
static int find_cheap(struct live *v)
{
    const struct lower *l = v->l;
    uint8_t *n_defs = calloc(l->n_regs + 1, 1);
    if (!n_defs) return lower_memory(v->l), -1;
    for (size_t i = 0; i < l->n_code; i++)
        for (uint32_t k = 0; k < l->uses[i].n_dst; k++)
            if (n_defs[l->uses[i].dst[k]] < 2) n_defs[l->uses[i].dst[k]]++;
    for (uint32_t i = 0; i < l->n_code; i++) {
        const struct uop *u = &l->code[i];
        const bool copies = u->kind == UOP_LANE && (starts_with(v, i, "mov") || starts_with(v, i, "cvta"));
        const bool is_param = u->kind == UOP_LOAD && u->space == SP_PARAM;
        bool cheap = (copies || is_param) && u->guard == NO_SLOT;
        for (uint32_t k = 0; k < l->uses[i].n_src; k++) cheap &= v->is_cheap[l->uses[i].src[k]];
        for (uint32_t k = 0; k < l->uses[i].n_dst && cheap; k++)
            if (n_defs[l->uses[i].dst[k]] == 1) v->is_cheap[l->uses[i].dst[k]] = 1;
    }
    free(n_defs);
    return 0;
}

/* Results that machine code has no register for: sums with a constant, which go into the offset of the accesses that
 * use them; products and extensions that the addition behind them takes along. Each has to be used by such
 * instructions only. */
static void find_folded(const struct live *v, uint8_t *is_folded, uint8_t *is_linear)
{
    const struct lower *l = v->l;
    for (uint32_t i = 0; i < l->n_code; i++) {
        const struct uop *u = &l->code[i];
        const bool by_constant = starts_with(v, i, "mul.wide") || starts_with(v, i, "shl.") ||
                                 starts_with(v, i, "cvt.s64") || starts_with(v, i, "cvt.u64");
        is_linear[i] =
            u->kind == UOP_LANE && u->guard == NO_SLOT &&
            (starts_with(v, i, "add.") || starts_with(v, i, "sub.") || (by_constant && l->uses[i].n_src == 1));
        const bool adds = u->kind == UOP_LANE && l->uses[i].n_src == 1 &&
                          (starts_with(v, i, "add.s64") || starts_with(v, i, "add.u64"));
        is_folded[i] = u->guard == NO_SLOT && (adds || starts_with(v, i, "mul.wide") ||
                                               starts_with(v, i, "cvt.s64.s32") || starts_with(v, i, "cvt.u64.u32"));
    }
}

static int count_all(struct live *v, uint32_t *max_live)
{
    const struct lower *l = v->l;
    uint64_t *out = calloc(v->words + 1, 8);
    uint8_t *weights = calloc(l->n_regs + 1, 1), *is_live_out = calloc(l->n_regs + 1, 1),
            *is_folded = calloc(l->n_code + 1, 1), *may_move = calloc(l->n_code + 1, 1),
            *is_linear = calloc(l->n_code + 1, 1);
    uint8_t *state = calloc(l->n_regs + 1, 1);
    uint32_t *value_of = malloc((l->n_regs + 1) * sizeof *value_of);
    if (value_of) memset(value_of, 0xff, (l->n_regs + 1) * sizeof *value_of);
    int result = state && value_of && out && weights && is_live_out && is_folded && may_move && is_linear ? 0 : -1;
    for (uint32_t r = 0; r < l->n_regs && result == 0; r++) weights[r] = (uint8_t)weight(v, r);
    if (result == 0) find_folded(v, is_folded, is_linear);
    for (uint32_t i = 0; i < l->n_code && result == 0; i++)
        may_move[i] = strstr(l->kernel->strings + l->insts[i].name, ".nc.") != NULL;
    for (uint32_t b = 0; b < v->cfg->n_blocks && result == 0; b++) {
        const struct block *at = &v->cfg->blocks[b];
        struct pressure_block block = {.code = l->code,
                                       .uses = l->uses,
                                       .first = at->first,
                                       .end = at->end,
                                       .exposed = v->exposed,
                                       .n_exposed = v->n_bits,
                                       .value_of = value_of,
                                       .state = state,
                                       .weight = weights,
                                       .is_live_out = is_live_out,
                                       .is_folded = is_folded,
                                       .is_linear = is_linear,
                                       .may_move = may_move};
        uint32_t most = 0;
        live_out(v, b, out);
        for (uint32_t i = 0, n = cfg_n_succ(l, at); i < n; i++)
            block.is_loop |= cfg_succ(v->cfg, l, at, i) == b && !l->uses[at->first].keeps_loop;
        for (uint32_t bit = 0; bit < v->n_bits; bit++) is_live_out[v->exposed[bit]] = has_bit(out, bit);
        result = pressure_count(&most, &block);
        if (most > *max_live) *max_live = most;
    }
    free(out);
    free(weights);
    free(is_live_out);
    free(is_folded);
    free(may_move);
    free(is_linear);
    free(state);
    free(value_of);
    return result == 0 ? 0 : (lower_memory(v->l), -1);
}

static int clear_at_start(struct live *v)
{
    struct ptx_kernel *k = v->l->kernel;
    for (uint32_t bit = 0; bit < v->n_bits; bit++) {
        const struct reg *r = &v->l->regs[v->exposed[bit]];
        if (!has_bit(v->in, bit) || r->slot == NO_SLOT) continue;
        if (ARRAY_ROOM(k->zeros, k->cap_zeros, k->n_zeros) < 0) return lower_memory(v->l), -1;
        k->zeros[k->n_zeros++] = span_of(r);
    }
    return 0;
}

static bool is_live(const void *live, uint32_t block, uint32_t reg)
{
    const struct live *v = live;
    return v->bit_of[reg] != NO_INDEX && has_bit(v->in + block * v->words, v->bit_of[reg]);
}

int liveness(struct lower *l, const struct cfg *cfg, uint32_t *max_live)
{
    const size_t n = l->n_regs + 1;
    struct live v = {.l = l, .cfg = cfg};
    v.bit_of = calloc(n, sizeof *v.bit_of);
    v.exposed = calloc(n, sizeof *v.exposed);
    v.defined = calloc(n, sizeof *v.defined);
    v.is_cheap = calloc(n, 1);
    int rc = -1;
    *max_live = 0;
    if (!v.bit_of || !v.exposed || !v.defined || !v.is_cheap) {
        lower_memory(l);
    } else if (find_exposed(&v) == 0) {
        fill_blocks(&v);
        rc = solve(&v) < 0 || find_cheap(&v) < 0 || count_all(&v, max_live) < 0 || clear_at_start(&v) < 0 ? -1 : 0;
        if (rc == 0) spin_mark(l, cfg, is_live, &v);
    }
    free(v.bit_of);
    free(v.exposed);
    free(v.defined);
    free(v.is_cheap);
    free(v.in);
    free(v.gen);
    free(v.kill);
    return rc;
}
