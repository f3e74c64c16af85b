/* libcurand: cuRAND's interface for hosts. Numbers are made on the host, so that no kernel of it is in a trace; each
 * call notes itself as skipped (poise/cuda_shim.h). */
#ifndef CUDA_RAND_H
#define CUDA_RAND_H
#include <stdbool.h>
#include <stdint.h>
#include "toolkit/curand.h"

/* A sequence that is spread over several streams: number i of the result is number i / streams of stream
 * i % streams, which begins 2^67 (XORWOW) or 2^76 (MRG32k3a) places after the one before. Philox is one stream. */
struct rand_streams {
    curandRngType_t type; /* one of the three */
    uint64_t seed;
    unsigned streams;
    uint64_t next;        /* number of the next result */
    uint32_t (*state)[6]; /* of each stream, NULL before the first number; with XORWOW the sixth is the counter */
};

/* The next word; for MRG32k3a it is 1 to 2^32 - 209. Fails (-1) when there is no memory. */
int rand_begin(struct rand_streams *s);
uint32_t rand_next(struct rand_streams *s);
#endif
