/* Random trials: presets, any row of the machine's parameters, any mechanism with any of its parameters. A new row is
 * drawn without a change here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poise/gpu.h"
#include "geometry.h"
#include "trial.h"
#include "where.h"

static const char *const presets[] = {"kepler32",       "kepler32-linear",  "kepler32-x4l1",  "kepler16", "fermi15",
                                      "fermi15-hash",   "accelsim32",       "volta80",        "titanv",   "titanx",
                                      "thesis-ch3-all", "thesis-ch3-16+48", "thesis-ch3-dram"};
static const char *const workloads[] = {"mvt/0", "atax/0", "bicg/1",     "bfs/2",      "bfs/8",
                                        "gco/0", "ccl/0",  "pagerank/0", "reduction/0"};

/* Mostly small: a run should take milliseconds. */
static void draw_kernel(struct trial *t, uint64_t *r, bool has_workloads)
{
    const uint32_t ctas = 1 + (uint32_t)draw_below(r, 40), warps = 1 + (uint32_t)draw_below(r, 8),
                   seed = (uint32_t)draw_below(r, 1000);
    switch (draw_below(r, has_workloads ? 12 : 9)) {
    case 0:
    case 1:
        trial_add(t, "kernel=rows,%u,%u,%u,%u", ctas, warps, 1 + (uint32_t)draw_below(r, 32),
                  1 + (uint32_t)draw_below(r, 2));
        break;
    case 2:
        trial_add(t, "kernel=chase,%u,%u,%u", 1 + (uint32_t)draw_below(r, 300), 4u << draw_below(r, 12),
                  4096u << draw_below(r, 10));
        break;
    case 3:
    case 4: trial_add(t, "kernel=mixture,%u,%u,%u,%u", ctas, warps, 1 + (uint32_t)draw_below(r, 12), seed); break;
    case 5:
    case 6:
    case 7:
    case 8: trial_add(t, "kernel=any,%u,%u,%u,%u", ctas, warps, 1 + (uint32_t)draw_below(r, 16), seed); break;
    default: trial_add(t, "kernel=%s", workloads[draw_below(r, COUNT_OF(workloads))]);
    }
}

/* Between two values, each factor of two as likely as the next. */
static double between(uint64_t *r, double low, double high)
{
    const double share = (double)(draw(r) >> 11) * 0x1p-53;
    return (low + 1) * pow((high + 1) / (low + 1), share) - 1;
}

/* A value of the row's range near its default and its ends; false if it has none to draw. */
static bool draw_value(const struct param_row *row, uint64_t *r, char *text, size_t size)
{
    const bool is_time = strstr(row->unit, "cycles") != NULL;
    const double top = fmin(row->max, is_time ? fmax(row->min, 3000) : 4 * row->def + 8);
    double v = row->def;
    if (row->type == VALUE_TEXT) return false;
    switch (draw_below(r, 6)) {
    case 0: v = row->min; break;
    case 1: v = row->def * 2; break;
    case 2: v = row->def / 2; break;
    case 3: v = exp2(floor(log2(fmax(1, between(r, row->min, top))))); break;
    default: v = between(r, row->min, top);
    }
    if (row->type == VALUE_FLAG || row->type == VALUE_ENUM)
        v = row->min + (double)draw_below(r, (uint64_t)(row->max - row->min) + 1);
    if (strcmp(row->unit, "MHz") == 0) v = fmax(v, row->def / 16); /* a clock that stands takes minutes to tick */
    v = fmin(fmax(v, row->min), row->type == VALUE_F64 ? row->max : fmax(row->min, top));
    if (row->type == VALUE_F64) snprintf(text, size, "%.3g", v);
    else if (row->type == VALUE_FLAG) snprintf(text, size, "%s", v > 0 ? "true" : "false");
    else if (row->type == VALUE_ENUM) { /* its choices are its unit */ const char *choice = row->unit;
        for (int k = 0; k < (int)v; k++) choice = strchr(choice, '|') + 1;
        snprintf(text, size, "%.*s", (int)strcspn(choice, "|"), choice);
    } else snprintf(text, size, "%.0f", floor(v));
    return true;
}

/* Keeps the value only if it leaves a legal machine. */
static void try_set(struct trial *t, struct gpu_params **params, const char *dotted, const char *text)
{
    struct error err;
    struct gpu_params *next = gpu_params_copy(*params);
    if (!next || t->n + 12 > TRIAL_TOKENS || gpu_params_set(next, dotted, text, &err) < 0 ||
        gpu_params_check(next, &err) < 0) {
        gpu_params_free(next);
        return;
    }
    gpu_params_free(*params);
    *params = next;
    trial_add(t, "set=%s=%s", dotted, text);
}

/* Rows of one L1 that are legal together, and seldom one by one. */
static void draw_geometry(struct trial *t, uint64_t *r, struct gpu_params *params)
{
    for (uint32_t tries = 0; tries < 50; tries++) {
        const struct geometry g = geometry_at((uint32_t)draw_below(r, geometries()));
        if (!geometry_set(params, &g)) continue;
        for (size_t i = 0; i < GEOMETRY_ROWS; i++) trial_add(t, "set=%s=%s", g.set[i][0], g.set[i][1]);
        return;
    }
}

/* `geometry_one_in`: how seldom the rows of L1 are of the product of geometries. */
static void draw_machine(struct trial *t, uint64_t *r, uint64_t geometry_one_in)
{
    size_t n;
    struct error err;
    char dotted[128], text[64];
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    struct gpu_params *params = gpu_params_new();
    const char *preset = presets[draw_below(r, COUNT_OF(presets))];
    if (!params || gpu_params_load(params, preset, POISE_SOURCE_DIR "/experiments/configs", &err) < 0) abort();
    trial_add(t, "config=%s", preset);
    if (!draw_one_in(r, 16)) {
        snprintf(text, sizeof text, "%u", 1 + (unsigned)draw_below(r, 6));
        try_set(t, &params, "core.sms", text);
    }
    if (draw_one_in(r, geometry_one_in)) draw_geometry(t, r, params);
    const uint64_t rarely = 4u << draw_below(r, 5); /* machines near their preset, and odd ones */
    for (size_t g = 0; g < n; g++)
        for (size_t i = 0; i < groups[g].table.n_rows; i++) {
            const struct param_row *row = &groups[g].table.rows[i];
            if (!draw_one_in(r, strcmp(groups[g].table.owner, "ideal") == 0 ? 24 : rarely) ||
                !draw_value(row, r, text, sizeof text))
                continue;
            snprintf(dotted, sizeof dotted, "%s.%s", groups[g].table.owner, row->name);
            try_set(t, &params, dotted, text);
        }
    gpu_params_free(params);
}

/* `text` with a parameter more, if the mechanism takes it. @models/ stands for the folder. */
static void try_key(char *text, size_t size, const struct param_row *row, const char *value)
{
    char longer[TRIAL_TOKEN], whole[2 * TRIAL_TOKEN];
    struct mech_spec spec;
    struct error err;
    if ((size_t)snprintf(longer, sizeof longer, "%.400s,%s=%s", text, row->name, value) >= size) return;
    const char *at = strstr(longer, "@models");
    snprintf(whole, sizeof whole, "%.*s%s%s", at ? (int)(at - longer) : (int)strlen(longer), longer,
             at ? POISE_SOURCE_DIR "/models" : "", at ? at + strlen("@models") : "");
    if (mech_parse(&spec, whole, &err) < 0) return;
    mech_free(&spec);
    memcpy(text, longer, strlen(longer) + 1); /* shorter than size, as was asked above */
}

static void draw_mech(struct trial *t, uint64_t *r, const struct mech_type *type)
{
    const struct param_table *table = mech_params(type);
    char text[500], value[64];
    const char *model =
        strcmp(mech_name(type), "learned") == 0 ? ",model=@models/poise-best.json" : ",model=@models/poise-thesis.json";
    snprintf(text, sizeof text, "%s%s", mech_name(type), params_find(table, "model") ? model : "");
    for (size_t i = 0; i < table->n_rows; i++) {
        const bool is_time = strstr(table->rows[i].unit, "cycles") != NULL; /* defaults are longer than these runs */
        if ((is_time ? draw_one_in(r, 8) : !draw_one_in(r, 3)) || !draw_value(&table->rows[i], r, value, sizeof value))
            continue;
        try_key(text, sizeof text, &table->rows[i], value);
    }
    trial_add(t, "mech=%s", text);
}

void trial_draw(struct trial *out, uint64_t seed, uint64_t number, bool has_workloads)
{
    uint64_t state = seed * 0x2545f4914f6cdd1du + number, *r = &state;
    *out = (struct trial){0};
    const bool carries = draw_one_in(r, 6);
    draw_kernel(out, r, has_workloads);
    for (uint64_t more = carries ? draw_below(r, 3) : 0; more; more--) draw_kernel(out, r, has_workloads);
    if (carries && out->n == 1) trial_add(out, "carry=1");
    draw_machine(out, r, 3);
    for (uint64_t n = draw_below(r, 4) % 3; n; n--) draw_mech(out, r, mech_at(draw_below(r, mech_count())));
    if (!carries && draw_one_in(r, 3)) trial_add(out, "warmup=%u", 1 + (unsigned)between(r, 0, 20000));
    if (!carries && draw_one_in(r, 3)) trial_add(out, "hops=%u", 1 + (unsigned)between(r, 20, 20000));
    if (draw_one_in(r, 8)) trial_add(out, "max_insts=%u", 1 + (unsigned)between(r, 10, 20000));
    if (!carries && draw_one_in(r, 12)) trial_add(out, "early_end=%s", draw_one_in(r, 2) ? "0.02" : "0.1");
    if (draw_one_in(r, 10)) trial_add(out, "%s=1", draw_one_in(r, 2) ? "watch" : "timeline");
    trial_add(out, "max_cycles=%u", draw_one_in(r, 3) ? 1 + (unsigned)between(r, 10, 25000) : 25000);
}

/* ---- pairs ---- */

uint64_t trial_pairs(void) { return (uint64_t)mech_count() * (mech_count() - 1) / 2; }

/* The mechanisms of a pair by its number: all with the first, then all with the second. */
static void pair_at(uint64_t number, size_t *a, size_t *b)
{
    size_t row = mech_count() - 1;
    for (*a = 0; number >= row; ++*a) number -= row--;
    *b = *a + 1 + (size_t)number;
}

static void draw_small_kernel(struct trial *t, uint64_t *r)
{
    const uint32_t ctas = 1 + (uint32_t)draw_below(r, 8), warps = 1 + (uint32_t)draw_below(r, 4),
                   rounds = 1 + (uint32_t)draw_below(r, 4), seed = (uint32_t)draw_below(r, 1000);
    if (draw_one_in(r, 3)) trial_add(t, "kernel=rows,%u,%u,%u,1", ctas, warps, 1 + seed % 16);
    else trial_add(t, "kernel=%s,%u,%u,%u,%u", draw_one_in(r, 2) ? "mixture" : "any", ctas, warps, rounds, seed);
}

void trial_draw_pair(struct trial *out, uint64_t seed, uint64_t number)
{
    enum { STRIDE = 7919 }; /* a prime, so that neighbours differ and each comes once */
    uint64_t state = (seed ^ 0x9b97u) * 0x2545f4914f6cdd1du + number, *r = &state;
    size_t a, b;
    pair_at((number % trial_pairs() * STRIDE + seed) % trial_pairs(), &a, &b);
    *out = (struct trial){0};
    draw_small_kernel(out, r);
    draw_machine(out, r, 1);
    const bool is_turned = draw_one_in(r, 2); /* the first opinion wins: either order */
    draw_mech(out, r, mech_at(is_turned ? b : a));
    draw_mech(out, r, mech_at(is_turned ? a : b));
    trial_add(out, "contract=1");
    trial_add(out, "max_cycles=%u", 8000 + (unsigned)draw_below(r, 2)); /* even and odd: how check_cores runs it */
}
