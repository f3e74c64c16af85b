/* Distances in the mesh of nodes, and where the tokens of mutexes are: all of it follows from the configuration and the
 * cycle, none of it is kept. Cycles are those of atom_tick. */
#ifndef ATOM_MESH_H
#define ATOM_MESH_H
#include "atom_mutex.h"

static inline uint32_t apart(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
static inline uint32_t rows_of(const struct atom_config *c) { return c->nodes / c->columns; }

/* From a node to who answers for a mutex. */
static inline uint64_t way(const struct atom_config *c, uint32_t node, uint32_t mutex)
{
    const uint32_t x = node % c->columns, y = node / c->columns, owner = mutex % c->nodes;
    if (c->kind == ATOM_NAIVE) return 0;
    if (c->kind == ATOM_RINGS) return (uint64_t)c->hop_cycles * apart(y, mutex % rows_of(c));
    return (uint64_t)c->hop_cycles * (apart(x, owner % c->columns) + apart(y, owner / c->columns));
}

static inline uint64_t way_to_farthest(const struct atom_config *c, uint32_t node)
{
    const uint32_t x = node % c->columns, y = node / c->columns, right = c->columns - 1 - x, down = rows_of(c) - 1 - y;
    return (uint64_t)c->hop_cycles * ((x > right ? x : right) + (y > down ? y : down));
}

static inline uint64_t way_between(const struct atom_config *c, uint32_t from, uint32_t to)
{
    const uint32_t dx = apart(from % c->columns, to % c->columns), dy = apart(from / c->columns, to / c->columns);
    return (uint64_t)c->hop_cycles * (dx + dy);
}

static inline bool has_token_ring(const struct atom_config *c) { return c->kind != ATOM_DIRECTORY; }
static inline uint32_t ring_size(const struct atom_config *c) { return c->kind == ATOM_NAIVE ? c->nodes : c->columns; }
/* Where in the ring a node's requests wait for the token: at itself, or at the member in its column. */
static inline uint32_t ring_place(const struct atom_config *c, uint32_t node)
{
    return c->kind == ATOM_NAIVE ? node : node % c->columns;
}

/* The token is nowhere kept: where it is follows from the cycle. [TECHNIQUES §3.2] */
static inline bool has_token(const struct atom_config *c, uint32_t node, uint64_t now)
{
    return !has_token_ring(c) || now / c->token_cycles % ring_size(c) == ring_place(c, node);
}

/* The first cycle from `from` on in which the node has it. */
static inline uint64_t next_token(const struct atom_config *c, uint32_t node, uint64_t from)
{
    const uint64_t turn = (uint64_t)c->token_cycles * ring_size(c),
                   begin = from - from % turn + (uint64_t)ring_place(c, node) * c->token_cycles;
    if (!has_token_ring(c) || (from >= begin && from < begin + c->token_cycles)) return from;
    return begin > from ? begin : begin + turn;
}

static inline uint32_t epoch_of(const struct atom_config *c, uint64_t now) { return (uint32_t)(now / c->epoch_cycles); }
#endif
