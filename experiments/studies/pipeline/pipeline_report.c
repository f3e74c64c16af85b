/* summary.json (no times, no hosts: the same bytes for the same inputs), profile.csv and the table for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/pipeline/pipeline_internal.h"
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/lab.h"

/* Figures that the thesis' text states for Figs. 5.9 to 5.11: its means over the 11 evaluation benchmarks. */
static const struct paper_row {
    const char *policy;
    double hmean, l1d_hit_rate, aml_change;
    const char *source;
} paper_rows[] = {
    {"gto", 1.0, 0.206, 0.0, "THESIS 5.7.4, 5.7.5, 5.7.6: the baseline"},
    {"swl", 1.218, 0.377, -0.107, "THESIS 5.7.4, 5.7.5, 5.7.6"},
    {"pcal_swl", 1.315, 0.271, 0.324, "THESIS 5.7.4, 5.7.5, 5.7.6"},
    {"static_best", 1.528, 0.436, 0.141, "THESIS 5.7.4, 5.7.5, 5.7.6"},
    {"poise", 1.466, 0.401, 0.011, "THESIS 5.7.4, 5.7.5, 5.7.6; at most 2.94 on mm"},
};

static uint32_t largest_W(const struct pipeline *p)
{
    uint32_t W = 1;
    for (size_t i = 0; i < p->n_profiles; i++)
        if (p->profiles[i].plan.warps_per_scheduler > W) W = p->profiles[i].plan.warps_per_scheduler;
    return W;
}

/* "20 of 300": points a kernel of the whole grid. */
static const char *points_label(const struct pipeline *p, char *text, size_t size)
{
    return points_way_text(&p->spec->points, largest_W(p), text, size);
}

/* ---- profile.csv ---- */

static int by_tuple(const void *a, const void *b, void *runs)
{
    const struct tuple_run *x = &((const struct tuple_run *)runs)[*(const size_t *)a],
                           *y = &((const struct tuple_run *)runs)[*(const size_t *)b];
    if (x->at.N != y->at.N) return x->at.N < y->at.N ? -1 : 1;
    return (x->at.p > y->at.p) - (x->at.p < y->at.p);
}

static int print_profile(const struct profile *q, FILE *out, struct error *err)
{
    const uint32_t W = q->plan.warps_per_scheduler;
    const uint64_t baseline = profile_at(q, W, W, NULL)->m.cycles;
    size_t *order = calloc(q->n_runs + 1, sizeof *order);
    char hash[HASH_TEXT_SIZE], speedup[40], score[40];
    if (!order) return error_set(err, ERR_MEMORY, "out of memory for profile.csv");
    for (size_t i = 0; i < q->n_runs; i++) order[i] = i;
    qsort_r(order, q->n_runs, sizeof *order, by_tuple, q->runs);
    hash_text(&q->launch->hash, hash);
    for (size_t k = 0; k < q->n_runs; k++) {
        const struct tuple_run *r = &q->runs[order[k]];
        const double s = q->scores[order[k]];
        csv_print(out, q->workload->name);
        csv_next(out, q->launch->label);
        fprintf(out, ",%s,%u,%u,%llu,%llu,%s,%s\n", hash, (unsigned)r->at.N, (unsigned)r->at.p,
                (unsigned long long)r->m.cycles, (unsigned long long)r->m.warp_insts,
                number_text((double)baseline / (double)r->m.cycles, speedup, sizeof speedup),
                isnan(s) ? "" : number_text(s, score, sizeof score));
    }
    free(order);
    return 0;
}

static int write_profile(const struct pipeline *p, struct error *err)
{
    char *text = NULL, path[1200];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return error_set(err, ERR_MEMORY, "out of memory for profile.csv");
    fprintf(out, "benchmark,launch,trace,N,p,cycles,warp_insts,speedup,score\n");
    int result = 0;
    for (size_t i = 0; i < p->n_profiles && result == 0; i++)
        if (p->profiles[i].launch->is_profiled) result = print_profile(&p->profiles[i], out, err);
    if (fclose(out) != 0 && result == 0) result = error_set(err, ERR_MEMORY, "out of memory for profile.csv");
    if (result == 0) result = file_write(pipeline_path(p, "profile.csv", path, sizeof path), text, size, err);
    free(text);
    return result;
}

/* ---- summary.json ---- */

static json_t *model_summary(const struct pipeline *p)
{
    json_t *model = json_object();
    for (size_t i = 0; i < p->model.n_outputs; i++) {
        const struct model_output *o = &p->model.outputs[i];
        json_t *weights = json_object();
        for (size_t f = 0; f < o->n_features; f++)
            json_object_set_new(weights, o->features[f], json_figure(o->weights[f]));
        json_object_set_new(model, o->name,
                            json_pack("{s:o,s:o,s:s,s:s}", "weights", weights, "theta", json_figure(o->theta), "status",
                                      o->status, "family", o->family));
    }
    return model;
}

/* What the counters of whole runs say at (W, W): Tab. 5.2a's variables. */
static json_t *features_json(const struct feature_counters *o)
{
    const double accesses = (double)o->l1_accesses, hits = (double)o->l1_hits;
    return json_pack("{s:o,s:o,s:o,s:o}", "h_o", json_figure(hits / accesses), "intra_of_hits",
                     json_figure((double)o->l1_intra_hits / hits), "L_o",
                     json_figure((double)o->miss_latency_sum / (double)o->miss_count), "I_n",
                     json_figure(feature_In(o)));
}

/* Of a profiled launch, whose points have (1, 1). */
static json_t *launch_features(const struct profile *q)
{
    const uint32_t W = q->plan.warps_per_scheduler;
    const struct feature_counters *o = NULL, *a = NULL;
    profile_at(q, W, W, &o);
    profile_at(q, 1, 1, &a);
    json_t *json = features_json(o);
    json_object_set_new(json, "h_prime", json_figure((double)a->l1_hits / (double)a->l1_accesses));
    return json;
}

/* Of a benchmark: the counters of all its launches together, and the mean of their W, weighted by GTO's cycles. */
static json_t *benchmark_features(const struct benchmark *b)
{
    struct feature_counters sum = {0};
    double W_cycles = 0, cycles = 0;
    for (size_t i = 0; i < b->n; i++) {
        const uint32_t W = b->profiles[i].plan.warps_per_scheduler;
        const struct feature_counters *o = NULL;
        const double gto = (double)profile_at(&b->profiles[i], W, W, &o)->m.cycles;
        W_cycles += W * gto;
        cycles += gto;
#define C(field, doc) sum.field += o->field;
        FEATURE_COUNTERS(C)
#undef C
    }
    json_t *json = features_json(&sum);
    json_object_set_new(json, "W", json_figure(W_cycles / cycles));
    return json;
}

static json_t *tuple_json(struct warp_tuple t) { return json_pack("[II]", (json_int_t)t.N, (json_int_t)t.p); }

/* A profiled launch: its best points, its target, and what was predicted. */
static json_t *launch_summary(const struct profile *q, bool has_beside)
{
    const uint32_t W = q->plan.warps_per_scheduler;
    const struct launch_runs runs = {.W = W, .points = q->runs, .n_points = q->n_runs};
    const struct tuple_run *best = launch_best(&runs), *diagonal = launch_diagonal(&runs, policy_swl(&runs, 1));
    const struct tuple_run *target = q->target < q->n_runs ? &q->runs[q->target] : NULL;
    const uint64_t gto = profile_at(q, W, W, NULL)->m.cycles;
    json_t *json = json_object();
    json_object_set_new(json, "launch", json_string(q->launch->label));
    json_object_set_new(json, "kernel", json_string(q->launch->kernel));
    json_object_set_new(json, "W", json_integer(W));
    json_object_set_new(json, "points", json_integer((json_int_t)q->n_runs));
    json_object_set_new(json, "gto_cycles", json_integer((json_int_t)gto));
    json_object_set_new(json, "static_best", tuple_json(best->at));
    json_object_set_new(json, "best_speedup", json_figure((double)gto / (double)best->m.cycles));
    json_object_set_new(json, "diagonal", tuple_json(diagonal->at));
    json_object_set_new(json, "diagonal_speedup", json_figure((double)gto / (double)diagonal->m.cycles));
    json_object_set_new(json, "target", tuple_json(target ? target->at : (struct warp_tuple){0, 0}));
    json_object_set_new(json, "target_speedup", json_figure(target ? (double)gto / (double)target->m.cycles : NAN));
    json_object_set_new(json, "predicted", tuple_json((struct warp_tuple){q->predicted_N, q->predicted_p}));
    json_object_set_new(json, "predicted_raw", json_pack("[oo]", json_figure(q->raw_N), json_figure(q->raw_p)));
    json_object_set_new(json, "predicted_from_windows", tuple_json((struct warp_tuple){q->window_N, q->window_p}));
    if (has_beside) {
        json_object_set_new(json, "predicted_beside", tuple_json(q->beside));
        json_object_set_new(json, "predicted_beside_from_windows", tuple_json(q->beside_window));
    }
    json_object_set_new(json, "features", launch_features(q));
    return json;
}

static json_t *benchmark_summary(const struct benchmark *b, bool has_beside)
{
    json_t *policies = json_object(), *launches = json_array();
    for (int k = 0; k < N_POLICIES; k++) {
        const struct policy_total *t = &b->totals[k];
        json_object_set_new(policies, policy_names[k],
                            json_pack("{s:I,s:o,s:o,s:o,s:o,s:o}", "cycles", (json_int_t)t->m.cycles, "speedup",
                                      json_figure(t->speedup), "l1d_hit_rate", json_figure(measure_hit_rate(&t->m)),
                                      "aml_cycles", json_figure(measure_aml_cycles(&t->m)), "N", json_figure(t->N), "p",
                                      json_figure(t->p)));
    }
    for (size_t i = 0; i < b->n; i++)
        if (b->profiles[i].launch->is_profiled)
            json_array_append_new(launches, launch_summary(&b->profiles[i], has_beside));
    json_t *json = json_pack("{s:s,s:I,s:o,s:o,s:o}", "name", b->workload->name, "launches", (json_int_t)b->n,
                             "features", benchmark_features(b), "policies", policies, "profiled", launches);
    if (b->workload->family[0]) json_object_set_new(json, "family", json_string(b->workload->family));
    return json;
}

/* Adds the contenders to a benchmark's policies, and what the engines' tuples were. */
static void contender_summaries(const struct pipeline *p, const struct benchmark *b, json_t *policies)
{
    json_t *tuples = tuples_run_json(&b->tuples);
    if (tuples) json_object_set_new(json_object_get(policies, "poise"), "tuples", tuples);
    for (size_t c = 0; c < p->spec->n_contenders; c++) {
        const struct policy_total *t = &b->contenders[c];
        json_t *row = json_pack("{s:I,s:o,s:o,s:o}", "cycles", (json_int_t)t->m.cycles, "speedup",
                                json_figure(t->speedup), "l1d_hit_rate", json_figure(measure_hit_rate(&t->m)),
                                "aml_cycles", json_figure(measure_aml_cycles(&t->m)));
        if ((tuples = tuples_run_json(&b->their_tuples[c]))) json_object_set_new(row, "tuples", tuples);
        if (b->stats[c]) json_object_set(row, p->spec->contenders[c].stats, b->stats[c]);
        json_object_set_new(policies, p->spec->contenders[c].name, row);
    }
}

/* ---- means over the evaluation benchmarks ---- */

struct mean {
    double speedup, hit_rate, aml_change;
}; /* harmonic, arithmetic, arithmetic */
struct means {
    struct mean of[N_POLICIES];
};
typedef const struct policy_total *total_of(const struct benchmark *b, size_t k);

static const struct policy_total *policy_of(const struct benchmark *b, size_t k) { return &b->totals[k]; }
static const struct policy_total *contender_of(const struct benchmark *b, size_t k) { return &b->contenders[k]; }

/* Of GTO, which the benchmarks' totals begin with, and of whatever ran against it. */
static double aml_change(const struct benchmark *b, const struct policy_total *t)
{
    const double gto = measure_aml_cycles(&b->totals[POLICY_gto].m);
    return gto > 0 ? measure_aml_cycles(&t->m) / gto - 1 : 0;
}

static struct mean mean_of(const struct pipeline *p, total_of *total, size_t k)
{
    const double n = (double)(p->n_benchmarks - p->n_training_benchmarks);
    double inverse = 0, hits = 0, aml = 0;
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++) {
        const struct policy_total *t = total(&p->benchmarks[i], k);
        inverse += 1 / t->speedup;
        hits += measure_hit_rate(&t->m);
        aml += aml_change(&p->benchmarks[i], t);
    }
    return (struct mean){n / inverse, hits / n, aml / n};
}

/* A contender over the benchmarks, as the policies' own. */
static json_t *contender_means(const struct pipeline *p, size_t c)
{
    const struct contender *spec = &p->spec->contenders[c];
    const struct mean mean = mean_of(p, contender_of, c);
    json_t *mech = json_array(), *set = json_object();
    for (size_t m = 0; m < spec->n_mech; m++) json_array_append_new(mech, json_string(spec->mech[m]));
    for (size_t k = 0; k < spec->n_set; k++) json_object_set_new(set, spec->set[k][0], json_string(spec->set[k][1]));
    return json_pack("{s:s,s:s,s:o,s:o,s:s,s:o,s:o,s:o}", "name", spec->name, "title", spec->title, "mech", mech, "set",
                     set, "over", spec->over[0] ? spec->over : "gto", "hmean", json_figure(mean.speedup),
                     "l1d_hit_rate", json_figure(mean.hit_rate), "aml_change", json_figure(mean.aml_change));
}

static json_t *paper_summary(void)
{
    json_t *paper = json_object();
    for (size_t i = 0; i < COUNT_OF(paper_rows); i++)
        json_object_set_new(paper, paper_rows[i].policy,
                            json_pack("{s:o,s:o,s:o,s:s}", "hmean", json_figure(paper_rows[i].hmean), "l1d_hit_rate",
                                      json_figure(paper_rows[i].l1d_hit_rate), "aml_change",
                                      json_figure(paper_rows[i].aml_change), "source", paper_rows[i].source));
    return paper;
}

static void add_means(json_t *json, const struct means *means)
{
    json_t *speedup = json_object(), *hit_rate = json_object(), *aml = json_object();
    for (int k = 0; k < N_POLICIES; k++) {
        json_object_set_new(speedup, policy_names[k], json_figure(means->of[k].speedup));
        json_object_set_new(hit_rate, policy_names[k], json_figure(means->of[k].hit_rate));
        json_object_set_new(aml, policy_names[k], json_figure(means->of[k].aml_change));
    }
    json_object_set_new(json, "hmean", speedup);
    json_object_set_new(json, "mean_l1d_hit_rate", hit_rate);
    json_object_set_new(json, "mean_aml_change", aml);
}

static int by_unique(const void *a, const void *b)
{
    return memcmp(&((const struct unique_run *)a)->key, &((const struct unique_run *)b)->key, sizeof(struct hash));
}

/* What the results rest on, whether it was simulated now or before. */
static void count_unique(struct pipeline *p, uint64_t *runs, uint64_t *insts, uint64_t *lines)
{
    *runs = *insts = *lines = 0;
    qsort(p->unique, p->n_unique, sizeof *p->unique, by_unique);
    for (size_t i = 0; i < p->n_unique; i++) {
        if (i && by_unique(&p->unique[i], &p->unique[i - 1]) == 0) continue;
        ++*runs;
        *insts += p->unique[i].warp_insts;
        *lines += p->unique[i].line_requests;
    }
}

static json_t *summary_json(struct pipeline *p, const struct means *means)
{
    uint64_t runs, insts, lines;
    char label[40], static_best[64];
    json_t *json = lab_json(), *benchmarks = json_array(), *contenders = json_array();
    count_unique(p, &runs, &insts, &lines);
    points_label(p, label, sizeof label);
    snprintf(static_best, sizeof static_best, "static_best (%s)", label);
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++) {
        json_t *benchmark = benchmark_summary(&p->benchmarks[i], p->spec->beside[0] != 0);
        contender_summaries(p, &p->benchmarks[i], json_object_get(benchmark, "policies"));
        json_array_append_new(benchmarks, benchmark);
    }
    json_object_set_new(json, "name", json_string(p->spec->name));
    json_object_set_new(json, "size", json_string(workload_sizes[p->spec->size]));
    if (p->options->cap) json_object_set_new(json, "cap", json_integer((json_int_t)p->options->cap));
    json_object_set_new(json, "config", gpu_params_json(p->params));
    if (p->spec->n_with) {
        json_t *with = json_array();
        for (size_t i = 0; i < p->spec->n_with; i++) json_array_append_new(with, json_string(p->spec->with[i]));
        json_object_set_new(json, "with", with);
    }
    json_t *training = json_copy(p->training), *left_out = json_array();
    for (size_t i = 0; i < p->n_profiles; i++)
        if (p->profiles[i].drop != DROP_NONE)
            json_array_append_new(left_out,
                                  json_pack("{s:s,s:s,s:s}", "launch", p->profiles[i].launch->label, "reason",
                                            dataset_drop_name(p->profiles[i].drop), "why", p->profiles[i].why));
    json_object_set_new(training, "left_out", left_out);
    json_object_set_new(json, "training", training);
    json_object_set_new(json, "model", model_summary(p));
    json_object_set(json, "prediction_error", p->validation);
    json_object_set_new(json, "prediction_loss", json_figure(pipeline_mean_loss(p)));
    if (p->spec->beside[0]) json_object_set_new(json, "prediction_error_beside", pipeline_errors(p, true));
    if (p->response) json_object_set(json, "response", p->response);
    json_object_set_new(json, "points_per_kernel", json_string(label));
    json_object_set_new(json, "static_best_label", json_string(static_best));
    json_object_set_new(json, "sim_runs", json_integer((json_int_t)runs));
    json_object_set_new(json, "sim_warp_insts", json_integer((json_int_t)insts));
    json_object_set_new(json, "sim_line_requests", json_integer((json_int_t)lines));
    json_object_set_new(json, "benchmarks", benchmarks);
    for (size_t c = 0; c < p->spec->n_contenders; c++) json_array_append_new(contenders, contender_means(p, c));
    json_object_set_new(json, "contenders", contenders);
    add_means(json, means);
    json_object_set_new(json, "paper", paper_summary());
    if (p->spec->is_sampled) pipeline_sample_into(p, json);
    return json;
}

/* ---- the table ---- */

static const struct paper_row *paper_of(const char *policy)
{
    for (size_t i = 0; i < COUNT_OF(paper_rows); i++)
        if (strcmp(paper_rows[i].policy, policy) == 0) return &paper_rows[i];
    return NULL;
}

static void print_rows(const struct pipeline *p, FILE *out)
{
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++) {
        const struct benchmark *b = &p->benchmarks[i];
        fprintf(out, "%-11s %4zu ", b->workload->name, b->n);
        for (int k = POLICY_swl; k < N_POLICIES; k++) fprintf(out, " %7.3f", b->totals[k].speedup);
        fprintf(out, " |");
        for (int k = 0; k < N_POLICIES; k++) fprintf(out, " %5.1f%%", 100 * measure_hit_rate(&b->totals[k].m));
        fprintf(out, " | %6.0f", measure_aml_cycles(&b->totals[POLICY_gto].m));
        for (int k = POLICY_swl; k < N_POLICIES; k++) fprintf(out, " %+6.1f%%", 100 * aml_change(b, &b->totals[k]));
        fprintf(out, " | %2.0f  %2.0f,%-2.0f  %4.1f,%-4.1f\n", b->totals[POLICY_swl].N, b->totals[POLICY_static_best].N,
                b->totals[POLICY_static_best].p, b->totals[POLICY_poise].N, b->totals[POLICY_poise].p);
    }
}

static void print_means(const struct means *m, FILE *out)
{
    fprintf(out, "%-16s ", "mean, ours");
    for (int k = POLICY_swl; k < N_POLICIES; k++) fprintf(out, " %7.3f", m->of[k].speedup);
    fprintf(out, " |");
    for (int k = 0; k < N_POLICIES; k++) fprintf(out, " %5.1f%%", 100 * m->of[k].hit_rate);
    fprintf(out, " | %6s", "");
    for (int k = POLICY_swl; k < N_POLICIES; k++) fprintf(out, " %+6.1f%%", 100 * m->of[k].aml_change);
    fprintf(out, " |\n%-16s ", "mean, thesis");
    for (int k = POLICY_swl; k < N_POLICIES; k++) fprintf(out, " %7.3f", paper_of(policy_names[k])->hmean);
    fprintf(out, " |");
    for (int k = 0; k < N_POLICIES; k++) fprintf(out, " %5.1f%%", 100 * paper_of(policy_names[k])->l1d_hit_rate);
    fprintf(out, " | %6s", "");
    for (int k = POLICY_swl; k < N_POLICIES; k++)
        fprintf(out, " %+6.1f%%", 100 * paper_of(policy_names[k])->aml_change);
    fprintf(out, " |\n");
}

/* Contenders by rows, benchmarks by columns. */
static void print_contenders(const struct pipeline *p, FILE *out)
{
    if (p->spec->n_contenders == 0) return;
    fprintf(out, "\n%-26s", "contender, speedup");
    for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++)
        fprintf(out, " %6.6s", p->benchmarks[i].workload->name);
    fprintf(out, " | %6s %6s %7s\n", "hmean", "hits", "AML");
    static const enum policy beside[] = {POLICY_static_best, POLICY_poise};
    for (size_t k = 0; k < COUNT_OF(beside); k++) {
        const struct mean mean = mean_of(p, policy_of, beside[k]);
        fprintf(out, "%-26.26s", policy_titles[beside[k]]);
        for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++)
            fprintf(out, " %6.3f", p->benchmarks[i].totals[beside[k]].speedup);
        fprintf(out, " | %6.3f %5.1f%% %+6.1f%%\n", mean.speedup, 100 * mean.hit_rate, 100 * mean.aml_change);
    }
    for (size_t c = 0; c < p->spec->n_contenders; c++) {
        const struct mean mean = mean_of(p, contender_of, c);
        fprintf(out, "%-26.26s", p->spec->contenders[c].title);
        for (size_t i = p->n_training_benchmarks; i < p->n_benchmarks; i++)
            fprintf(out, " %6.3f", p->benchmarks[i].contenders[c].speedup);
        fprintf(out, " | %6.3f %5.1f%% %+6.1f%%\n", mean.speedup, 100 * mean.hit_rate, 100 * mean.aml_change);
    }
}

/* How far predictions of unseen launches are from the best-scored tuples, and what speed that costs by itself. */
static void print_misses(const struct pipeline *p, FILE *out)
{
    double miss[2] = {0}, n = 0;
    for (size_t i = p->n_training; i < p->n_profiles; i++) {
        const struct profile *q = &p->profiles[i];
        if (!q->launch->is_profiled || q->target >= q->n_runs) continue;
        miss[0] += fabs((double)q->predicted_N - (double)q->runs[q->target].at.N);
        miss[1] += fabs((double)q->predicted_p - (double)q->runs[q->target].at.p);
        n++;
    }
    if (n > 0)
        fprintf(out,
                "  on unseen kernels N is wrong by %.1f warps and p by %.1f in the mean; the predicted tuples alone, "
                "before any search,\n  run %.0f %% slower than the best ones.\n",
                miss[0] / n, miss[1] / n, 100 * pipeline_mean_loss(p));
}

static void print_report(struct pipeline *p, const struct means *m, FILE *out)
{
    uint64_t runs, insts, lines;
    char label[40];
    count_unique(p, &runs, &insts, &lines);
    const json_int_t used = json_integer_value(json_object_get(p->training, "used"));
    fprintf(out, "\n%s on %s, size %s. Training: %lld of %zu kernels pass the thresholds.\n", p->spec->name,
            p->spec->config, workload_sizes[p->spec->size], (long long)used, p->n_training);
    for (size_t i = 0; i < p->model.n_outputs; i++) {
        const struct model_output *o = &p->model.outputs[i];
        char theta[40];
        fprintf(out, "  %s: theta %s (%s);", o->name,
                number_text(strtod(number_text(o->theta, theta, sizeof theta), NULL), theta, sizeof theta), o->status);
        for (size_t f = 0; f < o->n_features; f++) fprintf(out, " %s %.4g", o->features[f], o->weights[f]);
        fputc('\n', out);
    }
    print_misses(p, out);
    fprintf(out, "\n%-11s %4s  %23s | %27s | %30s | %s\n", "", "", "speedup over GTO", "L1 hit rate",
            "AML: GTO cycles, change", "N, N,p");
    fprintf(out, "%-11s %4s  %7s %7s %7s | %6s %6s %6s %6s | %6s %7s %7s %7s | %s\n", "kernel", "runs", "SWL", "S-Best",
            "Poise", "GTO", "SWL", "S-Best", "Poise", "GTO", "SWL", "S-Best", "Poise", "SWL S-Best Poise");
    print_rows(p, out);
    print_means(m, out);
    fprintf(out,
            "S-Best: Static-Best (%s points a kernel). Means: harmonic for speedups, arithmetic for the rest. Thesis: "
            "Figs. 5.9 to 5.11,\n"
            "its own kernels and inputs. Poise's N,p: mean over its cycles; Static-Best's: of the longest profiled "
            "launch.\n",
            points_label(p, label, sizeof label));
    print_contenders(p, out);
    if (p->spec->is_sampled) pipeline_sample_print(p, out);
    fprintf(out, "The results rest on %llu runs: %.1f M warp instructions, %.1f M line requests.\n",
            (unsigned long long)runs, 1e-6 * (double)insts, 1e-6 * (double)lines);
    double hmean[N_POLICIES];
    for (size_t k = 0; k < N_POLICIES; k++) hmean[k] = m->of[k].speedup;
    pipeline_explain(p, hmean, out);
}

int pipeline_write(struct pipeline *p, struct error *err)
{
    struct means means;
    for (size_t k = 0; k < N_POLICIES; k++) means.of[k] = mean_of(p, policy_of, k);
    if (write_profile(p, err) < 0) return -1;
    if (pipeline_write_json(p, "summary.json", summary_json(p, &means), err) < 0) return -1;
    if (p->options->report) print_report(p, &means, p->options->report);
    return 0;
}
