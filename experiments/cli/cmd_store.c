/* poise store ls|show|query|export|verify|merge|gc|scaling: what stores hold, and looking after them. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/options.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/scaling.h"
#include "poise/store.h"

struct store_options {
    const char *store, *target, *names, *units, *cost;
    uint64_t runs, nodes, threads;
    bool json;
};
static const struct option_row rows[] = {
    OPTION(store_options, store, 0, OPTION_TEXT, "FILE", "the store (default: results/quickstart/store.sqlite)"),
    OPTION(store_options, target, 0, OPTION_TEXT, "COUNTER", "of libsvm, the label (default: core_cycles)",
           .modes = "export"),
    OPTION(store_options, names, 0, OPTION_OUT, "FILE", "of libsvm, write the names of the features here",
           .modes = "export"),
    OPTION(store_options, units, 0, OPTION_OUT, "FILE", "write each column's unit and meaning here, as CSV",
           .modes = "export"),
    OPTION(store_options, runs, 0, OPTION_COUNT, "N", "runs of the sweep (default: 1000000)", .modes = "scaling"),
    OPTION(store_options, nodes, 0, OPTION_COUNT, "N", "nodes (default: 1000)", .modes = "scaling"),
    OPTION(store_options, threads, 0, OPTION_WHOLE, "N", "threads of a node (default: 16)", .modes = "scaling"),
    OPTION(store_options, cost, 0, OPTION_TEXT, "US",
           "microseconds of rank 0 for a run (default: as this store measured under mpirun)", .modes = "scaling"),
    OPTION(store_options, json, 0, OPTION_FLAG, NULL, "print what was found or done as JSON"),
};
struct verb {
    const char *name;
    size_t n_min, n_max; /* arguments after the verb */
    bool writes;
    const char *usage;
    int (*act)(struct store *store, const struct store_options *o, const struct texts *words, json_t *out,
               struct error *err);
};

static void print_count(json_t *out, const char *name, uint64_t value)
{
    json_object_set_new(out, name, json_integer((json_int_t)value));
}

static int act_ls(struct store *store, const struct store_options *o, const struct texts *words, json_t *out,
                  struct error *err)
{
    (void)words;
    uint64_t n, failed, crashed;
    if (store_count(store, &n, err) < 0 || store_count_failed(store, &failed, &crashed, err) < 0) return -1;
    if (!o->json) {
        printf("%s: %llu runs", o->store, (unsigned long long)n);
        if (failed) printf(", %llu of them failed", (unsigned long long)failed);
        if (crashed)
            printf(", %llu with a crash of the simulator, which the build that crashed skips until 'poise store gc'",
                   (unsigned long long)crashed);
        printf("\n");
    }
    print_count(out, "runs", n);
    print_count(out, "failed", failed);
    print_count(out, "crashed", crashed);
    return 0;
}

static int act_show(struct store *store, const struct store_options *o, const struct texts *words, json_t *out,
                    struct error *err)
{
    struct store_run run;
    const int found = store_get(store, words->items[1], &run, err);
    if (found < 0) return -1;
    if (found == 0 && run.is_damaged) {
        error_set(err, ERR_INPUT, "%s: run %s: its row does not match its checksum", o->store, words->items[1]);
        return error_at(err, NULL, 0, -1,
                        "the command that made it simulates it again; poise store query \"SELECT * FROM runs WHERE key "
                        "= '...'\" shows what is there");
    }
    if (found == 0) {
        error_set(err, ERR_INPUT, "%s: no run %s", o->store, words->items[1]);
        return error_at(err, NULL, 0, -1, "poise store query 'SELECT key FROM runs' lists the keys");
    }
    json_object_set_new(out, "key", json_string(run.key));
    json_object_set_new(out, "trace", json_string(run.trace));
    json_object_set_new(out, "config", json_string(run.config));
    json_object_set_new(out, "mechs", json_loads(run.mechs, 0, NULL));
    json_object_set_new(out, "limits", json_loads(run.limits, 0, NULL));
    json_object_set_new(out, "stats", json_loads(run.stats, 0, NULL));
    json_object_set_new(out, "complete", json_boolean(run.complete));
    json_object_set_new(out, "error", json_string(run.code ? error_name(run.code) : ""));
    json_object_set_new(out, "message", json_string(run.message));
    json_object_set_new(out, "seconds", json_real(run.seconds));
    store_run_fini(&run);
    return o->json ? 0 : cli_print_json(json_incref(out), err);
}

static int act_query(struct store *store, const struct store_options *o, const struct texts *words, json_t *out,
                     struct error *err)
{
    json_t *list = json_array();
    json_object_set_new(out, "rows", list);
    return store_query(store, words->items[1], stdout, o->json ? list : NULL, err);
}

static int export_libsvm(struct store *store, const struct store_options *o, FILE *names, struct error *err)
{
    return store_export_libsvm(store, o->target ? o->target : "core_cycles", stdout, names, err);
}

static int export_units(struct store *store, const struct store_options *o, FILE *units, struct error *err)
{
    (void)o;
    return store_export_units(store, units, err);
}

/* What `print` says, into the file at `path`. */
static int export_beside(struct store *store, const struct store_options *o, const char *path,
                         int print(struct store *, const struct store_options *, FILE *, struct error *),
                         struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for %s", path);
    const int result = print(store, o, out, err);
    if (result == 0) return file_write_stream(path, out, &text, &size, err);
    fclose(out);
    free(text);
    return result;
}

static int act_export(struct store *store, const struct store_options *o, const struct texts *words, json_t *out,
                      struct error *err)
{
    (void)out;
    const char *format = words->items[1];
    if (o->units && export_beside(store, o, o->units, export_units, err) < 0) return -1;
    if (strcmp(format, "csv") == 0) return store_export_csv(store, stdout, err);
    if (strcmp(format, "json") == 0) return store_export_json(store, stdout, err);
    if (strcmp(format, "jsonl") == 0) return store_export_lines(store, stdout, err);
    if (strcmp(format, "libsvm") != 0)
        return error_set(err, ERR_USAGE, "poise store export: choose csv, json, jsonl or libsvm, not '%s'", format);
    return o->names ? export_beside(store, o, o->names, export_libsvm, err) : export_libsvm(store, o, NULL, err);
}

static int act_verify(struct store *store, const struct store_options *o, const struct texts *words, json_t *out,
                      struct error *err)
{
    (void)words;
    uint64_t n = 0;
    if (store_check_file(store, err) < 0 || store_verify(store, &n, err) < 0) return -1;
    if (!o->json) printf("%s: %llu runs, all sound\n", o->store, (unsigned long long)n);
    print_count(out, "runs", n);
    return 0;
}

static int find_store(const char *path, struct error *err)
{
    struct stat file;
    if (access(path, R_OK) == 0) {
        if (file_check_regular(path, err) < 0) return -1;
        if (stat(path, &file) < 0 || file.st_size > 0) return 0;
        error_set(err, ERR_INPUT, "%s: an empty file is no store", path);
        return error_at(err, path, 0, -1, "the commands that simulate make one where there is no file");
    }
    return error_set(err, ERR_INPUT, "%s: %s", path, errno == ENOENT ? "there is no such store" : strerror(errno));
}

/* Before the store that they go into is made. */
static int check_merge(const struct texts *words, struct error *err)
{
    for (size_t i = 2; i < words->n; i++) {
        if (find_store(words->items[i], err) < 0) return -1;
        if (file_is_same(words->items[1], words->items[i]))
            return error_set(err, ERR_USAGE, "%s is the store that is merged into: name another", words->items[i]);
    }
    return 0;
}

static int act_merge(struct store *store, const struct store_options *o, const struct texts *words, json_t *out,
                     struct error *err)
{
    uint64_t n = 0, total = 0;
    for (size_t i = 2; i < words->n; i++) {
        if (store_merge(store, words->items[i], &n, err) < 0) return -1;
        total += n;
    }
    if (!o->json) printf("%s: %llu runs added\n", words->items[1], (unsigned long long)total);
    print_count(out, "added", total);
    return 0;
}

static int act_gc(struct store *store, const struct store_options *o, const struct texts *words, json_t *out,
                  struct error *err)
{
    (void)words;
    uint64_t n = 0;
    if (store_gc(store, &n, err) < 0) return -1;
    if (!o->json) printf("%s: %llu rows removed\n", o->store, (unsigned long long)n);
    print_count(out, "removed", n);
    return 0;
}

static int act_scaling(struct store *store, const struct store_options *o, const struct texts *words, json_t *out,
                       struct error *err)
{
    (void)words;
    char *end = NULL;
    const double cost_us = o->cost ? strtod(o->cost, &end) : 0;
    if (o->cost && (end == o->cost || *end || !(cost_us > 0 && cost_us < 1e9)))
        return error_set(err, ERR_USAGE, "--cost %s: microseconds above 0 are needed", o->cost);
    const struct scaling_shape shape = {o->runs ? o->runs : 1000000, o->nodes ? o->nodes : 1000,
                                        o->threads ? o->threads : 16, cost_us};
    return scaling_report(store, &shape, o->json ? NULL : stdout, out, err);
}

static const struct verb verbs[] = {
    {"ls", 0, 0, false, "ls", act_ls},
    {"show", 1, 1, false, "show KEY", act_show},
    {"query", 1, 1, false, "query SQL", act_query},
    {"export", 1, 1, false, "export csv|json|jsonl|libsvm", act_export},
    {"verify", 0, 0, false, "verify", act_verify},
    {"merge", 2, TEXTS_MAX - 1, true, "merge INTO FROM...", act_merge},
    {"gc", 0, 0, true, "gc", act_gc},
    {"scaling", 0, 0, false, "scaling", act_scaling},
};

static int act(const struct cli *cli, const struct verb *verb, struct store_options *o, const struct texts *words,
               struct error *err)
{
    const bool merges = verb->act == act_merge;
    if (merges) o->store = words->items[1];
    if (!o->store) o->store = "results/quickstart/store.sqlite";
    if (merges ? check_merge(words, err) < 0 : find_store(o->store, err) < 0) return -1;
    struct store *store;
    struct error later;
    if ((verb->writes ? store_open(&store, o->store, err) : store_open_read(&store, o->store, err)) < 0) return -1;
    store_stop_at(store, cli->stop);
    json_t *out = lab_json();
    json_object_set_new(out, "store", json_string(o->store));
    int result = verb->act(store, o, words, out, err);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    if (result == 0 && o->json && verb->act != act_export) return cli_print_json(out, err);
    json_decref(out);
    return result;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    struct store_options o = *(const struct store_options *)options;
    for (size_t i = 0; arguments->n && i < COUNT_OF(verbs); i++) {
        if (strcmp(arguments->items[0], verbs[i].name) != 0) continue;
        if (arguments->n - 1 < verbs[i].n_min || arguments->n - 1 > verbs[i].n_max)
            return error_set(err, ERR_USAGE, "usage: poise store %s", verbs[i].usage);
        return act(cli, &verbs[i], &o, arguments, err);
    }
    return error_set(err, ERR_USAGE, "poise store: choose ls, show, query, export, verify, merge, gc or scaling");
}

const struct command command_store = {
    "store",
    "list, query, check, export and merge stores of runs",
    "ls | show KEY | query SQL | export csv|json|jsonl|libsvm | verify | merge INTO FROM... | gc | scaling [--store "
    "FILE]",
    "Tables for queries: runs, traces, configs, plans, experiments, provenance; views: runs_tidy, a row a run as the "
    "exports have it, with\n"
    "units in runs_tidy_columns, parameters(key, mech, name, value), statistics(key, name, value) and sound_runs, the "
    "runs whose rows match their checksums: verify names the first of "
    "the others, gc removes\n"
    "them, and commands that need their results simulate them again. gc also forgets runs that failed, those that "
    "crash "
    "this build included.\n"
    "Exports name each run's machine, benchmark and mechanism, with a column a parameter. scaling: what a large sweep "
    "on a cluster would "
    "take, from this store's times (experiments/SCALING.md).\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct store_options),
    run};
