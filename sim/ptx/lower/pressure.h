/* Registers that a block of code needs (pressure.c). */
#ifndef PTX_PRESSURE_H
#define PTX_PRESSURE_H
#include "lower/lower.h"

#define PRESSURE_OPERANDS 20
struct pressure_block {
    const struct uop *code;
    const struct uses *uses;
    uint32_t first, end;
    bool is_loop;            /* its own successor, and may be unrolled */
    const uint32_t *exposed; /* n_exposed registers, among them all that are live out */
    uint32_t n_exposed;
    uint32_t *value_of;         /* scratch by register, all UINT32_MAX before and after: a kernel of many blocks pays
                                 * for what they use */
    uint8_t *state;             /* scratch by register, all 0 before and after */
    const uint8_t *weight;      /* by register: 32-bit registers it takes */
    const uint8_t *is_live_out; /* by register */
    const uint8_t *is_folded;   /* by instruction: its result becomes part of the instructions that use it */
    const uint8_t *is_linear;   /* by instruction: a sum, or a product with a constant */
    const uint8_t *may_move;    /* by instruction: a load of memory that nobody writes */
};
/* The most registers alive at once. -1: no memory. */
int pressure_count(uint32_t *most, const struct pressure_block *b);
#endif
