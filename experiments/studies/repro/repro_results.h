/* The table of stored results, for the files that write and read it: repro_rows.c below repro_results.c (ours) and
 * repro_suites.c (suites'). */
#ifndef POISE_REPRO_RESULTS_H
#define POISE_REPRO_RESULTS_H
#include <stdlib.h>
#include <string.h>
#include "poise/repro.h"
#include "poise/table_csv.h"

enum {
    STUDY,
    KIND,
    WHAT,
    BENCHMARK,
    UNIT,
    PAPER,
    OURS,
    DIRECTION,
    ORDER,
    MAGNITUDE,
    MET,
    MODE,
    MODEL,
    DATE,
    N_OURS,
    ORIGINALS = N_OURS, /* the columns that rows of suites have besides */
    SUITE,
    REVISION,
    REVISED,
    RUN,
    ARGUMENTS,
    N_COLUMNS
};
extern const char *const results_columns[N_COLUMNS];
extern const char results_value[], results_statement[], results_program[]; /* kinds; programs are suites' */

struct repro_results {
    struct table_csv table;
    const struct table_column *columns[N_COLUMNS];
};
static inline const char *results_cell(const struct repro_results *results, size_t row, int column)
{
    return results->columns[column] ? results->columns[column]->texts[row] : "";
}
static inline bool results_is_kind(const struct repro_results *results, size_t row, const char *kind)
{
    return strcmp(results_cell(results, row, KIND), kind) == 0;
}
static inline bool results_is_yes(const struct repro_results *results, size_t row, int column)
{
    return strcmp(results_cell(results, row, column), "yes") == 0;
}
static inline bool results_is_of(const struct repro_results *results, size_t row, const char *study, const char *mode)
{
    return strcmp(results_cell(results, row, STUDY), study) == 0 && strcmp(results_cell(results, row, MODE), mode) == 0;
}
static inline bool results_is_of_suite(const struct repro_results *results, size_t row)
{
    return *results_cell(results, row, SUITE) != '\0';
}

/* Writing. What rows of one run have in common: `day` and `model` live as long as the cells. */
struct results_common {
    char day[16], model[16];
};
void results_common(const char *cells[N_COLUMNS], struct results_common *common, const char *study,
                    enum repro_mode mode);
void results_print_row(const char *const cells[N_COLUMNS], size_t n, FILE *out);
/* The report's row i; a benchmark's is in the table where the paper has a value. */
void results_print_value(const char *cells[N_COLUMNS], const struct repro_report *report, size_t i, enum repro_of of,
                         FILE *out);
const char *results_yes_or_no(int answer); /* "": no answer */

/* Pages. */
void results_page_text(const char *text, FILE *out); /* what Markdown would take for its own gets a '\\' */
void results_page_study(const char *study, const char *mode, int model, FILE *out); /* with what is unusual of it */
void results_page_name(const struct repro_results *results, size_t row, FILE *out);
/* The next of the patterns, which ends in '!' where all of a study's values are meant; NULL: no more. */
char *results_next_pattern(char **patterns, bool *is_all);
/* What studies of these names have of suites' programs, beside the paper's and ours on the same programs. */
int results_page_originals(const struct repro_results *results, char *patterns, FILE *out, struct error *err);
#endif
