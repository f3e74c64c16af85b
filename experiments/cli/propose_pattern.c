/* From what was sampled of a launch to a pattern of accesses:
 *
 *   I_n = 2^In - 1, degree = 2^degree, registers from W: 512 / W for 64 KB of registers an SM and two schedulers
 *   no tuple hits L1       lines are used once (one or two lines a load) or drawn from a large set
 *   some tuple hits        the share of hits says how often a line is used again: 1 / (1 - hit) times. Where the hits
 *                          vanish between two tuples, L1's 128 lines hold the sets of 2 p warps and no longer those of
 *                          2 p' : 128 / (2 p') lines < a warp's set <= 128 / (2 p). A set of about `degree` lines is a
 *                          scan of rows, in which a line serves loads one after another; a larger one is walked anew */
#include "cli/propose_pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/sampling.h"

enum { L1_LINES = 128, SCHEDULERS = 2, SMS = 32, TOUCHES = 800000 /* of the launch: some 10^5 cycles */ };

static const double *feature(const struct response_table *t, size_t row, const char *name)
{
    for (size_t j = 0; j < t->data.k; j++)
        if (strcmp(t->data.names[j], name) == 0) return &t->data.x[row * t->data.k + j];
    return NULL;
}

struct hits {
    double most;
    uint32_t holds, loses; /* the largest p that has half of the hits; the smallest that has not, or W + 1 */
};

static bool read_hits(struct hits *out, const struct response_table *t, size_t row)
{
    struct sampling_tuples tuples;
    struct error ignored;
    bool is_known = false;
    *out = (struct hits){.most = 0, .holds = 1, .loses = t->data.W[row] + 1};
    if (sampling_tuples_parse(&tuples, t->sampling, &ignored) < 0) return false;
    for (int pass = 0; pass < 2; pass++)
        for (size_t g = 0; g < tuples.n; g++) {
            char name[32];
            snprintf(name, sizeof name, "hit.%zu", g);
            const double *hit = feature(t, row, name);
            if (!hit) continue;
            is_known = true;
            const uint32_t p = tuples.p[g] ? tuples.p[g] : t->data.W[row];
            if (pass == 0 && *hit > out->most) out->most = *hit;
            if (pass == 1 && *hit >= out->most / 2 && p > out->holds) out->holds = p;
            if (pass == 1 && *hit < out->most / 2 && p < out->loses && p > out->holds) out->loses = p;
        }
    return is_known;
}

static unsigned bounded(double value, unsigned low, unsigned high)
{
    return value <= low ? low : value >= high ? high : (unsigned)lround(value);
}

/* Blocks and registers that give the launch W warps a scheduler on a machine of 32 SMs. */
static int print_shape(char *out, size_t size, uint32_t W, unsigned loads, unsigned in)
{
    unsigned warps = 8;
    while (SCHEDULERS * W % warps) warps--;
    return snprintf(out, size, "in=%u loads=%u blocks=%u warps=%u registers=%u", in, loads,
                    SMS * SCHEDULERS * W / warps, warps, bounded(floor(256.0 / W) * 2, 8, 255));
}

void propose_pattern(char *out, size_t size, const struct response_table *t, size_t row)
{
    const double *In = feature(t, row, "In"), *lines = feature(t, row, "degree");
    const uint32_t W = t->data.W[row];
    struct hits hits;
    char access[128];
    *out = '\0';
    if (!In || !lines || !read_hits(&hits, t, row)) return;
    const unsigned in = bounded(exp2(*In) - 1, 1, 1000), degree = bounded(exp2(*lines), 1, 32);
    const unsigned loads = bounded((double)TOUCHES / (SMS * SCHEDULERS * W) / degree, 16, 4000);
    const unsigned uses = bounded(1 / fmax(1 - hits.most, 1.0 / 64), 1, 64);
    const double set = (double)L1_LINES / SCHEDULERS / (hits.holds + (hits.loses - hits.holds) / 2.0);
    if (hits.most < 0.1 && degree <= 2)
        snprintf(access, sizeof access, "pattern=scan degree=%u lines=%u passes=1", degree, degree);
    else if (hits.most < 0.1) snprintf(access, sizeof access, "pattern=gather degree=%u lines=65536 sharers=0", degree);
    else if (uses > 1 && set <= 2 * degree)
        snprintf(access, sizeof access, "pattern=scan degree=%u lines=%u passes=1 drift=%u pitch=%u", degree,
                 8 * degree,
                 uses >= 24   ? 4
                 : uses >= 12 ? 8
                 : uses >= 6  ? 16
                 : uses >= 3  ? 32
                              : 64,
                 loads + 8);
    else
        snprintf(access, sizeof access, "pattern=scan degree=%u lines=%u passes=%u", degree,
                 degree * bounded(set / degree, 1, 64), uses > 1 ? uses : 2);
    const int n = snprintf(out, size, "%s ", access);
    print_shape(out + n, size - (size_t)n, W, loads, in);
}
