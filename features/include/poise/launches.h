/* What a trace shows of a launch without timing, and the traits by which launches of a program are told apart. Pure
 * arithmetic over counts. */
#ifndef POISE_LAUNCHES_H
#define POISE_LAUNCHES_H
#include <stddef.h>
#include <stdint.h>

struct launch_counts {
    uint64_t kernel;                 /* a hash of its name */
    uint32_t ctas, threads;          /* of the grid; of a CTA */
    uint32_t resident_ctas;          /* of an SM, as occupancy and grid allow */
    uint64_t warps, insts, longest;  /* warp instructions; those of the longest warp */
    uint64_t lanes;                  /* thread instructions */
    uint64_t barriers, shared;       /* barriers; accesses to shared memory */
    uint64_t loads, stores, atomics; /* of global and local memory, constants and textures included that have lines */
    uint64_t requests, lines;        /* line requests after coalescing; distinct lines */
    uint64_t near, far;              /* requests for a line that the same warp touched at most LAUNCH_NEAR of its
                                      * requests ago, and longer ago, */
    uint64_t others;                 /* and that another warp touched last */
};
enum { LAUNCH_NEAR = 16 };
/* The machine, as far as traits ask. */
struct launch_machine {
    uint32_t sms, schedulers;
    uint64_t l1_lines, l2_lines; /* of one SM; of all banks, both in lines of L1 */
};
/* Launches of another kernel, CTA size or occupancy are never taken for one another. */
uint64_t launch_group(const struct launch_counts *c);
/* About how many cycles it takes, to an unknown factor: for strata alone. */
double launch_size(const struct launch_counts *c, const struct launch_machine *m);

/* Rows: name, formula over `c` and `m`, and what it is. A difference of 1 is expected to change the cycles by their own
 * size; how much each counts is assumed, and costs work, never the validity of an interval. */
#define LAUNCH_TRAITS(T) \
    T(insts, 0.3 * log2_1(ratio(c->insts, c->warps)), "instructions a warp") \
    T(imbalance, 0.3 * log2_1(ratio(c->longest * c->warps, c->insts)), "the longest warp over the mean") \
    T(lanes, 0.3 * ratio(c->lanes, 32 * c->insts), "lanes that are on") \
    T(accesses, 1.0 * ratio(c->loads + c->stores + c->atomics, c->insts), "memory accesses an instruction") \
    T(shared, 0.5 * ratio(c->shared, c->insts), "accesses to shared memory an instruction") \
    T(stores, 0.3 * ratio(c->stores, c->loads + c->stores + c->atomics), "stores of the accesses") \
    T(atomics, 1.0 * ratio(c->atomics, c->loads + c->stores + c->atomics), "atomics of the accesses") \
    T(divergence, 0.2 * log2_1(ratio(c->requests, c->loads + c->stores + c->atomics)), "lines an access") \
    T(near, 0.5 * ratio(c->near, c->requests), "requests for a line that the warp touched just before") \
    T(far, 0.5 * ratio(c->far, c->requests), "requests for a line that the warp touched longer ago") \
    T(others, 0.5 * ratio(c->others, c->requests), "requests for a line that another warp touched last") \
    T(over_l1, 0.1 * log2_1(ratio(c->lines, m->l1_lines * m->sms)), "footprint over all L1s") \
    T(over_l2, 0.2 * log2_1(ratio(c->lines, m->l2_lines)), "footprint over L2") \
    T(ctas, 0.1 * log2_1(ratio(c->ctas, m->sms)), "CTAs an SM")
enum launch_trait {
#define T(name, formula, doc) LAUNCH_TRAIT_##name,
    LAUNCH_TRAITS(T)
#undef T
        N_LAUNCH_TRAITS
};
extern const char *const launch_trait_names[N_LAUNCH_TRAITS], *const launch_trait_docs[N_LAUNCH_TRAITS];
void launch_traits(double out[N_LAUNCH_TRAITS], const struct launch_counts *c, const struct launch_machine *m);
#endif
