/* Features: pure functions of the counters at the two reference points.              [THESIS §5.5.2, Tab. 5.3]
 * The dataset builder and the hardware inference engine evaluate exactly these rows. */
#ifndef POISE_FEATURES_H
#define POISE_FEATURES_H
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"

/* Hardware counters over a window (one SM) or a whole run (summed over the GPU).
 * [THESIS §5.7.9, MECHANISMS definitions] */
#define FEATURE_COUNTERS(C) \
    C(cycles, "core cycles of the window") \
    C(insts, "warp instructions issued") \
    C(loads, "global load warp instructions issued") \
    C(l1_accesses, "load accesses after coalescing that looked L1 up") \
    C(l1_hits, "of these, accesses that found their data present") \
    C(l1_intra_hits, "hits on a line last touched by the same warp") \
    C(miss_latency_sum, "cycles from L1 miss to data, summed over primary load misses and bypassed loads") \
    C(miss_count, "primary load misses and bypassed loads that completed")
struct feature_counters {
#define C(field, doc) uint64_t field;
    FEATURE_COUNTERS(C)
#undef C
};

/* One bit a counter, for what a feature needs: NEEDS_l1_hits | NEEDS_l1_accesses. */
enum feature_counter_index {
#define C(field, doc) FEATURE_COUNTER_##field,
    FEATURE_COUNTERS(C)
#undef C
        N_FEATURE_COUNTERS
};
enum feature_needs {
#define C(field, doc) NEEDS_##field = 1 << FEATURE_COUNTER_##field,
    FEATURE_COUNTERS(C)
#undef C
};
#define FEATURE_COUNTER_BITS 32 /* of each counter in an SM [THESIS §5.7.9] */

/* A feature is a row: name, formula over the counters at o = (W, W) and a = (1, 1), what that is in words, the counters
 * it needs and their bits. */
struct feature_row {
    const char *name, *formula, *words, *source;
    unsigned needs, hardware_bits;
    double (*value)(const struct feature_counters *o, const struct feature_counters *a);
};
extern const struct feature_row feature_rows[];
extern const size_t n_feature_rows;
const struct feature_row *feature_find(const char *name); /* NULL if there is none */
/* Bits of counter that a vector needs: features share counters, so this is less than the sum. Unknown names need
 * none. */
unsigned features_hardware_bits(const char *const *names, size_t n);
/* Storage in one SM of an engine that evaluates a vector, of what [THESIS §5.7.9] counts: performance counters and two
 * 3-bit registers for its seven states. Not counted, there or here: monitor and pollute bits, and what the search
 * remembers. A rate or a mean needs two counters here; the thesis has four in all, of intra-warp hits, L1 hits, AML and
 * instructions a load. */
#define ENGINE_STATE_BITS (2 * 3)
struct engine_storage {
    unsigned counter_bits, state_bits;
};
struct engine_storage features_engine_storage(const char *const *names, size_t n);
double engine_storage_bytes(const struct engine_storage *storage, double sms); /* of all SMs */
/* Tab. 5.3's vector, in order: h_o h_prime eta_o eta_prime deta2 In_deta2 dLm2 intercept. */
#define N_POISE_FEATURES 8
extern const char *const poise_feature_names[N_POISE_FEATURES];
/* I_n: compute instructions per global load at o; what the early out compares with I_max, of windows that have loads.
 * Infinite without loads. */
double feature_In(const struct feature_counters *o);
/* Rows for n names. Errors name the unknown feature and the nearest known one; `where` says whose list it is. */
int features_resolve(const char *const *names, size_t n, const struct feature_row **rows, const char *where,
                     struct error *err);
/* The vector in single precision, as the engine's registers hold it. The engine and every offline prediction call
 * this, so that the two agree to the bit. */
void features_vector_f32(const struct feature_row *const *rows, size_t n, const struct feature_counters *o,
                         const struct feature_counters *a, float *x);

/* One simulated point of a profile. */
struct profile_point {
    uint32_t N, p;
    double speedup;
};
/* Eq. 5.12 with weights w0, w1, w2, divided by the sum of the weights that exist inside the triangle 1 <= p <= N <=
 * W. scores[i] is NAN where a neighbour at distance one inside the triangle was not simulated: such a point is no
 * target. */
void score_points(const struct profile_point *points, size_t n, uint32_t W, const double w[3], double *scores);
/* The index of the target: highest score (ties: smaller N, then smaller p); n if no point has a score. */
size_t score_target(const struct profile_point *points, const double *scores, size_t n);

/* Scaling to and from 24 warps per scheduler; scale 0: warps as they are. [MECHANISMS 'Scaling'] */
/* of targets: the most they can be */
static inline double warps_range(double scale, uint32_t W) { return scale > 0 ? scale : W; }
uint32_t warps_scale(uint32_t n, uint32_t W, uint32_t scale); /* round(n * scale / W) */
/* clamp to 1..W, p <= N */
void warps_unscale(float N, float p, uint32_t W, float scale, uint32_t *N_out, uint32_t *p_out);
#endif
