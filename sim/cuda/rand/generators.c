/* Generators and the distributions that they fill arrays with. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "poise/cuda_shim.h"
#include "rand/rand.h"

struct curandGenerator_st {
    struct rand_streams streams;
    cudaStream_t stream;
    bool is_host;
};

static curandStatus_t create(curandGenerator_t *out, curandRngType_t type, bool is_host)
{
    if (!out) return CURAND_STATUS_NOT_INITIALIZED;
    if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
    const unsigned streams = type == CURAND_RNG_PSEUDO_XORWOW          ? 4096
                             : type == CURAND_RNG_PSEUDO_MRG32K3A      ? 81920
                             : type == CURAND_RNG_PSEUDO_PHILOX4_32_10 ? 1
                                                                       : 0;
    if (streams == 0) {
        fprintf(stderr,
                "poise: curandCreateGenerator: generator type %d is not offered (XORWOW, MRG32K3A and PHILOX4_32_10 "
                "are; sim/cuda/README.md)\n",
                (int)type);
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (!is_host && cudaFree(NULL) != cudaSuccess) return CURAND_STATUS_INITIALIZATION_FAILED;
    struct curandGenerator_st *g = calloc(1, sizeof *g);
    if (!g) return CURAND_STATUS_ALLOCATION_FAILED;
    g->streams.type = type;
    g->streams.streams = streams;
    g->is_host = is_host;
    *out = g;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
    return create(generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    free(g->streams.state);
    free(g);
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int *version)
{
    if (!version) return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
    static const int version[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
    if (!value || (unsigned)type > 2) return CURAND_STATUS_OUT_OF_RANGE;
    *value = version[type];
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    g->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

/* What changes the sequence makes the streams begin anew. */
static void begin_at(curandGenerator_t g, uint64_t seed, uint64_t next)
{
    free(g->streams.state);
    g->streams.state = NULL;
    g->streams.seed = seed;
    g->streams.next = next;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    begin_at(g, seed, g->streams.next);
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    begin_at(g, g->streams.seed, offset);
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_DYNAMIC)
        return CURAND_STATUS_OUT_OF_RANGE;
    if (g->streams.type == CURAND_RNG_PSEUDO_MRG32K3A)
        g->streams.streams = order == CURAND_ORDERING_PSEUDO_LEGACY ? 4096 : 81920;
    begin_at(g, g->streams.seed, g->streams.next);
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions)
{
    (void)dimensions; /* there is no quasirandom generator */
    return g ? CURAND_STATUS_TYPE_ERROR : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t g)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    return rand_begin(&g->streams) < 0 ? CURAND_STATUS_ALLOCATION_FAILED : CURAND_STATUS_SUCCESS;
}

/* At the start of a call that fills an array: *to is where the host can write it. */
static curandStatus_t begin(const char *call, curandGenerator_t g, void **to, void *out, size_t bytes)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    *to = out;
    if (!g->is_host) {
        if (poise_cuda_skip(call, g->stream, bytes) < 0) return CURAND_STATUS_PREEXISTING_FAILURE;
        if (bytes && !(*to = poise_cuda_bytes(out, bytes))) return CURAND_STATUS_LAUNCH_FAILURE;
    }
    return rand_begin(&g->streams) < 0 ? CURAND_STATUS_ALLOCATION_FAILED : CURAND_STATUS_SUCCESS;
}
/* (0, 1], so that a logarithm is finite. */
static float uniform(curandGenerator_t g)
{
    const uint32_t x = rand_next(&g->streams);
    if (g->streams.type == CURAND_RNG_PSEUDO_MRG32K3A) return (float)(x * 2.3283065498378288e-10);
    return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2;
}
static double uniform_double(curandGenerator_t g)
{
    const uint64_t x = rand_next(&g->streams);
    if (g->streams.type == CURAND_RNG_PSEUDO_MRG32K3A) return (double)x * 2.3283065498378288e-10;
    const uint64_t y = rand_next(&g->streams);
    return (double)(x ^ y << 21) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}
static uint32_t word(curandGenerator_t g)
{
    const uint32_t x = rand_next(&g->streams);
    return g->streams.type == CURAND_RNG_PSEUDO_MRG32K3A ? (uint32_t)(x * 1.000000048662) : x;
}
/* Two independent numbers of the standard normal distribution (Box and Muller, 1958). */
static void normal_pair(curandGenerator_t g, double pair[2], bool is_double)
{
    const double u = is_double ? uniform_double(g) : (double)uniform(g);
    const double v = is_double ? uniform_double(g) : (double)uniform(g);
    const double length = sqrt(-2 * log(u));
    pair[0] = length * sin(6.283185307179586 * v);
    pair[1] = length * cos(6.283185307179586 * v);
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned *out, size_t n)
{
    void *to;
    const curandStatus_t status = begin(__func__, g, &to, out, n * sizeof *out);
    for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < n; i++) ((unsigned *)to)[i] = word(g);
    return status;
}
curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *out, size_t n)
{
    (void)out, (void)n; /* for 64-bit quasirandom generators alone, as CUDA documents it */
    return g ? CURAND_STATUS_TYPE_ERROR : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n)
{
    void *to;
    const curandStatus_t status = begin(__func__, g, &to, out, n * sizeof *out);
    for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < n; i++) ((float *)to)[i] = uniform(g);
    return status;
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n)
{
    void *to;
    const curandStatus_t status = begin(__func__, g, &to, out, n * sizeof *out);
    for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < n; i++) ((double *)to)[i] = uniform_double(g);
    return status;
}
/* Normal numbers come in pairs: an odd number of them is refused, as CUDA does. */
#define NORMALS(Name, type, exponential) \
    curandStatus_t curandGenerate##Name(curandGenerator_t g, type *out, size_t n, type mean, type deviation) \
    { \
        void *to; \
        if (n % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE; \
        const curandStatus_t status = begin(__func__, g, &to, out, n * sizeof *out); \
        for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < n; i += 2) { \
            double pair[2]; \
            normal_pair(g, pair, sizeof(type) == sizeof(double)); \
            for (unsigned k = 0; k < 2; k++) { \
                const double x = (double)mean + (double)deviation * pair[k]; \
                ((type *)to)[i + k] = (type)(exponential ? exp(x) : x); \
            } \
        } \
        return status; \
    }
NORMALS(Normal, float, false)
NORMALS(NormalDouble, double, false)
NORMALS(LogNormal, float, true)
NORMALS(LogNormalDouble, double, true)

/* By multiplying uniform numbers (Knuth); where the mean is large, a rounded normal number. */
curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned *out, size_t n, double lambda)
{
    void *to;
    if (!(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
    const curandStatus_t status = begin(__func__, g, &to, out, n * sizeof *out);
    for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < n; i++) {
        unsigned count = 0;
        if (lambda > 64) {
            double pair[2];
            normal_pair(g, pair, true);
            const double x = lambda + sqrt(lambda) * pair[0] + 0.5;
            count = x < 0 ? 0 : (unsigned)x;
        } else
            for (double left = exp(lambda) * uniform_double(g); left > 1; left *= uniform_double(g)) count++;
        ((unsigned *)to)[i] = count;
    }
    return status;
}
