/* Further policies on the evaluation launches: rivals, variants of the engine, other machines. Each is a stack of
 * mechanisms and changes of the configuration; words with @ are filled in from what the pipeline has measured. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/spec_format.h"
#include "studies/pipeline/contender_hints.h"
#include "studies/pipeline/pipeline_internal.h"
#include "workload/spec_read.h"
#include "poise/lab.h"

/* ---- reading ---- */

static int find(const struct pipeline_spec *s, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(s->contenders[i].name, name) == 0) return (int)i;
    return -1;
}

static int read_one(struct pipeline_spec *s, size_t i, const struct yaml_file *file, const struct yaml_node *map,
                    struct error *err)
{
    struct contender *c = &s->contenders[i];
    const struct yaml_node *mech = yaml_get(map, "mech");
    const char *texts[MECH_STACK_MAX] = {"gto"};
    char launches[16] = "all";
    c->n_mech = 1;
    if (map->kind != YAML_MAP) return yaml_error(file, map, err, "a contender is a map: {name: ccws, mech: [ccws]}");
    if (spec_check(file, map, &spec_format_pipeline, "contenders.", err) < 0 ||
        spec_name(file, map, "name", c->name, sizeof c->name, err) < 0)
        return -1;
    memcpy(c->title, c->name, sizeof c->title);
    if (spec_text(file, map, "title", false, c->title, sizeof c->title, err) < 0 ||
        spec_text(file, map, "over", false, c->over, sizeof c->over, err) < 0 ||
        spec_text(file, map, "stats", false, c->stats, sizeof c->stats, err) < 0 ||
        spec_text(file, map, "launches", false, launches, sizeof launches, err) < 0 ||
        (mech && spec_mechs(file, mech, texts, MECH_STACK_MAX, &c->n_mech, err) < 0))
        return -1;
    for (size_t k = 0; k < c->n_mech; k++) s->says_surface |= strstr(texts[k], "@surface") != NULL;
    const struct mech_type *counted = mech_find(c->stats);
    if (counted) snprintf(c->stats, sizeof c->stats, "%s", mech_name(counted)); /* by its own name */
    c->is_profiled_only = strcmp(launches, "profiled") == 0;
    if (!c->is_profiled_only && strcmp(launches, "all") != 0)
        return yaml_error(file, yaml_get(map, "launches"), err, "launches '%s': choose all or profiled", launches);
    for (int k = 0; k < N_POLICIES; k++)
        if (strcmp(policy_names[k], c->name) == 0)
            return yaml_error(file, map, err, "'%s' is measured anyway: choose another name", c->name);
    if (find(s, i, c->name) >= 0) return yaml_error(file, map, err, "'%s' is in the list twice", c->name);
    if (c->over[0] && find(s, i, c->over) < 0)
        return yaml_error(file, map, err, "over: no contender '%s' before this one", c->over);
    for (size_t m = 0; m < c->n_mech; m++)
        if (snprintf(c->mech[m], sizeof c->mech[m], "%s", texts[m]) >= (int)sizeof c->mech[m])
            return yaml_error(file, mech, err, "'%.40s...' is too long", texts[m]);
    return pipeline_read_set(c->set, COUNT_OF(c->set), &c->n_set, file, yaml_get(map, "set"), err);
}

int contenders_read(struct pipeline_spec *spec, const struct yaml_file *file, const struct yaml_node *list,
                    struct error *err)
{
    if (!list) return 0;
    if (list->kind != YAML_LIST) return yaml_error(file, list, err, "contenders: a list is needed here");
    if (list->n > CONTENDERS_MAX) return yaml_error(file, list, err, "at most %d contenders", CONTENDERS_MAX);
    for (size_t i = 0; i < list->n; i++)
        if (read_one(spec, i, file, list->items[i], err) < 0) return -1;
    spec->n_contenders = list->n;
    return 0;
}

/* ---- current tuples ---- */

void tuples_run_of(struct tuples_run *out, const json_t *mechs)
{
    size_t i;
    const json_t *mech;
    memset(out, 0, sizeof *out);
    json_array_foreach(mechs, i, mech) {
        const json_t *stats = json_object_get(mech, "stats");
        if (!json_object_get(stats, "sm_cycles")) continue;
#define F(name) out->name = json_number_value(json_object_get(stats, #name));
        TUPLES_RUN(F)
#undef F
        return;
    }
}

void tuples_run_add(struct tuples_run *into, const struct tuples_run *from, double weight)
{
#define F(name) into->name += weight * from->name;
    TUPLES_RUN(F)
#undef F
}

void tuples_run_means(const struct tuples_run *f, double *N, double *p)
{
    *N = f->sm_cycles > 0 ? f->N_cycles / f->sm_cycles : 0;
    *p = f->sm_cycles > 0 ? f->p_cycles / f->sm_cycles : 0;
}

json_t *tuples_run_json(const struct tuples_run *f)
{
    double N, p;
    if (f->sm_cycles <= 0) return NULL;
    tuples_run_means(f, &N, &p);
    json_t *json = json_pack("{s:o,s:o,s:o}", "N", json_figure(N), "p", json_figure(p), "exploring",
                             json_figure(f->explore_cycles / f->sm_cycles));
    if (f->predictions > 0) {
        json_object_set_new(json, "predicted_N", json_figure(f->predicted_N / f->predictions));
        json_object_set_new(json, "predicted_p", json_figure(f->predicted_p / f->predictions));
    }
    if (f->searches > 0) {
        json_object_set_new(json, "corrected_N", json_figure(f->corrected_N / f->searches));
        json_object_set_new(json, "corrected_p", json_figure(f->corrected_p / f->searches));
    }
    return json;
}

/* ---- filling in ---- */

/* What the @words stand for on this launch. */
struct words {
    uint32_t swl, swl_launch, best_N, best_p;
    struct warp_tuple train, predicted, beside;
};

/* The constant that does best on the training launches; all warps where they have no tuple in common. */
static int train_constant(struct warp_tuple *out, const struct pipeline *p, struct error *err)
{
    struct launch_runs *runs = calloc(p->n_training + 1, sizeof *runs);
    uint32_t *benchmark = calloc(p->n_training + 1, sizeof *benchmark);
    const int result =
        runs && benchmark ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu launches", p->n_training);
    for (size_t i = 0; i < p->n_training && result == 0; i++) {
        const struct profile *q = &p->profiles[i];
        const uint32_t W = q->plan.warps_per_scheduler;
        const struct tuple_run *all = profile_at(q, W, W, NULL);
        while (strcmp(p->benchmarks[benchmark[i]].workload->benchmark, q->workload->benchmark) != 0) benchmark[i]++;
        if (!q->launch->is_profiled || !all) continue;
        runs[i] = (struct launch_runs){.W = W, .gto = all->m, .points = q->runs, .n_points = q->n_runs};
    }
    if (result == 0) *out = policy_constant(runs, benchmark, p->n_training);
    if (result == 0 && out->N == 0) *out = (struct warp_tuple){UINT16_MAX, UINT16_MAX};
    free(runs);
    free(benchmark);
    return result;
}

/* All warps of a launch that nothing was predicted for. */
static struct warp_tuple tuple_or_all(uint32_t N, uint32_t p, uint32_t W)
{
    return N ? (struct warp_tuple){(uint16_t)N, (uint16_t)p} : (struct warp_tuple){(uint16_t)W, (uint16_t)W};
}

static struct words words_of(const struct benchmark *b, const struct profile *q, struct warp_tuple train)
{
    const uint32_t W = q->plan.warps_per_scheduler, swl = (uint32_t)b->totals[POLICY_swl].N;
    const struct launch_runs runs = {.W = W, .points = q->runs, .n_points = q->launch->is_profiled ? q->n_runs : 0};
    const struct tuple_run *best = launch_best(&runs);
    const uint32_t own = runs.n_points ? policy_swl(&runs, 1) : 0;
    return (struct words){.swl = swl && swl < W ? swl : W,
                          .swl_launch = own ? own : W,
                          .best_N = best ? best->at.N : W,
                          .best_p = best ? best->at.p : W,
                          .predicted = tuple_or_all(q->predicted_N, q->predicted_p, W),
                          .beside = tuple_or_all(q->beside.N, q->beside.p, W),
                          .train = {train.N < W ? train.N : W, train.p < W ? train.p : W}};
}

/* `value`, and what a text such as +2 or -1 adds to it, held within 1 and W; how long the text is. */
static int add_offset(const char *text, uint32_t value, uint32_t W, char *out, size_t size)
{
    const bool is_less = *text == '-';
    int n = is_less || *text == '+';
    uint32_t by = 0;
    while (n && isdigit((unsigned char)text[n]) && by < 1000) by = 10 * by + (uint32_t)(text[n++] - '0');
    const uint32_t moved = is_less ? (value > by ? value - by : 1) : value + by;
    snprintf(out, size, "%u", (unsigned)(by == 0 ? value : moved < W ? moved : W));
    return by ? n : 0;
}

/* One @word at `in` into out; how many characters of it were read, or -1. */
static int fill_word(const struct pipeline *p, const struct profile *q, const struct words *words, const char *in,
                     char *out, size_t size, struct error *err)
{
    static const char without[] = "@without:";
    const struct {
        const char *word;
        uint32_t value;
    } numbers[] = {{"@swl_launch", words->swl_launch},   {"@swl", words->swl},
                   {"@best_N", words->best_N},           {"@best_p", words->best_p},
                   {"@train_N", words->train.N},         {"@train_p", words->train.p},
                   {"@predicted_N", words->predicted.N}, {"@predicted_p", words->predicted.p},
                   {"@beside_N", words->beside.N},       {"@beside_p", words->beside.p}};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        const size_t length = strlen(numbers[i].word);
        if (strncmp(in, numbers[i].word, length) != 0) continue;
        if (strncmp(in, "@beside", 7) == 0 && !p->spec->beside[0]) break;
        return (int)length + add_offset(in + length, numbers[i].value, q->plan.warps_per_scheduler, out, size);
    }
    static const char *const networks[] = {"@response", "@surface"}; /* the old name: until SIM_MODEL_VERSION 5 */
    for (size_t i = 0; i < COUNT_OF(networks) && p->response; i++)
        if (strncmp(in, networks[i], strlen(networks[i])) == 0) {
            pipeline_response_path(p, q->workload, out, size);
            return (int)strlen(networks[i]);
        }
    const int hint = contender_hint(p, q, in, out, size, err);
    if (hint != 0) return hint;
    if (strncmp(in, "@models", 7) == 0) {
        lab_models(out, size, p->options->paths.configs);
        return 7;
    }
    if (strncmp(in, "@maximum_likelihood", 19) == 0 && pipeline_is_penalised(p->spec)) {
        pipeline_path(p, UNPENALISED_MODEL, out, size);
        return 19;
    }
    if (strncmp(in, "@model", 6) == 0) {
        snprintf(out, size, "%s", p->model_path);
        return 6;
    }
    for (size_t i = 0; i < p->spec->n_retrain; i++) {
        const char *name = p->spec->retrain[i];
        const size_t length = strlen(name);
        const char *asked = in + sizeof without - 1;
        if (strncmp(in, without, sizeof without - 1) != 0 || strncmp(asked, name, length) != 0 ||
            (asked[length] && asked[length] != ','))
            continue;
        char file[128];
        snprintf(file, sizeof file, "model-without-%s.json", name);
        pipeline_path(p, file, out, size);
        return (int)(sizeof without - 1 + length);
    }
    return error_set(
        err, ERR_INPUT,
        "'%s': there is no such word; known are @swl @swl_launch @best_N @best_p @train_N @train_p @predicted_N "
        "@predicted_p, @beside_N @beside_p (of beside), each with an offset such as +2, @model @models "
        "@maximum_likelihood (beside a penalty) @without:FEATURE (of retrain) @response (of response), @hint "
        "@hint_corrected @hint_tenth "
        "@hint_remembered @hint_other @hint_smaller (of learned,hint=..)",
        in);
}

static int fill(const struct pipeline *p, const struct profile *q, const struct words *words, const char *in, char *out,
                size_t size, struct error *err)
{
    size_t at = 0;
    while (*in && at + 1 < size) {
        if (*in != '@') {
            out[at++] = *in++;
            continue;
        }
        const int taken = fill_word(p, q, words, in, out + at, size - at, err);
        if (taken < 0) return -1;
        in += taken;
        at += strlen(out + at);
    }
    out[at] = 0;
    return *in ? error_set(err, ERR_INPUT, "'%s' is too long", out) : 0;
}

/* ---- running ---- */

static int params_of(const struct pipeline *p, const struct contender *c, struct gpu_params **out, struct error *err)
{
    if (c->n_set == 0) return 0;
    if (!(*out = gpu_params_copy(p->params))) return error_set(err, ERR_MEMORY, "out of memory for a configuration");
    for (size_t i = 0; i < c->n_set; i++)
        if (gpu_params_set(*out, c->set[i][0], c->set[i][1], err) < 0) return -1;
    return gpu_params_check(*out, err);
}

static int fill_job(const struct pipeline *p, const struct contender_setup *setup, const struct contender *c,
                    const struct benchmark *b, const struct profile *q, struct run_job *job, struct error *err)
{
    const struct words words = words_of(b, q, setup->train);
    char text[1400];
    job->launch = q->launch;
    job->params = p->params;
    job->limits.no_skip = p->options->no_skip;
    if (c->is_profiled_only && !q->launch->is_profiled) { /* as SWL and Static-Best there: all warps */
        const uint32_t W = q->plan.warps_per_scheduler;
        return run_job_tuple(job, W, W, err) < 0 ? -1 : pipeline_with(p, job, err);
    }
    for (size_t m = 0; m < c->n_mech; m++) {
        if (fill(p, q, &words, c->mech[m], text, sizeof text, err) < 0 || mech_parse(&job->stack[m], text, err) < 0)
            return -1;
        job->n_stack++;
    }
    return pipeline_with(p, job, err);
}

int contender_job(const struct pipeline *p, const struct contender_setup *setup, size_t c, const struct benchmark *b,
                  const struct profile *q, struct run_job *job, struct error *err)
{
    const int result = fill_job(p, setup, &p->spec->contenders[c], b, q, job, err);
    if (setup->params[c]) job->params = setup->params[c];
    return result < 0 ? error_while(err, "contender %s", p->spec->contenders[c].name) : 0;
}

int contenders_begin(struct contender_setup *out, const struct pipeline *p, struct error *err)
{
    *out = (struct contender_setup){0};
    for (size_t c = 0; c < p->spec->n_contenders; c++)
        if (params_of(p, &p->spec->contenders[c], &out->params[c], err) < 0)
            return error_while(err, "contender %s", p->spec->contenders[c].name);
    return p->spec->n_contenders ? train_constant(&out->train, p, err) : 0;
}

void contenders_end(struct contender_setup *setup)
{
    for (size_t c = 0; c < CONTENDERS_MAX; c++) gpu_params_free(setup->params[c]);
}

/* The jobs of all launches of all contenders, contender by contender. */
static int make_jobs(const struct pipeline *p, const struct contender_setup *setup, struct run_job *jobs,
                     struct error *err)
{
    for (size_t c = 0; c < p->spec->n_contenders; c++)
        for (size_t b = p->n_training_benchmarks; b < p->n_benchmarks; b++)
            for (size_t l = 0; l < p->benchmarks[b].n; l++)
                if (contender_job(p, setup, c, &p->benchmarks[b], &p->benchmarks[b].profiles[l], jobs++, err) < 0)
                    return -1;
    return 0;
}

/* Adds the counters of the mechanism of that name. */
static void add_stats(json_t **into, const json_t *mechs, const char *name, double weight)
{
    size_t i;
    const json_t *mech;
    json_array_foreach(mechs, i, mech) {
        const char *key;
        json_t *value;
        if (strcmp(json_string_value(json_object_get(mech, "name")), name) != 0) continue;
        if (!*into) *into = json_object();
        json_object_foreach(json_object_get(mech, "stats"), key, value)
            if (json_is_integer(value))
                json_object_set_new(*into, key,
                                    json_integer(json_integer_value(json_object_get(*into, key)) +
                                                 llround(weight * (double)json_integer_value(value))));
    }
}

void contender_take(const struct pipeline *p, struct benchmark *b, size_t c, const struct run_result *result,
                    double weight)
{
    struct measure m;
    struct tuples_run tuples;
    measure_stats(&m, result->stats);
    tuples_run_of(&tuples, result->mechs);
    m = measure_scaled(&m, weight);
    measure_add(&b->contenders[c].m, &m);
    tuples_run_add(&b->their_tuples[c], &tuples, weight);
    if (p->spec->contenders[c].stats[0]) add_stats(&b->stats[c], result->mechs, p->spec->contenders[c].stats, weight);
}

static void take(const struct pipeline *p, const struct run_job *jobs)
{
    for (size_t c = 0; c < p->spec->n_contenders; c++)
        for (size_t b = p->n_training_benchmarks; b < p->n_benchmarks; b++)
            for (size_t l = 0; l < p->benchmarks[b].n; l++) contender_take(p, &p->benchmarks[b], c, &jobs++->result, 1);
}

int contender_over(const struct pipeline_spec *spec, size_t c) { return find(spec, c, spec->contenders[c].over); }

void contenders_total(const struct pipeline *p, struct benchmark *b)
{
    for (size_t c = 0; c < p->spec->n_contenders; c++) {
        const int over = contender_over(p->spec, c);
        const uint64_t base = over < 0 ? b->totals[POLICY_gto].m.cycles : b->contenders[over].m.cycles;
        struct policy_total *t = &b->contenders[c];
        t->speedup = t->m.cycles ? (double)base / (double)t->m.cycles : 0;
        tuples_run_means(&b->their_tuples[c], &t->N, &t->p);
    }
}

int contenders_run(struct pipeline *p, struct error *err)
{
    const size_t n_jobs = p->spec->n_contenders * (p->n_profiles - p->n_training);
    struct contender_setup setup;
    if (n_jobs == 0) return 0;
    struct run_job *jobs = calloc(n_jobs, sizeof *jobs);
    if (!jobs) return error_set(err, ERR_MEMORY, "out of memory for %zu runs", n_jobs);
    int result = contenders_begin(&setup, p, err);
    if (result == 0) result = make_jobs(p, &setup, jobs, err);
    if (result == 0) result = pipeline_jobs(p, "contenders", jobs, n_jobs, err);
    if (result == 0) {
        take(p, jobs);
        for (size_t b = p->n_training_benchmarks; b < p->n_benchmarks; b++) contenders_total(p, &p->benchmarks[b]);
    }
    for (size_t i = 0; i < n_jobs; i++) run_job_fini(&jobs[i]);
    contenders_end(&setup);
    free(jobs);
    return result;
}
