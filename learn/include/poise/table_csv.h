/* A CSV file as a table of columns; which of them a regression takes. Errors name file, line and column. CSV as RFC
 * 4180: comma, optional "quotes" with "" for a quote, LF or CRLF; the first line names the columns; blank lines are
 * passed over. A column is numeric if all its cells are numbers; an empty cell is a missing number. */
#ifndef POISE_TABLE_CSV_H
#define POISE_TABLE_CSV_H
#include <stdbool.h>
#include <stddef.h>
#include "poise/error.h"
#include "poise/glm.h"

struct table_column {
    const char *name;
    double *values;     /* n_rows; NAN where the cell is empty or no number */
    const char **texts; /* n_rows, as in the file */
    size_t numbers;     /* cells that are numbers */
    size_t words;       /* cells that are neither numbers nor empty */
    size_t first_word;  /* the row of the first of these */
};
struct table_csv {
    char *source; /* the file's name, for errors */
    size_t n_rows, n_columns;
    struct table_column *columns;
    long *lines; /* where each row begins, from 1 */
    char *pool;  /* all names and texts */
};
int table_csv_read(struct table_csv *out, const char *path, struct error *err);
int table_csv_parse(struct table_csv *out, const char *name, const char *text, size_t size, struct error *err);
void table_csv_fini(struct table_csv *table);
const struct table_column *table_csv_find(const struct table_csv *table, const char *name); /* NULL if absent */

/* What was left out of a table and why; for the user, who may not have meant it. */
#define TABLE_NOTES_MAX 16
struct table_notes {
    char texts[TABLE_NOTES_MAX][256];
    size_t n;
};
bool table_is_missing(const char *text); /* empty, NA, N/A, NaN, NULL, '.' or '?', in any case */
void table_note(struct table_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Keeps these rows, in this order; a row may be named more than once. */
int table_csv_take(struct table_csv *table, const size_t *rows, size_t n, struct error *err);
/* A row as often as its cell in `column` says, a whole number: what a frequency weight means. */
int table_csv_repeat(struct table_csv *table, const char *column, struct error *err);
/* Leaves out the rows whose cell in `column` is empty or NA, with a note. An error if none is left. */
int table_csv_drop_missing(struct table_csv *table, const char *column, struct table_notes *notes, struct error *err);

/* libsvm's format: columns y, x1, x2, ... of which x_j is index j, 0 where absent. */
int table_libsvm_parse(struct table_csv *out, const char *name, const char *text, size_t size, struct error *err);
int table_read(struct table_csv *out, const char *path, struct error *err); /* by the name: .libsvm and .svm, or CSV */
/* target and columns; not offset, weight, group */
int libsvm_write(const struct glm_data *data, const char *path, struct error *err);

/* What `poise train` takes from a table: the target; `offset` (already a logarithm), `weight` and `group` where
 * there are such columns; the named features, or, when `features` is NULL, every other numeric column in the file's
 * order, but none that `roles` names.
 * [CONTRACTS `poise train`] */
struct column_roles {            /* of a kind of table, as whoever writes such tables knows them; lists end with NULL */
    const char *const *outcomes; /* outcomes or identities: never regressors */
    const char *const *words;    /* columns of words, even where all words look like numbers */
};
struct training_choice {
    const char *target;          /* a column's name; required */
    const char *const *features; /* NULL: by the rule */
    size_t n_features;
    struct column_roles roles; /* members may be NULL */
    enum glm_weights weights;  /* what the column `weight` says */
    bool is_repeated;          /* table_csv_repeat() was there: `weight` is used up */
    struct table_notes *notes; /* columns that the rule left out; may be NULL */
    bool add_intercept; /* adds a column of ones named "intercept", unless the table has one among the features */
};
struct training_set {
    struct glm_data data; /* points into this structure and into the table, which must stay */
    double *x;
    const char **names;
    const char *const *groups; /* texts of the column `group`, or NULL */
};
int training_set_init(struct training_set *out, const struct table_csv *table, const struct training_choice *choice,
                      struct error *err);
void training_set_fini(struct training_set *set);
#endif
