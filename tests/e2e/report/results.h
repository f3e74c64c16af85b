/* Result folders for tests of the report: real ones by the program, hostile ones and large ones by hand. */
#ifndef TEST_RESULTS_H
#define TEST_RESULTS_H
#include "../cli/spawn.h"
#include "where.h"
#include <jansson.h>
#include <math.h>
#include "folder.h"
#include "poise/gpu.h"
#include "poise/store.h"

#define HOSTILE "</script><img src=x onerror=window.hacked=1>\"'&\u2028\xc3\xa9"

static char root[64];

static inline void must(const char *arguments)
{
    const struct said *s = poise(root, arguments);
    if (s->status) fail_msg("poise %s: %d: %s", arguments, s->status, s->err);
}

/* quickstart, sweep, cv and tune of CI's specs, all in `root`. */
static inline int results_begin(void **state)
{
    (void)state;
    char arguments[400];
    static const char *const commands[][2] = {
        {"run", "quickstart"}, {"sweep", "sweep"}, {"cv", "cv"}, {"tune", "tune"}};
    snprintf(root, sizeof root, "%s", fresh_dir());
    setenv("POISE_TRACES", root, 1);
    setenv("LSAN_OPTIONS", "print_suppressions=0:suppressions=" POISE_SOURCE_DIR "/tests/e2e/report/lsan.supp", 1);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(arguments, sizeof arguments, "%s " POISE_SOURCE_DIR "/experiments/specs/ci-%s.yaml --out %s/%s",
                 commands[i][0], commands[i][1], root, commands[i][1]);
        must(arguments);
    }
    return 0;
}

static inline int results_end(void **state)
{
    (void)state;
    return folder_remove(root);
}

static inline FILE *result_file(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "mkdir -p %s/%s", root, folder);
    assert_int_equal(0, system(path));
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    return out;
}

static inline void result_json(const char *folder, const char *name, json_t *json)
{
    FILE *out = result_file(folder, name);
    assert_int_equal(0, json_dumpf(json, out, 0));
    fclose(out);
    json_decref(json);
}

/* Every text that a result can carry is an attempt to inject markup. */
static inline void make_hostile(const char *folder)
{
    json_t *policies = json_object();
    static const char *const names[] = {"gto", "swl", "static_best", "poise"};
    for (size_t i = 0; i < 4; i++)
        json_object_set_new(policies, names[i],
                            json_pack("{s:i,s:f,s:f,s:f,s:f,s:f}", "cycles", 100, "speedup", 1.0 + (double)i,
                                      "l1d_hit_rate", 0.5, "aml_cycles", 300.0, "N", 2.0, "p", 1.0));
    result_json(folder, "summary.json",
                json_pack("{s:i,s:s,s:i,s:[{s:s,s:i,s:o,s:[]}],s:{s:f,s:f,s:f,s:f},s:{s:i,s:i,s:{s:i}},s:s}", "schema",
                          1, "version", HOSTILE, "model_version", 1, "benchmarks", "name", HOSTILE, "launches", 1,
                          "policies", policies, "profiled", "hmean", "gto", 1.0, "swl", 1.1, "static_best", 1.5,
                          "poise", 1.4, "training", "launches", 1, "used", 1, "rows_per_benchmark", HOSTILE, 1,
                          "points_per_kernel", HOSTILE));
    result_json(folder, "repro.json",
                json_pack("{s:s,s:s,s:s,s:[{s:s,s:f,s:f,s:s},{s:s,s:s,s:f,s:f,s:s}],s:[{s:s,s:b}],s:b,s:[s]}", "id",
                          HOSTILE, "title", HOSTILE, "source", HOSTILE, "rows", "label", HOSTILE, "paper", 1.0, "ours",
                          2.0, "unit", HOSTILE, "label", HOSTILE " " HOSTILE, "benchmark", HOSTILE, "paper", 1.0,
                          "ours", 2.0, "unit", HOSTILE, "checks", "text", HOSTILE, "holds", 1, "direction_ok", 1,
                          "deviations", HOSTILE));
    result_json(folder, "tune.json",
                json_pack("{s:s,s:s,s:{s:{s:f}},s:f,s:[{s:{s:f},s:i,s:f}]}", "name", HOSTILE, "metric", HOSTILE, "best",
                          "params", HOSTILE, 1.0, "train_metric", 1.0, "trials", "params", HOSTILE, 1.0, "rung", 0,
                          "metric", 1.0));
    FILE *out = result_file(folder, "profile.csv");
    fputs("benchmark,launch,trace,N,p,cycles,warp_insts,speedup,score\n", out);
    for (int i = 1; i <= 4; i++)
        fprintf(out,
                "\"</script><img src=x onerror=window.hacked=1>\"\"'&\",\"<svg "
                "onload=window.hacked=1>\",0,%d,1,100,10,%d,1\n",
                i, i);
    fclose(out);
}

/* A launch under gto and three tuples on each of two machines that differ in a hundred parameters. */
static inline void make_two_machines(const char *name)
{
    static const char *const presets[] = {"fermi15", "volta80"};
    static const char *const stacks[] = {"[]", "[{\"name\":\"tuple\",\"params\":{\"N\":1,\"p\":1}}]",
                                         "[{\"name\":\"tuple\",\"params\":{\"N\":2,\"p\":1}}]",
                                         "[{\"name\":\"tuple\",\"params\":{\"N\":2,\"p\":2}}]"};
    char path[256], stats[200];
    struct error err;
    struct store *store;
    fclose(result_file(name, "notes.txt"));
    snprintf(path, sizeof path, "%s/%s/store.sqlite", root, name);
    assert_ok(store_open(&store, path, &err), &err);
    const struct store_trace trace = {"t0", "mine", "_Z4rowsIfEvPKT_PS0_ii", "", -1, 0, 1000};
    assert_ok(store_put_trace(store, &trace, &err), &err);
    for (unsigned m = 0; m < 2; m++) {
        struct gpu_params *params = gpu_params_new();
        struct store_plan plan = {4 * (m + 1), 1000, 100};
        assert_ok(gpu_params_load(params, presets[m], POISE_SOURCE_DIR "/experiments/configs", &err), &err);
        json_t *json = gpu_params_json(params);
        char *text = json_dumps(json, JSON_COMPACT);
        assert_ok(store_put_config(store, presets[m], text, &err), &err);
        assert_ok(store_put_plan(store, "t0", presets[m], &plan, &err), &err);
        for (unsigned k = 0; k < 4; k++) {
            struct store_run run = {
                .mechs = (char *)(uintptr_t)stacks[k], .limits = "{}", .message = "", .stats = stats, .complete = true};
            snprintf(stats, sizeof stats, "{\"core_cycles\":%u,\"warp_insts\":9,\"issue_slots\":%u,\"stall_idle\":%u}",
                     1000 * (m + 1) - 10 * k, 100, 10 * (m + 1));
            snprintf(run.key, sizeof run.key, "k%u%u", m, k);
            snprintf(run.trace, sizeof run.trace, "t0");
            snprintf(run.config, sizeof run.config, "%s", presets[m]);
            assert_ok(store_put(store, &run, &err), &err);
        }
        free(text);
        json_decref(json);
        gpu_params_free(params);
    }
    assert_ok(store_close(store, &err), &err);
}

enum { LARGE_KERNELS = 100, LARGE_W = 24 };

/* 100 kernels with all 300 tuples of W = 24, each with its counters in a store: what a full sweep leaves. */
static inline void make_large(const char *folder)
{
    static const char *const counters[] = {
        "core_cycles",           "warp_insts", "thread_insts",     "issue_slots",         "l1d_load_accesses",
        "l1d_load_hits",         "l1d_fills",  "miss_latency_sum", "stall_str_mem",       "stall_data_mem",
        "stall_data_alu",        "stall_idle", "dram_bus_cycles",  "dram_pending_cycles", "l2_access_queue_full_cycles",
        "dram_queue_le25_cycles"};
    char path[256], key[HASH_TEXT_SIZE], trace[HASH_TEXT_SIZE], mechs[160], stats[1024];
    struct error err;
    struct store *store;
    fclose(result_file(folder, "notes.txt"));
    snprintf(path, sizeof path, "%s/%s/store.sqlite", root, folder);
    assert_ok(store_open(&store, path, &err), &err);
    assert_ok(store_put_config(store, "00000000000000000000000000000001", "{\"l1\":{\"ways\":4}}", &err), &err);
    unsigned n = 0;
    for (unsigned kernel = 0; kernel < LARGE_KERNELS; kernel++) {
        struct store_trace t = {.input = -1, .launch = kernel, .warp_insts = 1000};
        snprintf(trace, sizeof trace, "%032x", kernel + 16);
        snprintf(t.hash, sizeof t.hash, "%s", trace);
        snprintf(t.workload, sizeof t.workload, "kernel%u", kernel);
        snprintf(t.kernel, sizeof t.kernel, "a_kernel_of_some_name_%u", kernel);
        snprintf(t.size, sizeof t.size, "small");
        assert_ok(store_put_trace(store, &t, &err), &err);
        for (unsigned N = 1; N <= LARGE_W; N++)
            for (unsigned p = 1; p <= N; p++) {
                size_t used = 0;
                const double cycles = 1e5 * (1 + 0.02 * (N - 5.0) * (N - 5.0) + 0.03 * (p - 3.0) * (p - 3.0) +
                                             0.1 * sin(N * 7.0 + p * 3 + kernel));
                snprintf(key, sizeof key, "%032x", ++n);
                snprintf(mechs, sizeof mechs,
                         "[{\"name\":\"tuple\",\"params\":{\"N\":%u,\"p\":%u,\"literal_rank\":false},\"stats\":{}}]", N,
                         p);
                for (size_t c = 0; c < sizeof counters / sizeof *counters; c++)
                    used += (size_t)snprintf(stats + used, sizeof stats - used, "%s\"%s\":%.0f", c ? "," : "{",
                                             counters[c], c ? floor(cycles * 4 / (double)(c + 1 + p % 3)) : cycles);
                snprintf(stats + used, sizeof stats - used, "}");
                struct store_run run = {
                    .mechs = mechs, .stats = stats, .limits = "{}", .message = "", .complete = true};
                snprintf(run.key, sizeof run.key, "%s", key);
                snprintf(run.trace, sizeof run.trace, "%s", trace);
                snprintf(run.config, sizeof run.config, "%s", "00000000000000000000000000000001");
                assert_ok(store_put(store, &run, &err), &err);
            }
    }
    assert_ok(store_close(store, &err), &err);
}
#endif
