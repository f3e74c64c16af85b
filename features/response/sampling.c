/* The feature rows of a sampling step, in integers. */
#include "poise/sampling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/table.h"

enum { ONE = 1 << 16, LIMIT = 8 * ONE /* a ratio beyond 2^8 says no more than 2^8 */ };

int32_t log2_q16(uint64_t x)
{
    if (x == 0) return 0;
    const int whole = 63 - __builtin_clzll(x);
    /* The mantissa in [1, 2) with 31 bits behind the point: each square doubles its logarithm, whose next bit then is
     * the whole part. */
    uint64_t mantissa = whole <= 31 ? x << (31 - whole) : x >> (whole - 31);
    int32_t fraction = 0;
    for (int bit = 15; bit >= 0; bit--) {
        mantissa = mantissa * mantissa >> 31;
        if (mantissa >> 32) {
            mantissa >>= 1;
            fraction |= 1 << bit;
        }
    }
    return whole * ONE + fraction;
}

static int32_t within(int64_t value) { return (int32_t)(value < -LIMIT ? -LIMIT : value > LIMIT ? LIMIT : value); }

/* log2 (a / b), b > 0; the least there is for a = 0. */
static int32_t log2_ratio(uint64_t a, uint64_t b)
{
    return a ? within((int64_t)log2_q16(a) - log2_q16(b ? b : 1)) : -LIMIT;
}

/* part / whole in 1/65536; 0 without a whole */
static int32_t share(uint64_t part, uint64_t whole)
{
    if (whole == 0) return 0;
    if (part >= whole) return ONE;
    while (part >> 47) part >>= 1, whole >>= 1;
    return (int32_t)((part << 16) / whole);
}

static uint64_t misses(const struct feature_counters *c)
{
    return c->l1_accesses > c->l1_hits ? c->l1_accesses - c->l1_hits : 0;
}

static int32_t rate(const struct sampling *s, size_t g)
{
    const struct feature_counters *o = &s->at[s->base], *c = &s->at[g];
    if (o->insts == 0 || c->cycles == 0 || o->cycles == 0) return 0;
    if (c->insts == 0) return -LIMIT;
    return within((int64_t)log2_q16(c->insts) - log2_q16(c->cycles) - log2_q16(o->insts) + log2_q16(o->cycles));
}
static int32_t hit(const struct sampling *s, size_t g) { return share(s->at[g].l1_hits, s->at[g].l1_accesses); }
static int32_t intra(const struct sampling *s, size_t g) { return share(s->at[g].l1_intra_hits, s->at[g].l1_accesses); }
/* Misses an instruction of a group over the baseline's; an eighth of a miss each is added, so that none at all is
 * finite. */
static int32_t need(const struct sampling *s, size_t g)
{
    const struct feature_counters *o = &s->at[s->base], *c = &s->at[g];
    if (o->insts == 0 || c->insts == 0) return 0;
    return within((int64_t)log2_q16(8 * misses(c) + 1) - log2_q16(c->insts) - log2_q16(8 * misses(o) + 1) +
                  log2_q16(o->insts));
}
static int32_t latency(const struct sampling *s, size_t g)
{
    const struct feature_counters *c = &s->at[g];
    return c->miss_count ? log2_ratio(c->miss_latency_sum, 256 * c->miss_count) : 0;
}
static int32_t In(const struct sampling *s, size_t g)
{
    const struct feature_counters *c = &s->at[s->base];
    (void)g;
    return c->loads ? log2_ratio(c->insts, c->loads) : LIMIT;
}
static int32_t degree(const struct sampling *s, size_t g)
{
    const struct feature_counters *c = &s->at[s->base];
    (void)g;
    return c->loads ? log2_ratio(c->l1_accesses, c->loads) : 0;
}
static int32_t mpi(const struct sampling *s, size_t g)
{
    const struct feature_counters *c = &s->at[g];
    return c->insts ? within((int64_t)log2_q16(8 * misses(c) + 1) - log2_q16(8 * c->insts)) : 0;
}
static int32_t ipc(const struct sampling *s, size_t g)
{
    const struct feature_counters *c = &s->at[g];
    return c->cycles ? log2_ratio(c->insts, c->cycles) : 0;
}
static int32_t warps(const struct sampling *s, size_t g)
{
    (void)g;
    return log2_q16(s->W ? s->W : 1);
}

#define H (NEEDS_l1_hits | NEEDS_l1_accesses)
#define R (NEEDS_insts | NEEDS_cycles)
const struct sampling_row sampling_rows[] = {
    {"rate", "log2 (IPC of the group / IPC of the baseline)", "assumed", R, 1, rate},
    {"hit", "L1 hit rate of the group", "THESIS Tab. 5.2", H, 1, hit},
    {"intra", "intra-warp hits of the group / its L1 accesses", "THESIS Tab. 5.2",
     NEEDS_l1_intra_hits | NEEDS_l1_accesses, 1, intra},
    {"need", "log2 (misses an instruction of the group / of the baseline)", "assumed", H | NEEDS_insts, 1, need},
    {"latency", "log2 (AML of the group / 256 cycles)", "THESIS Tab. 5.2", NEEDS_miss_latency_sum | NEEDS_miss_count, 1,
     latency},
    {"ipc", "log2 of the group's IPC a SM", "assumed", R, 1, ipc},
    {"mpi", "log2 (misses an instruction) of the group", "assumed", H | NEEDS_insts, 1, mpi},
    {"In", "log2 (instructions a global load) of the baseline", "THESIS Tab. 5.2", NEEDS_insts | NEEDS_loads, 0, In},
    {"degree", "log2 (L1 accesses a global load) of the baseline", "assumed", NEEDS_l1_accesses | NEEDS_loads, 0,
     degree},
    {"W", "log2 W", "assumed", 0, 0, warps},
};
const size_t n_sampling_rows = COUNT_OF(sampling_rows);

/* One side of "N:p"; W stands as 0. */
static const char *side(const char *text, uint8_t *out)
{
    if (*text == 'W') {
        *out = 0;
        return text + 1;
    }
    char *end;
    if (*text < '1' || *text > '9') return NULL;
    const long value = strtol(text, &end, 10);
    if (value > 64) return NULL;
    *out = (uint8_t)value;
    return end;
}

/* One tuple; NULL if there is none. */
static const char *tuple(const char *text, uint8_t *N, uint8_t *p)
{
    const char *end = side(text, N);
    if (!end || *end != ':' || !(end = side(end + 1, p)) || (*end && *end != ' ')) return NULL;
    return *N == 0 || (*p != 0 && *p <= *N) ? end : NULL;
}

int sampling_tuples_parse(struct sampling_tuples *out, const char *text, struct error *err)
{
    uint8_t round = 0;
    *out = (struct sampling_tuples){0};
    for (const char *at = text; *at;) {
        if (*at == ' ') {
            at++;
        } else if (*at == '/') {
            if (out->n == 0 || out->round[out->n - 1] != round)
                return error_set(err, ERR_INPUT, "'%s': a round without a tuple", text);
            round++;
            at++;
        } else {
            if (out->n == SAMPLING_GROUPS_MAX)
                return error_set(err, ERR_INPUT, "'%s': at most %d tuples", text, SAMPLING_GROUPS_MAX);
            const char *end = tuple(at, &out->N[out->n], &out->p[out->n]);
            if (!end)
                return error_set(
                    err, ERR_INPUT,
                    "'%s': '%.12s' is no tuple: N:p with 1 <= p <= N <= 64 or W, as in '2:2 4:1 / W:1 / W:W'", text,
                    at);
            out->round[out->n++] = round;
            at = end;
        }
    }
    if (out->n == 0) return error_set(err, ERR_INPUT, "'%s': no tuple", text);
    out->base = out->n - 1;
    for (size_t i = 0; i < out->n; i++)
        if (out->N[i] == 0 && out->p[i] == 0) out->base = i;
    if (out->round[out->n - 1] != round) return error_set(err, ERR_INPUT, "'%s': a round without a tuple", text);
    out->n_rounds = round + 1u;
    return 0;
}

static int unknown(const char *name, const char *where, struct error *err)
{
    char bare[64];
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(name, "."), name);
    return error_set(err, ERR_INPUT, "%s: no sampling feature '%s'%s", where, name,
                     did_you_mean(bare, &sampling_rows[0].name, n_sampling_rows, sizeof sampling_rows[0]).text);
}

int sampling_resolve(const char *const *names, size_t n, size_t n_groups, struct sampling_feature *out,
                     const char *where, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *dot = strchr(names[i], '.');
        const size_t length = strcspn(names[i], ".");
        out[i] = (struct sampling_feature){0};
        for (size_t r = 0; r < n_sampling_rows; r++)
            if (strlen(sampling_rows[r].name) == length && memcmp(sampling_rows[r].name, names[i], length) == 0)
                out[i].row = &sampling_rows[r];
        if (!out[i].row || !dot != !out[i].row->is_of_group) return unknown(names[i], where, err);
        if (!dot) continue;
        char *end;
        const long group = strtol(dot + 1, &end, 10);
        if (*end || end == dot + 1 || group < 0) return unknown(names[i], where, err);
        if ((size_t)group >= n_groups)
            return error_set(err, ERR_INPUT, "%s: feature '%s' is of group %ld, and %zu groups are sampled", where,
                             names[i], group, n_groups);
        out[i].group = (size_t)group;
    }
    return 0;
}

void sampling_vector(const struct sampling_feature *features, size_t n, const struct sampling *s, float *x)
{
    for (size_t i = 0; i < n; i++) x[i] = (float)features[i].row->value(s, features[i].group) / 65536.0f;
}
