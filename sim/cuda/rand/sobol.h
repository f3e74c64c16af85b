/* Sobol sequences: direction vectors and numbers of the first dimensions. */
#ifndef CUDA_RAND_SOBOL_H
#define CUDA_RAND_SOBOL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "toolkit/curand.h"

#define SOBOL_DIMENSIONS 512 /* CUDA has 20000 */

curandDirectionVectors32_t *sobol_vectors_32(void);
curandDirectionVectors64_t *sobol_vectors_64(void);

/* A sequence that is filled into arrays: of n numbers the first n / dimensions are the first dimension's. */
struct sobol {
    unsigned bits; /* 32 or 64; 0: no such sequence */
    unsigned dimensions;
    uint64_t next;           /* number, of each dimension, that comes next */
    uint64_t each, place, x; /* of the array that is being filled: numbers of a dimension, where it stands, the last */
};
/* Before an array of n numbers; false: n is no multiple of the dimensions. */
bool sobol_begin(struct sobol *s, size_t n);
/* A number as a fraction of 2^64; with 32 bits its lower half is 0. */
uint64_t sobol_next(struct sobol *s);
#endif
