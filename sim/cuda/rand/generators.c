/* Generators and the distributions that they fill arrays with. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "poise/cuda_shim.h"
#include "rand/rand.h"
#include "rand/sobol.h"

struct curandGenerator_st {
    struct rand_streams streams;
    struct sobol sobol; /* in place of the streams where it has bits */
    cudaStream_t stream;
    bool is_host;
};

static curandStatus_t create(curandGenerator_t *out, curandRngType_t type, bool is_host)
{
    if (!out) return CURAND_STATUS_NOT_INITIALIZED;
    if (type == CURAND_RNG_PSEUDO_DEFAULT) type = CURAND_RNG_PSEUDO_XORWOW;
    if (type == CURAND_RNG_QUASI_DEFAULT) type = CURAND_RNG_QUASI_SOBOL32;
    const unsigned bits = type == CURAND_RNG_QUASI_SOBOL32 ? 32 : type == CURAND_RNG_QUASI_SOBOL64 ? 64 : 0;
    const unsigned streams = type == CURAND_RNG_PSEUDO_XORWOW          ? 4096
                             : type == CURAND_RNG_PSEUDO_MRG32K3A      ? 81920
                             : type == CURAND_RNG_PSEUDO_PHILOX4_32_10 ? 1
                                                                       : 0;
    if (streams == 0 && bits == 0) {
        fprintf(stderr,
                "poise: curandCreateGenerator: generator type %d is not offered (XORWOW, MRG32K3A, PHILOX4_32_10, "
                "SOBOL32 and SOBOL64 are; sim/cuda/README.md)\n",
                (int)type);
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (!is_host && cudaFree(NULL) != cudaSuccess) return CURAND_STATUS_INITIALIZATION_FAILED;
    struct curandGenerator_st *g = calloc(1, sizeof *g);
    if (!g) return CURAND_STATUS_ALLOCATION_FAILED;
    g->streams.type = type;
    g->streams.streams = streams;
    g->sobol = (struct sobol){.bits = bits, .dimensions = 1};
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
    if (g->sobol.bits) return CURAND_STATUS_TYPE_ERROR;
    begin_at(g, seed, g->streams.next);
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    g->sobol.next = offset;
    begin_at(g, g->streams.seed, offset);
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (g->sobol.bits)
        return order == CURAND_ORDERING_QUASI_DEFAULT ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
    if (order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_DYNAMIC)
        return CURAND_STATUS_OUT_OF_RANGE;
    if (g->streams.type == CURAND_RNG_PSEUDO_MRG32K3A)
        g->streams.streams = order == CURAND_ORDERING_PSEUDO_LEGACY ? 4096 : 81920;
    begin_at(g, g->streams.seed, g->streams.next);
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (!g->sobol.bits) return CURAND_STATUS_TYPE_ERROR;
    if (dimensions < 1 || dimensions > 20000) return CURAND_STATUS_OUT_OF_RANGE;
    if (dimensions > SOBOL_DIMENSIONS) {
        fprintf(stderr, "poise: curandSetQuasiRandomGeneratorDimensions: %u dimensions; here are the first %u\n",
                dimensions, SOBOL_DIMENSIONS);
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    g->sobol.dimensions = dimensions;
    return CURAND_STATUS_SUCCESS;
}
static curandStatus_t scrambled(const char *call)
{
    fprintf(stderr, "poise: %s: scrambled direction vectors are not offered (sim/cuda/README.md)\n", call);
    return CURAND_STATUS_TYPE_ERROR;
}
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set)
{
    if (set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6) return scrambled(__func__);
    if (!vectors || set != CURAND_DIRECTION_VECTORS_32_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
    *vectors = sobol_vectors_32();
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set)
{
    if (set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6) return scrambled(__func__);
    if (!vectors || set != CURAND_DIRECTION_VECTORS_64_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
    *vectors = sobol_vectors_64();
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetScrambleConstants32(unsigned **constants) { return (void)constants, scrambled(__func__); }
curandStatus_t curandGetScrambleConstants64(unsigned long long **constants)
{
    return (void)constants, scrambled(__func__);
}
curandStatus_t curandGenerateSeeds(curandGenerator_t g)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    return rand_begin(&g->streams) < 0 ? CURAND_STATUS_ALLOCATION_FAILED : CURAND_STATUS_SUCCESS;
}

/* At the start of a call that fills an array of n elements: *to is where the host can write it. */
static curandStatus_t begin(const char *call, curandGenerator_t g, void **to, void *out, size_t n, size_t size)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    *to = out;
    if (g->sobol.bits && n % g->sobol.dimensions) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (!g->is_host) {
        if (poise_cuda_skip(call, g->stream, n * size, NULL, 0) != 0) return CURAND_STATUS_PREEXISTING_FAILURE;
        if (n && !(*to = poise_cuda_bytes(out, n * size))) return CURAND_STATUS_LAUNCH_FAILURE;
    }
    if (g->sobol.bits) return sobol_begin(&g->sobol, n), CURAND_STATUS_SUCCESS;
    return rand_begin(&g->streams) < 0 ? CURAND_STATUS_ALLOCATION_FAILED : CURAND_STATUS_SUCCESS;
}
/* (0, 1], so that a logarithm is finite. */
static float uniform(curandGenerator_t g)
{
    const uint32_t x = g->sobol.bits ? (uint32_t)(sobol_next(&g->sobol) >> 32) : rand_next(&g->streams);
    if (g->streams.type == CURAND_RNG_PSEUDO_MRG32K3A) return (float)(x * 2.3283065498378288e-10);
    return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2;
}
static double uniform_double(curandGenerator_t g)
{
    if (g->sobol.bits == 32) return (double)(sobol_next(&g->sobol) >> 32) * 0x1p-32 + 0x1p-32;
    if (g->sobol.bits == 64) return (double)(sobol_next(&g->sobol) >> 11) * 0x1p-53 + 0x1p-54;
    const uint64_t x = rand_next(&g->streams);
    if (g->streams.type == CURAND_RNG_PSEUDO_MRG32K3A) return (double)x * 2.3283065498378288e-10;
    const uint64_t y = rand_next(&g->streams);
    return (double)(x ^ y << 21) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}
static uint32_t word(curandGenerator_t g)
{
    if (g->sobol.bits) return (uint32_t)(sobol_next(&g->sobol) >> 32);
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
/* The number that a part `u` (0 to 1, exclusive) of the standard normal distribution lies below: Hastings' formula
 * [Abramowitz and Stegun, 26.2.23], made exact by Halley's method. */
static double normal_below(double u)
{
    const double tail = u < 0.5 ? u : 1 - u, t = sqrt(-2 * log(tail));
    double z = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
    for (unsigned i = 0; i < 3; i++) {
        const double e = (0.5 * erfc(-z * 0.70710678118654752) - tail) * 2.5066282746310002 * exp(z * z / 2);
        z -= e / (1 + z * e / 2);
    }
    return u < 0.5 ? z : -z;
}
/* Quasirandom numbers keep their evenness when each becomes one normal number. */
static double quasi_normal(curandGenerator_t g)
{
    const uint64_t x = sobol_next(&g->sobol);
    return normal_below(g->sobol.bits == 32 ? (double)(x >> 32) * 0x1p-32 + 0x1p-33
                                            : (double)(x >> 12) * 0x1p-52 + 0x1p-53);
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned *out, size_t n)
{
    void *to;
    if (g && g->sobol.bits == 64) return CURAND_STATUS_TYPE_ERROR;
    const curandStatus_t status = begin(__func__, g, &to, out, n, sizeof *out);
    for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < n; i++) ((unsigned *)to)[i] = word(g);
    return status;
}
curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *out, size_t n)
{
    void *to;
    if (g && g->sobol.bits != 64) return CURAND_STATUS_TYPE_ERROR; /* as CUDA documents it */
    const curandStatus_t status = begin(__func__, g, &to, out, n, sizeof *out);
    for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < n; i++)
        ((unsigned long long *)to)[i] = sobol_next(&g->sobol);
    return status;
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n)
{
    void *to;
    const curandStatus_t status = begin(__func__, g, &to, out, n, sizeof *out);
    for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < n; i++) ((float *)to)[i] = uniform(g);
    return status;
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n)
{
    void *to;
    const curandStatus_t status = begin(__func__, g, &to, out, n, sizeof *out);
    for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < n; i++) ((double *)to)[i] = uniform_double(g);
    return status;
}
/* Normal numbers of the others come in pairs: an odd number of them is refused, as CUDA does. */
#define NORMALS(Name, type, exponential) \
    curandStatus_t curandGenerate##Name(curandGenerator_t g, type *out, size_t n, type mean, type deviation) \
    { \
        void *to; \
        const bool is_quasi = g && g->sobol.bits; \
        if (!is_quasi && n % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE; \
        const curandStatus_t status = begin(__func__, g, &to, out, n, sizeof *out); \
        for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < n; i += 2) { \
            double pair[2]; \
            if (!is_quasi) normal_pair(g, pair, sizeof(type) == sizeof(double)); \
            for (unsigned k = 0; k < 2 && i + k < n; k++) { \
                if (is_quasi) pair[k] = quasi_normal(g); \
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

/* From one uniform number, by adding up what is below it; where the mean is large, a rounded normal number. */
static unsigned quasi_poisson(curandGenerator_t g, double lambda)
{
    if (lambda > 64) {
        const double x = lambda + sqrt(lambda) * quasi_normal(g) + 0.5;
        return x < 0 ? 0 : (unsigned)x;
    }
    const double u = uniform_double(g);
    unsigned count = 0;
    for (double part = exp(-lambda), sum = part; u > sum && count < 1000; sum += part) part *= lambda / ++count;
    return count;
}
/* By multiplying uniform numbers (Knuth); where the mean is large, a rounded normal number. */
curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned *out, size_t n, double lambda)
{
    void *to;
    if (!(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
    const curandStatus_t status = begin(__func__, g, &to, out, n, sizeof *out);
    for (size_t i = 0; status == CURAND_STATUS_SUCCESS && i < n; i++) {
        unsigned count = 0;
        if (g->sobol.bits) count = quasi_poisson(g, lambda);
        else if (lambda > 64) {
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
