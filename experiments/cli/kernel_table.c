/* poise kernels --table: five runs of every profiled launch, from the store where it has them, and what follows from
 * them.
 *
 * Hit rates, locality, I_n and P_best are of kepler32 [THESIS Tab. 5.1], PerfX is of fermi15 [THESIS Tab. 4.2].
 * Several profiled launches of a workload count together: counters and cycles are summed before anything is divided. */
#include "cli/kernel_table.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/features.h"
#include "poise/lab.h"
#include "poise/say.h"
#include "poise/sweep.h"
#include "cli/sim_print.h"

enum variant { AT_MAX, AT_ONE, BIG_L1, FERMI, FERMI_PERFECT, N_VARIANTS };
static const struct {
    const char *config, *set;
} machines[N_VARIANTS] = {
    [AT_MAX] = {"kepler32", NULL},
    [AT_ONE] = {"kepler32", NULL},
    [BIG_L1] = {"kepler32", "l1.ways=256"}, /* 64 x 4 ways: 32 sets, as its set index is defined for */
    [FERMI] = {"fermi15", NULL},
    [FERMI_PERFECT] = {"fermi15", "ideal.perfect_l1=1"},
};
static const char *const stacks[N_VARIANTS][3] = {
    {"gto", "divergence", NULL}, {"tuple,N=1,p=1", NULL}, {"gto", NULL}, {"gto", NULL}, {"gto", NULL}};

/* Memory-sensitive: P_best above 1.4 [THESIS §5.7.1]. Compute: I_n above I_max [THESIS Tab. 5.5]. Un-coalesced: more
 * than a tenth of the loads have more than two requests [BUCL §III.A]. */
#define P_BEST_SENSITIVE 1.4
#define IN_MAX 49.0
#define UNCOALESCED_SHARE 0.1

struct row {
    const struct workload *workload;
    size_t first, n, n_all; /* of the profiled launches in the list; launches of the program in all inputs */
    uint64_t cycles[N_VARIANTS], accesses, hits, one_accesses, one_hits, intra, warp_insts, loads, far_loads, requests;
    double In;
};
struct table {
    struct registry registry;
    struct launches launches; /* the profiled ones */
    struct row *rows;
    size_t n;
    struct gpu_params *params[N_VARIANTS];
    struct run_job *jobs; /* N_VARIANTS for each launch */
};

/* Without names: every benchmark's own entry, not those that draw hundreds of inputs for it. */
static bool is_wanted(const struct workload *w, const struct texts *names, int size)
{
    bool wanted = names->n == 0 && strcmp(w->name, w->benchmark) == 0 && workload_is_meant(w, "*", size);
    for (size_t i = 0; i < names->n; i++) wanted |= workload_is_meant(w, names->items[i], size);
    return wanted;
}

static int add_workload(struct table *t, const struct workload *w, const struct cli *cli, int size, struct error *err)
{
    struct row *row = &t->rows[t->n++];
    *row = (struct row){.workload = w, .first = t->launches.n};
    for (size_t i = 0; i < w->n_inputs; i++) {
        struct launches all = {0};
        int result = workload_launches(&all, &cli->paths, w, size, w->inputs[i], err);
        for (size_t k = 0; k < all.n && result == 0; k++)
            if (all.items[k].is_profiled) result = launches_add(&t->launches, &all.items[k], err);
        row->n_all += all.n;
        launches_fini(&all);
        if (result < 0) return -1;
    }
    row->n = t->launches.n - row->first;
    return row->n ? 0
                  : error_set(err, ERR_INPUT, "%s: no launch is profiled at size %s", w->name, workload_sizes[size]);
}

static int choose(struct table *t, const struct cli *cli, const struct kernel_table_options *o, struct error *err)
{
    const int size = workload_size(o->size ? o->size : "small");
    const struct workload *known;
    if (size < 0) return error_set(err, ERR_USAGE, "--size %s: choose test, small, eval or full", o->size);
    if (registry_load(&t->registry, cli->paths.kernels, err) < 0) return -1;
    for (size_t i = 0; i < o->names->n; i++)
        if (!strpbrk(o->names->items[i], "*?[") && registry_find(&t->registry, o->names->items[i], &known, err) < 0)
            return -1;
    t->rows = calloc(t->registry.n + 1, sizeof *t->rows);
    if (!t->rows) return error_set(err, ERR_MEMORY, "out of memory for %zu workloads", t->registry.n);
    for (size_t i = 0; i < t->registry.n; i++) {
        if (cli->stop && *cli->stop) return error_set(err, ERR_INTERRUPTED, "interrupted while recording traces");
        if (is_wanted(&t->registry.workloads[i], o->names, size) &&
            add_workload(t, &t->registry.workloads[i], cli, size, err) < 0)
            return -1;
    }
    return t->n ? 0 : error_set(err, ERR_INPUT, "no workload has such a name");
}

static int make_jobs(struct table *t, const struct cli *cli, struct error *err)
{
    for (int v = 0; v < N_VARIANTS; v++) {
        struct texts set = {.items = {machines[v].set}, .n = machines[v].set ? 1 : 0};
        if (sim_config(&t->params[v], cli, machines[v].config, &set, err) < 0) return -1;
    }
    t->jobs = calloc(N_VARIANTS * t->launches.n + 1, sizeof *t->jobs);
    if (!t->jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", t->launches.n);
    for (size_t i = 0; i < N_VARIANTS * t->launches.n; i++) {
        struct run_job *job = &t->jobs[i];
        job->launch = &t->launches.items[i / N_VARIANTS];
        job->params = t->params[i % N_VARIANTS];
        for (const char *const *mech = stacks[i % N_VARIANTS]; *mech; mech++)
            if (mech_parse(&job->stack[job->n_stack++], *mech, err) < 0) return -1;
    }
    return 0;
}

/* Loads by their degree of un-coalescing, as the observer of the first run counted them. */
static void add_degrees(struct row *row, const json_t *mechs)
{
    static const char *const groups[] = {"1", "2", "3_10", "11_20", "21_32"};
    const json_t *mech;
    size_t i;
    json_array_foreach(mechs, i, mech) {
        if (strcmp(json_string_value(json_object_get(mech, "name")), "divergence") != 0) continue;
        const json_t *stats = json_object_get(mech, "stats");
        for (size_t g = 0; g < COUNT_OF(groups); g++) {
            char name[32];
            snprintf(name, sizeof name, "loads_%s", groups[g]);
            const uint64_t loads = (uint64_t)json_integer_value(json_object_get(stats, name));
            snprintf(name, sizeof name, "requests_%s", groups[g]);
            row->requests += (uint64_t)json_integer_value(json_object_get(stats, name));
            row->loads += loads;
            row->far_loads += g >= 2 ? loads : 0;
        }
    }
}

static int evaluate(struct row *row, const struct run_job *jobs, struct error *err)
{
    struct feature_counters sum = {0};
    for (size_t i = N_VARIANTS * row->first; i < N_VARIANTS * (row->first + row->n); i++) {
        const struct run_job *job = &jobs[i];
        struct feature_counters c;
        if (job->result.err.code != ERR_NONE) {
            *err = job->result.err;
            return error_while(err, "%s", job->launch->label);
        }
        gpu_stats_features(job->result.stats, &c);
        row->cycles[i % N_VARIANTS] += c.cycles;
        if (i % N_VARIANTS == AT_MAX) {
            row->warp_insts += c.insts;
            row->accesses += c.l1_accesses;
            row->hits += c.l1_hits;
            row->intra += c.l1_intra_hits;
            sum.insts += c.insts;
            sum.loads += c.loads;
            add_degrees(row, job->result.mechs);
        } else if (i % N_VARIANTS == AT_ONE) {
            row->one_accesses += c.l1_accesses;
            row->one_hits += c.l1_hits;
        }
    }
    row->In = feature_In(&sum);
    return 0;
}

/* A workload that cannot be simulated loses its row, not the table: 1, and the reason on stderr. */
static int evaluate_all(struct table *t, struct error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (evaluate(&t->rows[i], t->jobs, err) == 0) t->rows[kept++] = t->rows[i];
        else say_line(stderr, "poise: %s", err->text);
    }
    const int result = kept < t->n;
    t->n = kept;
    return result;
}

static double share(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0.0; }
static double p_best(const struct row *r) { return share(r->cycles[AT_MAX], r->cycles[BIG_L1]); }
static double perfx(const struct row *r) { return share(r->cycles[FERMI], r->cycles[FERMI_PERFECT]); }
static const char *sensitivity(const struct row *r)
{
    return p_best(r) > P_BEST_SENSITIVE ? "memory-sensitive" : r->In > IN_MAX ? "compute" : "cache-insensitive";
}
static const char *coalescing(const struct row *r)
{
    return share(r->far_loads, r->loads) > UNCOALESCED_SHARE ? "un-coalesced" : "coherent";
}

static json_t *number_or_text(double v)
{
    char text[40];
    return isfinite(v) ? json_real(v) : json_string(number_text(v, text, sizeof text));
}

static json_t *row_json(const struct row *r)
{
    const struct workload *w = r->workload;
    json_t *out = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:b}", "name", w->name, "suite", w->suite, "set",
                            workload_sets[w->set], "class", w->class, "measured", sensitivity(r), "coalescing",
                            coalescing(r), "launches", (json_int_t)r->n_all, "profiled_launches", (json_int_t)r->n,
                            "warp_insts", (json_int_t)r->warp_insts, "memory_sensitive", p_best(r) > P_BEST_SENSITIVE);
    json_object_set_new(out, "divergence_degree", json_real(share(r->requests, r->loads)));
    json_object_set_new(out, "uncoalesced_loads", json_real(share(r->far_loads, r->loads)));
    json_object_set_new(out, "In", number_or_text(r->In));
    json_object_set_new(out, "l1d_hit_rate_max", json_real(share(r->hits, r->accesses)));
    json_object_set_new(out, "l1d_hit_rate_one", json_real(share(r->one_hits, r->one_accesses)));
    json_object_set_new(out, "intra_warp", json_real(share(r->intra, r->accesses)));
    json_object_set_new(out, "inter_warp", json_real(share(r->hits - r->intra, r->accesses)));
    json_object_set_new(out, "perfx", json_real(perfx(r)));
    json_object_set_new(out, "p_best", json_real(p_best(r)));
    return out;
}

static void print_markdown(const struct table *t)
{
    printf("| workload | set | launches | warp insts | degree | I_n | hits (max) | hits (1,1) | intra | inter | PerfX "
           "| P_best | measured | literature |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < t->n; i++) {
        const struct row *r = &t->rows[i];
        printf("| %s | %s | %zu of %zu | %.0fk | %.1f | ", r->workload->name, workload_sets[r->workload->set], r->n,
               r->n_all, (double)r->warp_insts / 1000.0, share(r->requests, r->loads));
        if (isfinite(r->In)) printf("%.1f", r->In);
        else printf("no loads");
        printf(" | %.0f%% | %.0f%% | %.0f%% | %.0f%% | %.2f | %.2f | %s, %s | %s |\n",
               100 * share(r->hits, r->accesses), 100 * share(r->one_hits, r->one_accesses),
               100 * share(r->intra, r->accesses), 100 * share(r->hits - r->intra, r->accesses), perfx(r), p_best(r),
               sensitivity(r), coalescing(r), r->workload->class);
    }
}

static int print(const struct table *t, const struct runner_totals *totals, bool json, struct error *err)
{
    if (!json) {
        print_markdown(t);
        return 0;
    }
    json_t *out = lab_json(), *list = json_array();
    for (size_t i = 0; i < t->n; i++) json_array_append_new(list, row_json(&t->rows[i]));
    json_object_set_new(out, "kernels", list);
    json_object_set_new(out, "run_info",
                        json_pack("{s:I,s:I,s:f}", "runs_simulated", (json_int_t)totals->simulated, "runs_reused",
                                  (json_int_t)totals->reused, "wall_s", totals->wall_s));
    return cli_print_json(out, err);
}

static void table_fini(struct table *t)
{
    for (size_t i = 0; t->jobs && i < N_VARIANTS * t->launches.n; i++) run_job_fini(&t->jobs[i]);
    for (int v = 0; v < N_VARIANTS; v++) gpu_params_free(t->params[v]);
    free(t->jobs);
    free(t->rows);
    launches_fini(&t->launches);
    registry_fini(&t->registry);
}

int kernel_table(struct cli *cli, const struct kernel_table_options *o, struct error *err)
{
    struct table t = {0};
    struct store *store = NULL;
    struct runner *runner = NULL;
    struct runner_options options;
    struct error later;
    int result = -1;
    cli_runner_options(cli, &options, o->threads);
    if (choose(&t, cli, o, err) == 0 && make_jobs(&t, cli, err) == 0 &&
        store_open(&store, o->store ? o->store : "results/kernels.sqlite", err) == 0 &&
        runner_new(&runner, store, &options, err) == 0)
        result = runner_run(runner, "kernels", t.jobs, N_VARIANTS * t.launches.n, err);
    if (result == 0) result = evaluate_all(&t, err);
    if (result >= 0 && print(&t, runner_totals(runner), o->json, err) < 0) result = -1;
    runner_free(runner);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    table_fini(&t);
    return result;
}
