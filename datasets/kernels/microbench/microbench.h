/* What the microbenchmarks' host program launches, and `poise validate --microbench` reads: each kernel runs at two
 * lengths, and what the longer run costs beyond the shorter one is the figure. */
#ifndef MICROBENCH_H
#define MICROBENCH_H

/* Rounds of a kernel's loop. */
enum { MICRO_SHORT = 4, MICRO_LONG = 12, MICRO_ROUNDS = MICRO_LONG - MICRO_SHORT };
/* Instructions a round. */
enum {
    MICRO_LATENCY_LINES = 64,     /* each needs the one before */
    MICRO_THROUGHPUT_LINES = 128, /* eight registers by turns */
    MICRO_SHARED_LATENCY_LINES = 64,
    MICRO_SHARED_LINES = 32,
    MICRO_SHARED_V4_LINES = 8,
    MICRO_CONST_LINES = 32,
    MICRO_CHASE_LINES = 16,
    MICRO_L1_LINES = 32,
    MICRO_ATOMIC_LINES = 16,
    MICRO_BARRIER_LINES = 16
};
enum { MICRO_THREADS = 512, MICRO_WARPS = MICRO_THREADS / 32 }; /* of a throughput kernel's only CTA */
enum { MICRO_GRID = 480, MICRO_GRID_THREADS = 256 };            /* of kernels for L2 and DRAM */
enum { MICRO_LINE = 128 };                                      /* bytes from one pointer of a chase to the next */

/* Operations with a kernel for their latency, lat_NAME, and one for their throughput, thr_NAME; instructions a line. */
#define MICRO_OPS(M) \
    M(int_alu, 2) \
    M(int_shift, 1) \
    M(int_mad, 1) \
    M(int_alu64, 2) \
    M(int_mul64, 1) \
    M(int_div, 1) \
    M(int_rem, 1) \
    M(popc, 1) \
    M(clz, 1) \
    M(cvt, 1) \
    M(shfl, 1) \
    M(fp_add, 1) \
    M(fp_mul, 1) \
    M(fp_fma, 1) \
    M(fp_rcp, 1) \
    M(fp_div, 1) \
    M(fp_sqrt, 1) \
    M(sfu_rsqrt, 1) \
    M(sfu_sin, 1) \
    M(sfu_ex2, 1) \
    M(dp_add, 1) \
    M(dp_fma, 1) \
    M(dp_rcp, 1) \
    M(dp_div, 1)
/* Shared memory: words from lane to lane; the degree of the bank conflict with 32 banks of a word. */
#define MICRO_STRIDES(M) M(1) M(2) M(4) M(8) M(16) M(32)
/* Constants: distinct addresses of a warp. */
#define MICRO_DISTINCT(M) M(1) M(2) M(4) M(32)
/* Footprints of pointer chases, KB: through L1, and by loads that pass L1. */
#define MICRO_L1_KB(M) M(4) M(8) M(12) M(16) M(24) M(32) M(48) M(64) M(96) M(128) M(192)
#define MICRO_L2_KB(M) M(256) M(512) M(768) M(1024) M(1536) M(2048) M(3072) M(4096) M(6144) M(8192)
#endif
