/* Sums over the launches of a benchmark, of runs or of estimates. */
#include <jansson.h>
#include "poise/mech.h"
#include "studies/repro/repro_sums.h"

static json_t *sum_of(const json_t *was, const json_t *is, double weight)
{
    if (weight == 1 && !json_is_real(was)) return json_integer(json_integer_value(was) + json_integer_value(is));
    return json_real(json_number_value(was) + weight * (double)json_integer_value(is));
}

/* Two matrices of one shape; the first is there, or begins with zeros. */
static void add_map(json_t *sums, const json_t *map, double weight)
{
    json_t *into = json_object_get(sums, "heat_map"), *line;
    size_t r, c;
    if (!json_is_array(map)) return;
    if (!into) {
        json_object_set_new(sums, "heat_map", into = json_array());
        json_array_foreach(map, r, line) {
            json_array_append_new(into, json_array());
            for (c = 0; c < json_array_size(line); c++) json_array_append_new(json_array_get(into, r), json_integer(0));
        }
    }
    json_array_foreach(into, r, line) {
        json_t *cell;
        json_array_foreach(line, c, cell)
            json_array_set_new(line, c, sum_of(cell, json_array_get(json_array_get(map, r), c), weight));
    }
}

void repro_add_mechs(json_t *into, const json_t *mechs, double weight)
{
    size_t i;
    const json_t *mech;
    json_array_foreach(mechs, i, mech) {
        const char *name = json_string_value(json_object_get(mech, "name"));
        const struct mech_type *type = name ? mech_find(name) : NULL;
        json_t *sums = json_object_get(into, name);
        if (!type) continue;
        if (!sums) json_object_set_new(into, name, sums = json_object());
        for (size_t r = 0; r < mech_stats(type)->n_rows; r++) {
            const struct stat_row *row = &mech_stats(type)->rows[r];
            const json_t *was = json_object_get(sums, row->name),
                         *is = json_object_get(json_object_get(mech, "stats"), row->name);
            const json_int_t peak = json_integer_value(was), peak_now = json_integer_value(is);
            json_object_set_new(sums, row->name,
                                row->kind == STAT_PEAK ? json_integer(peak_now > peak ? peak_now : peak)
                                                       : sum_of(was, is, weight));
        }
        json_t *detail = json_object_get(mech, "detail"), *windows = json_object_get(detail, "windows");
        add_map(sums, json_object_get(detail, "heat_map"), weight);
        if (windows && !json_object_get(sums, "windows")) json_object_set(sums, "windows", windows);
    }
}

void repro_add_run(struct gpu_stats *stats, json_t *mechs, const struct run_result *r, const struct run_result *before)
{
    const bool is_later = before && !before->complete;
    if (is_later) stats_since(&gpu_stat_table, r->stats, before->stats);
    stats_merge(&gpu_stat_table, stats, r->stats);
    repro_add_mechs(mechs, r->mechs, 1);
    if (is_later) repro_add_mechs(mechs, before->mechs, -1);
}
