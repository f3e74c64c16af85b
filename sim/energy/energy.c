/* Energy of a run: each row's counters, times what one count takes on this machine. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include "energy_internal.h"

const char *const energy_part_names[N_ENERGY_PARTS] = {
#define X(id, doc) #id,
    ENERGY_PARTS(X)
#undef X
};
const char *const energy_part_docs[N_ENERGY_PARTS] = {
#define X(id, doc) doc,
    ENERGY_PARTS(X)
#undef X
};

static double counts_of(const struct energy_event *e, const struct gpu_stats *stats)
{
    double sum = 0;
    for (const int16_t *c = e->counts; *c; c++) {
        const uint64_t count = stats_get(&gpu_stat_table.rows[abs(*c) - 1], stats);
        sum += *c < 0 ? -(double)count : (double)count;
    }
    return sum;
}

static void add(struct energy_range *to, const struct energy_range *what, double times)
{
    to->low += what->low * times;
    to->value += what->value * times;
    to->high += what->high * times;
}

/* Parts are uncertain each by itself. */
static struct energy_range total_of(const struct energy_range *parts)
{
    double below = 0, above = 0;
    struct energy_range t = {0};
    for (int i = 0; i < N_ENERGY_PARTS; i++) {
        t.value += parts[i].value;
        below += pow(parts[i].value - parts[i].low, 2);
        above += pow(parts[i].high - parts[i].value, 2);
    }
    t.low = t.value - sqrt(below);
    t.high = t.value + sqrt(above);
    return t;
}

void energy_of(struct energy *out, const struct energy_run *run, const struct gpu_stats *stats)
{
    *out = (struct energy){.time_us = gpu_stats_value(stats, "core_cycles") / run->params->clock.core_mhz};
    for (size_t i = 0; i < n_energy_events; i++) {
        const struct energy_event *e = &energy_events[i];
        const struct energy_range pj = energy_event_pj(e, run->params);
        if (pj.high > 0) add(&out->parts[e->part], &pj, 1e-12 * counts_of(e, stats));
    }
    const struct energy_range mechanisms = energy_of_mechanisms(run, stats);
    add(&out->parts[ENERGY_mechanism], &mechanisms, 1);
    out->total = total_of(out->parts);
}

/* One part at its low or high in both, the others as they are. */
static double ratio_with(const struct energy *a, const struct energy *b, int part, bool high)
{
    const struct energy_range *x = &a->parts[part], *y = &b->parts[part];
    return (a->total.value - x->value + (high ? x->high : x->low)) /
           (b->total.value - y->value + (high ? y->high : y->low));
}

struct energy_range energy_ratio(const struct energy *a, const struct energy *b)
{
    if (!(b->total.value > 0)) return (struct energy_range){NAN, NAN, NAN};
    struct energy_range r = {.value = a->total.value / b->total.value};
    double below = 0, above = 0;
    for (int i = 0; i < N_ENERGY_PARTS; i++) {
        const double x = ratio_with(a, b, i, false) - r.value, y = ratio_with(a, b, i, true) - r.value;
        below += pow(fmin(0, fmin(x, y)), 2);
        above += pow(fmax(0, fmax(x, y)), 2);
    }
    r.low = r.value - sqrt(below);
    r.high = r.value + sqrt(above);
    return r;
}

json_t *energy_json(const struct energy *e, const struct gpu_params *params)
{
    json_t *parts = json_array();
    for (int i = 0; i < N_ENERGY_PARTS; i++) {
        const struct energy_range *r = &e->parts[i];
        json_array_append_new(parts, json_pack("{s:s,s:f,s:f,s:f,s:f}", "name", energy_part_names[i], "joules",
                                               r->value, "low", r->low, "high", r->high, "share",
                                               e->total.value > 0 ? r->value / e->total.value : 0.0));
    }
    return json_pack("{s:f,s:f,s:o}", "node_nm", energy_node_nm(params), "power_w",
                     e->time_us > 0 ? e->total.value / e->time_us * 1e6 : 0.0, "parts", parts);
}

/* As "l1d_stores + l1d_fills - l1d_misses". */
static void print_counts(char *text, size_t size, const struct energy_event *e)
{
    size_t used = 0;
    *text = '\0';
    for (const int16_t *c = e->counts; *c && used < size; c++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 c == e->counts ? ""
                                 : *c < 0       ? " - "
                                                : " + ",
                                 gpu_stat_table.rows[abs(*c) - 1].name);
}

bool energy_event_at(struct energy_event_shown *out, size_t i, const struct gpu_params *params)
{
    if (i >= n_energy_events) return false;
    const struct energy_event *e = &energy_events[i];
    *out = (struct energy_event_shown){.part = energy_part_names[e->part],
                                       .name = e->name,
                                       .unit = e->unit,
                                       .source = e->source,
                                       .node_nm = e->node_nm,
                                       .published = e->pj,
                                       .here = energy_event_pj(e, params)};
    print_counts(out->counts, sizeof out->counts, e);
    return true;
}

void energy_coefficients(const struct gpu_params *params, void (*take)(void *, const char *, double), void *to)
{
    for (int r = 0; r < (int)gpu_stat_table.n_rows; r++) {
        double joules = 0;
        bool is_used = false;
        for (size_t i = 0; i < n_energy_events; i++)
            for (const int16_t *c = energy_events[i].counts; *c; c++) {
                if (abs(*c) - 1 != r) continue;
                const double pj = energy_event_pj(&energy_events[i], params).value;
                joules += (*c < 0 ? -1e-12 : 1e-12) * pj;
                is_used |= pj > 0;
            }
        if (is_used) take(to, gpu_stat_table.rows[r].name, joules);
    }
}
