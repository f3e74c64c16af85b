/* What the functions of studies build reports with. */
#include "poise/repro.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/lab.h"
#include "poise/suite.h"
#include "studies/repro/figure.h"

const char *const repro_mean_names[N_REPRO_MEANS] = {"arithmetic", "harmonic", "geometric"};

/* ---- measurements ---- */

size_t repro_point(const struct repro_data *data, const char *name)
{
    size_t p = 0;
    while (p < data->n_points && strcmp(data->points[p], name) != 0) p++;
    return p;
}

static double energy_value(const struct repro_data *data, const struct repro_benchmark *b, size_t point,
                           const char *name)
{
    json_t *mechs = json_array();
    for (unsigned k = 0; k < data->n_stacks[point]; k++)
        json_array_append_new(
            mechs,
            json_pack("{s:O*}", "stats", json_object_get(b->mechs[point], mech_name(data->stacks[point][k].type))));
    const struct energy_run run = {data->params[point], data->stacks[point], data->n_stacks[point], mechs};
    const double value = data->params[point] ? run_value(&run, b->stats[point], name) : NAN;
    json_decref(mechs);
    return value;
}

double repro_value(const struct repro_data *data, size_t benchmark, size_t point, const char *counter)
{
    if (point >= data->n_points) return NAN;
    const struct repro_benchmark *b = &data->benchmarks[benchmark];
    if (b->stats[point] && energy_value_find(counter)) return energy_value(data, b, point, counter);
    if (b->stats[point]) return gpu_stats_value(b->stats[point], counter);
    const json_t *value = json_object_get(b->mechs[point], counter); /* of a pipeline's summary */
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const json_t *repro_part(const json_t *whole, const char *name)
{
    return json_is_array(whole) ? json_array_get(whole, strtoul(name, NULL, 10)) : json_object_get(whole, name);
}

double repro_mech_value(const struct repro_data *data, size_t benchmark, size_t point, const char *mech,
                        const char *counter)
{
    if (point >= data->n_points) return NAN;
    const json_t *value = repro_part(json_object_get(data->benchmarks[benchmark].mechs[point], mech), counter);
    return value ? json_number_value(value) : NAN;
}

const struct json_t *repro_mech_map(const struct repro_data *data, size_t benchmark, size_t point, const char *mech,
                                    const char *name)
{
    if (point >= data->n_points) return NULL;
    return json_object_get(json_object_get(data->benchmarks[benchmark].mechs[point], mech), name);
}

double repro_param(const struct repro_data *data, size_t point, const char *group, const char *name)
{
    char dotted[128];
    const void *of;
    uint32_t value;
    if (point >= data->n_points) return NAN;
    snprintf(dotted, sizeof dotted, "%s.%s", group, name);
    const struct param_row *row = gpu_params_find(data->params[point], dotted, &of);
    if (!row || row->type != VALUE_U32) return NAN;
    memcpy(&value, (const char *)of + row->offset, sizeof value);
    return value;
}

double repro_stack_bits(const struct repro_data *data, size_t point, double kind)
{
    double bits = 0;
    if (point >= data->n_points || !data->params[point]) return NAN;
    for (unsigned k = 0; k < data->n_stacks[point]; k++) {
        struct mech_cost rows[MECH_COSTS_MAX];
        uint32_t sms;
        const size_t n = mech_costs(&data->stacks[point][k], data->params[point], rows, &sms);
        for (size_t i = 0; i < n; i++)
            if ((int)rows[i].kind == (int)kind) bits += (double)rows[i].sm_bits * sms + (double)rows[i].gpu_bits;
    }
    return bits;
}

double repro_speedup(const struct repro_data *data, size_t benchmark, size_t point)
{
    if (point < data->n_points && !data->benchmarks[benchmark].stats[point])
        return repro_value(data, benchmark, point, "speedup");
    const double base = repro_value(data, benchmark, 0, "ipc") * repro_param(data, 0, "clock", "core_mhz");
    return base > 0 ? repro_value(data, benchmark, point, "ipc") * repro_param(data, point, "clock", "core_mhz") / base
                    : NAN;
}

double repro_mean(enum repro_mean mean, const double *values, size_t n)
{
    double sum = 0;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(values[i])) continue;
        sum += mean == MEAN_HARMONIC ? 1 / values[i] : mean == MEAN_GEOMETRIC ? log(values[i]) : values[i];
        used++;
    }
    if (used == 0) return NAN;
    sum /= (double)used;
    return mean == MEAN_HARMONIC ? 1 / sum : mean == MEAN_GEOMETRIC ? exp(sum) : sum;
}

void repro_note_l2_hits(const struct repro_data *data, struct repro_report *report)
{
    double sum = 0, least = INFINITY;
    const char *name = "";
    for (size_t b = 0; b < data->n; b++) {
        const double rate = 100 * repro_value(data, b, 0, "l2_hit_rate");
        sum += rate;
        if (rate < least) least = rate, name = data->benchmarks[b].name;
    }
    if (data->n)
        repro_deviation(report,
                        "L2 hits %.1f %% of its accesses on average on the base (least: %s, %.1f %%); what hits asks "
                        "nothing of DRAM",
                        sum / (double)data->n, name, least);
}

/* ---- reports ---- */

/* Room for one more of `size` bytes, doubling at powers of two; NULL when out of memory. */
static void *one_more(void *items, size_t *n, size_t size, bool *out_of_memory)
{
    if (*n == 0 || (*n & (*n - 1)) == 0) {
        void *more = realloc(items, (*n ? 2 * *n : 1) * size);
        if (!more) {
            *out_of_memory = true;
            return NULL;
        }
        items = more;
    }
    ++*n;
    return items;
}

static struct repro_row *new_row(struct repro_report *report, double paper, double ours, const char *unit)
{
    struct repro_row *rows = one_more(report->rows, &report->n_rows, sizeof *rows, &report->out_of_memory);
    if (!rows) return NULL;
    report->rows = rows;
    struct repro_row *row = &rows[report->n_rows - 1];
    *row = (struct repro_row){.paper = paper, .ours = ours, .others = NAN, .suite = NAN};
    snprintf(row->unit, sizeof row->unit, "%s", unit);
    return row;
}

void repro_row(struct repro_report *report, double paper, double ours, const char *unit, const char *format, ...)
{
    struct repro_row *row = new_row(report, paper, ours, unit);
    if (!row) return;
    va_list args;
    va_start(args, format);
    vsnprintf(row->label, sizeof row->label, format, args);
    va_end(args);
}

void repro_interval(struct repro_report *report, const double ci95[2])
{
    if (report->n_rows == 0) return;
    struct repro_row *row = &report->rows[report->n_rows - 1];
    row->has_ci = true;
    row->ci95[0] = ci95[0];
    row->ci95[1] = ci95[1];
}

/* Its first line: what comes behind is a machine's whole state. */
void repro_failed(struct repro_report *report, const char *why)
{
    if (report->n_rows == 0) return;
    struct repro_row *row = &report->rows[report->n_rows - 1];
    snprintf(row->failed, sizeof row->failed, "%.*s", (int)strcspn(why, "\n"), *why ? why : "a run failed");
    row->ours = NAN;
}

void repro_cell(struct repro_report *report, double paper, double ours, const char *unit, const char *item,
                const char *format, ...)
{
    struct repro_row *row = new_row(report, paper, ours, unit);
    if (!row) return;
    const int n = snprintf(row->label, sizeof row->label / 2, "%s ", item);
    row->item = (size_t)n < sizeof row->label / 2 ? (size_t)n - 1 : sizeof row->label / 2 - 2;
    va_list args;
    va_start(args, format);
    vsnprintf(row->label + row->item + 1, sizeof row->label - row->item - 1, format, args);
    va_end(args);
}

void repro_deviation(struct repro_report *report, const char *format, ...)
{
    char(*lines)[320] = one_more(report->deviations, &report->n_deviations, sizeof *lines, &report->out_of_memory);
    if (!lines) return;
    report->deviations = lines;
    va_list args;
    va_start(args, format);
    vsnprintf(lines[report->n_deviations - 1], sizeof *lines, format, args);
    va_end(args);
}

void repro_map(struct repro_report *report, const char *benchmark, const char *of, const char *x, const char *y,
               const char *unit, struct json_t *values)
{
    json_t *map = json_pack("{s:s,s:s,s:s,s:s,s:s,s:o}", "benchmark", benchmark, "of", of, "x", x, "y", y, "unit", unit,
                            "values", values);
    if (!report->maps) report->maps = json_array();
    report->out_of_memory |= !map || json_array_append_new(report->maps, map) < 0;
}

void repro_check(struct repro_report *report, bool holds, const char *format, ...)
{
    struct repro_check *checks = one_more(report->checks, &report->n_checks, sizeof *checks, &report->out_of_memory);
    if (!checks) return;
    report->checks = checks;
    struct repro_check *check = &checks[report->n_checks - 1];
    check->holds = holds;
    va_list args;
    va_start(args, format);
    vsnprintf(check->text, sizeof check->text, format, args);
    va_end(args);
}

bool repro_direction_ok(const struct repro_report *report)
{
    for (size_t i = 0; i < report->n_checks; i++)
        if (!report->checks[i].holds) return false;
    return report->n_checks > 0;
}

bool repro_has_others(const struct repro_report *report)
{
    for (size_t i = 0; i < report->n_rows; i++)
        if (isfinite(report->rows[i].others)) return true;
    return false;
}

/* Of the first n rows that which is row i of the other report: of a label the first is the first, the second the
 * second. n: there is none. */
static size_t find_row(const struct repro_report *report, size_t n, const struct repro_report *other, size_t i)
{
    const struct repro_row *row = &other->rows[i];
    size_t k = 0, before = 0;
    for (size_t b = 0; b < i; b++)
        before += other->rows[b].item == row->item && strcmp(other->rows[b].label, row->label) == 0;
    for (; k < n; k++)
        if (report->rows[k].item == row->item && strcmp(report->rows[k].label, row->label) == 0 && before-- == 0) break;
    return k;
}

void repro_add_others(struct repro_report *report, const struct repro_report *others)
{
    const size_t n = report->n_rows;
    report->out_of_memory |= others->out_of_memory;
    for (size_t i = 0; i < others->n_rows; i++) {
        const struct repro_row *from = &others->rows[i];
        const size_t k = from->item ? n : find_row(report, n, others, i);
        if (k < n) {
            report->rows[k].others = from->ours;
            continue;
        }
        struct repro_row *row = new_row(report, from->paper, from->ours, from->unit);
        if (row) *row = *from;
    }
}

void repro_add_suite(struct repro_report *ours, const struct repro_report *theirs)
{
    const size_t n = ours->n_rows;
    for (size_t i = 0; i < theirs->n_rows; i++) {
        const struct repro_row *from = &theirs->rows[i];
        const size_t k = find_row(ours, n, theirs, i);
        struct repro_row *row = k < n ? &ours->rows[k] : new_row(ours, from->paper, NAN, from->unit);
        if (!row) return;
        memcpy(row->label, from->label, sizeof row->label);
        row->item = from->item;
        row->suite = from->ours;
        if (*from->failed) snprintf(row->failed, sizeof row->failed, "suite: %.190s", from->failed);
    }
}

void repro_report_fini(struct repro_report *report)
{
    free(report->rows);
    free(report->checks);
    free(report->deviations);
    json_decref(report->maps);
    json_decref(report->matrix);
    *report = (struct repro_report){0};
}

void repro_result_fini(struct repro_result *result)
{
    repro_report_fini(&result->report);
    repro_report_fini(&result->second);
    json_decref(result->notes);
    json_decref(result->sample);
    if (result->cast) suite_cast_fini(result->cast);
    free(result->cast);
    result->cast = NULL;
    result->notes = NULL;
    result->sample = NULL;
}

/* ---- output ---- */

static json_t *answer(int value) { return value < 0 ? json_null() : json_boolean(value); }

/* Of the suite's value where the report has such a column, else of ours. */
static json_t *answers_of_row(const struct repro_report *r, size_t row, enum repro_of of)
{
    return json_pack("{s:o,s:o,s:o,s:o}", "direction", answer(repro_row_direction(r, row, of)), "order",
                     answer(repro_row_order(r, row, of)), "magnitude", answer(repro_row_magnitude(r, row, of)), "met",
                     answer(repro_row_met(r, row, of)));
}

static json_t *answers_of_report(const struct repro_report *r, enum repro_of of)
{
    const struct repro_answers a = repro_answers(r, of);
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "rows", (json_int_t)a.rows, "measured", (json_int_t)a.measured,
                     "direction", (json_int_t)a.direction, "order", (json_int_t)a.order, "magnitude",
                     (json_int_t)a.magnitude, "met", (json_int_t)a.met);
}

static json_t *json_of_row(const struct repro_result *result, size_t i)
{
    const struct repro_row *row = &result->report.rows[i];
    json_t *json = json_pack("{s:s,s:o,s:o,s:s}", "label", row->label, "paper", json_or_null(row->paper), "ours",
                             json_or_null(row->ours), "unit", row->unit);
    if (isfinite(row->others)) json_object_set_new(json, "others", json_real(row->others));
    if (row->has_ci)
        json_object_set_new(json, "ci95", json_pack("[oo]", json_or_null(row->ci95[0]), json_or_null(row->ci95[1])));
    if (row->is_estimate)
        json_object_set_new(json, "estimate",
                            json_pack("[oo]", json_or_null(row->estimate[0]), json_or_null(row->estimate[1])));
    if (*row->failed) json_object_set_new(json, "failed", json_string(row->failed));
    if (row->within > 0) json_object_set_new(json, "within", json_real(row->within));
    if (row->points > 0) json_object_set_new(json, "points", json_real(row->points));
    if (result->cast) json_object_set_new(json, "suite", json_or_null(row->suite));
    json_object_update_new(json, answers_of_row(&result->report, i, result->cast ? OF_SUITE : OF_OURS));
    if (row->item) json_object_set_new(json, "benchmark", json_stringn(row->label, row->item));
    return json;
}

struct json_t *repro_json(const struct repro_study *study, const struct repro_options *options,
                          const struct repro_result *result)
{
    const struct repro_report *r = &result->report;
    json_t *out = lab_json(), *rows = json_array(), *checks = json_array(), *deviations = json_array();
    for (size_t i = 0; i < r->n_rows; i++) json_array_append_new(rows, json_of_row(result, i));
    for (size_t i = 0; i < r->n_checks; i++)
        json_array_append_new(checks, json_pack("{s:s,s:b}", "text", r->checks[i].text, "holds", r->checks[i].holds));
    for (size_t i = 0; i < r->n_deviations; i++) json_array_append_new(deviations, json_string(r->deviations[i]));
    json_object_set_new(out, "id", json_string(study->id));
    json_object_set_new(out, "title", json_string(study->title));
    json_object_set_new(out, "source", json_string(study->source));
    json_object_set_new(out, "mean", json_string(repro_mean_names[study->mean]));
    json_object_set_new(out, "config", json_string(result->config));
    json_object_set_new(out, "mode", json_string(repro_mode_names[options->mode]));
    json_object_set_new(out, "rows", rows);
    json_object_set_new(out, "checks", checks);
    json_object_set_new(out, "direction_ok", json_boolean(repro_direction_ok(r)));
    json_object_set_new(out, "answers", answers_of_report(r, result->cast ? OF_SUITE : OF_OURS));
    json_object_set_new(out, "model_version", json_integer(SIM_MODEL_VERSION));
    json_object_set_new(out, "deviations", deviations);
    json_object_set_new(out, "points", json_integer((json_int_t)r->n_runs));
    if (result->cast) {
        repro_on_json(result, out);
        json_object_set_new(json_object_get(out, "on"), "direction_ok",
                            json_boolean(repro_direction_ok(&result->second)));
    }
    if (result->sample) json_object_set(out, "sample", result->sample);
    if (r->maps) json_object_set(out, "maps", r->maps);
    if (r->matrix) json_object_set(out, "matrix", r->matrix);
    if (r->n_families) json_object_set_new(out, "n_families", json_integer((json_int_t)r->n_families));
    json_object_set_new(out, "run_info",
                        json_pack("{s:I,s:I,s:f,s:f}", "runs_simulated", (json_int_t)result->totals.simulated,
                                  "runs_reused", (json_int_t)result->totals.reused, "wall_s", result->totals.wall_s,
                                  "core_seconds", result->totals.core_s));
    if (json_array_size(result->notes)) json_object_set(json_object_get(out, "run_info"), "notes", result->notes);
    return out;
}

static void print_number(double value, FILE *out)
{
    if (isfinite(value)) fprintf(out, fabs(value) < 0.005 && value != 0 ? " %10.2g" : " %10.2f", value);
    else fprintf(out, " %10s", "-");
}

/* Three answers a row, or as many blanks. */
static void print_answers(const struct repro_report *r, size_t row, enum repro_of of, FILE *out)
{
    static const char *const words[] = {"", "no", "yes"};
    fprintf(out, "  %-9s %-5s %-9s", words[1 + repro_row_direction(r, row, of)], words[1 + repro_row_order(r, row, of)],
            words[1 + repro_row_magnitude(r, row, of)]);
}

static void print_rows(const struct repro_result *result, FILE *out)
{
    const struct repro_report *r = &result->report;
    bool stands_alone = false;
    const bool has_others = repro_has_others(r), has_suite = result->cast != NULL;
    const struct repro_answers a = repro_answers(r, has_suite ? OF_SUITE : OF_OURS);
    for (size_t i = 0; i < r->n_rows; i++) stands_alone |= r->rows[i].item == 0;
    if (stands_alone)
        fprintf(out, "\n%-44s %10s %10s%s%s%s\n", "", "paper", "ours", has_others ? "     others" : "",
                has_suite ? "      suite" : "", a.rows ? "  direction order magnitude" : "");
    for (size_t i = 0; i < r->n_rows; i++) {
        if (r->rows[i].item) continue;
        fprintf(out, "%-44s", r->rows[i].label);
        print_number(r->rows[i].paper, out);
        print_number(r->rows[i].ours, out);
        if (has_others) print_number(r->rows[i].others, out);
        if (has_suite) print_number(r->rows[i].suite, out);
        if (a.rows) print_answers(r, i, has_suite ? OF_SUITE : OF_OURS, out);
        fprintf(out, " %s", r->rows[i].unit);
        if (*r->rows[i].failed) fprintf(out, "  failed: %s", r->rows[i].failed);
        if (r->rows[i].has_ci) fprintf(out, "  (95 %%: %.2f to %.2f)", r->rows[i].ci95[0], r->rows[i].ci95[1]);
        if (r->rows[i].is_estimate)
            fprintf(out, "  (estimate, 95 %%: %.3f to %.3f)", r->rows[i].estimate[0], r->rows[i].estimate[1]);
        fputc('\n', out);
    }
}

void repro_print_answers(const struct repro_report *report, enum repro_of of, FILE *out)
{
    const struct repro_answers a = repro_answers(report, of);
    if (!a.rows) {
        fprintf(out, "the paper gives no value of a row");
        return;
    }
    fprintf(out,
            "of %zu values of the paper, %zu measured: direction %zu, order %zu, magnitude %zu; met, all three, %zu",
            a.rows, a.measured, a.direction, a.order, a.magnitude, a.met);
}

void repro_print(const struct repro_study *study, const struct repro_options *options,
                 const struct repro_result *result, unsigned width, FILE *out)
{
    const struct repro_report *r = &result->report;
    fprintf(out, "%s: %s [%s]\n%s, %s mode, %s mean, %zu runs", study->id, study->title, study->source, result->config,
            repro_mode_names[options->mode], repro_mean_names[study->mean], r->n_runs);
    if (result->totals.core_s > 0) fprintf(out, " that took %.0f core-seconds", result->totals.core_s);
    fputc('\n', out);
    print_rows(result, out);
    repro_print_table(r, width, out);
    repro_print_matrix(r->matrix, out);
    fputs("\nMet: ", out);
    repro_print_answers(r, result->cast ? OF_SUITE : OF_OURS, out);
    fprintf(out, "\nDirection: %s\n", repro_direction_ok(r) ? "as published" : "not everywhere as published");
    for (size_t i = 0; i < r->n_checks; i++)
        fprintf(out, "  %-3s  %s\n", r->checks[i].holds ? "yes" : "no", r->checks[i].text);
    fprintf(out, "Deviations:\n");
    for (size_t i = 0; i < r->n_deviations; i++) fprintf(out, "  %s\n", r->deviations[i]);
    if (result->cast) repro_on_print(result, out);
}
