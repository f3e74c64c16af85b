/* Figures of a pipeline: what it measured of each benchmark under each policy, read from its summary. Policies are
 * points; a counter is the policy's own number (speedup, l1d_hit_rate, aml_cycles), and PART.NUMBER one of a part of it
 * (locality.p_hits, oracle.windows); of a list the items are numbers (static_best.0). More points: 'benchmark' is the
 * benchmark itself (features.W), 'first launch' and 'longest launch' are of its profiled launches the first and that
 * with most cycles under GTO. With `pipeline: launches` each profiled launch stands for itself, as the point 'launch'.
 * Of a profile every tuple is a point, 'tuple 4,2', and those of the lattice are as constants that a launch has no more
 * warps than it can have: 'constant 24,1', whose N and p are the lattice's. They are of the first launch.
 * summary('engine.bytes') and the like: the storage of an engine that counts what the model's features need. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/features.h"
#include "poise/response_net.h"
#include "studies/repro/figure.h"
#include "workload/spec_read.h"

enum { MODEL_FEATURES_MAX = 64, WINDOWS_MAX = 64, TUPLE_MAX = 64 };
enum { OWN, FIRST, LONGEST, LAUNCH, N_OWN_POINTS };
static const char tuple_word[] = "tuple ", constant_word[] = "constant ";
static const char *const own_points[N_OWN_POINTS] = {"benchmark", "first launch", "longest launch", "launch"};

static void add_point(struct repro_data *data, const char *name)
{
    if (data->n_points == REPRO_POINTS_MAX || strlen(name) >= REPRO_NAME_MAX ||
        repro_point(data, name) < data->n_points)
        return;
    snprintf(data->points[data->n_points++], REPRO_NAME_MAX, "%s", name);
}

/* ---- points of profiles ---- */

static const json_t *profile_of(const json_t *benchmark)
{
    return json_object_get(json_array_get(json_object_get(benchmark, "profiled"), 0), "points_of_profile");
}

static double profile_number(const json_t *tuple, size_t k) { return json_number_value(json_array_get(tuple, k)); }

static void add_tuple(struct repro_data *data, const char *of, unsigned N, unsigned p)
{
    char name[REPRO_NAME_MAX];
    snprintf(name, sizeof name, "%s%u,%u", of, N, p);
    add_point(data, name);
}

/* By N, then by p. */
static void find_tuples(struct repro_data *data, const json_t *benchmarks)
{
    bool is_there[TUPLE_MAX + 1][TUPLE_MAX + 1] = {{false}}, is_any = false;
    size_t b, i;
    const json_t *benchmark, *tuple;
    json_array_foreach(benchmarks, b, benchmark)
        json_array_foreach(profile_of(benchmark), i, tuple) {
            const double N = profile_number(tuple, 0), p = profile_number(tuple, 1);
            if (N >= 1 && N <= TUPLE_MAX && p >= 1 && p <= TUPLE_MAX) is_any = is_there[(int)N][(int)p] = true;
        }
    for (size_t t = 0; is_any && t < RESPONSE_POINTS_MAX; t++) {
        const struct response_tuple at = response_point(response_levels, t);
        add_tuple(data, constant_word, at.N, at.p);
    }
    for (unsigned N = 1; N <= TUPLE_MAX; N++)
        for (unsigned p = 1; p <= TUPLE_MAX; p++)
            if (is_there[N][p]) add_tuple(data, tuple_word, N, p);
}

/* What stands for a benchmark at a tuple of its profile; `owned` keeps it. NULL: the point is none. */
static json_t *at_tuple(json_t *owned, const json_t *benchmark, const char *point)
{
    const bool is_constant = strncmp(point, constant_word, strlen(constant_word)) == 0;
    unsigned N, p;
    size_t i;
    const json_t *tuple, *launch = json_array_get(json_object_get(benchmark, "profiled"), 0);
    if (!is_constant && strncmp(point, tuple_word, strlen(tuple_word)) != 0) return NULL;
    if (sscanf(strchr(point, ' '), "%u,%u", &N, &p) != 2) return NULL;
    struct response_tuple at = {(uint8_t)N, (uint8_t)p};
    if (is_constant) at = response_clamp(at, (uint32_t)json_number_value(json_object_get(launch, "W")));
    json_t *out = json_pack("{s:i,s:i}", "N", (int)N, "p", (int)p);
    json_array_foreach(profile_of(benchmark), i, tuple)
        if ((unsigned)profile_number(tuple, 0) == at.N && (unsigned)profile_number(tuple, 1) == at.p)
            json_object_set_new(out, "speedup", json_real(profile_number(tuple, 2)));
    json_array_append_new(owned, out);
    return out;
}

/* Every policy of any benchmark, gto first. */
static void find_points(struct repro_data *data, const json_t *benchmarks)
{
    size_t b;
    json_t *benchmark, *policy;
    const char *name;
    add_point(data, "gto");
    for (size_t i = 0; i < N_OWN_POINTS; i++) add_point(data, own_points[i]);
    json_array_foreach(benchmarks, b, benchmark)
        json_object_foreach(json_object_get(benchmark, "policies"), name, policy) add_point(data, name);
    find_tuples(data, benchmarks);
}

static json_t *longest_of(const json_t *profiled)
{
    json_t *launch, *longest = NULL;
    double most = 0;
    size_t i;
    json_array_foreach(profiled, i, launch) {
        const double cycles = json_number_value(json_object_get(launch, "gto_cycles"));
        if (!longest || cycles > most) longest = launch, most = cycles;
    }
    return longest;
}

static json_t *at_point(json_t *owned, json_t *benchmark, json_t *launch, const char *point)
{
    const json_t *profiled = json_object_get(benchmark, "profiled");
    if (strcmp(point, own_points[OWN]) == 0) return benchmark;
    if (strcmp(point, own_points[FIRST]) == 0) return json_array_get(profiled, 0);
    if (strcmp(point, own_points[LONGEST]) == 0) return longest_of(profiled);
    if (strcmp(point, own_points[LAUNCH]) == 0) return launch;
    json_t *tuple = at_tuple(owned, benchmark, point);
    return tuple ? tuple : json_object_get(json_object_get(benchmark, "policies"), point);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* `launch` NULL: the benchmark as a whole. */
static void add_benchmark(struct repro_data *data, struct workload *of, json_t *owned, json_t *benchmark,
                          json_t *launch)
{
    struct repro_benchmark *b = &data->benchmarks[data->n++];
    snprintf(of->name, sizeof of->name, "%s", text_of(benchmark, "name"));
    snprintf(of->family, sizeof of->family, "%s", text_of(benchmark, "family"));
    b->workload = of;
    b->name = launch ? text_of(launch, "launch") : of->name;
    for (size_t p = 0; p < data->n_points; p++) b->mechs[p] = at_point(owned, benchmark, launch, data->points[p]);
}

/* The summary, and what follows from its model. NULL: out of memory. */
static json_t *with_engine(const json_t *summary)
{
    static const char *const outputs[] = {"N", "p"};
    const char *names[MODEL_FEATURES_MAX], *name;
    size_t n = 0;
    json_t *out = json_copy((json_t *)(uintptr_t)summary), *weight;
    for (size_t k = 0; k < COUNT_OF(outputs); k++) {
        json_t *output = json_object_get(json_object_get(summary, "model"), outputs[k]);
        json_object_foreach(json_object_get(output, "weights"), name, weight)
            if (n < MODEL_FEATURES_MAX) names[n++] = name;
    }
    const struct engine_storage engine = features_engine_storage(names, n);
    json_t *storage = json_pack("{s:I}", "state_bits", (json_int_t)engine.state_bits);
    const double sms =
        json_number_value(json_object_get(json_object_get(json_object_get(summary, "config"), "core"), "sms"));
    if (n) json_object_set_new(storage, "counter_bits", json_integer((json_int_t)engine.counter_bits));
    if (n) json_object_set_new(storage, "bytes", json_real(engine_storage_bytes(&engine, sms)));
    if (json_object_set_new(out, "engine", storage) == 0) return out;
    json_decref(out);
    return NULL;
}

static size_t count_lines(const json_t *benchmarks, bool are_launches)
{
    size_t b, n = 0;
    const json_t *benchmark;
    json_array_foreach(benchmarks, b, benchmark)
        n += are_launches ? json_array_size(json_object_get(benchmark, "profiled")) : 1;
    return n;
}

void figure_tell(const struct repro_study *study, const struct json_t *summary, struct repro_report *report)
{
    const bool are_launches = strcmp(yaml_get(study->figure, "pipeline")->text, "launches") == 0;
    const json_t *benchmarks = json_object_get(summary, "benchmarks");
    const size_t n = count_lines(benchmarks, are_launches);
    json_t *whole = with_engine(summary), *owned = json_array(), *benchmark, *launch;
    struct repro_data data = {.summary = whole, .benchmarks = calloc(n + 1, sizeof *data.benchmarks)};
    struct workload *of = calloc(n + 1, sizeof *of);
    struct error err;
    size_t b, l;
    if (!data.benchmarks || !of || !whole || !owned) {
        report->out_of_memory = true;
    } else {
        find_points(&data, benchmarks);
        json_array_foreach(benchmarks, b, benchmark) {
            if (!are_launches) add_benchmark(&data, &of[data.n], owned, benchmark, NULL);
            else
                json_array_foreach(json_object_get(benchmark, "profiled"), l, launch)
                    add_benchmark(&data, &of[data.n], owned, benchmark, launch);
        }
        if (figure_report(study, &data, report, &err) < 0) repro_deviation(report, "%.300s", err.text);
    }
    json_decref(whole);
    json_decref(owned);
    free(of);
    free(data.benchmarks);
}

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
