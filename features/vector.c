/* The feature rows: pure functions of the counters at o = (W, W) and a = (1, 1).   [THESIS §5.5.2, Tab. 5.2, 5.3]
 *
 *   h     L1 hit rate: hits / accesses                          eta   intra-warp hits / accesses
 *   m     miss rate: 1 - h (a merge into a pending miss is a miss)
 *   L     AML, cycles from L1 miss to data                      I_n   compute instructions per global load
 *
 * A rate without accesses is 0, and so is a latency without misses: a window in which nothing loads has nothing to
 * hide. Hardware bits: a 32-bit counter each for what a row reads at one point [THESIS §5.7.9]; the rest is
 * arithmetic on idle units. */
#include "poise/features.h"

#include <math.h>
#include <string.h>
#include "poise/table.h"

static double rate(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }
static double h(const struct feature_counters *c) { return rate(c->l1_hits, c->l1_accesses); }
static double m(const struct feature_counters *c) { return c->l1_accesses ? 1 - h(c) : 0; }
static double eta(const struct feature_counters *c) { return rate(c->l1_intra_hits, c->l1_accesses); }
static double aml(const struct feature_counters *c) { return rate(c->miss_latency_sum, c->miss_count); }
static double ipc(const struct feature_counters *c) { return rate(c->insts, c->cycles); }

double feature_In(const struct feature_counters *o)
{
    if (o->loads == 0) return INFINITY;
    return (double)(o->insts > o->loads ? o->insts - o->loads : 0) / (double)o->loads;
}

typedef const struct feature_counters *counters;
#define AT_O(row, formula) \
    static double x_##row(counters o, counters a) \
    { \
        (void)o, (void)a; \
        return formula; \
    }
#define AT_A(row, formula) \
    static double x_##row(counters o, counters a) \
    { \
        (void)o; \
        return formula; \
    }
#define AT_BOTH(row, formula) \
    static double x_##row(counters o, counters a) { return formula; }

static double deta2(counters o, counters a)
{
    const double d = eta(a) - eta(o);
    return d * d;
}
static double dLm(counters o, counters a) { return aml(a) * m(a) - aml(o) * m(o); }

AT_O(h_o, h(o))
AT_A(h_prime, h(a))
AT_O(eta_o, eta(o))
AT_A(eta_prime, eta(a))
AT_BOTH(deta2, deta2(o, a))
AT_BOTH(In_deta2, o->loads ? feature_In(o) * deta2(o, a) : 0) /* no loads: no locality either, and inf * 0 is no
                                                               * number */
AT_BOTH(dLm2, dLm(o, a) * dLm(o, a) / 1e5)
AT_O(intercept, 1)
AT_O(m_o, m(o))
AT_A(m_prime, m(a))
AT_O(L_o, aml(o))
AT_A(L_prime, aml(a))
AT_O(I_n, feature_In(o))
AT_O(inter_o, h(o) - eta(o))
AT_A(inter_prime, h(a) - eta(a))
AT_BOTH(dh, h(a) - h(o))
AT_BOTH(deta, eta(a) - eta(o))
AT_BOTH(dL, aml(a) - aml(o))
AT_BOTH(dLm, dLm(o, a))
AT_O(Lm_o, aml(o) * m(o))
AT_A(Lm_prime, aml(a) * m(a))
AT_O(ipc_o, ipc(o))
AT_A(ipc_prime, ipc(a))
AT_BOTH(dipc, ipc(a) - ipc(o))
AT_O(accesses_per_load, rate(o->l1_accesses, o->loads))
AT_O(intra_share_o, rate(o->l1_intra_hits, o->l1_hits))
AT_A(intra_share_prime, rate(a->l1_intra_hits, a->l1_hits))
AT_O(log_In, o->loads ? log1p(feature_In(o)) : 0)
AT_O(log_Lm_o, log1p(aml(o) * m(o)))
AT_O(mpki_o, 1000 * rate(o->l1_accesses - (o->l1_hits < o->l1_accesses ? o->l1_hits : o->l1_accesses), o->insts))
AT_BOTH(In_dh, o->loads ? feature_In(o) * (h(a) - h(o)) : 0)

/* what the terms need */
#define H (NEEDS_l1_hits | NEEDS_l1_accesses)
#define E (NEEDS_l1_intra_hits | NEEDS_l1_accesses)
#define L (NEEDS_miss_latency_sum | NEEDS_miss_count)
#define I (NEEDS_insts | NEEDS_loads)
#define P (NEEDS_insts | NEEDS_cycles)
/* name, formula, words, source, counters */
#define FEATURES(F) \
    F(h_o, "h_o", "L1 hit rate with all warps: hits / accesses at (W, W)", "THESIS Tab. 5.3 x1", H) \
    F(h_prime, "h'", "L1 hit rate with one warp a scheduler: hits / accesses at (1, 1)", "THESIS Tab. 5.3 x2", H) \
    F(eta_o, "eta_o", "share of accesses that hit on a line last touched by the same warp, at (W, W)", \
      "THESIS Tab. 5.3 x3", E) \
    F(eta_prime, "eta'", "share of accesses that hit on a line last touched by the same warp, at (1, 1)", \
      "THESIS Tab. 5.3 x4", E) \
    F(deta2, "(eta' - eta_o)^2", "square of how much the intra-warp hit rate grows from all warps to one", \
      "THESIS Tab. 5.3 x5", E) \
    F(In_deta2, "I_n (eta' - eta_o)^2", \
      "growth of the intra-warp hit rate, squared, times the compute instructions a load that hide latency", \
      "THESIS Tab. 5.3 x6", E | I) \
    F(dLm2, "(L' m' - L_o m_o)^2 / 1e5", \
      "square of how the mean latency of an access by misses changes from all warps to one, in 1e5 cycles squared", \
      "THESIS Tab. 5.3 x7", H | L) \
    F(intercept, "1", "the constant of the regression", "THESIS Tab. 5.3 x8", 0) \
    F(m_o, "1 - h_o", "L1 miss rate with all warps", "THESIS Tab. 5.2", H) \
    F(m_prime, "1 - h'", "L1 miss rate with one warp", "THESIS Tab. 5.2", H) \
    F(L_o, "L_o", "AML, mean cycles from an L1 miss to its data, with all warps", "THESIS Tab. 5.2", L) \
    F(L_prime, "L'", "AML, mean cycles from an L1 miss to its data, with one warp", "THESIS Tab. 5.2", L) \
    F(I_n, "I_n", "compute instructions for each global load", "THESIS Tab. 5.2", I) \
    F(inter_o, "h_o - eta_o", "hit rate on lines that another warp touched last, with all warps", "THESIS Tab. 5.2", \
      H | E) \
    F(inter_prime, "h' - eta'", "hit rate on lines that another warp touched last, with one warp", "assumed", H | E) \
    F(dh, "h' - h_o", "growth of the L1 hit rate from all warps to one", "assumed", H) \
    F(deta, "eta' - eta_o", "growth of the intra-warp hit rate from all warps to one", "THESIS Tab. 5.2", E) \
    F(dL, "L' - L_o", "change of AML in cycles from all warps to one", "assumed", L) \
    F(dLm, "L' m' - L_o m_o", "change of the mean latency of an access by misses from all warps to one, in cycles", \
      "THESIS Eq. 5.11", H | L) \
    F(Lm_o, "L_o m_o", "mean latency of an access by misses with all warps, in cycles", "THESIS Eq. 5.1", H | L) \
    F(Lm_prime, "L' m'", "mean latency of an access by misses with one warp, in cycles", "THESIS Eq. 5.4", H | L) \
    F(ipc_o, "IPC_o", "warp instructions a cycle of an SM with all warps", "assumed", P) \
    F(ipc_prime, "IPC'", "warp instructions a cycle of an SM with one warp", "assumed", P) \
    F(dipc, "IPC' - IPC_o", "growth of warp instructions a cycle from all warps to one", "assumed", P) \
    F(accesses_per_load, "L1 accesses / load at o", \
      "divergence: L1 accesses for each load instruction, after coalescing", "assumed", \
      NEEDS_l1_accesses | NEEDS_loads) \
    F(intra_share_o, "eta_o / h_o", "share of the hits that are intra-warp, with all warps", "THESIS Fig. 5.6", H | E) \
    F(intra_share_prime, "eta' / h'", "share of the hits that are intra-warp, with one warp", "THESIS Fig. 5.6", \
      H | E) \
    F(log_In, "ln(1 + I_n)", "logarithm of one more than the compute instructions a load", "assumed", I) \
    F(log_Lm_o, "ln(1 + L_o m_o)", \
      "logarithm of one more than the mean latency of an access by misses, with all warps", "assumed", H | L) \
    F(mpki_o, "1000 L1 misses / instruction at o", "L1 misses for each thousand warp instructions with all warps", \
      "assumed", H | NEEDS_insts) \
    F(In_dh, "I_n (h' - h_o)", "growth of the L1 hit rate times the compute instructions a load", "THESIS Eq. 5.11", \
      H | I)
const struct feature_row feature_rows[] = {
#define F(row, formula, words, source, needs) \
    {#row, formula, words, source, needs, FEATURE_COUNTER_BITS * __builtin_popcount(needs), x_##row},
    FEATURES(F)
#undef F
};
const size_t n_feature_rows = COUNT_OF(feature_rows);

unsigned features_hardware_bits(const char *const *names, size_t n)
{
    unsigned needs = 0;
    for (size_t i = 0; i < n; i++) {
        const struct feature_row *row = feature_find(names[i]);
        needs |= row ? row->needs : 0;
    }
    return FEATURE_COUNTER_BITS * (unsigned)__builtin_popcount(needs);
}

struct engine_storage features_engine_storage(const char *const *names, size_t n)
{
    return (struct engine_storage){features_hardware_bits(names, n), ENGINE_STATE_BITS};
}

double engine_storage_bytes(const struct engine_storage *storage, double sms)
{
    return sms * (storage->counter_bits + storage->state_bits) / 8;
}

const char *const poise_feature_names[N_POISE_FEATURES] = {"h_o",   "h_prime",  "eta_o", "eta_prime",
                                                           "deta2", "In_deta2", "dLm2",  "intercept"};

const struct feature_row *feature_find(const char *name)
{
    for (size_t i = 0; i < n_feature_rows; i++)
        if (strcmp(feature_rows[i].name, name) == 0) return &feature_rows[i];
    return NULL;
}

int features_resolve(const char *const *names, size_t n, const struct feature_row **rows, const char *where,
                     struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        rows[i] = feature_find(names[i]);
        if (rows[i]) continue;
        error_set(err, ERR_INPUT, "%s: no feature '%s'%s", where, names[i],
                  did_you_mean(names[i], &feature_rows[0].name, n_feature_rows, sizeof feature_rows[0]).text);
        return error_at(err, where, 0, -1, "the columns that 'poise features' prints are all there are");
    }
    return 0;
}

void features_vector_f32(const struct feature_row *const *rows, size_t n, const struct feature_counters *o,
                         const struct feature_counters *a, float *x)
{
    for (size_t i = 0; i < n; i++) x[i] = (float)rows[i]->value(o, a);
}
