/* List scheduling of a region: of the operations whose sources are there, the one from which the longest way leads to
 * the end; where registers run out, one that frees some. And the pipes: ptxas gives adds and moves to the
 * multiply-adds' pipe while that of integers is busy. */
#include <stdlib.h>
#include <string.h>
#include "poise/arena.h"
#include "sass/sass_ir.h"

struct edge {
    uint32_t to, next;
    uint8_t latency;
};
struct node {
    uint32_t edges, before; /* first of its edges; operations that it waits for */
    uint32_t height, ready; /* cycles to the end; when its sources are there */
    bool is_done;
};
struct graph {
    struct sass_region *r;
    struct node *nodes;
    struct edge *edges;
    uint32_t n_edges;
    size_t cap_edges;
    uint32_t *left; /* reads of each value to come */
    struct error *err;
};
enum { NO_EDGE = UINT32_MAX };

static int add_edge(struct graph *g, uint32_t from, uint32_t to, uint32_t latency)
{
    if (from == SASS_BEFORE || from == to) return 0;
    if (!array_reserve(&g->edges, &g->cap_edges, g->n_edges + 1, sizeof *g->edges))
        return error_set(g->err, ERR_MEMORY, "no memory for %u edges of a block", g->n_edges + 1);
    g->edges[g->n_edges] = (struct edge){to, g->nodes[from].edges, (uint8_t)latency};
    g->nodes[from].edges = g->n_edges++;
    g->nodes[to].before++;
    return 0;
}

/* Values, by the operation that makes them. */
static int add_value_edges(struct graph *g)
{
    struct sass_region *r = g->r;
    for (uint32_t i = 0; i < r->n_ops; i++)
        for (uint32_t k = 0; k < r->ops[i].inst.n_dst; k++)
            if (r->ops[i].inst.dst[k] != SASS_NO_VALUE) r->values[r->ops[i].inst.dst[k]].def = i;
    for (uint32_t i = 0; i < r->n_ops; i++)
        for (uint32_t k = 0; k < r->ops[i].inst.n_src; k++) {
            const uint16_t v = r->ops[i].inst.src[k];
            if (v == SASS_NO_VALUE || r->values[v].def == SASS_BEFORE || r->values[v].def >= i) continue;
            if (add_edge(g, r->values[v].def, i, sass_latency(&r->ops[r->values[v].def].inst)) < 0) return -1;
        }
    return 0;
}

static bool keeps_name(const struct sass_region *r, uint16_t v, uint16_t reg)
{
    return v != SASS_NO_VALUE && r->values[v].stays && r->values[v].reg == reg;
}

/* Registers that keep their names are read before they are written again, and written in the order of the trace. */
static int add_name_edges(struct graph *g, uint32_t writer)
{
    struct sass_region *r = g->r;
    const struct trace_inst *w = &r->ops[writer].inst;
    for (uint32_t d = 0; d < w->n_dst; d++) {
        if (w->dst[d] == SASS_NO_VALUE || !r->values[w->dst[d]].stays) continue;
        const uint16_t reg = r->values[w->dst[d]].reg;
        for (uint32_t i = 0; i < writer; i++) {
            bool reads = false, writes = false;
            for (uint32_t k = 0; k < r->ops[i].inst.n_src; k++) reads |= keeps_name(r, r->ops[i].inst.src[k], reg);
            for (uint32_t k = 0; k < r->ops[i].inst.n_dst; k++) writes |= keeps_name(r, r->ops[i].inst.dst[k], reg);
            if ((reads || writes) && add_edge(g, i, writer, writes) < 0) return -1;
        }
    }
    return 0;
}

static bool may_alias(const struct trace_inst *a, const struct trace_inst *b)
{
    return a->space == b->space || a->space == TRACE_SPACE_GLOBAL || b->space == TRACE_SPACE_GLOBAL;
}

/* Memory keeps its order, but loads among loads; the last operation stays the last. */
static int add_order_edges(struct graph *g)
{
    const struct sass_region *r = g->r;
    for (uint32_t i = 0; i < r->n_ops; i++) {
        const struct trace_inst *b = &r->ops[i].inst;
        const bool is_memory = trace_class_is_memory(b->cls) || sass_orders(b), is_exit = b->cls == TRACE_EXIT;
        const bool is_end = is_exit || (b->cls == TRACE_BRANCH && i + 1 == r->n_ops);
        for (uint32_t k = 0; k < i; k++) {
            const struct trace_inst *a = &r->ops[k].inst;
            const bool before_is_memory = trace_class_is_memory(a->cls) || sass_orders(a);
            bool orders = is_end || a->cls == TRACE_EXIT;
            if (is_memory && before_is_memory)
                orders |= sass_orders(a) || sass_orders(b) ||
                          ((a->cls != TRACE_LOAD || b->cls != TRACE_LOAD) && may_alias(a, b));
            if (orders && add_edge(g, k, i, 0) < 0) return -1;
        }
    }
    return 0;
}

static void find_heights(struct graph *g)
{
    for (uint32_t i = g->r->n_ops; i-- > 0;) {
        struct node *n = &g->nodes[i];
        n->height = sass_latency(&g->r->ops[i].inst);
        for (uint32_t e = n->edges; e != NO_EDGE; e = g->edges[e].next) {
            const uint32_t way = g->edges[e].latency + g->nodes[g->edges[e].to].height;
            if (way > n->height) n->height = way;
        }
    }
}

/* Registers more after this operation than before it. */
static int pressure_of(const struct graph *g, uint32_t i)
{
    const struct trace_inst *inst = &g->r->ops[i].inst;
    int more = 0;
    for (uint32_t k = 0; k < inst->n_dst; k++)
        if (inst->dst[k] != SASS_NO_VALUE && !(g->r->values[inst->dst[k]].stays && g->r->values[inst->dst[k]].leaves))
            more += g->r->values[inst->dst[k]].weight;
    for (uint32_t k = 0; k < inst->n_src; k++) {
        const uint16_t v = inst->src[k];
        if (v != SASS_NO_VALUE && g->left[v] == 1 && !g->r->values[v].leaves) more -= g->r->values[v].weight;
    }
    return more;
}

static int most_in_order(struct graph *g)
{
    int now = 0, most = 0;
    for (uint32_t v = 0; v < g->r->n_values; v++) g->left[v] = g->r->values[v].uses;
    for (uint32_t i = 0; i < g->r->n_ops; i++) {
        now += pressure_of(g, i);
        if (now > most) most = now;
        for (uint32_t k = 0; k < g->r->ops[i].inst.n_src; k++)
            if (g->r->ops[i].inst.src[k] != SASS_NO_VALUE) g->left[g->r->ops[i].inst.src[k]]--;
    }
    return most;
}

/* The better of two that can be issued at this time; i stands later in the trace than best. */
static bool is_better(const struct graph *g, uint32_t i, uint32_t best, uint32_t now, bool is_full)
{
    const struct node *a = &g->nodes[i], *b = &g->nodes[best];
    if (is_full) return pressure_of(g, i) < pressure_of(g, best);
    const uint32_t from = a->ready > now ? a->ready : now, other = b->ready > now ? b->ready : now;
    if (from != other) return from < other;
    return a->height > b->height;
}

static uint32_t choose(const struct graph *g, uint32_t first, uint32_t now, bool is_full)
{
    uint32_t best = SASS_BEFORE;
    for (uint32_t i = first; i < g->r->n_ops; i++) {
        if (g->nodes[i].is_done || g->nodes[i].before) continue;
        if (best == SASS_BEFORE || is_better(g, i, best, now, is_full)) best = i;
    }
    return best;
}

static void issue(struct graph *g, uint32_t i, uint32_t now)
{
    g->nodes[i].is_done = true;
    for (uint32_t k = 0; k < g->r->ops[i].inst.n_src; k++)
        if (g->r->ops[i].inst.src[k] != SASS_NO_VALUE) g->left[g->r->ops[i].inst.src[k]]--;
    for (uint32_t e = g->nodes[i].edges; e != NO_EDGE; e = g->edges[e].next) {
        struct node *to = &g->nodes[g->edges[e].to];
        const uint32_t ready = now + (g->edges[e].latency ? g->edges[e].latency : 1);
        to->before--;
        if (ready > to->ready) to->ready = ready;
    }
}

static void list(struct graph *g, struct sass_op *out, int limit)
{
    uint32_t now = 0, first = 0;
    int registers = 0;
    for (uint32_t v = 0; v < g->r->n_values; v++) g->left[v] = g->r->values[v].uses;
    for (uint32_t n = 0; n < g->r->n_ops; n++) {
        while (first < g->r->n_ops && g->nodes[first].is_done) first++;
        const uint32_t i = choose(g, first, now, registers >= limit);
        if (g->nodes[i].ready > now) now = g->nodes[i].ready;
        registers += pressure_of(g, i);
        issue(g, i, now++);
        out[n] = g->r->ops[i];
    }
}

int sass_schedule(struct sass_region *r, uint32_t more_registers, struct error *err)
{
    struct graph g = {.r = r, .err = err};
    struct sass_op *out = malloc((r->n_ops + 1) * sizeof *out);
    g.nodes = calloc(r->n_ops + 1, sizeof *g.nodes);
    g.left = calloc(r->n_values + 1, sizeof *g.left);
    int result = 0;
    if (!out || !g.nodes || !g.left) {
        result = error_set(err, ERR_MEMORY, "no memory for the order of %u instructions", r->n_ops);
        goto done;
    }
    for (uint32_t i = 0; i < r->n_ops; i++) g.nodes[i].edges = NO_EDGE;
    if ((result = add_value_edges(&g)) < 0) goto done;
    for (uint32_t i = 0; i < r->n_ops && result == 0; i++) result = add_name_edges(&g, i);
    if (result < 0 || (result = add_order_edges(&g)) < 0) goto done;
    find_heights(&g);
    const int most = most_in_order(&g);
    list(&g, out, most + (int)more_registers);
    memcpy(r->ops, out, r->n_ops * sizeof *out);
done:
    free(out);
    free(g.nodes);
    free(g.left);
    free(g.edges);
    return result;
}

/* IMAD.MOV, IMAD.IADD, IMAD.SHL: a move, a sum of two, a shift by a number. */
static bool may_be_imad(const struct sass_op *op)
{
    return op->inst.cls == TRACE_INT && !(op->inst.flags & TRACE_GUARDED) &&
           (sass_is(op->name, "mov.") || sass_is(op->name, "add.s32") || sass_is(op->name, "add.u32") ||
            sass_is(op->name, "sub.s32") || sass_is(op->name, "shl.b32"));
}

void sass_balance(struct sass_region *r)
{
    enum { TURN = 2 };                     /* cycles for which an instruction takes 16 lanes */
    uint32_t integers = 0, multiplies = 0; /* when the pipes are free */
    for (uint32_t i = 0; i < r->n_ops; i++) {
        struct sass_op *op = &r->ops[i];
        const uint8_t cls = op->inst.cls;
        if (cls == TRACE_INT_MUL || (may_be_imad(op) && integers > i && multiplies <= i)) op->on_fma = true;
        if (op->on_fma || cls == TRACE_FP || cls == TRACE_FP_MUL) multiplies = (multiplies > i ? multiplies : i) + TURN;
        else if (cls == TRACE_INT) integers = (integers > i ? integers : i) + TURN;
    }
}
