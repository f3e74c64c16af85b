/* Lane functions: one operation over the 32 lanes of a warp. A register is 32 contiguous 4-byte or 8-byte elements
 * (8- and 16-bit values are zero-extended in 4 bytes); a predicate is one 32-bit mask. The same sources are compiled
 * for the baseline, for AVX2 + FMA and for AVX-512, with identical results; the best tables that this processor can
 * run are taken. */
#ifndef PTX_LANES_H
#define PTX_LANES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lower/code.h"

/* Widths in bits of destination and sources; 0 = none. FLOAT operands take floating-point immediates. */
struct lane_op {
    const char *name; /* "add_b32" */
    lane_fn *fn;
    uint8_t n_src, width[5];
    uint8_t is_float; /* bit k: operand k */
};
struct compare_op {
    const char *name; /* "lt_s32" */
    compare_fn *fn;
    uint8_t width;
};

/* The tables of a variant, each ended by a NULL name: NAME_base, NAME_avx2, NAME_avx512. */
/* clang-format off */
#define LANE_TABLES(X, variant) \
    X(lanes_int##_##variant) X(lanes_logic##_##variant) X(lanes_float##_##variant) X(lanes_convert##_##variant) \
    X(lanes_half##_##variant) X(lanes_video##_##variant)
/* clang-format on */
enum { N_LANE_TABLES = 6 };
struct lane_variant {
    const char *name;
    bool (*can_run)(void); /* on this processor */
    const struct lane_op *tables[N_LANE_TABLES];
    const struct compare_op *compares;
    access_fn *load, *store;
};
/* All variants of this build, the slowest first; the baseline always runs. */
size_t lane_variants(const struct lane_variant **out);

#define MAX_LANE_OPS 2048 /* a power of two; more than twice the rows there are */
struct lane_index {
    const struct lane_op *slots[MAX_LANE_OPS];
    const struct compare_op *compares;
    access_fn *load, *store;
};
/* The best variant that runs here, or of these the one that the environment names in POISE_LANES. */
void lane_index_init(struct lane_index *index);
const struct lane_op *lane_find(const struct lane_index *index, const char *name);       /* NULL if there is none */
const struct compare_op *compare_find(const struct lane_index *index, const char *name); /* NULL if there is none */
#endif
