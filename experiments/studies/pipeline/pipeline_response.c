/* Response surfaces: what the engine `learned` samples of each profiled launch -> rows -> a learner -> integer
 * networks. Each benchmark of the evaluation list gets a network whose training left its family out
 * (response-FAMILY.json, the word @response of contenders); response.json is of all families. What is learned from is
 * what is served: the samplings of the engine itself, at the launch's start and after it has run at other tuples for a
 * while. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/pipeline/pipeline_internal.h"
#include "poise/csv.h"
#include "poise/lab.h"
#include "poise/model_machine.h"
#include "poise/sampling.h"
#include "poise/spec_format.h"
#include "poise/response_model.h"
#include "poise/response_table.h"
#include "poise/response_validate.h"
#include "poise/validate.h"
#include "workload/spec_read.h"

enum { LATER = 60000 /* cycles at a tuple before a later sampling */ };

/* ---- reading ---- */

static int read_bases(struct response_spec *s, const struct yaml_file *file, const struct yaml_node *list,
                      struct error *err)
{
    if (!list) return 0;
    if (list->kind != YAML_LIST || list->n > COUNT_OF(s->bases))
        return yaml_error(file, list, err, "after: a list of at most %zu tuples [N, p]", COUNT_OF(s->bases));
    for (size_t i = 0; i < list->n; i++) {
        const struct yaml_node *pair = list->items[i];
        int64_t N, p;
        if (pair->kind != YAML_LIST || pair->n != 2)
            return yaml_error(file, pair, err, "a tuple [N, p] is needed here");
        if (spec_whole(file, pair->items[0], 1, 64, &N, err) < 0 ||
            spec_whole(file, pair->items[1], 1, 64, &p, err) < 0)
            return -1;
        if (p > N) return yaml_error(file, pair, err, "p is above N");
        s->bases[s->n_bases++] = (struct warp_tuple){(uint32_t)N, (uint32_t)p};
    }
    return 0;
}

static int read_features(struct response_spec *s, const struct sampling_tuples *tuples, const struct yaml_file *file,
                         const struct yaml_node *node, struct error *err)
{
    const char *texts[SAMPLING_FEATURES_MAX];
    struct sampling_feature ignored[SAMPLING_FEATURES_MAX];
    struct error inner;
    if (!node) return yaml_error(file, yaml_root(file), err, "response: features: [...] is missing");
    if (spec_names(file, node, texts, COUNT_OF(texts), &s->n_features, err) < 0) return -1;
    if (s->n_features == 0) return yaml_error(file, node, err, "no feature is left to learn from");
    if (sampling_resolve(texts, s->n_features, tuples->n, ignored, "response", &inner) < 0)
        return yaml_error(file, node, err, "%s", inner.text);
    for (size_t i = 0; i < s->n_features; i++) snprintf(s->features[i], sizeof *s->features, "%s", texts[i]);
    return 0;
}

int response_spec_read(struct response_spec *s, const struct yaml_file *file, const struct yaml_node *map,
                       struct error *err)
{
    struct sampling_tuples tuples;
    uint64_t hidden = 12, coefs = 4;
    struct error inner;
    if (!map) return 0;
    if (map->kind != YAML_MAP)
        return yaml_error(file, map, err, "response: a map is needed here, as in {sampling: \"4:1 / 2:2 / W:W\", ...}");
    snprintf(s->learner, sizeof s->learner, "gp");
    if (spec_check(file, map, &spec_format_pipeline, "response.", err) < 0 ||
        spec_text(file, map, "table", false, s->table, sizeof s->table, err) < 0 ||
        spec_text(file, map, "sampling", !s->table[0], s->sampling, sizeof s->sampling, err) < 0 ||
        spec_text(file, map, "learner", false, s->learner, sizeof s->learner, err) < 0 ||
        spec_text(file, map, "engine", false, s->engine, sizeof s->engine, err) < 0 ||
        spec_u64(file, map, "hidden", false, 1, RESPONSE_HIDDEN_MAX, &hidden, err) < 0 ||
        spec_u64(file, map, "coefs", false, 1, RESPONSE_COEFS_MAX, &coefs, err) < 0 ||
        spec_u64(file, map, "min_cycles", false, 0, 1000000000000, &s->min_cycles, err) < 0)
        return -1;
    if (s->table[0] && (s->sampling[0] || yaml_get(map, "features") || yaml_get(map, "after")))
        return yaml_error(file, map, err, "a table has its own sampling, features and states");
    if (s->sampling[0] && sampling_tuples_parse(&tuples, s->sampling, &inner) < 0)
        return yaml_error(file, yaml_get(map, "sampling"), err, "%s", inner.text);
    if (response_family_parse(&s->family, s->learner, &inner) < 0)
        return yaml_error(file, yaml_get(map, "learner"), err, "%s", inner.text);
    s->hidden = (uint32_t)hidden;
    s->coefs = (uint32_t)coefs;
    if (s->table[0]) return 0;
    s->n_rounds = tuples.n_rounds;
    return read_features(s, &tuples, file, yaml_get(map, "features"), err) < 0
               ? -1
               : read_bases(s, file, yaml_get(map, "after"), err);
}

/* ---- samplings ---- */

/* Cycles until the engine, with these parameters, has taken as many samplings as it is to take. A period ends with a
 * monitoring window, so a later sampling begins at most that much later; a round more is room for the changes. */
static uint64_t sampling_cycles(const struct mech_spec *mech, size_t rounds, bool is_later)
{
    json_t *spec = mech_spec_json(mech), *params = json_object_get(spec, "params");
    uint64_t wait = 0, warmup = 0, sample = 0, monitor = 0;
    const struct {
        const char *name;
        uint64_t *cycles;
    } read[] = {{"T_wait", &wait}, {"T_warmup", &warmup}, {"T_sample", &sample}, {"T_monitor", &monitor}};
    for (size_t i = 0; i < COUNT_OF(read); i++)
        *read[i].cycles = (uint64_t)json_integer_value(json_object_get(params, read[i].name));
    json_decref(spec);
    return wait + (rounds + 1) * (warmup + sample) * (is_later ? 2 : 1) + (is_later ? LATER + monitor : 0);
}

static int sampling_job(struct pipeline *p, struct run_job *job, const struct profile *q, size_t state,
                        struct error *err)
{
    const struct response_spec *s = &p->spec->response;
    char text[400];
    int n = snprintf(text, sizeof text, "learned,observe=1");
    if (state)
        n += snprintf(text + n, sizeof text - (size_t)n, ",record=2,T_period=%d,base_N=%u,base_p=%u", LATER,
                      (unsigned)s->bases[state - 1].N, (unsigned)s->bases[state - 1].p);
    if (s->engine[0]) snprintf(text + n, sizeof text - (size_t)n, ",%s", s->engine);
    job->launch = q->launch;
    job->params = p->params;
    job->n_stack = 1;
    if (mech_parse(&job->stack[0], text, err) < 0 || mech_set(&job->stack[0], "sample", s->sampling, err) < 0)
        return -1;
    job->limits = (struct gpu_limits){.no_skip = p->options->no_skip,
                                      .max_cycles = sampling_cycles(&job->stack[0], s->n_rounds, state > 0)};
    return pipeline_with(p, job, err);
}

/* A group's counters out of what the engine counted: "g3_insts". */
static void take_groups(struct sampling *out, const struct sampling_tuples *tuples, uint32_t W, const json_t *stats)
{
    *out = (struct sampling){.W = W, .n = tuples->n, .base = tuples->base};
    for (size_t g = 0; g < tuples->n; g++) {
        char name[64];
#define C(field, doc) \
    snprintf(name, sizeof name, "g%zu_" #field, g); \
    out->at[g].field = (uint64_t)json_integer_value(json_object_get(stats, name));
        FEATURE_COUNTERS(C)
#undef C
    }
}

/* ---- rows ---- */

const char *pipeline_response_file(const char *dir, const char *family, char *path, size_t size)
{
    snprintf(path, size, "%s/response%s%.60s.json", dir, family ? "-" : "", family ? family : "");
    return path;
}

const char *pipeline_response_path(const struct pipeline *p, const struct workload *w, char *path, size_t size)
{
    return pipeline_response_file(p->options->out_dir, workload_family(w), path, size);
}

struct rows {
    size_t n, k, n_ended, n_idle, n_short; /* n_...: samplings that are not learned from, by reason */
    double *x, *z, *w;
    size_t *group, *state; /* state: 0 at the launch's start, then the spec's `after` from 1 */
    const struct profile **profile;
    uint32_t *W;
    struct sampling_tuples sampled;
    struct sampling_feature features[SAMPLING_FEATURES_MAX];
    struct response_tuple tuples[RESPONSE_POINTS_MAX];
    const char *names[SAMPLING_FEATURES_MAX];
    const char *sampling;
    struct groups families;
    size_t first_profile;         /* families.of[first_profile + i] is profile i's */
    struct response_table *table; /* what names and sampling are of; NULL: the spec's */
};

static void rows_fini(struct rows *r)
{
    free(r->x), free(r->z), free(r->w), free(r->group), free(r->W), free(r->state), free(r->profile);
    groups_fini(&r->families);
    if (r->table) response_table_fini(r->table);
    free(r->table);
}

static int rows_init(struct rows *r, const struct pipeline *p, size_t most, struct error *err)
{
    *r = (struct rows){.k = p->spec->response.n_features, .sampling = p->spec->response.sampling};
    r->x = calloc(most * r->k + 1, sizeof *r->x);
    r->z = calloc(most * RESPONSE_POINTS_MAX + 1, sizeof *r->z);
    r->w = calloc(most + 1, sizeof *r->w);
    r->group = calloc(most + 1, sizeof *r->group);
    r->W = calloc(most + 1, sizeof *r->W);
    r->state = calloc(most + 1, sizeof *r->state);
    r->profile = calloc(most + 1, sizeof *r->profile);
    if (!r->x || !r->z || !r->w || !r->group || !r->W || !r->state || !r->profile)
        return error_set(err, ERR_MEMORY, "out of memory for %zu samplings", most);
    for (size_t t = 0; t < RESPONSE_POINTS_MAX; t++) r->tuples[t] = response_point(response_levels, t);
    for (size_t i = 0; i < r->k; i++) r->names[i] = p->spec->response.features[i];
    if (sampling_tuples_parse(&r->sampled, p->spec->response.sampling, err) < 0 ||
        sampling_resolve(r->names, r->k, r->sampled.n, r->features, "response", err) < 0)
        return -1;
    const char **texts = calloc(p->n_profiles + 1, sizeof *texts);
    if (!texts) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", p->n_profiles);
    for (size_t i = 0; i < p->n_profiles; i++) texts[i] = workload_family(p->profiles[i].workload);
    const int result = groups_init(&r->families, texts, p->n_profiles, err);
    free(texts);
    return result;
}

static uint64_t gto_cycles(const struct profile *q)
{
    return profile_at(q, q->plan.warps_per_scheduler, q->plan.warps_per_scheduler, NULL)->m.cycles;
}

/* ln of the speedup at every tuple of the lattice; tuples above W are (W, W)'s and its like. */
static int fill_response(const struct profile *q, const struct response_tuple *tuples, double *z, struct error *err)
{
    const uint32_t W = q->plan.warps_per_scheduler;
    const double gto = (double)gto_cycles(q);
    for (size_t t = 0; t < RESPONSE_POINTS_MAX; t++) {
        const struct response_tuple at = response_clamp(tuples[t], W);
        const struct tuple_run *run = profile_at(q, at.N, at.p, NULL);
        if (!run)
            return error_set(err, ERR_INPUT,
                             "%s: (%u,%u) was not simulated: response surfaces need points: lattice or all",
                             q->launch->label, (unsigned)at.N, (unsigned)at.p);
        z[t] = log(gto / (double)run->m.cycles);
    }
    return 0;
}

static int take_row(struct rows *r, const struct pipeline *p, size_t profile, size_t state, const json_t *mechs,
                    struct error *err)
{
    const json_t *stats = json_object_get(json_array_get(mechs, 0), "stats");
    const struct profile *q = &p->profiles[profile];
    struct sampling s;
    float x[SAMPLING_FEATURES_MAX];
    if (json_integer_value(json_object_get(stats, "recorded")) == 0) return r->n_ended++, 0;
    if (gto_cycles(q) < p->spec->response.min_cycles) return r->n_short++, 0;
    if (fill_response(q, r->tuples, r->z + r->n * RESPONSE_POINTS_MAX, err) < 0) return -1;
    take_groups(&s, &r->sampled, q->plan.warps_per_scheduler, stats);
    if (s.at[s.base].loads == 0) return r->n_idle++, 0; /* nothing to tell from */
    sampling_vector(r->features, r->k, &s, x);
    for (size_t i = 0; i < r->k; i++) r->x[r->n * r->k + i] = (double)x[i];
    r->w[r->n] = 1.0 / (double)(1 + p->spec->response.n_bases);
    r->state[r->n] = state;
    r->profile[r->n] = q;
    r->group[r->n] = r->families.of[profile];
    r->W[r->n++] = q->plan.warps_per_scheduler;
    return 0;
}

static int collect(struct pipeline *p, struct rows *r, struct error *err)
{
    const size_t states = 1 + p->spec->response.n_bases, most = p->n_profiles * states;
    struct run_job *jobs = calloc(most + 1, sizeof *jobs);
    size_t n = 0, *state = calloc(most + 1, sizeof *state);
    int result = jobs && state ? 0 : error_set(err, ERR_MEMORY, "out of memory for %zu runs", most);
    for (size_t i = 0; i < p->n_profiles && result == 0; i++)
        for (size_t s = 0; s < states && result == 0 && p->profiles[i].launch->is_profiled; s++) {
            jobs[n].index = i;
            state[n] = s;
            result = sampling_job(p, &jobs[n++], &p->profiles[i], s, err);
        }
    if (result == 0) result = pipeline_jobs(p, "samplings", jobs, n, err);
    if (result == 0) result = rows_init(r, p, n, err);
    for (size_t i = 0; i < n && result == 0; i++)
        result = take_row(r, p, jobs[i].index, state[i], jobs[i].result.mechs, err);
    for (size_t i = 0; i < n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    free(state);
    return result == 0 && r->n == 0 ? error_set(err, ERR_RUN, "no launch is long enough for a sampling") : result;
}

/* samplings.csv: what is learned from, a row a sampling: poise features coverage reads it. */
static int write_rows(const struct pipeline *p, const struct rows *r, struct error *err)
{
    char path[1200], number[40];
    FILE *out = fopen(pipeline_path(p, "samplings.csv", path, sizeof path), "w");
    if (!out) return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    fprintf(out, "launch,trace,family,split,sampling,state,W,weight");
    for (size_t i = 0; i < r->k; i++) csv_next(out, r->names[i]);
    for (size_t t = 0; t < RESPONSE_POINTS_MAX; t++)
        fprintf(out, ",z_%u_%u", (unsigned)r->tuples[t].N, (unsigned)r->tuples[t].p);
    fputc('\n', out);
    for (size_t i = 0; i < r->n; i++) {
        const struct launch *l = r->profile[i]->launch;
        char hash[HASH_TEXT_SIZE];
        hash_text(&l->hash, hash);
        csv_print(out, l->label);
        csv_next(out, hash);
        csv_next(out, r->families.names[r->group[i]]);
        csv_next(out, workload_splits[r->profile[i]->workload->split]);
        csv_next(out, p->spec->response.sampling);
        fprintf(out, ",%zu,%u,%s", r->state[i], (unsigned)r->W[i], number_text(r->w[i], number, sizeof number));
        for (size_t k = 0; k < r->k; k++) fprintf(out, ",%s", number_text(r->x[i * r->k + k], number, sizeof number));
        for (size_t t = 0; t < RESPONSE_POINTS_MAX; t++)
            fprintf(out, ",%s", number_text(r->z[i * RESPONSE_POINTS_MAX + t], number, sizeof number));
        fputc('\n', out);
    }
    const bool failed = ferror(out);
    return fclose(out) || failed ? error_set(err, ERR_IO, "%s: cannot be written", path) : 0;
}

/* ---- learning ---- */

struct lesson {
    size_t group; /* left out, unless is_all */
    bool is_all;
    struct response_model model;
    struct error err;
};

/* Whether a family has a sampling that is learned from. */
static bool has_rows(const struct rows *r, size_t group)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->group[i] == group) return true;
    return false;
}

/* The network as a model file: its name, and what it was trained on. */
static int make_model(const struct pipeline *p, const struct rows *r, struct lesson *lesson,
                      const struct response_distilled *net, const struct response_data *data, double caution,
                      struct error *err)
{
    const struct response_spec *s = &p->spec->response;
    char title[MODEL_NAME_MAX];
    snprintf(title, sizeof title, "%.20s%s%.30s", p->spec->name, lesson->is_all ? "" : " without ",
             lesson->is_all ? "" : r->families.names[lesson->group]);
    if (response_distilled_model(&lesson->model, title, net, data, r->sampling, SIM_MODEL_VERSION, err) < 0) return -1;
    json_object_set_new(lesson->model.training, "machine", model_machine(p->params));
    json_object_set_new(lesson->model.training, "learner", json_string(s->learner));
    json_object_set_new(lesson->model.training, "rows_used", json_integer((json_int_t)data->n));
    json_object_set_new(lesson->model.training, "caution", json_figure(caution));
    json_t *seen = json_array();
    for (size_t g = 0; g < r->families.n_groups; g++)
        if ((lesson->is_all || g != lesson->group) && has_rows(r, g))
            json_array_append_new(seen, json_string(r->families.names[g]));
    json_object_set_new(lesson->model.training, "families", seen);
    return 0;
}

static int learn(const struct pipeline *p, const struct rows *r, struct lesson *lesson, struct error *err)
{
    const struct response_spec *s = &p->spec->response;
    const struct response_data all = {.n = r->n,
                                      .k = r->k,
                                      .m = RESPONSE_POINTS_MAX,
                                      .x = r->x,
                                      .z = r->z,
                                      .w = r->w,
                                      .group = r->group,
                                      .n_groups = r->families.n_groups,
                                      .W = r->W,
                                      .tuples = r->tuples,
                                      .names = r->names};
    struct response_cv_options options = {
        .family = s->family, .axes = s->family->axes, .n_axes = s->family->n_axes, .inner_folds = 6, .seed = 1};
    struct family_settings settings;
    struct response_rule rule;
    struct response_predictor *predictor = NULL;
    struct response_distilled net;
    struct response_subset part;
    size_t *keep = calloc(r->n + 1, sizeof *keep), n = 0;
    if (!keep) return error_set(err, ERR_MEMORY, "out of memory for %zu samplings", r->n);
    for (size_t i = 0; i < r->n; i++)
        if (lesson->is_all || r->group[i] != lesson->group) keep[n++] = i;
    response_defaults(s->family, &options.settings);
    int result = response_subset_init(&part, &all, keep, n, err);
    free(keep);
    if (result < 0) return -1;
    result = response_tune(&settings, &rule, &part.data, &options, err);
    if (result == 0) result = response_fit(&predictor, s->family, &part.data, &settings, err);
    const struct response_distil_options distil = {.hidden = s->hidden, .coefs = s->coefs, .rule = rule, .seed = 1};
    if (result == 0) result = response_distil(&net, predictor, &part.data, &distil, err);
    if (result == 0) result = make_model(p, r, lesson, &net, &part.data, rule.caution, err);
    response_predictor_free(predictor);
    response_subset_fini(&part);
    return result;
}

/* Mean regret of the family's own rows under the network that never saw them. */
static double held_out(const struct rows *r, const struct lesson *lesson)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->group[i] != lesson->group) continue;
        const size_t choice = response_distilled_choose(&lesson->model.net, r->tuples, r->x + i * r->k, r->W[i]);
        sum += r->w[i] * response_regret(r->z + i * RESPONSE_POINTS_MAX, RESPONSE_POINTS_MAX, choice);
        weight += r->w[i];
    }
    return weight > 0 ? sum / weight : NAN;
}

static bool is_evaluated(const struct pipeline *p, const struct rows *r, size_t group)
{
    for (size_t i = p->n_training; i < p->n_profiles; i++)
        if (r->families.of[r->first_profile + i] == group) return true;
    return false;
}

static int learn_all(struct pipeline *p, const struct rows *r, struct lesson *lessons, size_t n, struct error *err)
{
    const struct runner_options *o = &p->options->runner;
    if (o->progress)
        fprintf(o->progress,
                "learning %s from %zu samplings of %zu families, each left out once; not from %zu of launches that had "
                "ended, %zu without loads, %zu of launches under %" PRIu64 " cycles\n",
                p->spec->response.learner, r->n, r->families.n_groups, r->n_ended, r->n_idle, r->n_short,
                p->spec->response.min_cycles);
#pragma omp parallel for schedule(dynamic, 1) num_threads(o->threads ? (int)o->threads : 2)
    for (size_t i = 0; i < n; i++) {
        struct error mine = {0};
        if (learn(p, r, &lessons[i], &mine) < 0) lessons[i].err = mine;
    }
    json_t *by_family = json_object();
    double sum = 0;
    size_t n_known = 0;
    for (size_t i = 0; i < n; i++) {
        if (lessons[i].err.code) {
            *err = lessons[i].err;
            json_decref(by_family);
            return -1;
        }
        if (lessons[i].is_all) continue;
        const double regret = held_out(r, &lessons[i]);
        json_object_set_new(by_family, r->families.names[lessons[i].group], json_figure(regret));
        if (isfinite(regret)) sum += regret, n_known++;
    }
    json_t *validation =
        json_pack("{s:o,s:o,s:{s:I,s:I,s:I}}", "mean_log_regret", json_figure(n_known ? sum / (double)n_known : NAN),
                  "log_regret_by_family", by_family, "not_learned_from", "ended", (json_int_t)r->n_ended, "no_loads",
                  (json_int_t)r->n_idle, "short", (json_int_t)r->n_short);
    int result = validation ? 0 : error_set(err, ERR_MEMORY, "out of memory for a model");
    for (size_t i = 0; i < n && result == 0; i++) {
        char path[1200];
        lessons[i].model.validation = json_incref(validation);
        pipeline_response_file(p->options->out_dir, lessons[i].is_all ? NULL : r->families.names[lessons[i].group],
                               path, sizeof path);
        result = response_model_write(&lessons[i].model, path, err);
    }
    p->response = validation;
    return result;
}

/* Samplings that were taken before: of the table's launches, in the table's features. */
static int read_rows(struct pipeline *p, struct rows *r, struct error *err)
{
    char path[700];
    const char *paths[] = {path};
    struct response_table *t = calloc(1, sizeof *t);
    snprintf(path, sizeof path, "%s/../../datasets/features/learned/%s", p->options->paths.configs,
             p->spec->response.table);
    if (!t) return error_set(err, ERR_MEMORY, "out of memory for %s", path);
    if (response_table_read(t, paths, 1, err) < 0) return free(t), -1;
    const struct response_data *d = &t->data;
    *r = (struct rows){.n = d->n, .k = d->k, .sampling = t->sampling, .table = t, .first_profile = d->n};
    if (d->k > SAMPLING_FEATURES_MAX || d->m != RESPONSE_POINTS_MAX)
        return error_set(err, ERR_INPUT, "%s: %zu features and %zu tuples: not a table of this lattice", path, d->k,
                         d->m);
    for (size_t i = 0; i < d->k; i++) r->names[i] = d->names[i];
    memcpy(r->tuples, d->tuples, sizeof r->tuples);
    if (sampling_tuples_parse(&r->sampled, r->sampling, err) < 0 ||
        sampling_resolve(r->names, r->k, r->sampled.n, r->features, path, err) < 0)
        return -1;
    r->x = calloc(d->n * d->k + 1, sizeof *r->x);
    r->z = calloc(d->n * d->m + 1, sizeof *r->z);
    r->w = calloc(d->n + 1, sizeof *r->w);
    r->group = calloc(d->n + 1, sizeof *r->group);
    r->W = calloc(d->n + 1, sizeof *r->W);
    const char **texts = calloc(d->n + p->n_profiles + 1, sizeof *texts);
    int result = r->x && r->z && r->w && r->group && r->W && texts ? 0 : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < d->n && result == 0; i++) texts[i] = t->families.names[d->group[i]];
    for (size_t i = 0; i < p->n_profiles && result == 0; i++)
        texts[d->n + i] = workload_family(p->profiles[i].workload);
    if (result == 0) result = groups_init(&r->families, texts, d->n + p->n_profiles, err);
    free(texts);
    if (result < 0) return -1;
    memcpy(r->x, d->x, d->n * d->k * sizeof *r->x);
    memcpy(r->z, d->z, d->n * d->m * sizeof *r->z);
    memcpy(r->w, d->w, d->n * sizeof *r->w);
    memcpy(r->W, d->W, d->n * sizeof *r->W);
    for (size_t i = 0; i < d->n; i++) r->group[i] = r->families.of[i];
    return 0;
}

int pipeline_response(struct pipeline *p, struct error *err)
{
    struct rows r = {0};
    const bool has_table = p->spec->response.table[0];
    if (!has_table && !p->spec->response.sampling[0]) return 0;
    int result = has_table ? read_rows(p, &r, err) : collect(p, &r, err);
    if (result == 0 && !has_table) result = write_rows(p, &r, err);
    struct lesson *lessons = calloc(r.families.n_groups + 1, sizeof *lessons);
    size_t n = 0;
    if (result == 0 && !lessons)
        result = error_set(err, ERR_MEMORY, "out of memory for %zu families", r.families.n_groups);
    if (result == 0) {
        for (size_t g = 0; g < r.families.n_groups; g++)
            if (is_evaluated(p, &r, g)) lessons[n++].group = g;
        lessons[n++].is_all = true;
        result = learn_all(p, &r, lessons, n, err);
    }
    for (size_t i = 0; i < n; i++) response_model_fini(&lessons[i].model);
    free(lessons);
    rows_fini(&r);
    return result;
}
