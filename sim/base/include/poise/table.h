/* Rows: one row declares a knob or a counter; struct fields, defaults, parsing, range checks, help, JSON and
 * columns derive from the row.
 *
 *   #define SWL_PARAMS(P) P(U32, N, 24, 1, 64, "warps", "THESIS 5.2", "warps per scheduler that may issue")
 *   PARAM_STRUCT(swl_params, SWL_PARAMS);
 *   #define ROW(...) PARAM_ROW_OF(swl_params, __VA_ARGS__)
 *   static const struct param_row swl_param_rows[] = { SWL_PARAMS(ROW) };
 *   #undef ROW
 *
 * `source` is compulsory: a place in a paper, a data sheet, or the word "assumed", which reports list.
 * An ENUM row's unit is its choices ("linear|hash"); its value is the index. A TEXT row is a bounded string.
 * A value that a paper gives stands behind the doc, whatever the default is: PUBLISHED("5") where the source says the
 * place, else PUBLISHED_IN("5", "BUCL Tab. II"). Tunings try it first.
 * Rows whose choices grow at run time have a type of their own, whose VALUE_MORE_ names a function (sim/gpu's POLICY).
 * Do not call a macro argument `name`: it would rewrite `->name`. */
#ifndef POISE_TABLE_H
#define POISE_TABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "poise/error.h"
struct json_t;

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define PARAM_TEXT_MAX 512

enum value_type { VALUE_U32, VALUE_U64, VALUE_F64, VALUE_FLAG, VALUE_ENUM, VALUE_TEXT };
struct param_text {
    char s[PARAM_TEXT_MAX];
};
#define VALUE_CTYPE_U32 uint32_t
#define VALUE_CTYPE_U64 uint64_t
#define VALUE_CTYPE_F64 double
#define VALUE_CTYPE_FLAG bool
#define VALUE_CTYPE_ENUM uint32_t
#define VALUE_CTYPE_TEXT struct param_text
#define VALUE_MORE_U32 NULL
#define VALUE_MORE_U64 NULL
#define VALUE_MORE_F64 NULL
#define VALUE_MORE_FLAG NULL
#define VALUE_MORE_ENUM NULL
#define VALUE_MORE_TEXT NULL

struct param_row {
    const char *name, *unit, *source, *doc;
    enum value_type type;
    size_t offset;
    double def, min, max;
    const char *(*more)(uint32_t i);      /* of an ENUM: the i-th choice behind those of the unit, or NULL */
    const char *published, *published_in; /* the value that a paper gives, and where (NULL: the source); NULL: none */
};
/* One table of rows with the name of what it belongs to ("l1", "swl"). */
struct param_table {
    const char *owner;
    const struct param_row *rows;
    size_t n_rows, size; /* size of the parameter struct in bytes */
};

#define PUBLISHED(value) value, NULL
#define PUBLISHED_IN(value, place) value, place
#define PARAM_FIELD(type, row, ...) VALUE_CTYPE_##type row;
#define PARAM_STRUCT(tag, PARAMS) \
    struct tag { \
        PARAMS(PARAM_FIELD) \
    }
/* clang-format off */
#define PARAM_DOC(doc, ...) doc
#define PARAM_PUBLISHED(doc, value, ...) value
#define PARAM_PUBLISHED_IN(doc, value, place, ...) place
#define PARAM_ROW_OF(tag, type, row, def, min, max, unit, source, ...) \
    {#row, unit, source, PARAM_DOC(__VA_ARGS__, 0), VALUE_##type, offsetof(struct tag, row), (double)(def), \
     (double)(min), (double)(max), VALUE_MORE_##type, PARAM_PUBLISHED(__VA_ARGS__, NULL, 0), \
     PARAM_PUBLISHED_IN(__VA_ARGS__, NULL, NULL, 0)},
/* clang-format on */

void params_defaults(const struct param_table *table, void *params);
/* Where the paper gives the published value; NULL: none is published. */
static inline const char *param_published_in(const struct param_row *row)
{
    return !row->published ? NULL : row->published_in ? row->published_in : row->source;
}
const struct param_row *params_find(const struct param_table *table, const char *name);
/* Sets one value from text. Errors: unknown name (with the nearest known one), not a value, out of range (with
 * source). */
int params_set(const struct param_table *table, void *params, const char *name, const char *text, struct error *err);
/* The value as canonical text: the same value always prints the same bytes. Returns `text`. */
const char *params_text(const struct param_row *row, const void *params, char *text, size_t size);
/* The unit; of an ENUM all its choices, a|b|c, cut off where there is no room. Returns `text`. */
const char *params_unit(const struct param_row *row, char *text, size_t size);
struct json_t *params_json(const struct param_table *table, const void *params); /* an object, in row order */
void params_help(const struct param_table *table, FILE *out);

enum stat_kind { STAT_SUM, STAT_PEAK }; /* how instances (SMs, banks, launches) merge */
struct stat_row {
    const char *name, *unit, *doc;
    enum stat_kind kind;
    size_t offset; /* always a uint64_t */
};
struct stat_table {
    const char *owner;
    const struct stat_row *rows;
    size_t n_rows, size;
};
#define STAT_FIELD(kind, row, unit, doc) uint64_t row;
#define STAT_STRUCT(tag, STATS) \
    struct tag { \
        STATS(STAT_FIELD) \
    }
#define STAT_ROW_OF(tag, kind, row, unit, doc) {#row, unit, doc, kind, offsetof(struct tag, row)},
void stats_merge(const struct stat_table *table, void *into, const void *from);
/* What came after `before`, which the same run counted earlier; peaks stay. */
void stats_since(const struct stat_table *table, void *stats, const void *before);
uint64_t stats_get(const struct stat_row *row, const void *stats);
struct json_t *stats_json(const struct stat_table *table, const void *stats); /* an object, in row order */

/* A ratio is a row too, computed only when printed, so that a quotient is never averaged by mistake. */
struct ratio_row {
    const char *name, *doc;
    size_t num, den; /* offsets of uint64_t counters */
};
/* clang-format off */
#define RATIO_ROW_OF(tag, row, num, den, doc) {#row, doc, offsetof(struct tag, num), offsetof(struct tag, den)}
/* clang-format on */
double ratio_get(const struct ratio_row *row, const void *stats); /* 0 where the denominator is 0 */

/* The nearest of n names to `name` by edit distance, or NULL when nothing is near. `stride` is the distance in bytes
 * between the `const char *` fields. */
const char *nearest_name(const char *name, const void *first, size_t n, size_t stride);
/* "; did you mean 'NEAREST'?" for the end of a message, or nothing. */
struct near_text {
    char text[96];
};
struct near_text did_you_mean(const char *name, const void *first, size_t n, size_t stride);
#endif
