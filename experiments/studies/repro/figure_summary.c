/* Figures of a pipeline: what it measured of each benchmark under each policy, read from its summary. Policies are
 * points; a counter is the policy's own number (speedup, l1d_hit_rate, aml_cycles), and PART.NUMBER one of a part of it
 * (locality.p_hits, oracle.windows); of a list the items are numbers (static_best.0). More points: 'benchmark' is the
 * benchmark itself (features.W), 'first launch' and 'longest launch' are of its profiled launches the first and that
 * with most cycles under GTO. With `pipeline: launches` each profiled launch stands for itself, as the point 'launch'.
 * Of a profile every tuple is a point, 'tuple 4,2', and those of the lattice are as constants that a launch has no more
 * warps than it can have: 'constant 24,1', whose N and p are the lattice's. They are of the first launch.
 * summary('engine.bytes') and the like: the storage of an engine that counts what the model's features need. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "poise/features.h"
#include "poise/response_net.h"
#include "studies/repro/figure.h"

enum { MODEL_FEATURES_MAX = 64, TUPLE_MAX = 64 };
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
