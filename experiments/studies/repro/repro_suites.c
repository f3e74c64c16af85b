/* What studies measured on programs of suites, in the table of stored results: rows of their own kind, which are never
 * counted among ours. A row has the value on the suite's programs (`originals`), which `direction` to `met` judge, and
 * ours on our programs of the same names in the same run. Each program has a row with its arguments. */
#include <fnmatch.h>
#include "poise/suite.h"
#include "studies/repro/repro_results.h"

/* ---- writing ---- */

/* The same statement: counts in its text may differ. */
static bool is_same_statement(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, "0123456789");
        b += strspn(b, "0123456789");
        if (*a != *b) return false;
        if (!*a) return true;
    }
}

/* Of ours; -1: no such statement could be checked on ours. */
static int holds_on_ours(const struct repro_report *ours, const char *statement)
{
    for (size_t i = 0; i < ours->n_checks; i++)
        if (is_same_statement(ours->checks[i].text, statement)) return ours->checks[i].holds;
    return -1;
}

static void print_programs(const char *cells[N_COLUMNS], const struct suite_cast *cast, FILE *out)
{
    cells[KIND] = results_program;
    for (size_t i = 0; i < cast->n; i++) {
        if (!*cast->members[i].program) continue;
        cells[WHAT] = cast->members[i].program;
        cells[BENCHMARK] = cast->members[i].paper;
        cells[ARGUMENTS] = cast->members[i].arguments;
        results_print_row(cells, N_COLUMNS, out);
    }
    cells[ARGUMENTS] = "";
}

static void tell_run(const struct repro_study *study, const struct repro_options *o, char *out, size_t size)
{
    const bool is_whole = o->carries_l2 || study->runs_programs;
    const int n =
        snprintf(out, size, "%s", is_whole ? "launches in order with L2 kept" : "each launch with empty caches");
    if (o->cap) snprintf(out + n, size - (size_t)n, "; first %llu warp instructions", (unsigned long long)o->cap);
}

void repro_results_print_on(const struct repro_study *study, const struct repro_options *options,
                            const struct repro_result *result, FILE *out)
{
    struct results_common common;
    char run[120];
    const char *cells[N_COLUMNS];
    const struct repro_report *theirs = &result->second;
    results_common(cells, &common, study->id, options->mode);
    tell_run(study, options, run, sizeof run);
    cells[SUITE] = result->cast->suites;
    cells[REVISION] = result->cast->revisions;
    cells[REVISED] = result->cast->dates;
    cells[RUN] = run;
    results_print_row(results_columns, N_COLUMNS, out);
    print_programs(cells, result->cast, out);
    for (size_t i = 0; i < result->report.n_rows; i++) results_print_value(cells, &result->report, i, OF_SUITE, out);
    for (size_t c = BENCHMARK; c < MET; c++) cells[c] = "";
    cells[KIND] = results_statement;
    for (size_t i = 0; i < theirs->n_checks; i++) {
        cells[WHAT] = theirs->checks[i].text;
        cells[OURS] = results_yes_or_no(holds_on_ours(&result->report, theirs->checks[i].text));
        cells[ORIGINALS] = cells[MET] = results_yes_or_no(theirs->checks[i].holds);
        results_print_row(cells, N_COLUMNS, out);
    }
}

/* ---- pages ---- */

enum wanted { UNWANTED, ALONE, WHOLE }; /* of a row's study: values that stand alone, or those of benchmarks too */

/* A number with four digits; "-": there is none. */
static void print_figure(const char *figure, FILE *out)
{
    if (*figure) fprintf(out, " %.4g |", atof(figure));
    else fputs(" - |", out);
}

static void print_original_value(const struct repro_results *results, size_t row, FILE *out)
{
    const char *unit = results_cell(results, row, UNIT), *benchmark = results_cell(results, row, BENCHMARK);
    fputs("| ", out);
    if (*benchmark) fprintf(out, "%s ", benchmark);
    results_page_text(results_cell(results, row, WHAT), out);
    if (strcmp(unit, "1") != 0) fprintf(out, " (%s)", unit);
    fputs(" |", out);
    print_figure(results_cell(results, row, PAPER), out);
    print_figure(results_cell(results, row, OURS), out);
    print_figure(results_cell(results, row, ORIGINALS), out);
    fputc('\n', out);
}

/* The line of a study, from its first row to before `to`: what was run, and how many statements hold. */
static void print_original_study(const struct repro_results *results, size_t from, size_t to, FILE *out)
{
    size_t programs = 0, statements = 0, ours = 0, originals = 0;
    for (size_t i = from; i < to; i++) {
        programs += results_is_kind(results, i, results_program);
        if (!results_is_kind(results, i, results_statement)) continue;
        statements++;
        ours += results_is_yes(results, i, OURS);
        originals += results_is_yes(results, i, ORIGINALS);
    }
    fputs("| ", out);
    results_page_name(results, from, out);
    fprintf(out, ", %zu programs of %s %s (%s), %s: statements | | %zu/%zu | %zu/%zu |\n", programs,
            results_cell(results, from, SUITE), results_cell(results, from, REVISION),
            results_cell(results, from, REVISED), results_cell(results, from, RUN), ours, statements, originals,
            statements);
}

/* A value of which the paper and the suite have one; a benchmark's in a study that is wanted whole. */
static bool is_shown(const struct repro_results *results, size_t row, enum wanted wanted)
{
    return results_is_kind(results, row, results_value) && *results_cell(results, row, PAPER) &&
           *results_cell(results, row, ORIGINALS) && (wanted == WHOLE || !*results_cell(results, row, BENCHMARK));
}

/* Under the line of each study its values. */
static void print_original_studies(const struct repro_results *results, const enum wanted *wanted, FILE *out)
{
    const size_t n = results->table.n_rows;
    fputs("| | paper | ours | original programs |\n|---|---|---|---|\n", out);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && wanted[to] == wanted[from]; to++)
            if (!results_is_of(results, to, results_cell(results, from, STUDY), results_cell(results, from, MODE)) ||
                strcmp(results_cell(results, to, SUITE), results_cell(results, from, SUITE)) != 0)
                break;
        if (wanted[from]) print_original_study(results, from, to, out);
        for (size_t i = from; wanted[from] && i < to; i++)
            if (is_shown(results, i, wanted[i])) print_original_value(results, i, out);
    }
}

/* Statements that hold on one side alone. */
static void print_original_statements(const struct repro_results *results, const enum wanted *wanted, FILE *out)
{
    fputs("\n| study | statement | holds on |\n|---|---|---|\n", out);
    for (size_t i = 0; i < results->table.n_rows; i++) {
        if (!wanted[i] || !results_is_kind(results, i, results_statement) || !*results_cell(results, i, OURS) ||
            results_is_yes(results, i, OURS) == results_is_yes(results, i, ORIGINALS))
            continue;
        fprintf(out, "| `%s` | ", results_cell(results, i, STUDY));
        results_page_text(results_cell(results, i, WHAT), out);
        fprintf(out, " | %s |\n", results_is_yes(results, i, OURS) ? "ours" : "the originals");
    }
}

int results_page_originals(const struct repro_results *results, char *patterns, FILE *out, struct error *err)
{
    const size_t n = results->table.n_rows;
    bool is_any = false, is_all;
    enum wanted *wanted = calloc(n + 1, sizeof *wanted);
    if (!wanted) return error_set(err, ERR_MEMORY, "out of memory for a page");
    for (char *glob; (glob = results_next_pattern(&patterns, &is_all));)
        for (size_t i = 0; i < n; i++) {
            if (!results_is_of_suite(results, i) || fnmatch(glob, results_cell(results, i, STUDY), 0) != 0) continue;
            wanted[i] = is_all ? WHOLE : ALONE;
            is_any = true;
        }
    if (is_any) {
        print_original_studies(results, wanted, out);
        print_original_statements(results, wanted, out);
    }
    free(wanted);
    if (is_any) return 0;
    error_set(err, ERR_INPUT, "%s has no row of a suite for a table 'originals'", results->table.source);
    return error_at(err, results->table.source, 0, -1,
                    "'--results' may be given twice: the table of 'poise repro ID --on SUITE --results FILE' too");
}
