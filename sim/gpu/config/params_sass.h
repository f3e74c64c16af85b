/* Rows of parameters: the order of instructions that a machine gives recorded PTX (sim/gpu/sass). */
#ifndef GPU_PARAMS_SASS_H
#define GPU_PARAMS_SASS_H
#define SASS_FROM "sim/gpu/sass/README.md"
#define SASS_PARAMS(P) \
    P(FLAG, fold, 0, 0, 1, "flag", SASS_FROM, \
      "recorded PTX: moves, parameters and constants of addresses are left out, pairs are joined, as ptxas does") \
    P(ENUM, merge, 0, 0, 2, "none|known|all", SASS_FROM, \
      "neighbouring accesses become one of 64 or 128 bits: of shared memory and constants, whose alignment ptxas " \
      "knows; of global memory too") \
    P(FLAG, expand, 0, 0, 1, "flag", SASS_FROM, \
      "divisions, conversions, 64-bit integers and the like are the instructions that ptxas makes of them, in place " \
      "of the three classes of division") \
    P(FLAG, unroll, 0, 0, 1, "flag", SASS_FROM, "the rounds of a loop that counts to a number are one block") \
    P(FLAG, schedule, 0, 0, 1, "flag", SASS_FROM, \
      "a block's instructions are in the order of a list schedule, within the registers that do not cost a CTA") \
    P(FLAG, balance, 0, 0, 1, "flag", SASS_FROM, \
      "integer multiplies run in the pipe of multiply-adds, and so do sums and moves while the integer pipe is busy")
enum { SASS_MERGES_NONE, SASS_MERGES_KNOWN, SASS_MERGES_ALL };
#endif
