/* Golden statistics: small launches on every preset. Those of a configuration change only together with
 * SIM_MODEL_VERSION, and a new version without a change is refused too; a preset that is another configuration now has
 * other statistics, whatever the version. New counters do not disturb: only the counters in the file are compared.
 * POISE_GOLDEN_ACCEPT=1 prints what changed and writes the file anew. */
#include "synth.h"
#include "where.h"

#include <jansson.h>
#include "poise/file.h"
#include "poise/hash.h"

static const char *const path = POISE_SOURCE_DIR "/tests/golden/golden.json";
static const char *const presets[] = {"kepler32",      "kepler16",   "fermi15", "fermi15-hash", "kepler32-linear",
                                      "kepler32-x4l1", "accelsim32", "volta80", "titanv",       "titanx"};
static const char *const mechs[] = {
    "gto", "tuple,N=4,p=2", "swl,N=3",
    "poise,model=" POISE_SOURCE_DIR
    "/models/poise-thesis.json,T_period=30000,T_warmup=300,T_feature=1500,T_correct=600"};

/* Around L1: on the machine of its paper and on a newer one. */
static const char *const bypassing[] = {"bucl", "mrpb"}, *const bypassed[] = {"fermi15-hash", "volta80"};

/* Loads and stores with each memory operator and scope, on machines whose L1 is written in either way. */
static const struct {
    const char *name;
    struct synth_operator op;
} operators[] = {
    {"ca", {TRACE_CACHE_CA, TRACE_SCOPE_NONE, false, 0}},
    {"cg", {TRACE_CACHE_CG, TRACE_SCOPE_NONE, false, 0}},
    {"cs", {TRACE_CACHE_CS, TRACE_SCOPE_NONE, false, 0}},
    {"lu", {TRACE_CACHE_LU, TRACE_SCOPE_NONE, false, 0}},
    {"cv", {TRACE_CACHE_CV, TRACE_SCOPE_NONE, false, 0}},
    {"wb", {TRACE_CACHE_WB, TRACE_SCOPE_NONE, false, 0}},
    {"wt", {TRACE_CACHE_WT, TRACE_SCOPE_NONE, false, 0}},
    {"volatile", {TRACE_CACHE_DEFAULT, TRACE_SCOPE_NONE, true, 0}},
    {"cta", {TRACE_CACHE_DEFAULT, TRACE_SCOPE_CTA, false, 0}},
    {"gpu", {TRACE_CACHE_DEFAULT, TRACE_SCOPE_GPU, false, 0}},
    {"sys", {TRACE_CACHE_DEFAULT, TRACE_SCOPE_SYS, false, 0}},
};
static const char *const operated[] = {"kepler32", "volta80"};

static json_t *run(const struct trace *t, const char *preset, const char *mech)
{
    struct error err;
    struct plan *plan;
    struct mech_spec spec;
    struct gpu_result result;
    struct gpu_params *params = gpu_params_new();
    assert_ok(gpu_params_load(params, preset, POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    assert_ok(mech_parse(&spec, mech, &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_ok(gpu_run(&result, plan, params, &spec, 1, NULL, &err), &err);
    json_t *stats = gpu_stats_json(result.stats);
    gpu_result_free(&result);
    plan_free(plan);
    mech_free(&spec);
    gpu_params_free(params);
    return stats;
}

static void add(json_t *all, const char *name, const struct trace *t, const char *preset, const char *mech)
{
    char key[128];
    snprintf(key, sizeof key, "%s/%s/%.*s", name, preset, (int)strcspn(mech, ","), mech);
    json_object_set_new(all, key, run(t, preset, mech));
}

static void add_operators(json_t *all)
{
    for (size_t i = 0; i < COUNT_OF(operators); i++) {
        struct trace *t = synth_operators(48, 6, 12, operators[i].op);
        for (size_t p = 0; p < COUNT_OF(operated); p++) add(all, operators[i].name, t, operated[p], "gto");
        trace_close(t);
    }
}

static json_t *run_all(void)
{
    struct trace *traces[] = {synth_mixture(40, 6, 12, 1), synth_rows(48, 8, 16, 2), synth_chase(200, 128, 1 << 16)};
    static const char *const names[] = {"mixture", "rows", "chase"};
    json_t *all = json_object();
    for (size_t t = 0; t < COUNT_OF(traces); t++) {
        for (size_t p = 0; p < COUNT_OF(presets); p++)
            for (size_t m = 0; m < COUNT_OF(mechs); m++) add(all, names[t], traces[t], presets[p], mechs[m]);
        for (size_t p = 0; p < COUNT_OF(bypassed); p++)
            for (size_t m = 0; m < COUNT_OF(bypassing); m++) add(all, names[t], traces[t], bypassed[p], bypassing[m]);
        trace_close(traces[t]);
    }
    add_operators(all);
    return all;
}

/* The hash of each preset's resolved configuration, by its name. */
static json_t *configurations(void)
{
    json_t *all = json_object();
    for (size_t p = 0; p < COUNT_OF(presets); p++) {
        struct error err;
        char text[HASH_TEXT_SIZE];
        struct gpu_params *params = gpu_params_new();
        assert_ok(gpu_params_load(params, presets[p], POISE_SOURCE_DIR "/experiments/configs", &err), &err);
        json_t *json = gpu_params_json(params);
        char *words = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
        const struct hash hash = hash_bytes(words, strlen(words));
        hash_text(&hash, text);
        json_object_set_new(all, presets[p], json_string(text));
        free(words);
        json_decref(json);
        gpu_params_free(params);
    }
    return all;
}

/* Whether the preset of a run, NAME/PRESET/MECHANISM, is the configuration that it was. */
static bool is_same_machine(const char *key, const json_t *was, const json_t *now)
{
    char preset[64];
    const char *at = strchr(key, '/') + 1;
    snprintf(preset, sizeof preset, "%.*s", (int)strcspn(at, "/"), at);
    return json_equal(json_object_get(was, preset), json_object_get(now, preset));
}

/* How many counters of `was` have another value in `now`, on machines that are as they were and on others; the first
 * few are printed. */
struct changes {
    int same_machine, other_machine;
};
static struct changes differences(const json_t *was, const json_t *now, const json_t *configs_was,
                                  const json_t *configs)
{
    const char *key, *name;
    json_t *stats, *value;
    struct changes n = {0, 0};
    json_object_foreach((json_t *)(uintptr_t)was, key, stats)
        json_object_foreach(stats, name, value) {
            const json_t *other = json_object_get(json_object_get(now, key), name);
            if (other && json_equal(value, other)) continue;
            if (!is_same_machine(key, configs_was, configs)) {
                n.other_machine++;
                continue;
            }
            if (n.same_machine++ >= 12) continue;
            char *a = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT),
                 *b = other ? json_dumps(other, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
            print_message("%s: %s: %s is now %s\n", key, name, a, b ? b : "gone");
            free(a);
            free(b);
        }
    return n;
}

static void accept(const json_t *now, const json_t *configs)
{
    struct error err;
    json_t *file = json_pack("{s:i, s:O, s:O}", "model_version", SIM_MODEL_VERSION, "configs", configs, "runs", now);
    char *text = json_dumps(file, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    assert_ok(file_write(path, text, strlen(text), &err), &err);
    free(text);
    json_decref(file);
}

static void statistics_change_only_with_the_model_version(void **state)
{
    (void)state;
    json_error_t why;
    json_t *file = json_load_file(path, 0, &why), *now = run_all(), *configs = configurations();
    if (!file) fail_msg("%s: %s", path, why.text);
    const struct changes n = differences(json_object_get(file, "runs"), now, json_object_get(file, "configs"), configs);
    const int version = (int)json_integer_value(json_object_get(file, "model_version"));
    if (n.same_machine && version == SIM_MODEL_VERSION)
        fail_msg("%d counters changed, but SIM_MODEL_VERSION is still %d: bump it", n.same_machine, version);
    if (getenv("POISE_GOLDEN_ACCEPT")) {
        print_message("%d counters changed, and %d of presets that changed; accepted\n", n.same_machine,
                      n.other_machine);
        accept(now, configs);
    } else {
        if (n.same_machine == 0 && version != SIM_MODEL_VERSION)
            fail_msg("SIM_MODEL_VERSION went from %d to %d, but nothing changed", version, SIM_MODEL_VERSION);
        if (n.same_machine)
            fail_msg("%d counters changed with the new version: accept with POISE_GOLDEN_ACCEPT=1", n.same_machine);
        if (!json_equal(json_object_get(file, "configs"), configs))
            fail_msg("presets changed, and %d of their counters: accept with POISE_GOLDEN_ACCEPT=1", n.other_machine);
    }
    json_decref(file);
    json_decref(now);
    json_decref(configs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(statistics_change_only_with_the_model_version)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
