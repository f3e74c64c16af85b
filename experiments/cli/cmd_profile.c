/* poise profile export|import|recheck|search: measured warp tuples as a table that others take over, and how few of
 * them would do. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/options.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "studies/pipeline/profile_store.h"
#include "poise/say.h"

struct profile_options {
    const char *store, *out, *counters, *points;
    struct texts kernels;
    uint64_t threads, seed, percent;
    bool whole, json;
};
static const struct option_row rows[] = {
    OPTION(profile_options, store, 0, OPTION_TEXT, "FILE",
           "the store (default: results/NAME/store.sqlite of the spec; import: results/repro/store.sqlite)"),
    OPTION(profile_options, out, 'o', OPTION_OUT, "FILE", "write here (default: standard output)", .modes = "export"),
    OPTION(profile_options, kernels, 0, OPTION_TEXTS, "GLOB", "workloads of this name alone (may be repeated)",
           .modes = "export"),
    OPTION(profile_options, whole, 0, OPTION_FLAG, NULL,
           "launches that have their whole grid alone, as a table that specs take over should", .modes = "export"),
    OPTION(profile_options, counters, 0, OPTION_TEXT, "all",
           "every counter of the simulator, not those that features, tables and maps need", .modes = "export"),
    OPTION(profile_options, points, 0, OPTION_TEXT, "N|active",
           "a budget of the coarse-to-fine way, or active (default)", .modes = "search"),
    OPTION(profile_options, percent, 0, OPTION_WHOLE, "N",
           "so many percent of each launch's rows, at least five rows (default: 2)", .modes = "recheck"),
    OPTION(profile_options, seed, 0, OPTION_WHOLE, "N", "which rows (default: 0)", .modes = "recheck"),
    OPTION(profile_options, threads, 0, OPTION_WHOLE, "N",
           "programs recorded at a time (default: as many as there are processors)"),
    OPTION(profile_options, json, 0, OPTION_FLAG, NULL, "print what was done as JSON"),
};

static int say(const struct profile_options *o, const char *what, const struct profile_count *n, double seconds,
               FILE *text, struct error *err)
{
    if (!o->json) {
        fprintf(text, "%s: %zu launches, %zu runs, %zu missing, %.0f core-seconds", what, n->launches, n->runs,
                n->missing, seconds);
        if (n->partial) fprintf(text, "; %zu launches with a part of their grid left out", n->partial);
        return fputc('\n', text) < 0;
    }
    json_t *out = lab_json();
    json_object_set_new(out, "launches", json_integer((json_int_t)n->launches));
    json_object_set_new(out, "runs", json_integer((json_int_t)n->runs));
    json_object_set_new(out, "missing", json_integer((json_int_t)n->missing));
    json_object_set_new(out, "left_out", json_integer((json_int_t)n->partial));
    json_object_set_new(out, "core_seconds", json_real(seconds));
    return cli_print_json(out, err);
}

static int add_columns(struct profile_table *t, const struct profile_options *o, struct error *err)
{
    if (o->counters && strcmp(o->counters, "all") != 0)
        return error_set(err, ERR_USAGE, "--counters %s: all, or leave it out", o->counters);
    for (size_t i = 0; i < n_profile_default_counters; i++)
        if (profile_table_column(t, profile_default_counters[i], err) < 0) return -1;
    for (size_t i = 0; o->counters && i < gpu_stat_table.n_rows; i++) {
        bool is_default = false;
        for (size_t k = 0; k < n_profile_default_counters; k++)
            is_default |= strcmp(profile_default_counters[k], gpu_stat_table.rows[i].name) == 0;
        if (!is_default && profile_table_column(t, gpu_stat_table.rows[i].name, err) < 0) return -1;
    }
    return 0;
}

static int write_table(const struct profile_table *t, const char *path, struct error *err)
{
    if (!path) return profile_table_print(t, stdout, err);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int result = out ? profile_table_print(t, out, err) : error_set(err, ERR_MEMORY, "%s: out of memory", path);
    if (out && fclose(out) != 0 && result == 0) result = error_set(err, ERR_MEMORY, "%s: out of memory", path);
    if (result == 0) result = file_write(path, text, size, err);
    free(text);
    return result;
}

static int export_table(struct cli *cli, const struct profile_options *o, const char *spec_path, struct error *err)
{
    struct pipeline_spec spec;
    struct profile_table table = {0};
    struct profile_count count;
    struct store *store = NULL;
    struct error later;
    char path[300];
    if (o->json && !o->out)
        return error_set(err, ERR_USAGE,
                         "poise profile export --json needs -o FILE: the table itself goes to standard output");
    if (pipeline_spec_load(&spec, spec_path, err) < 0) return -1;
    snprintf(path, sizeof path, "results/%s/store.sqlite", spec.name);
    struct pipeline_options p = {.paths = cli->paths};
    cli_runner_options(cli, &p.runner, o->threads);
    p.runner.decoded_dir = NULL;
    int result = store_open_read(&store, o->store ? o->store : path, err);
    if (result == 0) result = add_columns(&table, o, err);
    if (result == 0)
        result = profile_export(&table, &spec, &p, store, o->kernels.items, o->kernels.n, o->whole, &count, err);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    if (result == 0) result = write_table(&table, o->out, err);
    if (result == 0) result = say(o, o->out ? o->out : "exported", &count, profile_table_seconds(&table), stderr, err);
    profile_table_fini(&table);
    return result;
}

static int import_one(struct cli *cli, const struct profile_options *o, const char *path,
                      const struct registry *registry, struct store *store, struct profile_count *sum, double *seconds,
                      struct error *err)
{
    struct profile_table table;
    struct launches launches = {0};
    struct profile_count count;
    struct runner_options runner;
    cli_runner_options(cli, &runner, o->threads);
    runner.decoded_dir = NULL;
    if (profile_table_read(&table, path, err) < 0) return -1;
    int result = profile_launches(&launches, &table, path, registry, &cli->paths, &runner, err);
    if (result == 0) result = profile_import(store, &table, path, &cli->paths, &launches, false, &count, err);
    if (result == 0) {
        sum->launches += count.launches;
        sum->runs += count.runs;
        *seconds += profile_table_seconds(&table);
    }
    launches_fini(&launches);
    profile_table_fini(&table);
    return result;
}

static int import_tables(struct cli *cli, const struct profile_options *o, const struct texts *words, struct error *err)
{
    struct registry registry;
    struct store *store = NULL;
    struct error later;
    struct profile_count sum = {0};
    double seconds = 0;
    if (o->out || o->counters || o->whole || o->kernels.n)
        return error_set(err, ERR_USAGE, "poise profile import takes FILE..., --store and --threads");
    if (registry_load(&registry, cli->paths.kernels, err) < 0) return -1;
    const char *path = o->store ? o->store : "results/repro/store.sqlite";
    int result = store_open(&store, path, err);
    for (size_t i = 1; i < words->n && result == 0; i++)
        result = import_one(cli, o, words->items[i], &registry, store, &sum, &seconds, err);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    registry_fini(&registry);
    return result == 0 ? say(o, path, &sum, seconds, stdout, err) : -1;
}

/* ---- recheck: which tables a change of the simulator touches ---- */

static int recheck_one(struct cli *cli, const struct profile_options *o, const char *path,
                       const struct registry *registry, struct error *err)
{
    struct profile_table table;
    struct launches launches = {0};
    struct runner_options runner;
    size_t n = 0;
    cli_runner_options(cli, &runner, o->threads);
    runner.decoded_dir = NULL;
    if (profile_table_read(&table, path, err) < 0) return -1;
    const int before = table.model_version;
    int result = profile_launches(&launches, &table, path, registry, &cli->paths, &runner, err);
    if (result == 0)
        result = profile_recheck(&table, path, &cli->paths, &launches, &runner,
                                 o->percent ? 0.01 * (double)o->percent : 0.02, o->seed, &n, err);
    if (result == 0) result = write_table(&table, path, err);
    if (result == 0)
        printf("%s: %zu of %zu runs simulated again, all as before: version %d of the simulation model is now version "
               "%d\n",
               path, n, table.n_rows, before, table.model_version);
    launches_fini(&launches);
    profile_table_fini(&table);
    return result;
}

static int recheck(struct cli *cli, const struct profile_options *o, const struct texts *words, struct error *err)
{
    struct registry registry;
    if (o->percent > 100) return error_set(err, ERR_USAGE, "--percent %llu: 1 to 100", (unsigned long long)o->percent);
    if (o->json || o->out || o->store)
        return error_set(err, ERR_USAGE, "poise profile recheck takes FILE..., --percent, --seed and --threads");
    if (registry_load(&registry, cli->paths.kernels, err) < 0) return -1;
    int result = 0;
    for (size_t i = 1; i < words->n && result == 0; i++) result = recheck_one(cli, o, words->items[i], &registry, err);
    registry_fini(&registry);
    return result;
}

/* ---- search: ways to choose points, against whole grids ---- */

struct searched {
    uint32_t W;
    struct warp_tuple best, found;
    double best_speedup, regret;
    size_t grid, runs;
};
struct search_totals {
    size_t launches, skipped, runs, grid;
    double regret_sum, regret_max, share_max;
};

static int search_launch(const struct profile_table *t, const struct profile_launch *l, const struct points_way *way,
                         struct searched *out, struct error *err)
{
    const double base = (double)profile_table_cycles(t, l, (struct warp_tuple){out->W, out->W});
    struct profile_point known[PROFILE_WARPS_MAX * (PROFILE_WARPS_MAX + 1) / 2];
    struct warp_tuple next[PROFILE_WARPS_MAX * (PROFILE_WARPS_MAX + 1) / 2];
    size_t n = 0, n_next = 0;
    for (size_t r = l->first; r < l->first + l->n; r++, n++)
        known[n] = (struct profile_point){t->rows[r].at.N, t->rows[r].at.p,
                                          base / (double)profile_table_value(t, r, "core_cycles")};
    const struct profile_point best = known[points_best(known, n)];
    out->grid = n;
    for (n = 0;; n += n_next) { /* the way of the pipeline, without the neighbours that only scores need */
        const int failed = way->kind == POINTS_ACTIVE ? points_active(known, n, out->W, next, &n_next, err)
                                                      : points_want(way, known, n, out->W, next, &n_next, err);
        if (failed) return -1;
        for (size_t i = 0; i < n_next; i++)
            known[n + i] =
                (struct profile_point){next[i].N, next[i].p, base / (double)profile_table_cycles(t, l, next[i])};
        if (n_next == 0) break;
    }
    const struct profile_point found = known[points_best(known, n)];
    out->runs = n;
    out->best = (struct warp_tuple){best.N, best.p};
    out->found = (struct warp_tuple){found.N, found.p};
    out->best_speedup = best.speedup;
    out->regret = 1 - found.speedup / best.speedup;
    return 0;
}

static json_t *searched_json(const struct profile_launch *l, const struct searched *s)
{
    return json_pack("{s:s,s:i,s:I,s:I,s:f,s:[II],s:[II],s:f,s:I,s:I}", "workload", l->workload, "input", (int)l->input,
                     "launch", (json_int_t)l->index, "W", (json_int_t)s->W, "best_speedup", s->best_speedup, "best",
                     (json_int_t)s->best.N, (json_int_t)s->best.p, "found", (json_int_t)s->found.N,
                     (json_int_t)s->found.p, "regret", s->regret, "runs", (json_int_t)s->runs, "grid",
                     (json_int_t)s->grid);
}

static int search_table(const struct profile_table *t, const struct points_way *way, struct search_totals *sum,
                        json_t *list, struct error *err)
{
    for (size_t i = 0; i < t->n_launches; i++) {
        const struct profile_launch *l = &t->launches[i];
        struct searched s = {.W = profile_table_warps(t, l)};
        if (s.W < 2) { /* no whole grid, or nothing to choose */
            sum->skipped++;
            continue;
        }
        if (search_launch(t, l, way, &s, err) < 0) return error_while(err, "%s, launch %u", l->workload, l->index);
        sum->launches++;
        sum->runs += s.runs;
        sum->grid += s.grid;
        sum->regret_sum += s.regret;
        sum->regret_max = fmax(sum->regret_max, s.regret);
        sum->share_max = fmax(sum->share_max, (double)s.runs / (double)s.grid);
        json_array_append_new(list, searched_json(l, &s));
        say_line(stderr, "%s.%d/%u: best (%u, %u) at %.3f, found (%u, %u), regret %.4f, %zu of %zu runs", l->workload,
                 (int)l->input, l->index, s.best.N, s.best.p, s.best_speedup, s.found.N, s.found.p, s.regret, s.runs,
                 s.grid);
    }
    return 0;
}

static int search(const struct profile_options *o, const struct texts *words, struct error *err)
{
    struct points_way way;
    struct search_totals sum = {0};
    char text[64];
    if (points_way_parse(&way, o->points ? o->points : "active") < 0)
        return error_set(err, ERR_USAGE, "--points %s: active, coarse-to-fine, or a number from 3 to 2080", o->points);
    json_t *out = lab_json(), *list = json_array();
    json_object_set_new(out, "points", json_string(points_way_text(&way, 24, text, sizeof text)));
    json_object_set_new(out, "launches", list);
    int result = 0;
    for (size_t i = 1; i < words->n && result == 0; i++) {
        struct profile_table t;
        result = profile_table_read(&t, words->items[i], err);
        if (result == 0) result = search_table(&t, &way, &sum, list, err);
        profile_table_fini(&t);
    }
    if (result == 0 && sum.launches == 0)
        result =
            error_set(err, ERR_INPUT, "no launch of these profiles has its whole grid: nothing to measure against");
    const double n = (double)sum.launches;
    if (result == 0 && !o->json)
        printf("%s (W = 24): %zu launches, regret mean %.4f, max %.4f; %zu of %zu runs (%.4f, most %.4f); %zu launches "
               "without a whole grid\n",
               text, sum.launches, sum.regret_sum / n, sum.regret_max, sum.runs, sum.grid,
               (double)sum.runs / (double)sum.grid, sum.share_max, sum.skipped);
    if (result == 0 && o->json) {
        json_object_set_new(out, "regret_mean", json_real(sum.regret_sum / n));
        json_object_set_new(out, "regret_max", json_real(sum.regret_max));
        json_object_set_new(out, "runs", json_integer((json_int_t)sum.runs));
        json_object_set_new(out, "grid", json_integer((json_int_t)sum.grid));
        json_object_set_new(out, "share", json_real((double)sum.runs / (double)sum.grid));
        json_object_set_new(out, "share_max", json_real(sum.share_max));
        json_object_set_new(out, "n_launches", json_integer((json_int_t)sum.launches));
        json_object_set_new(out, "n_skipped", json_integer((json_int_t)sum.skipped));
        return cli_print_json(out, err);
    }
    json_decref(out);
    return result;
}

static int run(struct cli *cli, const void *options, const struct texts *words, struct error *err)
{
    const char *verb = words->n ? words->items[0] : "";
    if (strcmp(verb, "export") == 0 && words->n == 2) return export_table(cli, options, words->items[1], err);
    if (strcmp(verb, "import") == 0 && words->n >= 2) return import_tables(cli, options, words, err);
    if (strcmp(verb, "recheck") == 0 && words->n >= 2) return recheck(cli, options, words, err);
    if (strcmp(verb, "search") == 0 && words->n >= 2) return search(options, words, err);
    return error_set(err, ERR_USAGE,
                     "usage: poise profile export SPEC [-o FILE] | import FILE... [--store FILE] | recheck FILE... "
                     "[--percent N] | search FILE... [--points WAY]");
}

const struct command command_profile = {"profile",
                                        "measured warp tuples as CSV, out of a store and into one",
                                        "export SPEC [-o FILE] | import FILE... [--store FILE] | recheck FILE... "
                                        "[--percent N] | search FILE... [--points WAY]",
                                        "export writes what the store has of the points of a pipeline's profiled "
                                        "launches. import checks version of the simulation model,\n"
                                        "configuration and the hash of every trace, and refuses the file where one "
                                        "differs; its runs are then not simulated again.\n"
                                        "recheck simulates a seeded part of a table's rows again; if none differs, the "
                                        "table is stamped with the current model version.\n"
                                        "search finds the best tuple of every launch that has its whole grid from a "
                                        "part of it, and reports regret and number of runs.\n",
                                        rows,
                                        COUNT_OF(rows),
                                        sizeof(struct profile_options),
                                        run};
