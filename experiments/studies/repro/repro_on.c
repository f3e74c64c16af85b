/* A study over our programs and over those of suites, side by side. The study does not know of it: suite_cast has the
 * registry give a suite's program under the paper's name. Both run over the programs that the suites have, so that
 * means are of the same programs. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/pipeline.h"
#include "poise/repro.h"
#include "poise/suite.h"
#include "poise/validate.h"

void repro_only(const struct suite_cast *only, char (*names)[64], size_t *n, size_t max)
{
    if (!only) return;
    *n = 0;
    for (size_t i = 0; i < only->n && *n < max; i++)
        if (*only->members[i].program) snprintf(names[(*n)++], 64, "%s", only->members[i].paper);
}

/* ---- what a study asks for ---- */

static bool has_wildcards(const char (*names)[64], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strpbrk(names[i], "*?[")) return true;
    return false;
}

static int find_of_spec(struct suite_cast *out, const struct repro_study *study, const struct repro_options *o,
                        struct error *err)
{
    struct repro_spec spec;
    char path[1200];
    snprintf(path, sizeof path, "%s/../specs/%s", o->paths.configs, study->spec);
    if (repro_spec_load(&spec, path, o->paths.configs, o->config, err) < 0) return -1;
    const bool by_paper = spec.n_paper_kernels && has_wildcards(spec.kernels, spec.n_kernels);
    const int result =
        suite_cast_find(out, o->on, o->n_on, by_paper ? spec.paper_kernels : spec.kernels,
                        by_paper ? spec.n_paper_kernels : spec.n_kernels, &o->paths, spec.scopes[o->mode].size, err);
    repro_spec_fini(&spec);
    return result;
}

static int find_of_pipeline(struct suite_cast *out, const struct repro_study *study, const struct repro_options *o,
                            struct error *err)
{
    char path[1200];
    struct pipeline_spec *spec = malloc(sizeof *spec);
    if (!spec) return error_set(err, ERR_MEMORY, "out of memory for a study");
    snprintf(path, sizeof path, "%s/../specs/%s", o->paths.configs, study->spec);
    int result = pipeline_spec_load(spec, path, err);
    if (result == 0)
        result = suite_cast_find(out, o->on, o->n_on, spec->evaluation, spec->n_evaluation, &o->paths, spec->size, err);
    free(spec);
    return result;
}

static int refuse_none(const struct suite_cast *cast, const struct repro_study *study, const struct repro_options *o,
                       struct error *err)
{
    char list[400] = "", hint[220];
    size_t at = 0;
    for (size_t i = 0; i < cast->n && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s: %s", i ? "; " : "", cast->members[i].paper,
                               cast->members[i].why);
    error_set(err, ERR_INPUT, "%s has no program of %s that is built: %s", o->on[0], study->id, list);
    snprintf(hint, sizeof hint,
             "'poise suite build SUITE' builds them; names: {%s: PROGRAM} in SUITE.suite.yaml says which is which",
             cast->n ? cast->members[0].paper : "bfs");
    return error_at(err, NULL, 0, -1, hint);
}

/* ---- both reports as one ---- */

static void merge(struct repro_report *ours, const struct repro_report *theirs)
{
    const size_t n = ours->n_rows;
    for (size_t i = 0; i < theirs->n_rows; i++) {
        const struct repro_row *from = &theirs->rows[i];
        size_t k = 0;
        while (k < n && (strcmp(ours->rows[k].label, from->label) != 0 || ours->rows[k].item != from->item)) k++;
        if (k == n) {
            if (from->item) repro_cell(ours, from->paper, NAN, from->unit, "", "%s", "");
            else repro_row(ours, from->paper, NAN, from->unit, "%s", from->label);
            if (ours->out_of_memory) return;
            k = ours->n_rows - 1;
            memcpy(ours->rows[k].label, from->label, sizeof from->label);
            ours->rows[k].item = from->item;
        }
        ours->rows[k].suite = from->ours;
        if (*from->failed) snprintf(ours->rows[k].failed, sizeof from->failed, "suite: %.190s", from->failed);
    }
}

int repro_run_on(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
                 struct error *err)
{
    struct repro_options o = *options;
    struct repro_result theirs = {0};
    struct suite_cast *cast = calloc(1, sizeof *cast);
    *out = (struct repro_result){0};
    if (!cast) return error_set(err, ERR_MEMORY, "out of memory for names of programs");
    int result = repro_opens_sealed(study) || study == &repro_learned_lengths
                     ? error_set(err, ERR_USAGE, "--on: %s is about programs of ours", study->id)
                 : study->tell ? find_of_pipeline(cast, study, &o, err)
                               : find_of_spec(cast, study, &o, err);
    if (result == 0 && cast->n_found == 0) result = refuse_none(cast, study, &o, err);
    o.only = cast;
    if (result == 0) result = repro_run(study, &o, out, err);
    o.paths.cast = cast;
    if (result == 0 && repro_run(study, &o, &theirs, err) < 0) result = error_while(err, "%s", o.on[0]);
    if (result == 0) {
        merge(&out->report, &theirs.report);
        out->second = theirs.report;
        theirs.report = (struct repro_report){0};
        out->report.n_runs += out->second.n_runs;
        out->totals.simulated += theirs.totals.simulated;
        out->totals.reused += theirs.totals.reused;
        out->totals.core_s += theirs.totals.core_s;
        out->totals.wall_s += theirs.totals.wall_s;
        out->cast = cast;
        if (out->report.out_of_memory) result = error_set(err, ERR_MEMORY, "out of memory for the report");
    } else {
        suite_cast_fini(cast);
        free(cast);
    }
    repro_result_fini(&theirs);
    if (result < 0) repro_result_fini(out);
    return result;
}

/* ---- of a row ---- */

int repro_row_direction(const struct repro_report *report, size_t row)
{
    const struct repro_row *r = &report->rows[row];
    if (strcmp(r->unit, "x") != 0 || !isfinite(r->paper) || !isfinite(r->suite) || r->paper == 1) return -1;
    return (r->suite > 1) == (r->paper > 1);
}

int repro_row_magnitude(const struct repro_report *report, size_t row)
{
    const struct repro_row *r = &report->rows[row];
    if (!isfinite(r->paper) || !isfinite(r->suite) || r->paper <= 0 || r->suite <= 0) return -1;
    return r->suite <= 1.5 * r->paper && r->paper <= 1.5 * r->suite;
}

/* Rows of the same column of the table of benchmarks, which have both values. */
static bool is_of_column(const struct repro_row *r, const struct repro_row *of)
{
    return r->item && of->item && isfinite(r->paper) && isfinite(r->suite) &&
           strcmp(r->label + r->item, of->label + of->item) == 0;
}

int repro_row_order(const struct repro_report *report, size_t row)
{
    const struct repro_row *r = &report->rows[row];
    size_t paper = 0, suite = 0, n = 0;
    for (size_t i = 0; i < report->n_rows; i++) {
        if (!is_of_column(&report->rows[i], r)) continue;
        n++;
        paper += report->rows[i].paper > r->paper;
        suite += report->rows[i].suite > r->suite;
    }
    return n < 2 || !is_of_column(r, r) ? -1 : paper == suite;
}

/* ---- what is told ---- */

/* Of the row's column, if the row is its first: how many of its rows are near the paper's, and the rank correlation. */
static bool column_at(const struct repro_report *r, size_t row, size_t *n, size_t *near, double *spearman)
{
    double *paper = calloc(2 * r->n_rows + 1, sizeof *paper), *suite = paper + r->n_rows;
    bool is_first = paper && is_of_column(&r->rows[row], &r->rows[row]);
    *n = *near = 0;
    for (size_t i = 0; is_first && i < r->n_rows; i++) {
        if (!is_of_column(&r->rows[i], &r->rows[row])) continue;
        is_first = i >= row;
        *near += repro_row_magnitude(r, i) == 1;
        paper[*n] = r->rows[i].paper;
        suite[(*n)++] = r->rows[i].suite;
    }
    *spearman = is_first && *n > 2 ? metric_spearman(paper, suite, NULL, *n) : NAN;
    free(paper);
    return is_first;
}

void repro_on_json(const struct repro_result *result, struct json_t *out)
{
    const struct repro_report *r = &result->report;
    json_t *programs = json_array(), *missing = json_array(), *columns = json_array(), *checks = json_array(),
           *deviations = json_array();
    for (size_t i = 0; i < result->cast->n; i++) {
        const struct cast_member *m = &result->cast->members[i];
        json_array_append_new(*m->program ? programs : missing,
                              json_pack("{s:s,s:s}", "name", m->paper, *m->program ? "program" : "why",
                                        *m->program ? m->program : m->why));
    }
    for (size_t i = 0; i < r->n_rows; i++) {
        size_t n, near;
        double spearman;
        if (!column_at(r, i, &n, &near, &spearman)) continue;
        json_t *column = json_pack("{s:s,s:I,s:I}", "column", r->rows[i].label + r->rows[i].item + 1, "benchmarks",
                                   (json_int_t)n, "within_1.5", (json_int_t)near);
        json_object_set_new(column, "spearman", isfinite(spearman) ? json_real(spearman) : json_null());
        json_array_append_new(columns, column);
    }
    for (size_t i = 0; i < result->second.n_checks; i++)
        json_array_append_new(checks, json_pack("{s:s,s:b}", "text", result->second.checks[i].text, "holds",
                                                result->second.checks[i].holds));
    for (size_t i = 0; i < result->second.n_deviations; i++)
        json_array_append_new(deviations, json_string(result->second.deviations[i]));
    json_object_set_new(out, "on",
                        json_pack("{s:o,s:o,s:o,s:o,s:o,s:b}", "deviations", deviations, "programs", programs,
                                  "missing", missing, "columns", columns, "checks", checks, "direction_ok",
                                  repro_direction_ok(&result->second)));
}

void repro_on_print(const struct repro_result *result, FILE *out)
{
    const struct repro_report *r = &result->report;
    fprintf(out, "On the suite: %zu of %zu programs\n", result->cast->n_found, result->cast->n);
    for (size_t i = 0; i < result->cast->n; i++) {
        const struct cast_member *m = &result->cast->members[i];
        fprintf(out, "  %-16s %s%s\n", m->paper, *m->program ? "" : "missing: ", *m->program ? m->program : m->why);
    }
    for (size_t i = 0; i < r->n_rows; i++) {
        size_t n, near;
        double spearman;
        if (!column_at(r, i, &n, &near, &spearman)) continue;
        fprintf(out, "  %s: %zu of %zu within a factor 1.5 of the paper's", r->rows[i].label + r->rows[i].item + 1,
                near, n);
        if (isfinite(spearman)) fprintf(out, ", rank correlation %.2f", spearman);
        fputc('\n', out);
    }
    for (size_t i = 0; i < result->second.n_deviations; i++) fprintf(out, "  %s\n", result->second.deviations[i]);
    for (size_t i = 0; i < result->second.n_checks; i++)
        fprintf(out, "  %-3s  %s\n", result->second.checks[i].holds ? "yes" : "no", result->second.checks[i].text);
}
