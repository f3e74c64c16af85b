/* How many registers a block of code needs once an assembler has put it in an order of its own. The code is
 * scheduled as one would be: what is ready goes first that has the longest way to the block's end, so that loads
 * rise to the top and their latency is hidden; a block that is a loop by itself is unrolled. While the registers
 * suffice the order is for speed, beyond that for few of them. */
#include <stdlib.h>
#include <string.h>
#include "lower/pressure.h"

#define UNROLL 4u           /* copies of a loop's body */
#define UNROLL_LIMIT 30u    /* instructions of a body above which it stays alone */
#define LARGEST_BLOCK 4000u /* instances; longer ones keep their order */
#define COMFORT 40u         /* registers up to which the order is for speed */
enum { LATENCY_ALU = 5, LATENCY_SPECIAL = 20, LATENCY_SHARED = 30, LATENCY_MEMORY = 200 };

struct value {
    uint32_t weight, n_uses;
    bool stays; /* alive behind the block */
};
struct instance {
    uint32_t inst;
    uint32_t src[PRESSURE_OPERANDS], dst[PRESSURE_OPERANDS]; /* values */
    uint32_t n_src, n_dst, n_before;                         /* n_before: those it waits for */
    uint32_t first_edge;
    uint32_t way;   /* cycles from here to the end */
    uint64_t ready; /* cycle from which it can go */
    bool is_done;
};
struct edge {
    uint32_t to, next, latency;
};
struct scheduler {
    const struct pressure_block *b;
    struct instance *items;
    uint32_t n;
    struct value *values;
    uint32_t n_values, cap_values;
    struct edge *edges;
    uint32_t n_edges, cap_edges;
    bool failed, keeps_order;
};

static uint32_t value_new(struct scheduler *s, uint32_t weight)
{
    if (s->n_values == s->cap_values) {
        const uint32_t cap = s->cap_values ? 2 * s->cap_values : 256;
        struct value *grown = realloc(s->values, cap * sizeof *grown);
        if (!grown) return s->failed = true, 0;
        s->values = grown;
        s->cap_values = cap;
    }
    s->values[s->n_values] = (struct value){.weight = weight};
    return s->n_values++;
}

static void edge_new(struct scheduler *s, uint32_t from, uint32_t to, uint32_t latency)
{
    if (s->keeps_order) return;
    if (s->n_edges == s->cap_edges) {
        const uint32_t cap = s->cap_edges ? 2 * s->cap_edges : 512;
        struct edge *grown = realloc(s->edges, cap * sizeof *grown);
        if (!grown) {
            s->failed = true;
            return;
        }
        s->edges = grown;
        s->cap_edges = cap;
    }
    s->edges[s->n_edges] = (struct edge){to, s->items[from].first_edge, latency};
    s->items[from].first_edge = s->n_edges++;
    s->items[to].n_before++;
}

static uint32_t latency_of(const struct uop *u)
{
    if (u->kind == UOP_TEXTURE || u->kind == UOP_ATOMIC || u->kind == UOP_LOAD_PART) return LATENCY_MEMORY;
    if (u->kind == UOP_LOAD)
        return u->space == SP_PARAM || u->space == SP_CONST ? LATENCY_ALU
               : u->space == SP_SHARED                      ? LATENCY_SHARED
                                                            : LATENCY_MEMORY;
    if (u->kind == UOP_SHUFFLE || u->kind == UOP_VOTE || u->kind == UOP_MMA) return LATENCY_SPECIAL;
    return LATENCY_ALU;
}

/* ---- order that memory demands: an access waits for those before it that it might not commute with ---- */
enum { MEMORY_ALL, MEMORY_GLOBAL, MEMORY_SHARED, MEMORY_LOCAL, N_MEMORIES };
struct memory_order {
    uint32_t last_write[N_MEMORIES], *reads[N_MEMORIES], n_reads[N_MEMORIES];
};

static int memory_of(const struct uop *u)
{
    const enum space space = u->space == SP_GENERIC ? u->proven : u->space;
    return space == SP_SHARED   ? MEMORY_SHARED
           : space == SP_LOCAL  ? MEMORY_LOCAL
           : space == SP_GLOBAL ? MEMORY_GLOBAL
                                : MEMORY_ALL;
}
static bool is_fence(const struct uop *u)
{
    switch (u->kind) {
    case UOP_BARRIER:
    case UOP_CALL:
    case UOP_BUILTIN:
    case UOP_YIELD:
    case UOP_CLOCK:
    case UOP_STACK:
    case UOP_SURFACE:
    case UOP_MBARRIER:
    case UOP_EXIT:
    case UOP_TRAP:
    case UOP_BRANCH:
    case UOP_BRANCH_TABLE:
    case UOP_RETURN: return true;
    default: return false;
    }
}

static void order_memory(struct scheduler *s, struct memory_order *m, uint32_t i, bool may_move)
{
    const struct uop *u = &s->b->code[s->items[i].inst];
    const bool fence = is_fence(u), writes = fence || u->kind == UOP_STORE || u->kind == UOP_ATOMIC;
    if (!writes && (u->kind != UOP_LOAD || u->space == SP_PARAM || u->space == SP_CONST || may_move)) return;
    const int own = fence ? MEMORY_ALL : memory_of(u);
    for (int k = 0; k < N_MEMORIES; k++) {
        if (k != own && k != MEMORY_ALL && own != MEMORY_ALL) continue;
        if (m->last_write[k] != UINT32_MAX) edge_new(s, m->last_write[k], i, 1);
        for (uint32_t r = 0; writes && r < m->n_reads[k]; r++) edge_new(s, m->reads[k][r], i, 1);
        if (writes && (k == own || own == MEMORY_ALL)) m->n_reads[k] = 0;
    }
    if (writes) m->last_write[own] = i;
    else m->reads[own][m->n_reads[own]++] = i;
    if (own == MEMORY_ALL && writes)
        for (int k = 1; k < N_MEMORIES; k++) m->last_write[k] = i;
}

/* Registers whose value in a later copy of the body is that of the first plus a constant: what counts the loop, and
 * sums of it with what the loop does not change. The later ones are offsets of the first. state: by register. */
enum { OUTSIDE, DEFINED, LINEAR };
static void find_linear(const struct pressure_block *b)
{
    uint8_t *state = b->state;
    for (uint32_t i = b->first; i < b->end; i++) {
        const struct uses *r = &b->uses[i];
        for (uint32_t k = 0; k < r->n_dst; k++) {
            const bool counts =
                state[r->dst[k]] == OUTSIDE && b->is_linear[i] && r->n_src == 1 && r->src[0] == r->dst[k];
            state[r->dst[k]] = counts ? LINEAR : DEFINED;
        }
    }
    for (uint32_t i = b->first; i < b->end; i++) {
        const struct uses *r = &b->uses[i];
        bool is_linear = b->is_linear[i] && r->n_dst == 1;
        for (uint32_t k = 0; k < r->n_src; k++) is_linear &= state[r->src[k]] != DEFINED;
        if (is_linear) state[r->dst[0]] = LINEAR;
    }
}

/* The block's code, `copies` times after another, with a value for every definition. */
static void unfold(struct scheduler *s, uint32_t copies, uint32_t *maker)
{
    const struct pressure_block *b = s->b;
    uint32_t *value_of = b->value_of;
    struct memory_order m;
    for (int k = 0; k < N_MEMORIES; k++) {
        m.last_write[k] = UINT32_MAX;
        m.reads[k] = calloc((size_t)s->n + 1, sizeof(uint32_t));
        m.n_reads[k] = 0;
        s->failed |= !m.reads[k];
    }
    for (uint32_t i = 0; i < s->n && !s->failed; i++) {
        struct instance *item = &s->items[i];
        const uint32_t inst = b->first + i % (b->end - b->first);
        const struct uses *r = &b->uses[inst];
        const bool is_last = i / (b->end - b->first) + 1 == copies;
        *item = (struct instance){.inst = inst, .first_edge = UINT32_MAX};
        for (uint32_t k = 0; k < r->n_src && k < PRESSURE_OPERANDS; k++) {
            uint32_t *v = &value_of[r->src[k]];
            if (*v == UINT32_MAX) *v = value_new(s, b->weight[r->src[k]]);
            if (s->failed) break;
            item->src[item->n_src++] = *v;
            s->values[*v].n_uses++;
            if (maker[*v] != UINT32_MAX) edge_new(s, maker[*v], i, latency_of(&b->code[s->items[maker[*v]].inst]));
        }
        for (uint32_t k = 0; k < r->n_dst && k < PRESSURE_OPERANDS && !s->failed; k++) {
            const bool is_offset = i >= b->end - b->first && b->state[r->dst[k]] == LINEAR;
            const bool folds = (is_offset || b->is_folded[inst]) && !(is_last && b->is_live_out[r->dst[k]]);
            const uint32_t v = value_new(s, folds ? 0 : b->weight[r->dst[k]]);
            value_of[r->dst[k]] = v;
            maker[v] = i;
            item->dst[item->n_dst++] = v;
        }
        if (!s->failed) order_memory(s, &m, i, b->may_move[inst]);
    }
    for (int k = 0; k < N_MEMORIES; k++) free(m.reads[k]);
}

static void find_ways(struct scheduler *s)
{
    for (uint32_t i = s->n; i-- > 0;)
        for (uint32_t e = s->items[i].first_edge; e != UINT32_MAX; e = s->edges[e].next) {
            const uint32_t way = s->items[s->edges[e].to].way + s->edges[e].latency;
            if (way > s->items[i].way) s->items[i].way = way;
        }
}

/* Registers that an instruction takes (positive) or gives back. */
static int change(const struct scheduler *s, const struct instance *item)
{
    int sum = 0;
    for (uint32_t k = 0; k < item->n_dst; k++) sum += (int)s->values[item->dst[k]].weight;
    for (uint32_t k = 0; k < item->n_src; k++) {
        const struct value *v = &s->values[item->src[k]];
        if (v->n_uses == 1 && !v->stays) sum -= (int)v->weight;
    }
    return sum;
}

/* Runs the schedule; the most registers alive at once. */
static uint32_t run(struct scheduler *s, uint32_t now)
{
    uint32_t *ready = calloc((size_t)s->n + 1, sizeof *ready), n_ready = 0, most = now;
    uint64_t cycle = 0;
    if (!ready) return s->failed = true, 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (!s->items[i].n_before) ready[n_ready++] = i;
    for (uint32_t done = 0; done < s->n; done++, cycle++) {
        uint32_t best = UINT32_MAX, at = 0;
        uint64_t soonest = UINT64_MAX;
        int best_change = 0;
        for (uint32_t k = 0; k < n_ready && !s->keeps_order; k++) {
            const struct instance *item = &s->items[ready[k]];
            if (item->ready < soonest) soonest = item->ready;
        }
        if (soonest > cycle && !s->keeps_order) cycle = soonest;
        for (uint32_t k = 0; k < n_ready && !s->keeps_order; k++) {
            const struct instance *item = &s->items[ready[k]];
            const int c = change(s, item);
            const bool is_tight = now >= COMFORT;
            if (!is_tight && item->ready > cycle) continue;
            const bool is_better =
                best == UINT32_MAX || (is_tight && c != best_change      ? c < best_change
                                       : item->way != s->items[best].way ? item->way > s->items[best].way
                                                                         : ready[k] < best);
            if (is_better) best = ready[k], at = k, best_change = c;
        }
        if (s->keeps_order) best = done;
        struct instance *item = &s->items[best];
        if (item->ready > cycle) cycle = item->ready;
        ready[at] = ready[--n_ready];
        for (uint32_t k = 0; k < item->n_src; k++) {
            struct value *v = &s->values[item->src[k]];
            if (--v->n_uses == 0 && !v->stays) now -= v->weight;
        }
        for (uint32_t k = 0; k < item->n_dst; k++) now += s->values[item->dst[k]].weight;
        if (now > most) most = now;
        for (uint32_t k = 0; k < item->n_dst; k++) {
            const struct value *v = &s->values[item->dst[k]];
            if (v->n_uses == 0 && !v->stays) now -= v->weight;
        }
        for (uint32_t e = item->first_edge; e != UINT32_MAX; e = s->edges[e].next) {
            struct instance *to = &s->items[s->edges[e].to];
            if (cycle + s->edges[e].latency > to->ready) to->ready = cycle + s->edges[e].latency;
            if (--to->n_before == 0) ready[n_ready++] = s->edges[e].to;
        }
    }
    free(ready);
    return most;
}

static void clear_scratch(const struct pressure_block *b)
{
    for (uint32_t i = b->first; i < b->end; i++) {
        const struct uses *r = &b->uses[i];
        for (uint32_t k = 0; k < r->n_src; k++) b->value_of[r->src[k]] = UINT32_MAX, b->state[r->src[k]] = 0;
        for (uint32_t k = 0; k < r->n_dst; k++) b->value_of[r->dst[k]] = UINT32_MAX, b->state[r->dst[k]] = 0;
    }
}

int pressure_count(uint32_t *most, const struct pressure_block *b)
{
    const uint32_t length = b->end - b->first, copies = b->is_loop && length <= UNROLL_LIMIT ? UNROLL : 1;
    struct scheduler s = {.b = b, .n = length * copies};
    *most = 0;
    if (s.n == 0) return 0;
    s.keeps_order = s.n > LARGEST_BLOCK;
    s.items = calloc(s.n, sizeof *s.items);
    const size_t n_makers = (size_t)s.n * PRESSURE_OPERANDS * 2 + 1;
    uint32_t *maker = malloc(n_makers * sizeof *maker);
    if (s.items && maker) {
        find_linear(b);
        memset(maker, 0xff, n_makers * sizeof *maker);
        unfold(&s, copies, maker);
        uint32_t through = 0; /* alive before the first instruction */
        for (uint32_t v = 0; v < s.n_values; v++)
            if (maker[v] == UINT32_MAX) through += s.values[v].weight;
        for (uint32_t i = 0; i < b->n_exposed && !s.failed; i++) {
            const uint32_t r = b->exposed[i];
            if (!b->is_live_out[r]) continue;
            if (b->value_of[r] != UINT32_MAX) s.values[b->value_of[r]].stays = true;
            else through += b->weight[r];
        }
        if (!s.failed) find_ways(&s);
        if (!s.failed) *most = run(&s, through);
    } else {
        s.failed = true;
    }
    free(s.items);
    free(s.values);
    free(s.edges);
    free(maker);
    clear_scratch(b);
    return s.failed ? -1 : 0;
}
