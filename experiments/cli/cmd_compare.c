/* poise compare: our simulation against a log of GPGPU-Sim or Accel-Sim of the same work, kernel by kernel. */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/gpgpusim_names.h"
#include "cli/options.h"
#include "poise/file.h"
#include "poise/lab.h"
#include "poise/say.h"
#include "poise/text.h"
#include "studies/validate/validate.h"

struct compare_options {
    bool json;
};
static const struct option_row rows[] = {OPTION(compare_options, json, 0, OPTION_FLAG, NULL, "print JSON")};

/* What a log says of a kernel; NAN where it says nothing. The last of each counts: the other simulator's are
 * cumulative. Its counts of what L1 and L2 did with accesses of a kind are for sectors where caches have sectors. */
#define OF_L1(kind, what) "Total_core_cache_stats_breakdown[GLOBAL_ACC_" kind "][" what "]"
/* clang-format off */
#define FIGURES(X) \
    X(cycles, "gpu_sim_cycle") X(insts, "gpu_sim_insn") X(ipc, "gpu_ipc") X(total_cycles, "gpu_tot_sim_cycle") \
    X(total_insts, "gpu_tot_sim_insn") X(total_ipc, "gpu_tot_ipc") X(warp_insts, "gpgpu_n_tot_w_icount") \
    X(l1_accesses, "L1D_total_cache_accesses") X(l1_misses, "L1D_total_cache_misses") \
    X(l1_miss_rate, "L1D_total_cache_miss_rate") \
    X(l1_merges, "L1D_total_cache_pending_hits") X(l1_fails, "L1D_total_cache_reservation_fails") \
    X(read_hits, OF_L1("R", "HIT")) X(read_merges, OF_L1("R", "HIT_RESERVED")) X(read_misses, OF_L1("R", "MISS")) \
    X(read_sector_misses, OF_L1("R", "SECTOR_MISS")) \
    X(l2_accesses, "L2_total_cache_accesses") X(l2_misses, "L2_total_cache_misses") \
    X(l2_miss_rate, "L2_total_cache_miss_rate") X(l2_merges, "L2_total_cache_pending_hits") \
    X(latency, "averagemflatency") X(dram_reads, "total dram reads") X(dram_writes, "total dram writes")
/* clang-format on */
enum figure {
#define X(id, text) FIGURE_##id,
    FIGURES(X)
#undef X
        N_FIGURES
};
static const char *const figure_names[N_FIGURES] = {
#define X(id, text) text,
    FIGURES(X)
#undef X
};
struct kernel {
    char name[128];
    double values[N_FIGURES];
};
struct kernels {
    struct kernel *items;
    size_t n;
};

static struct kernel *add_kernel(struct kernels *k)
{
    struct kernel *more = realloc(k->items, (k->n + 1) * sizeof *more);
    if (!more) return NULL;
    k->items = more;
    struct kernel *new = &more[k->n++];
    new->name[0] = '\0';
    for (int f = 0; f < N_FIGURES; f++) new->values[f] = NAN;
    return new;
}

/* "NAME = VALUE" or "NAME: VALUE" anywhere in a line's beginning; NULL if the line is something else. */
static const char *value_of(const char *line, const char *name)
{
    const size_t n = strlen(name);
    while (isspace((unsigned char)*line)) line++;
    if (strncmp(line, name, n) != 0) return NULL;
    for (line += n; *line == ' ' || *line == '\t'; line++) {}
    if (*line != '=' && *line != ':') return NULL;
    for (line++; *line == ' ' || *line == '\t'; line++) {}
    return line;
}

/* 0; -1: no memory; 1: cycles that are no number. Ratios of nothing are 'nan' in a log, cycles never. */
static int log_line(struct kernels *out, const char *line)
{
    struct kernel *now = out->n ? &out->items[out->n - 1] : NULL;
    const char *value = value_of(line, "kernel_name");
    if (value) {
        if (!(now = add_kernel(out))) return -1;
        snprintf(now->name, sizeof now->name, "%.*s", (int)strcspn(value, " \t\r"), value);
        text_clean(now->name);
        return 0;
    }
    for (int f = 0; f < N_FIGURES; f++) {
        if (!(value = value_of(line, figure_names[f]))) continue;
        char *end;
        const double v = strtod(value, &end);
        if (f == FIGURE_cycles && !(end != value && isfinite(v))) return 1;
        if (end == value) return 0;
        /* A log that was filtered has no names: a kernel begins with its cycles. */
        if ((!now || (f == FIGURE_cycles && !isnan(now->values[f]))) && !(now = add_kernel(out))) return -1;
        now->values[f] = v;
        return 0;
    }
    return 0;
}

static int read_log(struct kernels *out, const char *path, struct error *err)
{
    char *text, *rest = NULL;
    size_t size;
    *out = (struct kernels){0};
    if (file_read(&text, &size, path, err) < 0) return -1;
    int result = 0;
    for (char *line = strtok_r(text, "\n", &rest); line && result == 0; line = strtok_r(NULL, "\n", &rest))
        if ((result = log_line(out, line)) == 1)
            error_set(err, ERR_INPUT, "%s: '%.60s': a number of cycles is needed", path, line);
    free(text);
    if (result == 1) return -1;
    if (result < 0) return error_set(err, ERR_MEMORY, "%s: no memory for its kernels", path);
    for (size_t i = 0; i < out->n; i++)
        if (isnan(out->items[i].values[FIGURE_cycles]))
            out->items[i].values[FIGURE_cycles] = out->n == 1 ? out->items[i].values[FIGURE_total_cycles] : NAN;
    if (out->n && !isnan(out->items[0].values[FIGURE_cycles])) return 0;
    error_set(err, ERR_INPUT, "%s: no gpu_sim_cycle in it", path);
    return error_at(err, path, 0, -1,
                    "a log of GPGPU-Sim or Accel-Sim is needed, whole or its lines 'gpu_sim_cycle = ...'");
}

static double number(const json_t *stats, const char *name)
{
    const json_t *v = json_object_get(stats, name);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

/* One that files of earlier versions lack where it is 0. */
static double stat_of(const void *stats, const char *name)
{
    const double v = number(stats, name);
    return isnan(v) && strcmp(name, "l1d_sector_misses") == 0 ? 0 : v;
}

/* Our launches in the other simulator's terms; sums over what came before where it has sums. */
static int read_ours(struct kernels *out, const char *path, struct error *err)
{
    json_t *root = file_read_json(path, err), *launch;
    size_t i;
    struct gpgpusim_sums sums[N_FIGURES] = {0};
    *out = (struct kernels){0};
    if (!root) return -1;
    int result = 0;
    const struct gpgpusim_terms terms = gpgpusim_terms_of(json_object_get(root, "config"));
    json_array_foreach(json_object_get(root, "launches"), i, launch) {
        const json_t *s = json_object_get(launch, "stats");
        struct kernel *k = add_kernel(out);
        if (!k) result = error_set(err, ERR_MEMORY, "%s: no memory for its launches", path);
        if (result < 0) break;
        const char *name = json_string_value(json_object_get(launch, "name"));
        text_shown(name ? name : "", k->name, sizeof k->name);
        const double cycles = number(s, "core_cycles"), insts = number(s, "thread_insts");
        for (int f = 0; f < N_FIGURES; f++) {
            const struct gpgpusim_name *is = gpgpusim_find(figure_names[f]);
            if (!is) continue;
            gpgpusim_add(&sums[f], is, &terms, stat_of, s);
            k->values[f] = gpgpusim_value(is, &terms, sums[f]);
        }
        k->values[FIGURE_cycles] = cycles;
        k->values[FIGURE_insts] = insts;
        k->values[FIGURE_ipc] = cycles > 0 ? insts / cycles : 0;
    }
    json_decref(root);
    if (result == 0 && out->n == 0) {
        error_set(err, ERR_INPUT, "%s: no launches in it", path);
        result = error_at(err, path, 0, -1, "make it with poise sim --json");
    }
    return result;
}

/* All pairs of kernels of all pairs of files. */
struct comparison {
    struct kernel *ours, *theirs;
    size_t n, n_unlike; /* pairs of other names */
};

/* A log that was filtered has no names. */
static bool is_unlike(const struct kernel *a, const struct kernel *b)
{
    return *a->name && *b->name && strcmp(a->name, b->name) != 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct kernel *)a)->name, ((const struct kernel *)b)->name);
}

static struct kernel *sorted(const struct kernels *k)
{
    struct kernel *copy = calloc(k->n + 1, sizeof *copy);
    if (!copy) return NULL;
    memcpy(copy, k->items, k->n * sizeof *copy);
    qsort(copy, k->n, sizeof *copy, by_name);
    return copy;
}

/* The same names in another order are the same work compared crosswise. */
static int check_order(const struct kernels *ours, const struct kernels *theirs, const char *log, struct error *err)
{
    size_t at = 0, n_unlike = 0;
    for (size_t i = 0; i < ours->n; i++)
        if (is_unlike(&ours->items[i], &theirs->items[i]) && n_unlike++ == 0) at = i;
    if (!n_unlike) return 0;
    struct kernel *a = sorted(ours), *b = sorted(theirs);
    bool is_same = a && b;
    for (size_t i = 0; is_same && i < ours->n; i++) is_same = strcmp(a[i].name, b[i].name) == 0;
    const bool is_whole = a && b;
    free(a);
    free(b);
    if (!is_whole) return error_set(err, ERR_MEMORY, "out of memory for %zu kernels", ours->n);
    if (!is_same) return 0;
    error_set(err, ERR_INPUT, "%s: its kernels come in another order: kernel %zu is '%.100s' there and '%.100s' here",
              log, at + 1, theirs->items[at].name, ours->items[at].name);
    return error_at(err, log, 0, -1, "compare the same work: the same kernels in the same order");
}

static int add_pairs(struct comparison *c, const struct kernels *ours, const struct kernels *theirs, const char *log,
                     struct error *err)
{
    if (ours->n != theirs->n) {
        error_set(err, ERR_INPUT, "%s: %zu kernels, and %zu launches of ours", log, theirs->n, ours->n);
        return error_at(err, log, 0, -1, "compare the same work: the same kernels in the same order");
    }
    if (check_order(ours, theirs, log, err) < 0) return -1;
    struct kernel *a = realloc(c->ours, (c->n + ours->n) * sizeof *a),
                  *b = a ? realloc(c->theirs, (c->n + ours->n) * sizeof *b) : NULL;
    if (a) c->ours = a;
    if (!b) return error_set(err, ERR_MEMORY, "out of memory for %zu kernels", c->n + ours->n);
    c->theirs = b;
    memcpy(a + c->n, ours->items, ours->n * sizeof *a);
    memcpy(b + c->n, theirs->items, ours->n * sizeof *b);
    c->n += ours->n;
    return 0;
}

/* The figures that a log has of a kernel. */
struct differences {
    int figures[N_FIGURES], n;
};

/* Above all others: what one side counts and the other has none of. */
static double size_of(const struct kernel *a, const struct kernel *b, int f)
{
    const double x = a->values[f], y = b->values[f], e = fabs(validate_error(x, y));
    if (x == y) return 0;
    return isnan(x) ? -1 : isnan(e) ? INFINITY : e;
}

/* Cycles first, then the largest difference; equal ones in the order of the table. */
static struct differences differences_of(const struct kernel *a, const struct kernel *b)
{
    struct differences d = {.n = 0};
    for (int f = 0; f < N_FIGURES; f++) {
        if (isnan(b->values[f])) continue;
        int at = d.n++;
        while (at > 0 && d.figures[at - 1] != FIGURE_cycles && size_of(a, b, d.figures[at - 1]) < size_of(a, b, f)) {
            d.figures[at] = d.figures[at - 1];
            at--;
        }
        d.figures[at] = f;
    }
    return d;
}

static json_t *kernel_json(const struct kernel *a, const struct kernel *b)
{
    json_t *out = json_object(), *metrics = json_array();
    json_object_set_new(out, "name", json_string(a->name));
    if (*b->name) json_object_set_new(out, "ref_name", json_string(b->name));
    json_object_set_new(out, "cycles", json_or_null(a->values[FIGURE_cycles]));
    json_object_set_new(out, "ref_cycles", json_or_null(b->values[FIGURE_cycles]));
    json_object_set_new(out, "error", json_or_null(validate_error(a->values[FIGURE_cycles], b->values[FIGURE_cycles])));
    const struct differences d = differences_of(a, b);
    for (int i = 0; i < d.n; i++) {
        const int f = d.figures[i];
        json_array_append_new(metrics, json_pack("{s:s,s:o,s:o,s:o}", "name", figure_names[f], "ours",
                                                 json_or_null(a->values[f]), "theirs", json_or_null(b->values[f]),
                                                 "error", json_or_null(validate_error(a->values[f], b->values[f]))));
    }
    json_object_set_new(out, "metrics", metrics);
    return out;
}

static void print_kernel(const struct kernel *a, const struct kernel *b)
{
    const struct differences d = differences_of(a, b);
    printf("%s%s%s\n", *a->name ? a->name : "(kernel)", is_unlike(a, b) ? "; theirs: " : "",
           is_unlike(a, b) ? b->name : "");
    for (int i = 0; i < d.n; i++) {
        const int f = d.figures[i];
        const double e = validate_error(a->values[f], b->values[f]);
        char error[24] = "";
        if (!isnan(e)) snprintf(error, sizeof error, "%+.1f%%", 100 * e);
        printf("  %-58s %14.6g %14.6g %9s\n", figure_names[f], a->values[f], b->values[f], error);
    }
}

/* Names may differ for the same code: mangled on one side, or cut. */
static void warn_of_names(struct comparison *c)
{
    size_t first = c->n;
    for (size_t i = 0; i < c->n; i++)
        if (is_unlike(&c->ours[i], &c->theirs[i]) && c->n_unlike++ == 0) first = i;
    if (c->n_unlike)
        say_warning(stderr,
                    "%zu of %zu kernels have another name in the log, as kernel %zu: '%.100s' is ours, "
                    "'%.100s' theirs. Is it the same work?",
                    c->n_unlike, c->n, first + 1, c->ours[first].name, c->theirs[first].name);
}

static int print_comparison(const struct comparison *c, bool as_json, struct error *err)
{
    double *x = calloc(2 * c->n + 1, sizeof *x), *y = x ? x + c->n : NULL, sum = 0;
    if (!x) return error_set(err, ERR_MEMORY, "out of memory for %zu kernels", c->n);
    json_t *out = lab_json(), *kernels = json_array();
    if (!as_json) printf("%-60s %14s %14s %9s\n", "", "ours", "theirs", "error");
    for (size_t i = 0; i < c->n; i++) {
        x[i] = c->ours[i].values[FIGURE_cycles];
        y[i] = c->theirs[i].values[FIGURE_cycles];
        sum += fabs(validate_error(x[i], y[i]));
        if (as_json) json_array_append_new(kernels, kernel_json(&c->ours[i], &c->theirs[i]));
        else print_kernel(&c->ours[i], &c->theirs[i]);
    }
    const double mape = sum / (double)c->n, pearson = pearson_of(x, y, c->n), kendall = kendall_of(x, y, c->n);
    free(x);
    json_object_set_new(out, "kernels", kernels);
    json_object_set_new(out, "overall",
                        json_pack("{s:o,s:o,s:o,s:I,s:I}", "mape", json_or_null(mape), "pearson", json_or_null(pearson),
                                  "kendall", json_or_null(kendall), "kernels", (json_int_t)c->n, "other_names",
                                  (json_int_t)c->n_unlike));
    if (as_json) return cli_print_json(out, err);
    json_decref(out);
    printf("\nCycles of %zu kernel%s: mean absolute error %.1f%%", c->n, c->n == 1 ? "" : "s", 100 * mape);
    if (!isnan(pearson)) printf(", Pearson %.4f, Kendall %.3f", pearson, kendall);
    printf("\n");
    return 0;
}

static int run(struct cli *cli, const void *options, const struct texts *arguments, struct error *err)
{
    (void)cli;
    const struct compare_options *o = options;
    struct comparison c = {0};
    int result = 0;
    if (arguments->n < 2 || arguments->n % 2)
        return error_set(err, ERR_USAGE, "poise compare needs pairs: OURS.json THEIRS.log");
    for (size_t i = 0; i < arguments->n && result == 0; i += 2) {
        struct kernels ours = {0}, theirs = {0};
        result = read_ours(&ours, arguments->items[i], err);
        if (result == 0) result = read_log(&theirs, arguments->items[i + 1], err);
        if (result == 0) result = add_pairs(&c, &ours, &theirs, arguments->items[i + 1], err);
        free(ours.items);
        free(theirs.items);
    }
    if (result == 0) warn_of_names(&c);
    if (result == 0) result = print_comparison(&c, o->json, err);
    free(c.ours);
    free(c.theirs);
    return result;
}

const struct command command_compare = {
    "compare",
    "our figures against a log of GPGPU-Sim or Accel-Sim",
    "OURS.json THEIRS.log [OURS.json THEIRS.log]... [--json]",
    "OURS.json is what 'poise sim --json' printed. Kernels are compared in their "
    "order; figures that a log sums over kernels are summed here too,\n"
    "and DRAM transfers are those of the simulated machine's bus (32 bytes on "
    "newer cards). Every figure that both have is listed, cycles\n"
    "first, then the largest difference. Kernels of other names are reported; the same "
    "names in another order are an error.\n",
    rows,
    COUNT_OF(rows),
    sizeof(struct compare_options),
    run};
