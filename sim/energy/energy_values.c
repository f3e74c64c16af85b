/* Figures by name: what tables, metrics of specs and studies ask for beside counters. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "energy_internal.h"

#define PART_ROW(id, doc) {"energy_" #id "_j", "J", "of energy_j: " doc, "its rows of 'poise stats --energy'", true},
const struct energy_value_row energy_value_rows[] = {
    {"time_us", "us", "time of the run by the core clock", "core_cycles / clock.core_mhz", true},
    {"energy_j", "J", "energy of the board: every counted event at what it takes", "rows of 'poise stats --energy'",
     true},
    {"energy_low_j", "J", "the least that the sources of the rows allow", "energy_j with low values", true},
    {"energy_high_j", "J", "the most that they allow", "energy_j with high values", true},
    {"power_w", "W", "mean power", "energy_j / time_us", true},
    {"edp", "J s", "energy-delay product", "energy_j * time_us", true},
    {"ed2p", "J s2", "energy, times the square of the time", "energy_j * time_us * time_us", true},
    {"energy", "J", "another name of energy_j", "energy_j", true},
    ENERGY_PARTS(PART_ROW)};
const size_t n_energy_value_rows = COUNT_OF(energy_value_rows);
/* Of these, the first so many are shown for every run. */
enum { SHOWN = 7, TIME_US = 0 };

const struct energy_value_row *energy_value_find(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(energy_value_rows); i++)
        if (strcmp(energy_value_rows[i].name, name) == 0) return &energy_value_rows[i];
    return NULL;
}

double energy_cycle_us(const struct gpu_params *p) { return 1 / (double)p->clock.core_mhz; }

static double value_at(const struct energy *e, size_t row)
{
    const double s = e->time_us * 1e-6;
    const double values[] = {
        e->time_us,         e->total.value,         e->total.low,  e->total.high, s > 0 ? e->total.value / s : 0,
        e->total.value * s, e->total.value * s * s, e->total.value};
    return row < COUNT_OF(values) ? values[row] : e->parts[row - COUNT_OF(values)].value;
}

double run_value(const struct energy_run *run, const struct gpu_stats *stats, const char *name)
{
    const struct energy_value_row *row = energy_value_find(name);
    if (!row) return gpu_stats_value(stats, name);
    if (!run || !run->params) return NAN;
    if (row == &energy_value_rows[TIME_US]) return gpu_stats_value(stats, "core_cycles") / run->params->clock.core_mhz;
    struct energy e;
    energy_of(&e, run, stats);
    return value_at(&e, (size_t)(row - energy_value_rows));
}

void energy_into_json(json_t *json, const struct energy_run *run, const struct gpu_stats *stats)
{
    struct energy e;
    energy_of(&e, run, stats);
    for (size_t i = 0; i < SHOWN; i++) json_object_set_new(json, energy_value_rows[i].name, json_real(value_at(&e, i)));
}
