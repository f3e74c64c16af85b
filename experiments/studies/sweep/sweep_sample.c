/* A sweep of whole programs by samples of their launches: all launches of a program (a workload and its input) on one
 * machine are one group, and every stack runs on the same ones of them. estimates.csv has a row a stack. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/mech.h"
#include "poise/points.h"
#include "poise/program_sample.h"
#include "poise/sweep.h"

struct group {
    const char *program;
    int32_t input;
    size_t config, *launches, n; /* of the sweep's */
};
struct sampling {
    const struct sweep *sweep;
    struct runner *runner;
    const struct sweep_sampling *how;
    struct run_job *jobs; /* all: launches x machines x stacks */
    FILE *csv;
    json_t *programs;
    uint64_t insts, of_insts; /* simulated, and of the whole grid */
};

static const char *program_of(const struct launch *l)
{
    return l->workload && *l->workload->name ? l->workload->name : l->label;
}

static bool is_same_program(const struct launch *a, const struct launch *b)
{
    return strcmp(program_of(a), program_of(b)) == 0 && a->input == b->input && a->size == b->size;
}

/* ---- which tuples, where all stacks are warp tuples ---- */

struct tuples {
    struct warp_tuple *at; /* of each stack */
    size_t n;
    uint32_t W;
};

static bool is_tuple(const struct run_job *job, struct warp_tuple *out)
{
    json_t *json = job->n_stack == 1 ? mech_spec_json(&job->stack[0]) : NULL;
    const json_t *params = json_object_get(json, "params");
    const bool result = json && strcmp(mech_name(job->stack[0].type), "tuple") == 0;
    *out = (struct warp_tuple){(uint32_t)json_integer_value(json_object_get(params, "N")),
                               (uint32_t)json_integer_value(json_object_get(params, "p"))};
    json_decref(json);
    return result && out->N > 0 && out->p > 0;
}

static int read_tuples(struct tuples *t, const struct run_job *jobs, size_t n, size_t stride, struct error *err)
{
    *t = (struct tuples){.at = calloc(n + 1, sizeof *t->at), .n = n};
    if (!t->at) return error_set(err, ERR_MEMORY, "out of memory for %zu tuples", n);
    for (size_t k = 0; k < n; k++) {
        if (!is_tuple(&jobs[k * stride], &t->at[k]))
            return error_set(err, ERR_USAGE,
                             "--points active chooses among warp tuples: every stack of the sweep must be 'tuple' "
                             "alone, with N and p");
        if (t->at[k].N > t->W) t->W = t->at[k].N;
    }
    return 0;
}

/* The untried stack nearest to a tuple, the first of several; n: there is none. */
static size_t nearest_untried(const struct tuples *t, const struct race *race, struct warp_tuple to,
                              const size_t *taken, size_t n_taken)
{
    size_t best = t->n;
    double least = INFINITY;
    for (size_t k = 0; k < t->n; k++) {
        bool is_free = race->rows[k].round == 0;
        for (size_t i = 0; i < n_taken && is_free; i++) is_free = taken[i] != k;
        const double d = fabs((double)t->at[k].N - to.N) + fabs((double)t->at[k].p - to.p);
        if (is_free && d < least) least = d, best = k;
    }
    return best;
}

/* A tenth of them, as a Gaussian process over what is known says. [studies/pipeline/points_active.c] */
static int choose_active(void *context, const struct race *race, size_t *out, size_t *n, struct error *err)
{
    const struct tuples *t = context;
    struct profile_point *known = calloc(t->n + 1, sizeof *known);
    struct warp_tuple next[POINTS_ACTIVE_LEAST];
    double slowest = 0;
    size_t n_known = 0, n_next = 0;
    *n = 0;
    if (!known) return error_set(err, ERR_MEMORY, "out of memory for %zu tuples", t->n);
    for (size_t k = 0; k < t->n; k++)
        if (race->rows[k].round && isfinite(race->rows[k].cycles.value))
            slowest = fmax(slowest, race->rows[k].cycles.value);
    for (size_t k = 0; k < t->n; k++)
        if (race->rows[k].round && isfinite(race->rows[k].cycles.value))
            known[n_known++] = (struct profile_point){t->at[k].N, t->at[k].p, slowest / race->rows[k].cycles.value};
    const bool is_enough = n_known >= POINTS_ACTIVE_LEAST && n_known >= t->n / 10;
    int result =
        !is_enough && (n_known || !race->rows[0].round) ? points_active(known, n_known, t->W, next, &n_next, err) : 0;
    for (size_t i = 0; i < n_next && result == 0; i++) {
        const size_t k = nearest_untried(t, race, next[i], out, *n);
        if (k < t->n) out[(*n)++] = k;
    }
    free(known);
    return result;
}

/* ---- rows ---- */

static const char head[] =
    "program,input,config,mechs,launches,launches_simulated,clusters,share_of_work,core_cycles,core_cycles_low,"
    "core_cycles_high,speedup,speedup_low,speedup_high,over_best,over_best_low,over_best_high,round,verdict\n";

static void print_estimate(FILE *out, const struct stratified_estimate *e)
{
    if (!e || !isfinite(e->value)) fprintf(out, ",,,");
    else fprintf(out, ",%.10g,%.10g,%.10g", e->value, e->low, e->high);
}

struct row {
    const struct stratified_estimate *cycles, *speedup, *over_best;
    unsigned round;
    const char *verdict;
};
static void print_row(const struct sampling *x, const struct group *g, const struct program_sample *s, size_t stack,
                      const struct row *row)
{
    const struct sample_work *w = program_sample_work(s);
    csv_print(x->csv, g->program);
    if (g->input >= 0) fprintf(x->csv, ",%d", (int)g->input);
    else fprintf(x->csv, ",");
    csv_next(x->csv, sweep_config_text(x->sweep, g->config));
    csv_next(x->csv, sweep_stack_text(x->sweep, stack));
    fprintf(x->csv, ",%zu,%zu,%zu,%.6g", w->launches, w->simulated, w->clusters, sample_share_of_work(w));
    print_estimate(x->csv, row->cycles);
    print_estimate(x->csv, row->speedup);
    print_estimate(x->csv, row->over_best);
    if (row->round) fprintf(x->csv, ",%u,%s\n", row->round, row->verdict);
    else fprintf(x->csv, ",,%s\n", row->verdict);
}

static json_t *group_json(const struct sampling *x, const struct group *g, size_t best,
                          const struct stratified_estimate *cycles, double share)
{
    return json_pack("{s:s,s:i,s:s,s:I,s:{s:s,s:o},s:f}", "program", g->program, "input", (int)g->input, "config",
                     sweep_config_text(x->sweep, g->config), "launches", (json_int_t)g->n, "best", "mechs",
                     sweep_stack_text(x->sweep, best), "core_cycles", program_sample_estimate_json(cycles),
                     "share_of_grid", share);
}

/* ---- a group ---- */

static int all_stacks(struct sampling *x, const struct group *g, struct program_sample *s, struct run_job *jobs,
                      struct error *err)
{
    const size_t n_stacks = sweep_n_stacks(x->sweep);
    struct stratified_estimate *e = calloc(2 * n_stacks, sizeof *e);
    const struct sample_part base = sample_cycles(jobs);
    size_t best = 0;
    int result = e ? program_sample_run(s, sweep_name(x->sweep), jobs, n_stacks, err)
                   : error_set(err, ERR_MEMORY, "out of memory for %zu estimates", n_stacks);
    for (size_t k = 0; k < n_stacks && result == 0; k++) {
        const struct sample_part mine = sample_cycles(&jobs[k * g->n]);
        for (size_t i = 0; i < g->n && result == 0; i++)
            if (jobs[k * g->n + i].result.err.code != ERR_NONE) {
                *err = jobs[k * g->n + i].result.err;
                result = error_while(err, "%s under %s", g->program, sweep_stack_text(x->sweep, k));
            }
        if (result == 0) result = program_sample_estimate(&e[2 * k], s, &mine, NULL, err);
        if (result == 0) result = program_sample_estimate(&e[2 * k + 1], s, &base, &mine, err);
        if (k == 0) e[1] = (struct stratified_estimate){.value = 1, .low = 1, .high = 1};
        if (e[2 * k].value < e[2 * best].value) best = k;
    }
    for (size_t k = 0; k < n_stacks && result == 0; k++)
        print_row(x, g, s, k, &(struct row){&e[2 * k], &e[2 * k + 1], NULL, 0, k == best ? "best" : ""});
    const struct sample_work *w = program_sample_work(s);
    x->insts += n_stacks * w->warp_insts_simulated;
    x->of_insts += n_stacks * w->warp_insts;
    if (result == 0) json_array_append_new(x->programs, group_json(x, g, best, &e[2 * best], sample_share_of_work(w)));
    free(e);
    return result;
}

static int best_stack(struct sampling *x, const struct group *g, struct program_sample *s, struct run_job *jobs,
                      struct error *err)
{
    struct race race;
    struct tuples tuples = {.at = NULL};
    const size_t n_stacks = sweep_n_stacks(x->sweep);
    int result = x->how->is_active ? read_tuples(&tuples, jobs, n_stacks, g->n, err) : 0;
    if (result == 0)
        result = program_sample_race(&race, s, sweep_name(x->sweep), jobs, n_stacks,
                                     x->how->is_active ? choose_active : NULL, &tuples, err);
    free(tuples.at);
    if (result < 0) return -1;
    for (size_t k = 0; k < n_stacks; k++) {
        const struct race_row *r = &race.rows[k];
        const bool is_tried = r->round > 0;
        print_row(x, g, s, k,
                  &(struct row){is_tried ? &r->cycles : NULL, NULL, is_tried ? &r->over_best : NULL, r->round,
                                race_end_names[r->end]});
    }
    x->insts += race.warp_insts;
    x->of_insts += race.of_warp_insts;
    json_t *json = group_json(x, g, race.best, &race.rows[race.best].cycles,
                              race.of_warp_insts ? (double)race.warp_insts / (double)race.of_warp_insts : 1);
    json_object_set_new(json, "regret_at_most", json_real(race.regret));
    json_array_append_new(x->programs, json);
    race_fini(&race);
    return 0;
}

/* jobs[k * n + i]: stack k on the group's launch i; they are the sweep's, borrowed. */
static void exchange(struct sampling *x, const struct group *g, struct run_job *mine, bool back)
{
    const size_t n_stacks = sweep_n_stacks(x->sweep), n_configs = sweep_n_configs(x->sweep);
    for (size_t k = 0; k < n_stacks; k++)
        for (size_t i = 0; i < g->n; i++) {
            struct run_job *job = &x->jobs[(g->launches[i] * n_configs + g->config) * n_stacks + k];
            if (back) *job = mine[k * g->n + i];
            else mine[k * g->n + i] = *job;
        }
}

static int run_group(struct sampling *x, const struct group *g, const struct launches *all, struct error *err)
{
    const size_t n_stacks = sweep_n_stacks(x->sweep);
    struct launches launches = {.items = calloc(g->n + 1, sizeof *launches.items), .n = g->n};
    struct run_job *jobs = calloc(n_stacks * g->n + 1, sizeof *jobs);
    struct program_sample *s = NULL;
    int result = launches.items && jobs ? 0 : error_set(err, ERR_MEMORY, "out of memory for %s", g->program);
    for (size_t i = 0; i < g->n && result == 0; i++) launches.items[i] = all->items[g->launches[i]];
    if (result == 0) {
        exchange(x, g, jobs, false);
        result = program_sample_new(&s, x->runner, &launches, jobs[0].params, &x->how->options, err);
        if (result == 0) result = x->how->is_race ? best_stack(x, g, s, jobs, err) : all_stacks(x, g, s, jobs, err);
        exchange(x, g, jobs, true);
    }
    program_sample_free(s);
    free(launches.items);
    free(jobs);
    return result < 0 ? error_while(err, "%s", g->program) : 0;
}

static int each_group(struct sampling *x, const struct launches *launches, struct error *err)
{
    bool *is_done = calloc(launches->n + 1, sizeof *is_done);
    size_t *mine = calloc(launches->n + 1, sizeof *mine);
    int result = is_done && mine ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu launches", launches->n);
    for (size_t i = 0; i < launches->n && result == 0; i++) {
        const struct launch *first = &launches->items[i];
        struct group g = {.program = program_of(first), .input = first->input, .launches = mine};
        if (is_done[i]) continue;
        for (size_t k = i; k < launches->n; k++)
            if (!is_done[k] && is_same_program(first, &launches->items[k])) is_done[k] = true, mine[g.n++] = k;
        for (g.config = 0; g.config < sweep_n_configs(x->sweep) && result == 0; g.config++)
            result = run_group(x, &g, launches, err);
    }
    free(is_done);
    free(mine);
    return result;
}

static int check_limits(const struct run_job *jobs, size_t n, struct error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct gpu_limits *l = &jobs[i].limits;
        if (l->max_cycles || l->max_insts || l->early_end > 0 || l->warmup_cycles)
            return error_set(err, ERR_USAGE,
                             "a sampled sweep estimates whole programs: the spec has limits or a warm-up");
    }
    return 0;
}

int sweep_run_sampled(const struct sweep *sweep, struct runner *runner, const struct launches *launches,
                      struct run_job *jobs, size_t n, const struct sweep_sampling *how, const char *path,
                      json_t **report, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    if (check_limits(jobs, n, err) < 0) return -1;
    struct sampling x = {.sweep = sweep, .runner = runner, .how = how, .jobs = jobs, .programs = json_array()};
    if (!(x.csv = open_memstream(&text, &size))) return error_set(err, ERR_MEMORY, "out of memory for %s", path);
    fputs(head, x.csv);
    int result = each_group(&x, launches, err);
    if (result == 0) {
        *report = json_pack("{s:o,s:I,s:I,s:f}", "programs", x.programs, "warp_insts_simulated", (json_int_t)x.insts,
                            "warp_insts", (json_int_t)x.of_insts, "share_of_work",
                            x.of_insts ? (double)x.insts / (double)x.of_insts : 1.0);
        return file_write_stream(path, x.csv, &text, &size, err);
    }
    json_decref(x.programs);
    fclose(x.csv);
    free(text);
    return -1;
}
