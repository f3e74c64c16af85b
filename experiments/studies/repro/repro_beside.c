/* THESIS §5.7.10 and §6.3: pairs of kernels side by side, a half of the SMs each. Warp tuples chosen alone (each
 * kernel by itself on the whole machine, as a profile made beforehand would), one for both, tuples chosen together
 * (each kernel's tuple in turn while the other keeps its own, until neither changes), and policies that choose at run
 * time. A speed is a kernel's cycles side by side under GTO over its cycles under the policy, each until its own end;
 * of a pair it is the harmonic mean. All runs are the runner's, so that a study goes on where it was interrupted. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/points.h"
#include "poise/sweep.h"
#include "studies/repro/figure.h"
#include "studies/repro/repro_internal.h"

enum { PAIRS_MAX = 16, TUPLES_MAX = RESPONSE_POINTS_MAX, ROUNDS_MAX = 8 };
/* What decides for one launch: a stack, or a warp tuple. */
struct side {
    const struct mech_spec *stack;
    unsigned n_stack;
    struct warp_tuple tuple;
};
struct speeds {
    double of[2], both;
};
struct pair {
    const struct launch *launches[2];
    char name[64];
    bool is_same_program;
    uint32_t W[2];
    struct warp_tuple alone[2], together[2], common;
    double cycles[2]; /* under GTO */
    struct speeds by_alone, by_together, by_common, by_policy[REPRO_POINTS_MAX], one_alone[2];
};
struct study {
    struct repro_spec spec;
    struct registry registry;
    struct launches launches; /* two a pair */
    struct runner *runner;
    const char *id;
    size_t n_pairs, n_runs;
    enum repro_mode mode;
    struct pair pairs[PAIRS_MAX];
};

/* ---- runs ---- */

/* The launch beside a job's, with its mechanisms. */
struct other {
    struct gpu_beside gpu;
    struct mech_spec stack[MECH_STACK_MAX];
};
struct runs {
    struct run_job *jobs;
    struct other *others;
    size_t n;
};

static int runs_new(struct runs *out, size_t n, struct error *err)
{
    *out = (struct runs){calloc(n + 1, sizeof *out->jobs), calloc(n + 1, sizeof *out->others), 0};
    return out->jobs && out->others ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu runs", n);
}

static void runs_fini(struct runs *r)
{
    for (size_t i = 0; r->jobs && i < r->n; i++) run_job_fini(&r->jobs[i]);
    for (size_t i = 0; r->others && i < r->n; i++)
        for (unsigned k = 0; k < r->others[i].gpu.n_stack; k++) mech_free(&r->others[i].stack[k]);
    free(r->jobs);
    free(r->others);
}

static int put_side(struct mech_spec *stack, unsigned *n, const struct side *side, struct error *err)
{
    char text[64];
    if (side->stack) return stack_copy(stack, n, side->stack, side->n_stack, err);
    snprintf(text, sizeof text, "tuple,N=%u,p=%u", side->tuple.N, side->tuple.p);
    if (mech_parse(&stack[0], text, err) < 0) return -1;
    *n = 1;
    return 0;
}

static int add_alone(struct runs *r, const struct study *s, const struct launch *launch, struct warp_tuple tuple,
                     struct error *err)
{
    struct run_job *job = &r->jobs[r->n++];
    job->launch = launch;
    job->params = s->spec.params[0];
    return put_side(job->stack, &job->n_stack, &(struct side){.tuple = tuple}, err);
}

static int add_pair(struct runs *r, const struct study *s, const struct pair *p, const struct side sides[2],
                    struct error *err)
{
    struct run_job *job = &r->jobs[r->n];
    struct other *other = &r->others[r->n++];
    job->launch = p->launches[0];
    job->params = s->spec.params[0];
    job->beside = p->launches[1];
    job->limits.beside = &other->gpu;
    other->gpu = (struct gpu_beside){
        .trace = p->launches[1]->hash, .stack = other->stack, .is_same_program = p->is_same_program};
    if (put_side(job->stack, &job->n_stack, &sides[0], err) < 0) return -1;
    return put_side(other->stack, &other->gpu.n_stack, &sides[1], err);
}

static int run(struct study *s, struct runs *r, struct error *err)
{
    if (runner_run(s->runner, s->id, r->jobs, r->n, err) < 0) return -1;
    s->n_runs += r->n;
    for (size_t i = 0; i < r->n; i++)
        if (r->jobs[i].result.err.code != ERR_NONE) {
            *err = r->jobs[i].result.err;
            return error_while(err, "%s%s%s", r->jobs[i].launch->label, r->jobs[i].beside ? " beside " : "",
                               r->jobs[i].beside ? r->jobs[i].beside->label : "");
        }
    return 0;
}

static double cycles_of(const struct run_job *job, size_t which)
{
    return json_number_value(json_object_get(run_result_launch(&job->result, which), "cycles"));
}

static struct speeds speeds_of(const struct pair *p, const struct run_job *job)
{
    struct speeds v;
    for (size_t k = 0; k < 2; k++) v.of[k] = p->cycles[k] / cycles_of(job, k);
    v.both = 2 / (1 / v.of[0] + 1 / v.of[1]);
    return v;
}

/* Of n settings of a pair. */
static int judge(struct study *s, const struct pair *p, const struct side (*sides)[2], size_t n, struct speeds *out,
                 struct error *err)
{
    struct runs r;
    int result = runs_new(&r, n, err);
    for (size_t i = 0; i < n && result == 0; i++) result = add_pair(&r, s, p, sides[i], err);
    if (result == 0) result = run(s, &r, err);
    for (size_t i = 0; i < n && result == 0; i++) out[i] = speeds_of(p, &r.jobs[i]);
    runs_fini(&r);
    return result;
}

/* ---- what is chosen ---- */

static size_t tuples_of(const struct study *s, uint32_t W, struct warp_tuple out[TUPLES_MAX])
{
    return s->mode == REPRO_QUICK ? points_coarse(W, out) : points_lattice(W, out);
}

static int choose_alone(struct study *s, struct pair *p, struct error *err)
{
    struct warp_tuple tuples[2][TUPLES_MAX];
    struct runs r;
    size_t n[2];
    for (size_t k = 0; k < 2; k++) n[k] = tuples_of(s, p->W[k], tuples[k]);
    int result = runs_new(&r, n[0] + n[1], err);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < n[k] && result == 0; i++) result = add_alone(&r, s, p->launches[k], tuples[k][i], err);
    if (result == 0) result = run(s, &r, err);
    for (size_t k = 0, at = 0; k < 2 && result == 0; k++) {
        double least = INFINITY;
        for (size_t i = 0; i < n[k]; i++) {
            const double cycles = gpu_stats_value(r.jobs[at++].result.stats, "core_cycles");
            if (cycles < least) least = cycles, p->alone[k] = tuples[k][i];
        }
    }
    runs_fini(&r);
    return result;
}

static int run_gto(struct study *s, struct pair *p, struct error *err)
{
    const struct side gto = {.stack = s->spec.stacks[0], .n_stack = s->spec.n_stacks[0]}, both[2] = {gto, gto};
    struct runs r;
    int result = runs_new(&r, 1, err);
    if (result == 0) result = add_pair(&r, s, p, both, err);
    if (result == 0) result = run(s, &r, err);
    for (size_t k = 0; k < 2 && result == 0; k++) p->cycles[k] = cycles_of(&r.jobs[0], k);
    runs_fini(&r);
    return result;
}

/* The best of tuples that both have. */
static int choose_common(struct study *s, struct pair *p, struct error *err)
{
    struct warp_tuple tuples[TUPLES_MAX];
    struct side sides[TUPLES_MAX][2];
    struct speeds speeds[TUPLES_MAX];
    const size_t n = tuples_of(s, p->W[0] < p->W[1] ? p->W[0] : p->W[1], tuples);
    for (size_t i = 0; i < n; i++) sides[i][0] = sides[i][1] = (struct side){.tuple = tuples[i]};
    if (judge(s, p, sides, n, speeds, err) < 0) return -1;
    p->by_common = speeds[0];
    p->common = tuples[0];
    for (size_t i = 1; i < n; i++)
        if (speeds[i].both > p->by_common.both) p->by_common = speeds[i], p->common = tuples[i];
    return 0;
}

/* The tuple of kernel k, while the other keeps its own. *improved: it is another one now. */
static int improve(struct study *s, struct pair *p, size_t k, bool *improved, struct error *err)
{
    struct warp_tuple tuples[TUPLES_MAX];
    struct side sides[TUPLES_MAX][2];
    struct speeds speeds[TUPLES_MAX];
    const size_t n = tuples_of(s, p->W[k], tuples);
    for (size_t i = 0; i < n; i++) {
        sides[i][k] = (struct side){.tuple = tuples[i]};
        sides[i][!k] = (struct side){.tuple = p->together[!k]};
    }
    if (judge(s, p, sides, n, speeds, err) < 0) return -1;
    *improved = false;
    for (size_t i = 0; i < n; i++)
        if (speeds[i].both > p->by_together.both)
            p->by_together = speeds[i], p->together[k] = tuples[i], *improved = true;
    return 0;
}

static int choose_together(struct study *s, struct pair *p, struct error *err)
{
    memcpy(p->together, p->alone, sizeof p->together);
    p->by_together = p->by_alone;
    if (p->by_common.both > p->by_together.both) {
        p->together[0] = p->together[1] = p->common;
        p->by_together = p->by_common;
    }
    bool improved[2] = {true, true};
    for (size_t round = 0; round < ROUNDS_MAX && (improved[0] || improved[1]); round++)
        if (improve(s, p, round % 2, &improved[round % 2], err) < 0) return -1;
    return 0;
}

/* Tuples chosen alone, on both kernels and on one of them, and what policies choose. */
static int judge_others(struct study *s, struct pair *p, struct error *err)
{
    enum { FIXED = 3 };
    struct side sides[FIXED + REPRO_POINTS_MAX][2];
    struct speeds speeds[FIXED + REPRO_POINTS_MAX];
    const struct side gto = {.stack = s->spec.stacks[0], .n_stack = s->spec.n_stacks[0]};
    for (size_t k = 0; k < 2; k++) {
        const struct side own = {.tuple = p->alone[k]};
        sides[0][k] = sides[1 + k][k] = own;
        sides[2 - k][k] = gto;
        for (size_t i = 1; i < s->spec.n_points; i++)
            sides[FIXED + i - 1][k] = (struct side){.stack = s->spec.stacks[i], .n_stack = s->spec.n_stacks[i]};
    }
    if (judge(s, p, sides, FIXED + s->spec.n_points - 1, speeds, err) < 0) return -1;
    p->by_alone = speeds[0];
    memcpy(p->one_alone, speeds + 1, sizeof p->one_alone);
    memcpy(p->by_policy, speeds + FIXED, (s->spec.n_points - 1) * sizeof *speeds);
    return 0;
}

static int run_pair(struct study *s, struct pair *p, struct error *err)
{
    if (choose_alone(s, p, err) < 0 || run_gto(s, p, err) < 0 || judge_others(s, p, err) < 0) return -1;
    return choose_common(s, p, err) < 0 ? -1 : choose_together(s, p, err);
}

/* ---- what is reported: pairs are a figure's benchmarks, and what was chosen are points beside the policies ---- */

enum { ALONE, TOGETHER, COMMON, FIRST_LIMITED, SECOND_LIMITED, N_CHOSEN };
static const char *const chosen_points[N_CHOSEN] = {"chosen alone", "chosen together", "one for both", "first limited",
                                                    "second limited"};

static int points_of(const struct study *s, struct repro_data *out, struct error *err)
{
    if (s->spec.n_points + N_CHOSEN > REPRO_POINTS_MAX)
        return error_set(err, ERR_INPUT, "%s: more than %d points", s->spec.name, REPRO_POINTS_MAX - N_CHOSEN);
    repro_spec_points(&s->spec, out);
    for (size_t i = 0; i < N_CHOSEN; i++)
        snprintf(out->points[out->n_points++], sizeof out->points[0], "%s", chosen_points[i]);
    return 0;
}

/* `tuples` NULL: a policy's, which has none. */
static json_t *values_of(const struct speeds *v, const struct warp_tuple *tuples)
{
    static const char *const names[2] = {"first", "second"};
    json_t *out = json_pack("{s:f}", "both", v->both);
    for (size_t k = 0; k < 2; k++) {
        json_t *own = json_pack("{s:f}", "speed", v->of[k]);
        if (tuples) json_object_set_new(own, "N", json_integer(tuples[k].N));
        if (tuples) json_object_set_new(own, "p", json_integer(tuples[k].p));
        json_object_set_new(out, names[k], own);
    }
    return out;
}

static int report(const struct repro_study *study, const struct study *s, struct repro_report *r, struct error *err)
{
    struct repro_benchmark benchmarks[PAIRS_MAX] = {{0}};
    struct repro_data data = {.benchmarks = benchmarks, .n = s->n_pairs};
    int result = points_of(s, &data, err);
    for (size_t i = 0; i < s->n_pairs && result == 0; i++) {
        const struct pair *p = &s->pairs[i];
        const struct warp_tuple both[2] = {p->common, p->common};
        json_t **chosen = &benchmarks[i].mechs[s->spec.n_points];
        benchmarks[i].name = p->name;
        for (size_t k = 1; k < s->spec.n_points; k++) benchmarks[i].mechs[k] = values_of(&p->by_policy[k - 1], NULL);
        chosen[ALONE] = values_of(&p->by_alone, p->alone);
        chosen[TOGETHER] = values_of(&p->by_together, p->together);
        chosen[COMMON] = values_of(&p->by_common, both);
        for (size_t k = 0; k < 2; k++) chosen[FIRST_LIMITED + k] = values_of(&p->one_alone[k], NULL);
    }
    if (result == 0) result = repro_report(study, &data, r, err);
    repro_deviation(r, "tuples are searched over %s, together by turns, which may end beside the best pair",
                    s->mode == REPRO_QUICK ? "1, 3, 8 and W" : "1 2 3 4 6 8 12 16 20 24");
    for (size_t i = 0; i < s->n_pairs; i++)
        for (size_t k = 0; k < data.n_points; k++) json_decref(benchmarks[i].mechs[k]);
    return result;
}

/* ---- running ---- */

static int find_pairs(struct study *s, const struct repro_options *o, struct error *err)
{
    const struct repro_scope *scope = &s->spec.scopes[o->mode];
    if (registry_load(&s->registry, o->paths.kernels, err) < 0) return -1;
    if (s->spec.n_kernels % 2 || s->spec.n_kernels / 2 > PAIRS_MAX)
        return error_set(err, ERR_INPUT, "%s: kernels: at most %d pairs are needed", s->spec.name, PAIRS_MAX);
    for (size_t i = 0; i < s->spec.n_kernels; i++) {
        struct launches all = {0};
        const struct workload *w;
        int result = registry_find(&s->registry, s->spec.kernels[i], &w, err);
        if (result == 0)
            result = select_launches(&all, &s->registry, &o->paths, w->name, scope->size, w->inputs, 1, NULL, 0,
                                     scope->is_profiled_only, err);
        if (result == 0) result = launches_add(&s->launches, &all.items[0], err);
        launches_fini(&all);
        if (result < 0) return -1;
    }
    s->n_pairs = s->spec.n_kernels / 2;
    for (size_t i = 0; i < s->n_pairs; i++) {
        struct pair *p = &s->pairs[i];
        for (size_t k = 0; k < 2; k++) p->launches[k] = &s->launches.items[2 * i + k];
        snprintf(p->name, sizeof p->name, "%.30s beside %.24s", s->spec.kernels[2 * i], s->spec.kernels[2 * i + 1]);
        if (launches_are_of_one_program(&p->is_same_program, p->launches[0], p->launches[1], err) < 0) return -1;
    }
    return 0;
}

/* W of each launch on its half of the SMs. */
static int survey(struct study *s, struct error *err)
{
    char sms[16];
    int result = 0;
    for (size_t i = 0; i < s->launches.n && result == 0; i++) {
        struct store_plan plan;
        struct gpu_params *half = gpu_params_copy(s->spec.params[0]);
        snprintf(sms, sizeof sms, "%u", gpu_beside_sms(s->spec.params[0], i % 2));
        result = half ? gpu_params_set(half, "core.sms", sms, err)
                      : error_set(err, ERR_MEMORY, "out of memory for a configuration");
        if (result == 0) result = runner_survey(s->runner, &s->launches.items[i], 1, half, &plan, err);
        if (result == 0) s->pairs[i / 2].W[i % 2] = plan.warps_per_scheduler;
        gpu_params_free(half);
    }
    return result;
}

/* What can be known before anything has been chosen: the kernels alone. */
static int estimate(struct study *s, struct repro_result *out, struct error *err)
{
    struct runs r;
    struct batch *batch = NULL;
    size_t most = 0;
    int result = runs_new(&r, s->launches.n * TUPLES_MAX, err);
    for (size_t i = 0; i < s->launches.n && result == 0; i++) {
        struct warp_tuple tuples[TUPLES_MAX];
        const size_t n = tuples_of(s, s->pairs[i / 2].W[i % 2], tuples);
        for (size_t k = 0; k < n && result == 0; k++) result = add_alone(&r, s, &s->launches.items[i], tuples[k], err);
        most += (ROUNDS_MAX / 2 + 1) * n + s->spec.n_points + 3;
    }
    if (result == 0) result = batch_new(&batch, s->runner, r.jobs, r.n, err);
    if (result == 0) result = batch_estimate(batch, &out->estimate, err);
    out->estimate.later = most;
    batch_free(batch);
    runs_fini(&r);
    return result;
}

static int prepare(struct study *s, const struct repro_study *study, const struct repro_options *o, struct error *err)
{
    char path[1200];
    s->id = study->id;
    s->mode = o->mode;
    if (o->runner.ranks || o->shard)
        return error_set(err, ERR_USAGE, "%s chooses its runs by what it has measured: neither --shard nor ranks",
                         study->id);
    snprintf(path, sizeof path, "%s/../specs/%s", o->paths.configs, study->spec);
    if (repro_spec_load(&s->spec, path, o->paths.configs, o->config, err) < 0) return -1;
    struct repro_data data = {.n_points = 0};
    if (repro_refuse_keys(&s->spec, study->id, err) < 0 || points_of(s, &data, err) < 0 ||
        repro_check_figure_over(study, &data, err) < 0)
        return -1;
    return find_pairs(s, o, err);
}

static void study_fini(struct study *s)
{
    runner_free(s->runner);
    launches_fini(&s->launches);
    registry_fini(&s->registry);
    repro_spec_fini(&s->spec);
    free(s);
}

int repro_run_pairs(const struct repro_study *study, const struct repro_options *o, struct repro_result *out,
                    struct error *err)
{
    struct study *s = calloc(1, sizeof *s);
    struct store *store = NULL;
    struct error later;
    if (!s) return error_set(err, ERR_MEMORY, "out of memory for a study");
    int result = prepare(s, study, o, err);
    snprintf(out->config, sizeof out->config, "%s", s->spec.config);
    if (result == 0)
        result = !o->is_dry                    ? store_open(&store, o->store, err)
                 : access(o->store, R_OK) == 0 ? store_open_read(&store, o->store, err)
                                               : 0;
    if (result == 0) result = runner_new(&s->runner, store, &o->runner, err);
    if (result == 0) result = survey(s, err);
    if (result == 0 && o->is_dry) result = estimate(s, out, err);
    for (size_t i = 0; i < s->n_pairs && result == 0 && !o->is_dry; i++) result = run_pair(s, &s->pairs[i], err);
    if (result == 0 && !o->is_dry) {
        result = report(study, s, &out->report, err);
        out->has_report = true;
        out->report.n_runs = s->n_runs;
        if (result == 0 && out->report.out_of_memory)
            result = error_set(err, ERR_MEMORY, "out of memory for the report");
    }
    if (s->runner) {
        out->totals = *runner_totals(s->runner);
        out->notes = runner_notes(s->runner);
    }
    study_fini(s);
    if (store_close(store, &later) < 0 && result == 0) *err = later, result = -1;
    if (result < 0) repro_result_fini(out);
    return result;
}
