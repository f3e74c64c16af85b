/* Rows of the table of stored results: how one is written, and how a page names it. Ours and those of suites have these
 * in common. */
#include <math.h>
#include <time.h>
#include "poise/csv.h"
#include "studies/repro/repro_results.h"

const char *const results_columns[N_COLUMNS] = {
    "study", "kind", "what",          "benchmark", "unit",      "paper", "ours",     "direction", "order", "magnitude",
    "met",   "mode", "model_version", "date",      "originals", "suite", "revision", "revised",   "run",   "arguments"};
const char results_value[] = "value", results_statement[] = "statement", results_program[] = "program";

/* ---- writing ---- */

const char *results_yes_or_no(int answer) { return answer < 0 ? "" : answer ? "yes" : "no"; }

void results_print_row(const char *const cells[N_COLUMNS], size_t n, FILE *out)
{
    csv_print(out, cells[0]);
    for (size_t c = 1; c < n; c++) csv_next(out, cells[c]);
    fputc('\n', out);
}

void repro_results_head(FILE *out) { results_print_row(results_columns, N_OURS, out); }

static void today(char *out, size_t size)
{
    const time_t now = time(NULL);
    struct tm utc;
    strftime(out, size, "%Y-%m-%d", gmtime_r(&now, &utc));
}

static const char *rounded(double value, char *text, size_t size)
{
    if (!isfinite(value)) return "";
    snprintf(text, size, "%.6g", value);
    return text;
}

void results_print_value(const char *cells[N_COLUMNS], const struct repro_report *r, size_t i, enum repro_of of,
                         FILE *out)
{
    const struct repro_row *row = &r->rows[i];
    char benchmark[96] = "", paper[32], ours[32], suite[32];
    if (row->item && !isfinite(row->paper)) return;
    if (row->item) snprintf(benchmark, sizeof benchmark, "%.*s", (int)row->item, row->label);
    cells[KIND] = results_value;
    cells[WHAT] = row->item ? row->label + row->item + 1 : row->label;
    cells[BENCHMARK] = benchmark;
    cells[UNIT] = row->unit;
    cells[PAPER] = rounded(row->paper, paper, sizeof paper);
    cells[OURS] = rounded(row->ours, ours, sizeof ours);
    cells[DIRECTION] = results_yes_or_no(repro_row_direction(r, i, of));
    cells[ORDER] = results_yes_or_no(repro_row_order(r, i, of));
    cells[MAGNITUDE] = results_yes_or_no(repro_row_magnitude(r, i, of));
    cells[MET] = results_yes_or_no(repro_row_met(r, i, of));
    if (of == OF_SUITE) cells[ORIGINALS] = rounded(row->suite, suite, sizeof suite);
    results_print_row(cells, of == OF_SUITE ? N_COLUMNS : N_OURS, out);
}

void results_common(const char *cells[N_COLUMNS], struct results_common *common, const char *study,
                    enum repro_mode mode)
{
    today(common->day, sizeof common->day);
    snprintf(common->model, sizeof common->model, "%d", SIM_MODEL_VERSION);
    for (size_t c = 0; c < N_COLUMNS; c++) cells[c] = "";
    cells[STUDY] = study;
    cells[MODE] = repro_mode_names[mode];
    cells[MODEL] = common->model;
    cells[DATE] = common->day;
}

void repro_results_print(const struct repro_study *study, enum repro_mode mode, const struct repro_report *report,
                         FILE *out)
{
    struct results_common common;
    const char *cells[N_COLUMNS];
    results_common(cells, &common, study->id, mode);
    for (size_t i = 0; i < report->n_rows; i++) results_print_value(cells, report, i, OF_OURS, out);
    for (size_t c = BENCHMARK; c < MET; c++) cells[c] = "";
    cells[KIND] = results_statement;
    for (size_t i = 0; i < report->n_checks; i++) {
        cells[WHAT] = report->checks[i].text;
        cells[MET] = results_yes_or_no(report->checks[i].holds);
        results_print_row(cells, N_OURS, out);
    }
}

/* ---- pages ---- */

void results_page_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (strchr("|<*_", *text)) fputc('\\', out);
        fputc(*text, out);
    }
}

/* A study of quick mode and the current version is named alone: the line above the table says so. */
void results_page_study(const char *study, const char *mode, int model, FILE *out)
{
    fprintf(out, "`%s`", study);
    if (strcmp(mode, repro_mode_names[REPRO_QUICK]) != 0) fprintf(out, ", %s", mode);
    if (model != SIM_MODEL_VERSION) fprintf(out, ", **version %d**", model);
}

void results_page_name(const struct repro_results *results, size_t row, FILE *out)
{
    results_page_study(results_cell(results, row, STUDY), results_cell(results, row, MODE),
                       atoi(results_cell(results, row, MODEL)), out);
}

char *results_next_pattern(char **patterns, bool *is_all)
{
    char *glob, *mark;
    do glob = strsep(patterns, " ");
    while (glob && !*glob);
    mark = glob ? strchr(glob, '!') : NULL;
    *is_all = mark != NULL;
    if (mark) *mark = '\0';
    return glob;
}
