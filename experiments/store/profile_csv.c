#include "poise/profile_csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "poise/cells.h"
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/gpu.h"

const char *const profile_default_counters[] = {
    "core_cycles",         "warp_insts",       "line_requests", "global_loads", "l1d_load_accesses", "l1d_load_hits",
    "l1d_intra_warp_hits", "miss_latency_sum", "l1d_fills",     "thread_insts", "l2_accesses",       "l2_hits",
    "dram_reads"};
const size_t n_profile_default_counters = COUNT_OF(profile_default_counters);
enum { NEEDED_COUNTERS = 9 }; /* the first so many are needed */

static const char *const fixed[] = {"workload", "input", "launch", "trace", "N", "p", "ms"};
enum { COL_WORKLOAD, COL_INPUT, COL_LAUNCH, COL_TRACE, COL_N, COL_P, COL_MS, N_FIXED };

/* ---- the table ---- */

void profile_table_fini(struct profile_table *t)
{
    free(t->launches);
    free(t->rows);
    free(t->values);
    memset(t, 0, sizeof *t);
}

static const struct stat_row *counter(const char *name)
{
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strcmp(gpu_stat_table.rows[i].name, name) == 0) return &gpu_stat_table.rows[i];
    return NULL;
}

static size_t column(const struct profile_table *t, const char *name)
{
    size_t i = 0;
    while (i < t->n_counters && strcmp(t->counters[i]->name, name) != 0) i++;
    return i;
}

int profile_table_column(struct profile_table *t, const char *name, struct error *err)
{
    const struct stat_row *row = counter(name);
    if (!row) {
        return error_set(
            err, ERR_INPUT, "no counter '%.80s'%s", name,
            did_you_mean(name, &gpu_stat_table.rows[0].name, gpu_stat_table.n_rows, sizeof *gpu_stat_table.rows).text);
    }
    if (column(t, name) < t->n_counters) return error_set(err, ERR_INPUT, "counter '%s' is given twice", name);
    if (t->n_counters == PROFILE_COUNTERS_MAX)
        return error_set(err, ERR_INPUT, "more than %d counters", PROFILE_COUNTERS_MAX);
    t->counters[t->n_counters++] = row;
    return 0;
}

int profile_table_launch(struct profile_table *t, const struct profile_launch *launch, struct error *err)
{
    if (t->n_launches == t->cap_launches) {
        const size_t capacity = t->cap_launches ? 2 * t->cap_launches : 64;
        struct profile_launch *launches = realloc(t->launches, capacity * sizeof *launches);
        if (!launches) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", capacity);
        t->launches = launches;
        t->cap_launches = capacity;
    }
    t->launches[t->n_launches] = *launch;
    t->launches[t->n_launches].first = t->n_rows;
    t->launches[t->n_launches++].n = 0;
    return 0;
}

void profile_table_drop_launch(struct profile_table *t) { t->n_rows = t->launches[--t->n_launches].first; }

int profile_table_row(struct profile_table *t, const struct profile_row *row, const uint64_t *values, struct error *err)
{
    if (t->n_rows == t->cap_rows) {
        const size_t capacity = t->cap_rows ? 2 * t->cap_rows : 1024;
        struct profile_row *rows = realloc(t->rows, capacity * sizeof *rows);
        if (rows) t->rows = rows;
        uint64_t *all = realloc(t->values, capacity * t->n_counters * sizeof *all);
        if (all) t->values = all;
        if (!rows || !all) return error_set(err, ERR_MEMORY, "out of memory for %zu rows of a profile", capacity);
        t->cap_rows = capacity;
    }
    memcpy(&t->values[t->n_rows * t->n_counters], values, t->n_counters * sizeof *values);
    t->rows[t->n_rows++] = *row;
    t->launches[t->n_launches - 1].n++;
    return 0;
}

uint64_t profile_table_value(const struct profile_table *t, size_t row, const char *name)
{
    const size_t c = column(t, name);
    return c < t->n_counters ? t->values[row * t->n_counters + c] : 0;
}

bool profile_table_is_whole(const struct profile_table *t) { return t->n_counters == gpu_stat_table.n_rows; }

double profile_table_seconds(const struct profile_table *t)
{
    double sum = 0;
    for (size_t i = 0; i < t->n_rows; i++) sum += 1e-3 * t->rows[i].ms;
    return sum;
}

uint32_t profile_table_warps(const struct profile_table *t, const struct profile_launch *l)
{
    uint32_t W = l->W;
    for (size_t r = l->first; r < l->first + l->n && !l->W; r++)
        if (t->rows[r].at.N > W) W = t->rows[r].at.N;
    return l->n == points_grid_size(W) ? W : 0; /* each tuple stands once */
}

uint64_t profile_table_cycles(const struct profile_table *t, const struct profile_launch *l, struct warp_tuple at)
{
    for (size_t r = l->first; r < l->first + l->n; r++)
        if (t->rows[r].at.N == at.N && t->rows[r].at.p == at.p) return profile_table_value(t, r, "core_cycles");
    return 0;
}

/* ---- writing ---- */

static void print_head(const struct profile_table *t, FILE *out)
{
    fprintf(out, "# poise profile: 1\n# model_version: %d\n# config: %s\n# config_hash: %s\n", t->model_version,
            t->config, t->config_hash);
    for (size_t i = 0; i < t->n_set; i++) fprintf(out, "# set: %s\n", t->set[i]);
    for (size_t i = 0; i < t->n_with; i++) fprintf(out, "# with: %s\n", t->with[i]);
    fprintf(out, "# size: %s\n", t->size);
    for (size_t i = 0; i < N_FIXED; i++) fprintf(out, "%s%s", i ? "," : "", fixed[i]);
    for (size_t c = 0; c < t->n_counters; c++) fprintf(out, ",%s", t->counters[c]->name);
    fputs(t->has_W ? ",W\n" : "\n", out);
}

/* A launch's first row is written out; the others leave out what has not changed. */
static void print_launch(const struct profile_table *t, const struct profile_launch *l, FILE *out)
{
    for (size_t r = l->first; r < l->first + l->n; r++) {
        const bool is_first = r == l->first;
        const struct profile_row *row = &t->rows[r];
        if (is_first) csv_print(out, l->workload);
        if (is_first) fprintf(out, ",%" PRId32 ",%" PRIu32 ",%s", l->input, l->index, l->trace);
        else fputs(",,,", out);
        if (is_first || row->at.N != row[-1].at.N) fprintf(out, ",%" PRIu32, row->at.N);
        else fputc(',', out);
        fprintf(out, ",%" PRIu32 ",%" PRIu32, row->at.p, row->ms);
        for (size_t c = 0; c < t->n_counters; c++) {
            const uint64_t *value = &t->values[r * t->n_counters + c];
            if (is_first || *value != *(value - t->n_counters)) fprintf(out, ",%" PRIu64, *value);
            else fputc(',', out);
        }
        if (t->has_W && is_first) fprintf(out, ",%" PRIu32, l->W);
        fputs(t->has_W && !is_first ? ",\n" : "\n", out);
    }
}

int profile_table_print(const struct profile_table *t, FILE *out, struct error *err)
{
    print_head(t, out);
    for (size_t l = 0; l < t->n_launches; l++) print_launch(t, &t->launches[l], out);
    return fflush(out) != 0 || ferror(out) ? error_set(err, ERR_IO, "writing the profile failed") : 0;
}

/* ---- reading ---- */

struct cursor {
    struct cells in;
    struct profile_table *out;
    struct profile_launch launch; /* of the row before */
    struct profile_row row;
    uint64_t values[PROFILE_COUNTERS_MAX];
    bool seen[PROFILE_WARPS_MAX + 1][PROFILE_WARPS_MAX + 1]; /* tuples of this launch */
};

static int copy_hash(struct cursor *c, char out[HASH_TEXT_SIZE], const char *text)
{
    if (strlen(text) != HASH_TEXT_SIZE - 1 || strspn(text, "0123456789abcdef") != HASH_TEXT_SIZE - 1)
        return cells_bad(&c->in, "'%.80s' is no hash of %d hexadecimal digits", text, HASH_TEXT_SIZE - 1);
    memcpy(out, text, HASH_TEXT_SIZE);
    return 0;
}

/* "# key: value" */
static int read_key(struct cursor *c)
{
    struct profile_table *t = c->out;
    uint64_t number;
    if (cells_take(&c->in, '\n') < 0) return -1;
    char *colon = strstr(c->in.cell, ": ");
    if (strncmp(c->in.cell, "# ", 2) != 0 || !colon) return cells_bad(&c->in, "'# name: value' is expected");
    *colon = '\0';
    const char *key = c->in.cell + 2, *value = colon + 2;
    if (c->in.line == 1 && (strcmp(key, "poise profile") != 0 || strcmp(value, "1") != 0))
        return cells_bad(&c->in, "this is no Poise profile: it starts with '# poise profile: 1'");
    if (c->in.line == 1) return 0;
    if (strcmp(key, "config") == 0) return cells_copy(&c->in, t->config, sizeof t->config, value);
    if (strcmp(key, "config_hash") == 0) return copy_hash(c, t->config_hash, value);
    if (strcmp(key, "size") == 0) return cells_copy(&c->in, t->size, sizeof t->size, value);
    if (strcmp(key, "model_version") == 0) {
        if (cells_whole(&c->in, value, 1, 1000000, &number) < 0) return -1;
        t->model_version = (int)number;
        return 0;
    }
    const bool is_set = strcmp(key, "set") == 0;
    if (!is_set && strcmp(key, "with") != 0)
        return cells_bad(&c->in, "no key '%.80s': model_version, config, config_hash, set, with, size", key);
    if ((is_set ? t->n_set : t->n_with) == PROFILE_CHANGES_MAX)
        return cells_bad(&c->in, "more than %d lines of '%s'", PROFILE_CHANGES_MAX, key);
    if (is_set && !strchr(value, '=')) return cells_bad(&c->in, "'set: l1.sets=64' is expected");
    return is_set ? cells_copy(&c->in, t->set[t->n_set++], sizeof *t->set, value)
                  : cells_copy(&c->in, t->with[t->n_with++], sizeof *t->with, value);
}

static int read_columns(struct cursor *c)
{
    struct error inner;
    for (bool is_last = false; !is_last;) {
        c->in.column++;
        if (cells_take(&c->in, ',') < 0) return -1;
        is_last = c->in.at >= c->in.end || *c->in.at == '\n';
        if (c->in.at < c->in.end) c->in.at++;
        if (c->in.column <= N_FIXED) {
            if (strcmp(c->in.cell, fixed[c->in.column - 1]) != 0)
                return cells_bad(&c->in, "'%.80s' is where '%s' should be", c->in.cell, fixed[c->in.column - 1]);
        } else if (is_last && strcmp(c->in.cell, "W") == 0) {
            c->out->has_W = true;
        } else if (profile_table_column(c->out, c->in.cell, &inner) < 0) {
            return cells_bad(&c->in, "%s", inner.text);
        }
    }
    for (size_t i = 0; i < NEEDED_COUNTERS; i++)
        if (column(c->out, profile_default_counters[i]) == c->out->n_counters)
            return cells_bad(&c->in, "there is no column %s, which features and tables need",
                             profile_default_counters[i]);
    return 0;
}

static int read_fixed(struct cursor *c, int i, bool *is_new)
{
    uint64_t number;
    char *end;
    struct profile_launch *l = &c->launch;
    if (i <= COL_TRACE) *is_new = true;
    switch (i) {
    case COL_WORKLOAD: return cells_copy(&c->in, l->workload, sizeof l->workload, c->in.cell);
    case COL_TRACE: return copy_hash(c, l->trace, c->in.cell);
    case COL_INPUT: {
        const long input = strtol(c->in.cell, &end, 10);
        if (*end || input < -1 || input > INT32_MAX)
            return cells_bad(&c->in, "'%.80s' is no input: -1, or a number from 0", c->in.cell);
        l->input = (int32_t)input;
        return 0;
    }
    default: break;
    }
    const bool is_tuple = i == COL_N || i == COL_P;
    if (cells_whole(&c->in, c->in.cell, is_tuple, is_tuple ? PROFILE_WARPS_MAX : UINT32_MAX, &number) < 0) return -1;
    uint32_t *const fields[] = {
        [COL_LAUNCH] = &l->index, [COL_N] = &c->row.at.N, [COL_P] = &c->row.at.p, [COL_MS] = &c->row.ms};
    *fields[i] = (uint32_t)number;
    return 0;
}

/* What stands behind the fixed columns: counters, and W where the table has it. A launch has one W. */
static int read_number(struct cursor *c, size_t i, bool is_new)
{
    uint64_t number;
    if (i < c->out->n_counters) return cells_whole(&c->in, c->in.cell, 0, INT64_MAX, &c->values[i]);
    if (cells_whole(&c->in, c->in.cell, 1, PROFILE_WARPS_MAX, &number) < 0) return -1;
    if (!is_new && number != c->launch.W)
        return cells_bad(&c->in, "W = %" PRIu64 " in a launch with W = %" PRIu32, number, c->launch.W);
    c->launch.W = (uint32_t)number;
    return 0;
}

static uint64_t now(const struct cursor *c, const char *name) { return c->values[column(c->out, name)]; }

static int check_row(struct cursor *c)
{
    const struct warp_tuple at = c->row.at;
    if (at.p > at.N) return cells_bad(&c->in, "(%u, %u) is no tuple with 1 <= p <= N", at.N, at.p);
    if (c->launch.W && at.N > c->launch.W)
        return cells_bad(&c->in, "N = %u in a launch of %u warps per scheduler", at.N, c->launch.W);
    if (c->seen[at.N][at.p]) return cells_bad(&c->in, "(%u, %u) is given twice in this launch", at.N, at.p);
    c->seen[at.N][at.p] = true;
    if (now(c, "core_cycles") == 0) return cells_bad(&c->in, "a run of 0 cycles");
    if (now(c, "l1d_load_hits") > now(c, "l1d_load_accesses")) return cells_bad(&c->in, "more L1 hits than accesses");
    if (now(c, "l1d_intra_warp_hits") > now(c, "l1d_load_hits"))
        return cells_bad(&c->in, "more hits within a warp than hits");
    return 0;
}

static int read_row(struct cursor *c)
{
    struct profile_table *t = c->out;
    const size_t columns = N_FIXED + t->n_counters + t->has_W;
    bool is_new = t->n_launches == 0;
    for (size_t i = 0; i < columns; i++) {
        if (cells_next(&c->in, i + 1 == columns) < 0) return -1;
        if (!*c->in.cell && t->n_rows == 0)
            return cells_bad(&c->in, "the first row has nothing above it that an empty cell could repeat");
        if (!*c->in.cell) continue;
        if ((i < N_FIXED ? read_fixed(c, (int)i, &is_new) : read_number(c, i - N_FIXED, is_new)) < 0) return -1;
    }
    c->in.column = 0;
    if (is_new) {
        memset(c->seen, 0, sizeof c->seen);
        for (size_t l = 0; l < t->n_launches; l++)
            if (strcmp(t->launches[l].workload, c->launch.workload) == 0 && t->launches[l].input == c->launch.input &&
                t->launches[l].index == c->launch.index)
                return cells_bad(&c->in, "launch %u of %s is given twice, or its rows are not together",
                                 c->launch.index, c->launch.workload);
        if (profile_table_launch(t, &c->launch, c->in.err) < 0) return -1;
    }
    return check_row(c) < 0 ? -1 : profile_table_row(t, &c->row, c->values, c->in.err);
}

static int read_table(struct cursor *c)
{
    struct profile_table *t = c->out;
    if (c->in.at >= c->in.end) return cells_bad(&c->in, "the file is empty");
    for (; c->in.at < c->in.end && *c->in.at == '#'; c->in.line++, c->in.at += c->in.at < c->in.end)
        if (read_key(c) < 0) return -1;
    if (c->in.line == 1) return cells_bad(&c->in, "this is no Poise profile: it starts with '# poise profile: 1'");
    const char *missing = !t->model_version  ? "model_version"
                          : !*t->config      ? "config"
                          : !*t->config_hash ? "config_hash"
                          : !*t->size        ? "size"
                                             : NULL;
    if (missing) return cells_bad(&c->in, "no line '# %s: ...' is above the columns", missing);
    if (read_columns(c) < 0) return -1;
    while (c->in.at < c->in.end) {
        c->in.line++;
        c->in.column = 0;
        if (read_row(c) < 0) return -1;
    }
    c->in.column = 0;
    return t->n_rows ? 0 : cells_bad(&c->in, "the profile has no rows");
}

int profile_table_parse(struct profile_table *out, const char *name, const char *text, size_t size, struct error *err)
{
    memset(out, 0, sizeof *out);
    struct cursor *c = calloc(1, sizeof *c);
    if (!c) return error_set(err, ERR_MEMORY, "%s: out of memory", name);
    const char *const hint = "'poise profile export SPEC' writes such a file";
    *c = (struct cursor){.in = {.name = name, .at = text, .end = text + size, .hint = hint, .line = 1, .err = err},
                         .out = out};
    const int result = read_table(c);
    free(c);
    if (result < 0) profile_table_fini(out);
    return result;
}

int profile_table_read(struct profile_table *out, const char *path, struct error *err)
{
    char *text;
    size_t size;
    memset(out, 0, sizeof *out);
    if (file_read(&text, &size, path, err) < 0) return error_while(err, "profile");
    const int result = profile_table_parse(out, path, text, size, err);
    free(text);
    return result;
}
