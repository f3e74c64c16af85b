/* What a report says of the programs of suites: each row's judgement, and what is missing. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
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

void repro_on_names(const struct repro_options *o, const char *between, char *out, size_t size)
{
    size_t at = 0;
    *out = '\0';
    for (size_t i = 0; i < o->n_on && at < size; i++) {
        const char *slash = strrchr(o->on[i], '/');
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? between : "", slash ? slash + 1 : o->on[i]);
    }
}

/* Rows of the same column of the table of benchmarks, which have both values. */
static bool is_of_column(const struct repro_row *r, const struct repro_row *of)
{
    return r->item && of->item && isfinite(r->paper) && isfinite(r->suite) &&
           strcmp(r->label + r->item, of->label + of->item) == 0;
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
        *near += repro_row_magnitude(r, i, OF_SUITE) == 1;
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
                        json_pack("{s:o,s:o,s:o,s:o,s:o}", "deviations", deviations, "programs", programs, "missing",
                                  missing, "columns", columns, "checks", checks));
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
        fprintf(out, "  %s: %zu of %zu within a factor 1.5 of the paper's gain, or 2 points",
                r->rows[i].label + r->rows[i].item + 1, near, n);
        if (isfinite(spearman)) fprintf(out, ", rank correlation %.2f", spearman);
        fputc('\n', out);
    }
    for (size_t i = 0; i < result->second.n_deviations; i++) fprintf(out, "  %s\n", result->second.deviations[i]);
    for (size_t i = 0; i < result->second.n_checks; i++)
        fprintf(out, "  %-3s  %s\n", result->second.checks[i].holds ? "yes" : "no", result->second.checks[i].text);
}
