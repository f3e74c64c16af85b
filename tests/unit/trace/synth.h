/* Synthetic launches for the tests of the trace format: one regular, as compilers and people write kernels, and one
 * random. */
#ifndef SYNTH_H
#define SYNTH_H
#include "rig.h"
#include "poise/trace.h"

struct rng {
    uint64_t state;
};
uint32_t rng_next(struct rng *r); /* 32 random bits (xorshift) */
static inline uint32_t rng_below(struct rng *r, uint32_t n) { return rng_next(r) % n; }

/* Addresses of each of the four access kinds for the lanes of mask (which need 1, 2, 2, 2 lanes). */
void synth_addresses(struct rng *r, int kind, uint64_t addresses[TRACE_LANES]);

/* `ctas` CTAs of 256 threads run a matrix-vector loop of `trips` iterations of 8 instructions, 2 of them loads. */
struct trace_writer *synth_regular(uint32_t ctas, uint32_t trips);
struct trace_writer *synth_regular_together(uint32_t ctas, uint32_t trips); /* the same, all CTAs recorded at once */
/* Random code, steps, masks, guards and accesses of all kinds: only what the format demands is kept. */
struct trace_writer *synth_random(uint64_t seed);
struct trace_writer *synth_random_of(uint64_t seed, uint32_t times); /* the same with so many times as many CTAs */
extern unsigned synth_threads; /* that compress what is recorded next: trace_writer_threads */
struct trace *synth_finish(struct trace_writer *writer, const char *path, const char *provenance);

/* Same content, array by array. */
void assert_same_content(const struct trace *a, const struct trace *b);
#endif
