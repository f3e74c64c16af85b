/* Stored results of studies: a CSV table, a row a value of the paper's and a statement, with the date and the
 * version of the simulation model it was measured under; and pages' tables made from it. Suites' rows have more columns
 * and are written, and put on pages, by repro_suites.c. */
#include <fnmatch.h>
#include "poise/file.h"
#include "studies/repro/repro_results.h"

/* ---- reading ---- */

static bool is_kind_unknown(const char *kind, bool of_suite)
{
    return strcmp(kind, results_value) != 0 && strcmp(kind, results_statement) != 0 &&
           (!of_suite || strcmp(kind, results_program) != 0);
}

static int check_row(const struct repro_results *results, size_t row, struct error *err)
{
    const struct table_csv *t = &results->table;
    const char *kind = results_cell(results, row, KIND), *day = results_cell(results, row, DATE),
               *mode = results_cell(results, row, MODE);
    char *end;
    const long model = strtol(results_cell(results, row, MODEL), &end, 10);
    const char *wrong = is_kind_unknown(kind, results_is_of_suite(results, row))
                            ? "kind: value or statement, or program of a suite"
                        : *end || model < 1 || model > SIM_MODEL_VERSION ? "model_version: which it was measured under"
                        : strlen(day) != 10 || day[4] != '-' || day[7] != '-'     ? "date: when, as 2026-11-27"
                        : strcmp(mode, "quick") != 0 && strcmp(mode, "full") != 0 ? "mode: quick or full"
                        : results_is_of_suite(results, row) && !*results_cell(results, row, REVISION)
                            ? "revision: of the suite's checkout, or unknown"
                            : NULL;
    if (!wrong) return 0;
    error_set(err, ERR_INPUT, "%s:%ld: %s", t->source, t->lines[row], wrong);
    return error_at(err, t->source, t->lines[row], -1,
                    "'poise repro --all --results FILE' writes such rows, and 'poise repro ID --on SUITE --results "
                    "FILE' a suite's");
}

static int take_table(struct repro_results **out, struct repro_results *results, int result, const char *path,
                      struct error *err)
{
    for (size_t c = 0; result == 0 && c < N_COLUMNS; c++)
        if (!(results->columns[c] = table_csv_find(&results->table, results_columns[c])) && c < N_OURS)
            result = error_set(err, ERR_INPUT, "%s:1: no column '%s': this is no table of 'poise repro --all'", path,
                               results_columns[c]);
    for (size_t i = 0; result == 0 && i < results->table.n_rows; i++) result = check_row(results, i, err);
    if (result == 0) *out = results;
    else repro_results_free(results);
    return result;
}

int repro_results_parse(struct repro_results **out, const char *name, const char *text, size_t size, struct error *err)
{
    struct repro_results *results = calloc(1, sizeof *results);
    *out = NULL;
    if (!results) return error_set(err, ERR_MEMORY, "out of memory for %s", name);
    return take_table(out, results, table_csv_parse(&results->table, name, text, size, err), name, err);
}

int repro_results_read(struct repro_results **out, const char *path, struct error *err)
{
    struct repro_results *results = calloc(1, sizeof *results);
    *out = NULL;
    if (!results) return error_set(err, ERR_MEMORY, "out of memory for %s", path);
    return take_table(out, results, table_csv_read(&results->table, path, err), path, err);
}

void repro_results_free(struct repro_results *results)
{
    if (results) table_csv_fini(&results->table);
    free(results);
}

/* A row of one of the tables that are merged. */
struct merged {
    const char *cells[N_COLUMNS];
    size_t index;
};

static int by_study(const void *a, const void *b)
{
    const struct merged *x = a, *y = b;
    const int study = strverscmp(x->cells[STUDY], y->cells[STUDY]), mode = strcmp(x->cells[MODE], y->cells[MODE]),
              suite = strcmp(x->cells[SUITE], y->cells[SUITE]);
    return study ? study : mode ? mode : suite ? suite : x->index < y->index ? -1 : 1;
}

static bool has_study(const struct repro_results *results, const char *study, const char *mode, const char *suite)
{
    for (size_t i = 0; i < results->table.n_rows; i++)
        if (results_is_of(results, i, study, mode) && strcmp(results_cell(results, i, SUITE), suite) == 0) return true;
    return false;
}

static void take(const struct repro_results *from, const struct repro_results *without, struct merged *rows, size_t *n)
{
    for (size_t i = 0; from && i < from->table.n_rows; i++) {
        if (without &&
            has_study(without, results_cell(from, i, STUDY), results_cell(from, i, MODE), results_cell(from, i, SUITE)))
            continue;
        for (int c = 0; c < N_COLUMNS; c++) rows[*n].cells[c] = results_cell(from, i, c);
        rows[*n].index = *n;
        ++*n;
    }
}

/* Both as one text, the fresh rows in place of old ones. A table without a suite's rows has none of their columns. */
static int join(const struct repro_results *fresh, const struct repro_results *old, const char *path, char **whole,
                size_t *size, struct error *err)
{
    size_t n = 0, n_columns = N_OURS;
    struct merged *rows = calloc(fresh->table.n_rows + (old ? old->table.n_rows : 0) + 1, sizeof *rows);
    FILE *out = rows ? open_memstream(whole, size) : NULL;
    int result = out ? 0 : error_set(err, ERR_MEMORY, "out of memory for %s", path);
    if (out) {
        take(fresh, NULL, rows, &n);
        take(old, fresh, rows, &n);
        qsort(rows, n, sizeof *rows, by_study);
        for (size_t i = 0; i < n; i++)
            if (*rows[i].cells[SUITE]) n_columns = N_COLUMNS;
        results_print_row(results_columns, n_columns, out);
        for (size_t i = 0; i < n; i++) results_print_row(rows[i].cells, n_columns, out);
        if (fclose(out) != 0) result = error_set(err, ERR_MEMORY, "out of memory for %s", path);
    }
    free(rows);
    return result;
}

int repro_results_add(struct repro_results **to, const char *path, struct error *err)
{
    struct repro_results *more, *both = NULL;
    char *whole = NULL;
    size_t size = 0;
    if (repro_results_read(&more, path, err) < 0) return -1;
    int result = join(more, *to, path, &whole, &size, err);
    if (result == 0) result = repro_results_parse(&both, path, whole, size, err);
    free(whole);
    repro_results_free(more);
    if (result < 0) return -1;
    repro_results_free(*to);
    *to = both;
    return 0;
}

int repro_results_merge(const char *path, const char *text, size_t size, bool is_there, struct error *err)
{
    struct repro_results *old = NULL, *fresh = NULL;
    char *whole = NULL;
    int result = repro_results_parse(&fresh, path, text, size, err);
    if (result == 0 && is_there) result = repro_results_read(&old, path, err);
    if (result == 0) result = join(fresh, old, path, &whole, &size, err);
    if (result == 0) result = file_write(path, whole, size, err);
    free(whole);
    repro_results_free(fresh);
    repro_results_free(old);
    return result;
}

/* ---- pages ---- */

/* A study in one mode: what its rows say. */
struct sums {
    size_t rows, direction, order, magnitude, met, statements, held;
    int model; /* 0: no row */
};

/* A value that is asked for: the paper has it, and of suites' those whose program is there. */
static bool is_value_asked(const struct repro_results *results, size_t row, enum repro_of of)
{
    return *results_cell(results, row, PAPER) && (of == OF_OURS || *results_cell(results, row, ORIGINALS));
}
/* The version is its oldest row's. */
static struct sums sum_up(const struct repro_results *results, const char *study, const char *mode, enum repro_of of)
{
    struct sums s = {.rows = 0};
    for (size_t i = 0; i < results->table.n_rows; i++) {
        if (!results_is_of(results, i, study, mode) || results_is_of_suite(results, i) != (of == OF_SUITE)) continue;
        const int model = atoi(results_cell(results, i, MODEL));
        if (!s.model || model < s.model) s.model = model;
        if (results_is_kind(results, i, results_statement)) {
            s.statements++;
            s.held += results_is_yes(results, i, MET);
        } else if (is_value_asked(results, i, of)) {
            s.rows++;
            s.direction += results_is_yes(results, i, DIRECTION);
            s.order += results_is_yes(results, i, ORDER);
            s.magnitude += results_is_yes(results, i, MAGNITUDE);
            s.met += results_is_yes(results, i, MET);
        }
    }
    return s;
}

/* A row of a table where the paper has values, else an item of a list. The title is not repeated for a second mode. */
static void print_study(const struct sums *s, const struct repro_study *study, const char *title, const char *mode,
                        FILE *out)
{
    fputs(s->rows ? "| " : "- ", out);
    results_page_study(study->id, mode, s->model, out);
    fputs(s->rows ? " | " : ": ", out);
    results_page_text(title, out);
    if (s->rows) fprintf(out, " | %zu/%zu (%zu/%zu/%zu) |", s->met, s->rows, s->direction, s->order, s->magnitude);
    if (s->statements) fprintf(out, s->rows ? " %zu/%zu" : " (%zu/%zu)", s->held, s->statements);
    fputs(s->rows ? " |\n" : "\n", out);
}

static bool is_listed(const struct repro_results *results, const char *study)
{
    for (size_t i = 0; i < results->table.n_rows; i++)
        if (strcmp(results_cell(results, i, STUDY), study) == 0 && !results_is_of_suite(results, i)) return true;
    return false;
}

/* The studies whose papers have values, or the others. */
static void print_studies_of(const struct repro_results *results, const struct repro_list *list, bool has_values,
                             FILE *out)
{
    for (size_t i = 0; i < repro_list_n(list); i++) {
        const struct repro_study *study = repro_list_at(list, i);
        const char *title = study->title;
        for (int mode = 0; mode < N_REPRO_MODES; mode++) {
            const struct sums s = sum_up(results, study->id, repro_mode_names[mode], OF_OURS);
            if (!s.model || (s.rows > 0) != has_values) continue;
            print_study(&s, study, title, repro_mode_names[mode], out);
            title = "the same";
        }
    }
}

static void print_studies(const struct repro_results *results, const struct repro_list *list, FILE *out)
{
    fprintf(out,
            "Measured in quick mode under model version %d unless the first column says otherwise.\n\n"
            "| study | figure | met (direction/order/magnitude) | statements |\n|---|---|---|---|\n",
            SIM_MODEL_VERSION);
    print_studies_of(results, list, true, out);
    for (size_t i = 0; i < repro_list_n(list); i++)
        if (!is_listed(results, repro_list_at(list, i)->id))
            fprintf(out, "| `%s` | **not measured** | | |\n", repro_list_at(list, i)->id);
    fputs("\nStudies for which the paper has no value, with the statements that hold:\n\n", out);
    print_studies_of(results, list, false, out);
}

/* Which of the three a value does not have. */
static void print_misses(const struct repro_results *results, size_t row, FILE *out)
{
    const char *between = "";
    for (int c = DIRECTION; c <= MAGNITUDE; c++) {
        if (strcmp(results_cell(results, row, c), "no") != 0) continue;
        fprintf(out, "%s%s", between, results_columns[c]);
        between = ", ";
    }
}

static void print_one_value(const struct repro_results *results, size_t row, FILE *out)
{
    const char *unit = results_cell(results, row, UNIT), *ours = results_cell(results, row, OURS);
    fputs("| ", out);
    results_page_name(results, row, out);
    fputs(" | ", out);
    results_page_text(results_cell(results, row, WHAT), out);
    if (strcmp(unit, "1") != 0) fprintf(out, " (%s)", unit);
    fprintf(out, " | %s | ", results_cell(results, row, PAPER));
    if (*ours) fprintf(out, "%.4g", atof(ours));
    else fputs("not measured", out);
    fputs(" | ", out);
    print_misses(results, row, out);
    fputs(" |\n", out);
}

/* Values that stand alone of studies of these names: all of a study where its pattern ends in '!', else those of which
 * the paper has one. */
static void print_values(const struct repro_results *results, char *patterns, FILE *out)
{
    bool is_all;
    fputs("| study | value | paper | ours | does not hold |\n|---|---|---|---|---|\n", out);
    for (char *glob; (glob = results_next_pattern(&patterns, &is_all));)
        for (size_t i = 0; i < results->table.n_rows; i++)
            if (results_is_kind(results, i, results_value) && !*results_cell(results, i, BENCHMARK) &&
                !results_is_of_suite(results, i) && fnmatch(glob, results_cell(results, i, STUDY), 0) == 0 &&
                (is_all || *results_cell(results, i, PAPER)))
                print_one_value(results, i, out);
}

static const char begins[] = "<!-- results: ", ends[] = "<!-- /results -->";

/* One table in place of what stands between the marks; *at moves behind the mark at its end. */
static int fill_table(const struct repro_results *results, const struct repro_list *list, const char **at,
                      const char *page, FILE *out, struct error *err)
{
    char what[300];
    const char *stop = strstr(*at, " -->"), *end = strstr(*at, ends);
    if (!stop || !end || stop > end || stop - *at - sizeof begins >= sizeof what - 1)
        return error_set(err, ERR_INPUT, "%s: a mark '%s' without '%s' behind its table", page, begins, ends);
    snprintf(what, sizeof what, "%.*s", (int)(stop - *at - (long)sizeof begins + 1), *at + sizeof begins - 1);
    fwrite(*at, 1, (size_t)(stop - *at) + 4, out);
    fputs("\n\n", out);
    if (strcmp(what, "studies") == 0) print_studies(results, list, out);
    else if (strncmp(what, "values ", 7) == 0) print_values(results, what + 7, out);
    else if (strncmp(what, "originals ", 10) == 0) {
        if (results_page_originals(results, what + 10, out, err) < 0) return -1;
    } else
        return error_set(err, ERR_INPUT, "%s: a mark '%s%s': studies, values STUDY.. or originals STUDY..", page,
                         begins, what);
    fputs("\n", out);
    *at = end;
    return 0;
}

int repro_results_fill(const struct repro_results *results, const struct repro_list *list, const char *page,
                       const char *text, char **out, size_t *size, struct error *err)
{
    FILE *to = open_memstream(out, size);
    int result = to ? 0 : error_set(err, ERR_MEMORY, "out of memory for %s", page);
    for (const char *at = text; result == 0 && *at;) {
        const char *mark = strstr(at, begins);
        if (!mark) mark = at + strlen(at);
        fwrite(at, 1, (size_t)(mark - at), to);
        at = mark;
        if (*at) result = fill_table(results, list, &at, page, to, err);
    }
    if (to && fclose(to) != 0 && result == 0) result = error_set(err, ERR_MEMORY, "out of memory for %s", page);
    return result;
}

/* ---- how much holds ---- */

/* "THESIS Fig. 3.10" is chapter 3's, "BUCL IV.B" BUCL's; what "ours, on .." is, is no paper's. */
static void paper_of(const char *source, char *out, size_t size)
{
    static const char *const papers[] = {"BUCL", "ELASTIC", "TECHNIQUES", "TSC"};
    if (strncmp(source, "THESIS ", 7) == 0) {
        const char *chapter = strpbrk(source, "0123456789");
        snprintf(out, size, "THESIS %c", chapter ? *chapter : '?');
        return;
    }
    snprintf(out, size, "ours");
    for (size_t i = 0; i < COUNT_OF(papers); i++)
        if (strncmp(source, papers[i], strlen(papers[i])) == 0) snprintf(out, size, "%s", papers[i]);
}

static void add_to(struct repro_count *count, const struct sums *s)
{
    count->studies++;
    count->values += s->rows;
    count->statements += s->statements;
    if (s->model != SIM_MODEL_VERSION) {
        count->old++;
        return;
    }
    count->direction += s->direction;
    count->order += s->order;
    count->magnitude += s->magnitude;
    count->met += s->met;
    count->held += s->held;
}

static int by_paper(const void *a, const void *b)
{
    return strcmp(((const struct repro_count *)a)->paper, ((const struct repro_count *)b)->paper);
}

/* Such a table says nothing of ours, so that none of ours is asked for. */
static bool is_of_suites_alone(const struct repro_results *results)
{
    size_t n = 0;
    while (n < results->table.n_rows && results_is_of_suite(results, n)) n++;
    return n && n == results->table.n_rows;
}

size_t repro_results_count(const struct repro_results *results, const struct repro_list *list, enum repro_of of,
                           struct repro_count out[REPRO_PAPERS_MAX])
{
    size_t n = 0;
    if (of == OF_OURS && is_of_suites_alone(results)) return 0;
    for (size_t i = 0; i < repro_list_n(list); i++) {
        const struct repro_study *study = repro_list_at(list, i);
        const struct sums quick = sum_up(results, study->id, repro_mode_names[REPRO_QUICK], of),
                          full = sum_up(results, study->id, repro_mode_names[REPRO_FULL], of);
        if (of == OF_SUITE && !quick.model && !full.model) continue;
        char paper[sizeof out->paper];
        size_t k = 0;
        paper_of(study->source, paper, sizeof paper);
        while (k < n && strcmp(out[k].paper, paper) != 0) k++;
        if (k == REPRO_PAPERS_MAX) continue;
        if (k == n) {
            out[n] = (struct repro_count){.studies = 0};
            snprintf(out[n++].paper, sizeof paper, "%s", paper);
        }
        add_to(&out[k], full.model > quick.model ? &full : &quick);
    }
    qsort(out, n, sizeof *out, by_paper);
    return n;
}

bool repro_results_has(const struct repro_results *results, const struct repro_study *study)
{
    return is_listed(results, study->id);
}
