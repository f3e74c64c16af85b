/* A file of predicted warp tuples: its rows, and which launch each is of. */
#include "poise/predictions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/file.h"
#include "poise/number.h"
#include "poise/table.h"
#include "poise/table_csv.h"

enum { WARPS_MAX = 64 }; /* of a scheduler */
static const char wanted[] = "a header benchmark,launch,N,p and one row a launch, as mvt,0,3,1";

static int at_line(struct error *err, const struct predictions *p, long line, const char *hint)
{
    return error_at(err, p->file, line, -1, hint);
}

void predictions_fini(struct predictions *p)
{
    free(p->items);
    p->items = NULL;
    p->n = 0;
}

static int copy_text(char *out, size_t size, const char *name, const char *text, const struct predictions *p, long line,
                     struct error *err)
{
    if (table_is_missing(text)) {
        error_set(err, ERR_INPUT, "%s:%ld: %s: this cell is empty", p->file, line, name);
        return at_line(err, p, line, wanted);
    }
    if (snprintf(out, size, "%s", text) < (int)size) return 0;
    error_set(err, ERR_INPUT, "%s:%ld: %s: '%.40s...' is too long for a name", p->file, line, name, text);
    return at_line(err, p, line, wanted);
}

/* A whole number of warps; 3.0 is one. */
static int read_warps(uint32_t *out, const char *name, const struct table_column *column, size_t row,
                      const struct predictions *p, long line, struct error *err)
{
    const double v = column->values[row];
    if (v >= 1 && v <= WARPS_MAX && v == floor(v)) {
        *out = (uint32_t)v;
        return 0;
    }
    error_set(err, ERR_INPUT, "%s:%ld: %s: '%.40s' is no number of warps: a whole number from 1 to %d is needed",
              p->file, line, name, column->texts[row], WARPS_MAX);
    return at_line(err, p, line, "round what the model predicts, and take it into 1 <= p <= N <= W");
}

static int read_row(struct predictions *p, const struct table_column *const columns[4],
                    const struct table_column *trace, size_t row, long line, struct error *err)
{
    struct prediction *r = &p->items[p->n];
    r->line = line;
    if (copy_text(r->benchmark, sizeof r->benchmark, "benchmark", columns[0]->texts[row], p, line, err) < 0 ||
        copy_text(r->launch, sizeof r->launch, "launch", columns[1]->texts[row], p, line, err) < 0 ||
        read_warps(&r->N, "N", columns[2], row, p, line, err) < 0 ||
        read_warps(&r->p, "p", columns[3], row, p, line, err) < 0)
        return -1;
    if (r->p > r->N) {
        error_set(err, ERR_INPUT, "%s:%ld: p = %u is above N = %u: only warps that run can allocate", p->file, line,
                  (unsigned)r->p, (unsigned)r->N);
        return at_line(err, p, line, "1 <= p <= N <= W is needed");
    }
    if (trace && !table_is_missing(trace->texts[row]) &&
        copy_text(r->trace, sizeof r->trace, "trace", trace->texts[row], p, line, err) < 0)
        return -1;
    p->n++;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct prediction *x = *(const struct prediction *const *)a, *y = *(const struct prediction *const *)b;
    int order = strcmp(x->benchmark, y->benchmark);
    if (order == 0) order = strcmp(x->launch, y->launch);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int twice(const struct predictions *p, const struct prediction *first, const struct prediction *again,
                 const char *launch, struct error *err)
{
    error_set(err, ERR_INPUT, "%s:%ld: a second row of %s; the first is line %ld", p->file, again->line, launch,
              first->line);
    return at_line(err, p, again->line, "one row a launch");
}

static int check_twice(const struct predictions *p, struct error *err)
{
    const struct prediction **sorted = calloc(p->n + 1, sizeof *sorted);
    char name[240];
    if (!sorted) return error_set(err, ERR_MEMORY, "out of memory for %zu rows", p->n);
    int result = 0;
    for (size_t i = 0; i < p->n; i++) sorted[i] = &p->items[i];
    qsort(sorted, p->n, sizeof *sorted, by_name);
    for (size_t i = 1; i < p->n && result == 0; i++) {
        const struct prediction *a = sorted[i - 1], *b = sorted[i];
        if (strcmp(a->benchmark, b->benchmark) != 0 || strcmp(a->launch, b->launch) != 0) continue;
        snprintf(name, sizeof name, "%s, launch %s", a->benchmark, a->launch);
        result = twice(p, a, b, name, err);
    }
    free(sorted);
    return result;
}

static int take_rows(struct predictions *p, const struct table_csv *table, struct error *err)
{
    static const char *const names[] = {"benchmark", "launch", "N", "p"};
    const struct table_column *columns[4], *trace = table_csv_find(table, "trace");
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!(columns[i] = table_csv_find(table, names[i]))) {
            error_set(err, ERR_INPUT, "%s:1: no column '%s'", p->file, names[i]);
            return at_line(err, p, 1, wanted);
        }
    if (table->n_rows == 0) {
        error_set(err, ERR_INPUT, "%s:1: there is no row below the header", p->file);
        return at_line(err, p, 1, wanted);
    }
    if (!(p->items = calloc(table->n_rows, sizeof *p->items)))
        return error_set(err, ERR_MEMORY, "out of memory for %zu rows", table->n_rows);
    p->has_trace = trace != NULL;
    for (size_t i = 0; i < table->n_rows; i++)
        if (read_row(p, columns, trace, i, table->lines[i], err) < 0) return -1;
    return check_twice(p, err);
}

int predictions_parse(struct predictions *out, const char *name, const char *text, size_t size, struct error *err)
{
    struct table_csv table;
    *out = (struct predictions){.n = 0};
    snprintf(out->file, sizeof out->file, "%s", name);
    if (table_csv_parse(&table, name, text, size, err) < 0) return -1;
    const int result = take_rows(out, &table, err);
    table_csv_fini(&table);
    if (result < 0) predictions_fini(out);
    return result;
}

int predictions_read(struct predictions *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    *out = (struct predictions){.n = 0};
    if (file_read(&text, &size, path, err) < 0) return -1;
    const int result = predictions_parse(out, path, text, size, err);
    free(text);
    return result;
}

/* ---- rows and launches ---- */

static bool names_workload(const struct prediction *r, const struct workload *w)
{
    return strcmp(r->benchmark, w->name) == 0 || strcmp(r->benchmark, w->benchmark) == 0;
}

bool prediction_means(const struct prediction *r, const struct workload *w)
{
    const size_t n = strlen(w->name);
    return names_workload(r, w) && (!strchr(r->launch, '/') || (strncmp(r->launch, w->name, n) == 0 &&
                                                                (r->launch[n] == '/' || r->launch[n] == '.')));
}

static bool is_known(const struct prediction *r, const struct registry *registry, const struct launches *own)
{
    for (size_t i = 0; i < registry->n; i++)
        if (names_workload(r, &registry->workloads[i])) return true;
    for (size_t i = 0; i < own->n; i++)
        if (own->items[i].workload && names_workload(r, own->items[i].workload)) return true;
    return false;
}

int predictions_check(const struct predictions *p, const struct registry *registry, const struct launches *own,
                      struct error *err)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct prediction *r = &p->items[i];
        if (is_known(r, registry, own)) continue;
        const char **names = calloc(registry->n + 1, sizeof *names);
        if (!names) return error_set(err, ERR_MEMORY, "out of memory");
        for (size_t k = 0; k < registry->n; k++) names[k] = registry->workloads[k].name;
        error_set(err, ERR_INPUT, "%s:%ld: no benchmark '%s'%s", p->file, r->line, r->benchmark,
                  did_you_mean(r->benchmark, names, registry->n, sizeof *names).text);
        free(names);
        return at_line(err, p, r->line, "'poise kernels' lists them; --trace and --program bring your own");
    }
    return 0;
}

/* How surely a row means a launch: 0 not at all, 1 by the group of benchmarks, 2 by the workload, 3 by the label, 4 by
 * the trace. */
static int means(const struct prediction *r, const struct launch *l)
{
    char hash[HASH_TEXT_SIZE];
    uint64_t index;
    if (!l->workload || !names_workload(r, l->workload)) return 0;
    const bool is_label = strcmp(r->launch, l->label) == 0,
               is_index = whole_parse(r->launch, 0, UINT32_MAX, &index) && index == l->index;
    if (!is_label && !is_index) return 0;
    hash_text(&l->hash, hash);
    if (*r->trace && strcmp(r->trace, hash) == 0) return 4;
    return is_label ? 3 : strcmp(r->benchmark, l->workload->name) == 0 ? 2 : 1;
}

/* The one launch that a row means; launches->n: none of these. */
static int launch_of(const struct predictions *p, const struct prediction *r, const struct launches *launches,
                     size_t *out, struct error *err)
{
    int most = 0;
    size_t n = 0;
    *out = launches->n;
    for (size_t i = 0; i < launches->n; i++) {
        const int surely = means(r, &launches->items[i]);
        if (surely == 0 || surely < most) continue;
        if (surely > most) most = surely, n = 0, *out = i;
        n++;
    }
    if (n < 2 || most == 4) return 0;
    error_set(err, ERR_INPUT, "%s:%ld: launch %s of %s is one of %zu", p->file, r->line, r->launch, r->benchmark, n);
    char hint[200];
    snprintf(hint, sizeof hint, "write its label, as %.100s, into the column launch", launches->items[*out].label);
    return at_line(err, p, r->line, hint);
}

static int missing(const struct predictions *p, const struct launches *launches, const size_t *row_of,
                   struct error *err)
{
    char list[300] = "";
    size_t n = 0;
    for (size_t i = 0; i < launches->n; i++) {
        if (row_of[i] != p->n) continue;
        const size_t used = strlen(list);
        if (n++ < 8) snprintf(list + used, sizeof list - used, "%s%.60s", used ? ", " : "", launches->items[i].label);
    }
    if (n == 0) return 0;
    error_set(err, ERR_INPUT, "%s: no row for %zu of %zu launches: %s%s", p->file, n, launches->n, list,
              n > 8 ? ", .." : "");
    return error_at(err, p->file, 0, -1,
                    "a benchmark's speedup is of all its launches: give each a row (benchmark,launch,N,p)");
}

int predictions_match(const struct predictions *p, const struct launches *launches, const struct store_plan *plans,
                      size_t *row_of, size_t *n_used, struct error *err)
{
    *n_used = 0;
    for (size_t i = 0; i < launches->n; i++) row_of[i] = p->n;
    for (size_t k = 0; k < p->n; k++) {
        const struct prediction *r = &p->items[k];
        size_t i;
        if (launch_of(p, r, launches, &i, err) < 0) return -1;
        if (i == launches->n) {
            bool is_judged = false;
            for (size_t l = 0; l < launches->n; l++)
                is_judged |= launches->items[l].workload && prediction_means(r, launches->items[l].workload);
            if (!is_judged) continue; /* a benchmark that nobody asked for */
            error_set(err, ERR_INPUT, "%s:%ld: %s has no launch %s", p->file, r->line, r->benchmark, r->launch);
            return at_line(err, p, r->line, "'poise features --kernel NAME' lists the launches of a workload");
        }
        if (row_of[i] != p->n) return twice(p, &p->items[row_of[i]], r, launches->items[i].label, err);
        row_of[i] = k;
        ++*n_used;
        const unsigned W = plans[i].warps_per_scheduler;
        if (r->N <= W) continue;
        error_set(err, ERR_INPUT, "%s:%ld: N = %u: a scheduler has %u warps in %s", p->file, r->line, (unsigned)r->N, W,
                  launches->items[i].label);
        return at_line(err, p, r->line, "1 <= p <= N <= W is needed; 'poise features' prints W");
    }
    return missing(p, launches, row_of, err);
}
