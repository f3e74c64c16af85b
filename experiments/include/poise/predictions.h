/* Warp tuples that a model outside of this program predicts, judged as our own models are.
 *
 *   benchmark,launch,N,p            one row a launch; `trace` may stand beside, other columns are passed over
 *   mvt,0,3,1                       launch: its number, or its label (mvt/0, gco.1/2) where the benchmark has inputs
 *
 * They are run as given tuples beside GTO, Static-Best, SWL and constants; intervals are drawn over families. */
#ifndef POISE_PREDICTIONS_H
#define POISE_PREDICTIONS_H
#include "poise/points.h"
#include "poise/runner.h"
struct json_t;

struct prediction {
    char benchmark[64], launch[160], trace[HASH_TEXT_SIZE]; /* trace: "" where the file has none */
    uint32_t N, p;
    long line;
};
struct predictions {
    char file[512];
    bool has_trace;
    struct prediction *items;
    size_t n;
};
/* Errors name the file's line: a column or cell that is missing, numbers other than 1 <= p <= N, a row that is there
 * twice. */
int predictions_parse(struct predictions *out, const char *name, const char *text, size_t size, struct error *err);
int predictions_read(struct predictions *out, const char *path, struct error *err);
void predictions_fini(struct predictions *predictions);
/* The row's benchmark is the workload or its group, and a label in `launch` is one of its launches'. */
bool prediction_means(const struct prediction *prediction, const struct workload *workload);
/* Every benchmark is of the registry, or a workload of `own` launches. */
int predictions_check(const struct predictions *predictions, const struct registry *registry,
                      const struct launches *own, struct error *err);
/* The row of each launch into row_of[launches->n]. An error where a launch has none or two, and where its row names
 * more warps than `plans` say that a scheduler has. *n_used: rows that a launch took. */
int predictions_match(const struct predictions *predictions, const struct launches *launches,
                      const struct store_plan *plans, size_t *row_of, size_t *n_used, struct error *err);

struct judge_options {
    const struct lab_paths *paths;
    struct runner_options runner;
    struct store *store; /* NULL: one in memory */
    struct points_way points;
    bool has_tables;          /* the machine and the sizes are those of datasets/profiles: their runs will do */
    const char *const *mechs; /* further policies, each a stack of one mechanism */
    const char *const *names; /* as the answer calls them */
    size_t n_mechs;
};
/* The answer is CONTRACTS' of poise eval, with what is said of predictions besides; the caller's. `launches` of one
 * workload stand together. */
int predictions_judge(struct json_t **out, const struct predictions *predictions, struct launches *launches,
                      struct gpu_params *params, const struct judge_options *options, struct error *err);
#endif
