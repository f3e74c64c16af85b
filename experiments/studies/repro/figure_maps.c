/* What mechanisms have counted in more than numbers: windows, which stand in place of benchmarks, and maps. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/repro/figure.h"
#include "workload/spec_read.h"

enum { WINDOWS_MAX = 64 };

/* ---- windows in place of benchmarks ---- */

static const char *const window_numbers[] = {"cycles", "accesses", "misses", "reused", "pending"};

/* The k-th window of the SM in a list of [SM, instructions, numbers..]; NULL: it has not ended. */
static const json_t *window_of(const json_t *rows, long sm, size_t k)
{
    const json_t *row;
    size_t i, n = 0;
    json_array_foreach(rows, i, row)
        if (json_integer_value(json_array_get(row, 0)) == sm && n++ == k) return row;
    return NULL;
}

static json_t *numbers_of(const json_t *row)
{
    json_t *out = json_object();
    for (size_t k = 0; k < COUNT_OF(window_numbers); k++)
        json_object_set_new(out, window_numbers[k], json_real((double)json_integer_value(json_array_get(row, k + 2))));
    return out;
}

static bool has_mech(const struct repro_data *data, size_t p, const char *mech)
{
    for (unsigned k = 0; k < data->n_stacks[p]; k++)
        if (strcmp(mech_name(data->stacks[p][k].type), mech) == 0) return true;
    return false;
}

/* How many windows of the SM have ended at every point with the mechanism. */
static size_t count_windows(const struct repro_data *data, size_t b, const char *mech, long sm)
{
    size_t least = WINDOWS_MAX;
    for (size_t p = 0; p < data->n_points; p++) {
        size_t n = 0;
        const json_t *rows = repro_mech_map(data, b, p, mech, "windows");
        if (!has_mech(data, p, mech)) continue;
        while (n < least && window_of(rows, sm, n)) n++;
        least = n;
    }
    return least;
}

static void add_windows(struct repro_data *out, const struct repro_data *data, size_t b, const char *mech, long sm,
                        size_t most)
{
    const size_t n = count_windows(data, b, mech, sm), step = n > most ? (n - 1 + most - 1) / most : 1;
    for (size_t k = 1; k < n; k += step) {
        struct repro_benchmark *of = &out->benchmarks[out->n++];
        *of = (struct repro_benchmark){.name = data->benchmarks[b].name, .workload = data->benchmarks[b].workload};
        for (size_t p = 0; p < data->n_points; p++) {
            const json_t *rows = repro_mech_map(data, b, p, mech, "windows");
            if (has_mech(data, p, mech))
                of->mechs[p] = json_pack("{s:o,s:o}", "window", numbers_of(window_of(rows, sm, k)), "before",
                                         numbers_of(window_of(rows, sm, k - 1)));
        }
    }
}

int figure_windows_take(const struct figure_scope *s, const struct yaml_node *windows, struct repro_data *out)
{
    static const char *const keys[] = {"of", "sms", "each"};
    char mech[64];
    uint64_t most;
    const struct yaml_node *sms = yaml_get(windows, "sms");
    *out = *s->data;
    out->benchmarks = NULL;
    out->n = 0;
    if (windows->kind != YAML_MAP || !sms || sms->kind != YAML_LIST)
        return figure_complain(s, windows, "windows: {of: MECHANISM, sms: [0, 7], each: 8}");
    if (spec_keys(s->file, windows, keys, COUNT_OF(keys), s->err) < 0 ||
        spec_text(s->file, windows, "of", true, mech, sizeof mech, s->err) < 0 ||
        spec_u64(s->file, windows, "each", true, 1, WINDOWS_MAX, &most, s->err) < 0)
        return -1;
    const size_t room = s->data->n * sms->n * (most + 1);
    if (!(out->benchmarks = calloc(room + 1, sizeof *out->benchmarks)))
        return error_set(s->err, ERR_MEMORY, "out of memory for windows");
    for (size_t b = 0; b < s->data->n; b++)
        for (size_t i = 0; i < sms->n; i++)
            add_windows(out, s->data, b, mech, strtol(sms->items[i]->text ? sms->items[i]->text : "", NULL, 10), most);
    return 0;
}

void figure_windows_free(struct repro_data *data)
{
    for (size_t b = 0; b < data->n; b++)
        for (size_t p = 0; p < data->n_points; p++) json_decref(data->benchmarks[b].mechs[p]);
    free(data->benchmarks);
}

/* ---- maps ---- */

/* {map: GROUP, counts: MECHANISM.DETAIL, point, of, x, y, out_of}: of each benchmark a matrix that a mechanism has
 * counted, in percent of a column's even share of `out_of`; a count's first index is its column, x. */
struct map_item {
    char mech[64], point[REPRO_NAME_MAX], of[120], x[60], y[60];
    const char *detail;
};

static int read_map(const struct figure_scope *s, const struct yaml_node *item, struct map_item *out)
{
    static const char *const keys[] = {"map", "counts", "point", "of", "x", "y", "out_of", "when"};
    if (spec_keys(s->file, item, keys, COUNT_OF(keys), s->err) < 0 ||
        spec_text(s->file, item, "counts", true, out->mech, sizeof out->mech, s->err) < 0 ||
        spec_text(s->file, item, "point", true, out->point, sizeof out->point, s->err) < 0 ||
        spec_text(s->file, item, "of", true, out->of, sizeof out->of, s->err) < 0 ||
        spec_text(s->file, item, "x", true, out->x, sizeof out->x, s->err) < 0 ||
        spec_text(s->file, item, "y", true, out->y, sizeof out->y, s->err) < 0)
        return -1;
    char *dot = strchr(out->mech, '.');
    if (!dot || !mech_find((*dot = '\0', out->mech)))
        return figure_complain(s, yaml_get(item, "counts"), "MECHANISM.DETAIL, as in sharing.heat_map");
    out->detail = dot + 1;
    if (repro_point(s->data, out->point) == s->data->n_points)
        return figure_complain(s, yaml_get(item, "point"), "no point of the spec has this name");
    return 0;
}

static void add_map(struct figure_scope *s, const struct map_item *m, size_t b, double out_of)
{
    const json_t *counts = repro_mech_map(s->data, b, repro_point(s->data, m->point), m->mech, m->detail);
    const size_t n = json_array_size(counts);
    if (!n) return;
    json_t *values = json_array();
    for (size_t y = 0; y < n; y++) {
        json_t *line = json_array();
        for (size_t x = 0; x < n; x++) {
            const double count = json_number_value(json_array_get(json_array_get(counts, x), y));
            json_array_append_new(line, json_real(round(1e4 * count / (out_of / (double)n)) / 100));
        }
        json_array_append_new(values, line);
    }
    repro_map(s->report, s->data->benchmarks[b].name, m->of, m->x, m->y, "%", values);
}

int figure_map(struct figure_scope *s, const struct yaml_node *item)
{
    struct map_item m;
    char group[64];
    const struct yaml_node *out_of = yaml_get(item, "out_of");
    if (read_map(s, item, &m) < 0 || spec_text(s->file, item, "map", true, group, sizeof group, s->err) < 0) return -1;
    if (!figure_entry(s, "groups", group)) return figure_complain(s, item, "'map' names a group of 'groups'");
    if (!out_of) return figure_complain(s, item, "a map needs 'out_of', a formula of one benchmark");
    struct formula *f = malloc(sizeof *f);
    int result = f ? formula_of_node(f, s, out_of, true) : error_set(s->err, ERR_MEMORY, "out of memory for a formula");
    size_t n = 0, *members = result == 0 ? figure_members(s, group, &n) : NULL;
    for (size_t i = 0; i < n; i++) add_map(s, &m, members[i], formula_value(s, f, (long)members[i], 0));
    free(members);
    free(f);
    return result;
}
