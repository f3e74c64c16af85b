/* Tables of samplings: what surfaces are learned from, as `poise run` writes it beside its networks (samplings.csv) and
 * datasets/features/learned keeps it. A row is one sampling of one launch:
 *
 *   launch, trace   what was sampled             family   the group that is left out together
 *   split           training, development, or empty: in no split of datasets/FAMILIES.md (synthetic kernels)
 *   sampling        the tuples of the groups of SMs, as poise/sampling.h reads them: the same in all rows
 *   state           0: at the launch's start; 1, 2, ...: after it has run at another tuple
 *   W, weight       warps per scheduler; weight within the launch
 *   (features)      every other column that is no z_N_p
 *   z_N_p           ln(cycles with all warps / cycles at (N, p)), tuples ascending */
#ifndef POISE_RESPONSE_TABLE_H
#define POISE_RESPONSE_TABLE_H
#include "poise/response.h"
#include "poise/table_csv.h"
#include "poise/validate.h"

#define RESPONSE_TABLES_MAX 8
struct response_table {
    struct response_data data; /* groups are families */
    struct groups families;
    const char **launch, **split; /* n each */
    size_t *file, *state;         /* n each: of which file, and in which state */
    const char *sampling;
    struct table_csv files[RESPONSE_TABLES_MAX];
    size_t n_files;
    double *numbers; /* x, z and weights */
    size_t *sizes;   /* file, state */
    uint32_t *W;
    struct response_tuple *tuples;
    const char **names;
};
/* Files one after another; families of one name are one. Errors name the file and the line: a column that is missing, a
 * cell that is no number, features, tuples or a sampling that differ from the first file's, the same row twice. */
int response_table_read(struct response_table *out, const char *const *paths, size_t n, struct error *err);
int response_table_parse(struct response_table *out, const char *name, const char *text, size_t size,
                         struct error *err);
void response_table_fini(struct response_table *table);
#endif
