/* Real numbers of every type that the libraries of the host are given, in double precision. Those that become whole are
 * rounded to even and end at the type's bounds. */
#ifndef CUDA_SHARED_REAL_NUMBERS_H
#define CUDA_SHARED_REAL_NUMBERS_H
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "poise/half.h"

/* Bytes of a number; 0: not a real type. */
static inline size_t real_size(cudaDataType type)
{
    switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_8I: return 1;
    case CUDA_R_32I:
    case CUDA_R_32F: return 4;
    case CUDA_R_64F: return 8;
    default: return 0;
    }
}

static inline double real_get(const unsigned char *at, cudaDataType type)
{
    float single;
    double value;
    uint16_t half;
    int32_t whole;
    switch (type) {
    case CUDA_R_8I: return (double)(int8_t)at[0];
    case CUDA_R_32I: memcpy(&whole, at, sizeof whole); return (double)whole;
    case CUDA_R_16F: memcpy(&half, at, sizeof half); return f16_get(half);
    case CUDA_R_16BF: memcpy(&half, at, sizeof half); return bf16_get(half);
    case CUDA_R_32F: memcpy(&single, at, sizeof single); return (double)single;
    default: memcpy(&value, at, sizeof value); return value;
    }
}

static inline void real_put(unsigned char *at, cudaDataType type, double value)
{
    const float single = (float)value;
    uint16_t half;
    int32_t whole;
    switch (type) {
    case CUDA_R_8I: at[0] = (unsigned char)(int8_t)fmax(-128, fmin(127, rint(value))); return;
    case CUDA_R_32I:
        whole = (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, rint(value)));
        memcpy(at, &whole, sizeof whole);
        return;
    case CUDA_R_16F:
        half = (uint16_t)f16_put(value);
        memcpy(at, &half, sizeof half);
        return;
    case CUDA_R_16BF:
        half = (uint16_t)bf16_put(value);
        memcpy(at, &half, sizeof half);
        return;
    case CUDA_R_32F: memcpy(at, &single, sizeof single); return;
    default: memcpy(at, &value, sizeof value); return;
    }
}
#endif
