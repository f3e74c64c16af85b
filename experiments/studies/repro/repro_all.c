/* All studies, one after another, and one page of them: the paper's values beside ours, and what could not run. What
 * the store has is not simulated again, so that an interrupted round goes on where it was. */
#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/repro.h"

static void print_value(double value, FILE *out)
{
    if (isfinite(value)) fprintf(out, " %.4g |", value);
    else fputs(" |", out);
}

/* A title or label may hold what Markdown reads as the end of a cell. */
static void print_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '|' || *text == '<' || *text == '*' || *text == '_') fputc('\\', out);
        fputc(*text, out);
    }
}

static void print_answer(int answer, FILE *out) { fputs(answer < 0 ? " |" : answer ? " yes |" : " **no** |", out); }

static void print_head(bool has_others, FILE *out)
{
    fprintf(out, "\n| | paper | ours |%s direction | order | magnitude | |\n|---|---|---|%s---|---|---|---|\n",
            has_others ? " others |" : "", has_others ? "---|" : "");
}

static void print_study(const struct repro_study *study, const struct repro_result *result, FILE *out)
{
    const struct repro_report *r = &result->report;
    bool stands_alone = false;
    for (size_t i = 0; i < r->n_rows; i++) stands_alone |= r->rows[i].item == 0;
    fprintf(out, "\n## %s: ", study->id);
    print_text(study->title, out);
    fprintf(out, "\n\n%s; %s, %s mean, %zu runs", study->source, result->config, repro_mean_names[study->mean],
            r->n_runs);
    if (result->totals.core_s > 0) fprintf(out, " that took %.0f core-seconds", result->totals.core_s);
    fputs(". Met: ", out);
    repro_print_answers(r, OF_OURS, out);
    fprintf(out, ". Direction: %s.\n", repro_direction_ok(r) ? "as published" : "not everywhere as published");
    const bool has_others = repro_has_others(r);
    if (stands_alone) print_head(has_others, out);
    for (size_t i = 0; i < r->n_rows; i++) {
        const struct repro_row *row = &r->rows[i];
        if (row->item) continue;
        fputs("| ", out);
        print_text(row->label, out);
        fputs(" |", out);
        print_value(row->paper, out);
        print_value(row->ours, out);
        if (has_others) print_value(row->others, out);
        print_answer(repro_row_direction(r, i, OF_OURS), out);
        print_answer(repro_row_order(r, i, OF_OURS), out);
        print_answer(repro_row_magnitude(r, i, OF_OURS), out);
        fprintf(out, " %s |\n", strcmp(row->unit, "1") == 0 ? "" : row->unit);
    }
    repro_print_table(r, 0, out);
    fputc('\n', out);
    for (size_t i = 0; i < r->n_checks; i++) {
        fprintf(out, "- %s: ", r->checks[i].holds ? "yes" : "**no**");
        print_text(r->checks[i].text, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < r->n_deviations; i++) {
        fputs("- deviation: ", out);
        print_text(r->deviations[i], out);
        fputc('\n', out);
    }
}

/* A study that opens sealed workloads is not among all. The lengths of launches can be asked for by their whole name:
 * what they open they note in the file of looks. */
static bool is_wanted(const struct repro_study *study, const char *const *globs, size_t n)
{
    const bool by_name = repro_opens_sealed(study);
    if (by_name && !study->is_of_lengths) return false;
    for (size_t i = 0; i < n; i++)
        if (by_name ? strcmp(globs[i], study->id) == 0 : fnmatch(globs[i], study->id, 0) == 0) return true;
    return n == 0 && !by_name;
}

static int write_json(const char *dir, const struct repro_study *study, const struct repro_options *o,
                      const struct repro_result *result, struct error *err)
{
    char path[1200], *text = NULL;
    json_t *json = repro_json(study, o, result);
    snprintf(path, sizeof path, "%s/%s.json", dir, study->id);
    if (json) text = json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    const int status =
        text ? file_write(path, text, strlen(text), err) : error_set(err, ERR_MEMORY, "out of memory for %s", path);
    free(text);
    json_decref(json);
    return status;
}

static int run_each(const struct repro_options *o, const struct repro_all *all, struct repro_all_count *count,
                    FILE *page, FILE *failures, FILE *results, struct error *err)
{
    for (size_t i = 0; i < repro_list_n(all->studies); i++) {
        const struct repro_study *study = repro_list_at(all->studies, i);
        struct repro_result result;
        if (!is_wanted(study, all->globs, all->n_globs)) continue;
        count->studies++;
        if (o->runner.progress) fprintf(o->runner.progress, "%s: %s\n", study->id, study->title);
        if (repro_run(study, o, &result, err) < 0) {
            if (err->code == ERR_INTERRUPTED) return -1;
            count->failed++;
            fprintf(failures, "- %s: ", study->id);
            print_text(err->text, failures);
            fputc('\n', failures);
            continue;
        }
        const bool is_right = repro_direction_ok(&result.report);
        count->as_published += is_right;
        count->simulated += result.totals.simulated;
        print_study(study, &result, page);
        repro_results_print(study, o->mode, &result.report, results);
        const int status = write_json(all->dir, study, o, &result, err);
        repro_result_fini(&result);
        if (status < 0) return -1;
    }
    return count->studies ? 0 : error_set(err, ERR_INPUT, "no study has such a name ('poise repro --list')");
}

/* What is written while studies run. */
enum { PAGE, FAILURES, RESULTS, N_TEXTS };
struct texts_of_all {
    char *text[N_TEXTS];
    size_t size[N_TEXTS];
    FILE *file[N_TEXTS];
};

static int open_texts(struct texts_of_all *t, struct error *err)
{
    *t = (struct texts_of_all){.file = {NULL}};
    for (size_t i = 0; i < N_TEXTS; i++)
        if (!(t->file[i] = open_memstream(&t->text[i], &t->size[i])))
            return error_set(err, ERR_MEMORY, "out of memory for a page");
    repro_results_head(t->file[RESULTS]);
    return 0;
}

static int close_texts(struct texts_of_all *t, int result, struct error *err)
{
    bool is_cut = false;
    for (size_t i = 0; i < N_TEXTS; i++) is_cut |= t->file[i] && fclose(t->file[i]) != 0;
    return is_cut && result == 0 ? error_set(err, ERR_MEMORY, "out of memory for a page") : result;
}

static int write_page(const struct repro_options *o, const struct repro_all *all, const struct repro_all_count *count,
                      const struct texts_of_all *t, struct error *err)
{
    char path[1200], *whole;
    if (asprintf(
            &whole,
            "# Published figures, the papers' values beside ours\n\n%s mode: %zu studies, %zu with every statement "
            "of the paper borne out, %zu that could not run. Each is `poise repro ID --mode %s`; all of them: "
            "`poise repro --all --mode %s`.\n%s%s%s",
            repro_mode_names[o->mode], count->studies, count->as_published, count->failed, repro_mode_names[o->mode],
            repro_mode_names[o->mode], count->failed ? "\nCould not run:\n\n" : "", t->text[FAILURES],
            t->text[PAGE]) < 0)
        return error_set(err, ERR_MEMORY, "out of memory for a page");
    snprintf(path, sizeof path, "%s/studies.md", all->dir);
    const int result = file_write(path, whole, strlen(whole), err);
    free(whole);
    return result;
}

int repro_run_all(const struct repro_options *o, const struct repro_all *all, struct repro_all_count *count,
                  struct error *err)
{
    char path[1200];
    struct texts_of_all t;
    *count = (struct repro_all_count){0};
    if (file_make_folders(all->dir, err) < 0) return -1;
    int result = open_texts(&t, err);
    if (result == 0) result = run_each(o, all, count, t.file[PAGE], t.file[FAILURES], t.file[RESULTS], err);
    result = close_texts(&t, result, err);
    if (result == 0) result = write_page(o, all, count, &t, err);
    snprintf(path, sizeof path, "%s/studies.csv", all->dir);
    if (result == 0) result = file_write(path, t.text[RESULTS], t.size[RESULTS], err);
    if (result == 0 && all->results)
        result =
            repro_results_merge(all->results, t.text[RESULTS], t.size[RESULTS], access(all->results, F_OK) == 0, err);
    for (size_t i = 0; i < N_TEXTS; i++) free(t.text[i]);
    return result;
}
