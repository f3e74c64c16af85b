/* Matrix instructions: what decode_mma.c tells exec_mma.c. Registers stand in kernel->args from uop.imm on: those of
 * d, a, b and c, as many as `n` says (a load and a store have one fragment, d). */
#ifndef PTX_MMA_H
#define PTX_MMA_H
#include <stdbool.h>
#include <stdint.h>
#include "parse/ast.h"

enum mma_op { MMA_MMA, MMA_WMMA, MMA_LOAD, MMA_STORE, MMA_LDMATRIX, MMA_STMATRIX };
enum mma_type {
    MMA_NONE,
    MMA_F16,
    MMA_BF16,
    MMA_TF32,
    MMA_F32,
    MMA_F64,
    MMA_S8,
    MMA_U8,
    MMA_S32,
    MMA_S4,
    MMA_U4,
    MMA_B1
};
enum mma_fragment { MMA_D, MMA_A, MMA_B, MMA_C, MMA_FRAGMENTS };

struct mma {
    uint8_t op, m, n;
    uint16_t k;
    uint8_t type[MMA_FRAGMENTS];
    uint8_t n_regs[MMA_FRAGMENTS];
    uint8_t is_column[MMA_FRAGMENTS]; /* of wmma: how the fragment was laid out in memory */
    uint8_t fragment;                 /* LOAD, STORE: which */
    bool saturates, transposes;
    bool is_xor; /* B1: what is counted are the bits that differ, else those set in both */
    enum space space;
};
#endif
