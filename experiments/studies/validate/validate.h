/* Comparison with a reference simulator on the same traces and configuration, and with closed forms. Internal to the
 * program. */
#ifndef POISE_VALIDATE_H
#define POISE_VALIDATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/gpu.h"
struct json_t;

/* Figures of one run, ours or the reference's. */
struct validate_figures {
    double cycles, l1d_loads, l1d_hits, l1d_merges, l1d_misses, l2_accesses, l2_misses, dram_reads, dram_writes;
};
struct validate_run {
    char run[64];     /* the reference's name: "xbar", "xbar+warp_limiting:2:4", or that of a configuration */
    uint32_t limit;   /* warps a scheduler; 0: all */
    uint32_t machine; /* of the validation's */
    struct validate_figures ours, reference;
};
/* How near our cycles are to the reference's; NAN where there is nothing to compute. */
struct validate_agreement {
    double mape, pearson, kendall;
};
/* A machine: the folder's only configuration, or one that `configs` of its cases.json names. */
struct validate_machine {
    char name[64], file[256];
    struct gpu_params *params;
    struct validate_agreement agreement; /* of its runs, where the folder has several */
};
struct validate_case {
    char name[64];
    uint64_t warp_insts;
    struct validate_run *runs; /* all of the built-in crossbar's; gto is the one without a limit */
    size_t n_runs;
    const struct validate_run *gto;            /* NULL if the reference has none */
    uint32_t best_limit, reference_best_limit; /* of the curve of limits; 0: all warps */
    double swl_loss; /* speedup lost when our best limit is used in the reference's curve; NAN without a curve */
};
struct validation {
    char *dir;
    struct validate_machine *machines;
    size_t n_machines;
    bool is_by_config; /* runs are named by configuration: schema 2 of cases.json */
    bool is_lenient;   /* what is wrong in a configuration is left out, and told on stderr */
    struct validate_case *cases;
    size_t n;
    struct validate_agreement gto, all; /* of the runs without a limit on warps, and of all */
    double max_swl_loss;                /* NAN without a curve of limits */
};
/* Every run of the folder's cases.json, repeated here. Schema 1: runs of the built-in crossbar on
 * gtx480_32sm_lx.config. Schema 2: `configs` names a file for each configuration, `options` what is added to all of
 * them, and runs are named by configuration. */
int validate_cases(struct validation *out, const char *dir, unsigned threads, bool is_lenient, struct error *err);
void validation_fini(struct validation *v);
struct json_t *validation_cases_json(const struct validation *v);
struct json_t *validation_overall_json(const struct validation *v);
struct json_t *validation_by_config_json(const struct validation *v); /* mape, pearson and kendall of each
                                                                       * configuration */
struct json_t *validation_config_json(const struct validation *v);    /* parameters; of several configurations by
                                                                       * their names */
void validation_print(const struct validation *v);
/* The machines of a folder from its cases.json (internal to validate_config.c and validate.c). */
int validate_load_machines(struct validation *v, const struct json_t *root, const char *path, struct error *err);

/* error of ours against the reference's, as a fraction; NAN where that is 0 */
double validate_error(double ours, double reference);
/* Of n pairs, -1 to 1; NAN with fewer than two or no variance. Kendall's tau-b. */
double pearson_of(const double *x, const double *y, size_t n);
double kendall_of(const double *x, const double *y, size_t n);

/* ---- closed forms ---- */
enum closed_kind {
    CLOSED_NEAR,
    CLOSED_AT_LEAST,
    CLOSED_STACK
}; /* within tolerance of it; at least that fraction of
    * it; hits by stack distance */
struct closed_result {
    const char *name, *doc;
    enum closed_kind kind;
    double expected, measured, tolerance;
    bool pass;
};
/* *out: *n results, the caller's to free(). A form that fails is a result, not an error. */
int validate_closed_forms(struct closed_result **out, size_t *n, struct error *err);
struct json_t *closed_forms_json(const struct closed_result *results, size_t n);
void closed_forms_print(const struct closed_result *results, size_t n);
#endif
