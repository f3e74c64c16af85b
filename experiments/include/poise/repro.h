/* Studies of published work: run what a figure or table ran, and set our values beside the paper's.        [CONTRACTS]
 * A study is a figure of experiments/figures (its README.md has the language) and a spec of what is run:
 *
 *   schema: 1
 *   kind: repro
 *   name: thesis-tab-3.2
 *   config: fermi15
 *   kernels: ["*"]                                                           # names or globs
 *   paper_kernels: [mm, lbm]           # the paper's own: means are over these, a second column has all others
 *   quick: {size: small, launches: profiled, inputs: first, max_cycles: 20000} # or launches: all, inputs: all
 *   full: {size: small, launches: all, inputs: all}
 *   points:                                # beside the unchanged configuration, which is point 0, "base"
 *     - {name: l2, config: thesis-ch3-l2}  # a preset,
 *     - {name: p_inf, set: {ideal.memory: infinite}}                           # or changes
 *     - {name: volta, machine: volta80}                                        # a machine that stays as it is under
 *                                                                              # --config
 *     - {name: swbu, mech: ["swl,N=3", bucl]}                                  # under a mechanism or a stack of them
 *     - {name: hand, mech: write_buffer, marking: techniques/by-hand.json}     # on marked traces
 *   combine: {pairs: all, triples: [[l2, swbu, hand]]}     # besides, points put together: every two, or [[A, B]];
 *                                          # their names are joined by " + "
 *
 * `from_cycle: 60000` in a mode leaves a run's first so many cycles out of its counters, in which caches fill; of a
 * launch that ends earlier all counts. `by: launch` reports each launch on its own; otherwise launches of a workload
 * are summed. `mech` beside `config` is
 * for every point that names none (otherwise: gto). With `networks: learned/learned.yaml`, a pipeline that is run
 * first, a mechanism's `model=@network` is the one that saw nothing of the workload's family. In "swl,N=@swl" @swl is
 * the warp limit that is best for the benchmark (studies/sweep/warp_limit.h); not in mixes, nor side by side.
 * Mixes: `programs` are CPU programs, `mixes: [6, 5, 5]` and `insts` of a mode how many mixes with 1, 2 and 4 of
 * them and how many instructions of each. `chosen: {name: learned, among: "lifetime *"}` is one more point that is
 * not run: in each mix the point that is best over the mixes with which it shares neither program nor kernel.
 * On another configuration than the spec's, a point keeps what it changes: numbers by their ratio to the spec's
 * configuration, names as they are. */
#ifndef POISE_REPRO_H
#define POISE_REPRO_H
#include <stdarg.h>
#include "poise/runner.h"
#include "poise/workload.h"
struct json_t;
struct yaml_file;
struct yaml_node;

#define REPRO_POINTS_MAX 512
#define REPRO_NAME_MAX 64
enum repro_mode { REPRO_QUICK, REPRO_FULL, N_REPRO_MODES };
extern const char *const repro_mode_names[N_REPRO_MODES];

/* A point that is made of others: their numbers. */
enum { REPRO_TOGETHER_MAX = 3 };
#define REPRO_JOINT " + "
struct repro_combined {
    size_t members[REPRO_TOGETHER_MAX], n; /* 0: it stands by itself */
};
/* One that no machine has, or of which a run failed; or, where points are combined, a point that the machine in use
 * cannot be. */
struct repro_refusal {
    char name[REPRO_NAME_MAX];
    struct repro_combined of;
    char why[200];
};

/* ---- what was measured ---- */
struct repro_benchmark {
    const char *name; /* of the workload, or of the launch (spec: by) */
    const struct workload *workload;
    struct gpu_stats *stats[REPRO_POINTS_MAX]; /* sums over the launches, one a point */
    struct json_t *mechs[REPRO_POINTS_MAX];    /* {mechanism: {statistic: sum over the launches}} */
    struct error failed;                       /* why a run of it failed: it has no figures, */
    size_t failed_point;                       /* and under which point */
};
struct repro_data {
    const struct gpu_params *params[REPRO_POINTS_MAX];
    const struct mech_spec *stacks[REPRO_POINTS_MAX];
    unsigned n_stacks[REPRO_POINTS_MAX];
    char points[REPRO_POINTS_MAX][REPRO_NAME_MAX];
    size_t n_points;
    const struct repro_combined *combined; /* of each point; NULL: none is made of others */
    struct repro_refusal *refusals;
    size_t n_refusals;
    struct repro_benchmark *benchmarks;
    size_t n, n_failed;           /* those that failed stand behind the others */
    const struct json_t *summary; /* of a pipeline; NULL: the study has none */
};
/* The point of that name; it is a mistake of the study's spec if there is none (n_points then). */
size_t repro_point(const struct repro_data *data, const char *name);
/* A counter, or time and energy by their names (poise/energy.h). */
double repro_value(const struct repro_data *data, size_t benchmark, size_t point, const char *counter);
/* A mechanism's own counter. NAN if the point's stack has no such mechanism or it no such counter. */
double repro_mech_value(const struct repro_data *data, size_t benchmark, size_t point, const char *mech,
                        const char *counter);
/* A matrix of the mechanism's `detail` of a run, a list of lists, or NULL if there is none: `heat_map`, added over the
 * launches like a counter, or `windows` of the first launch. */
const struct json_t *repro_mech_map(const struct repro_data *data, size_t benchmark, size_t point, const char *mech,
                                    const char *name);
/* A whole-number parameter of a point: repro_param(data, 0, "l2", "banks"). NAN if there is none. */
double repro_param(const struct repro_data *data, size_t point, const char *group, const char *name);
/* Bits of one kind (enum storage_kind) that the mechanisms of a point have, in all SMs and once. */
double repro_stack_bits(const struct repro_data *data, size_t point, double kind);
/* Instructions a second over the base's: what "IPC gain" is where the clock does not change. Right for runs that a
 * limit stopped, too. NAN where the base has no cycles. */
double repro_speedup(const struct repro_data *data, size_t benchmark, size_t point);

/* ---- what is reported ---- */
/* NAN: the paper gives none, or nothing was measured. A row of a table of benchmarks (or launches) has the benchmark
 * first in its label. */
struct repro_row {
    char label[96], unit[16];
    char failed[200]; /* why there is no figure: a run of it failed; else empty */
    double paper, ours;
    double others; /* as ours, over the workloads that the paper has not; NAN: no such column */
    double suite;  /* as ours, on the programs of a suite; NAN: no such column, or nothing was measured */
    size_t item;   /* bytes of the benchmark's name; 0: stands alone */
    bool has_ci;
    double ci95[2]; /* of `ours` */
    bool is_estimate;
    double estimate[2];    /* `ours` is from a sample of launches: its interval of 95 % */
    double within, points; /* the band of its magnitude; 0: REPRO_WITHIN and REPRO_POINTS_APART */
    char rivals[24];       /* whose order it is compared in: rows that stand alone, of its unit and of these words */
};
struct repro_check {
    char text[160];
    bool holds;
};
struct repro_report {
    struct repro_row *rows;
    struct repro_check *checks;
    char (*deviations)[320];
    size_t n_rows, n_checks, n_deviations, n_incomplete, n_runs;
    struct json_t *maps;   /* list of {benchmark, of, x, y, unit, values}: values[y][x]; NULL: there are none */
    struct json_t *matrix; /* points put together (studies/repro/repro_combinations.c); NULL: there is none */
    size_t n_families;     /* over which intervals were drawn; 0: there are none */
    bool out_of_memory;    /* checked once, at the end */
};
void repro_row(struct repro_report *report, double paper, double ours, const char *unit, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The 95 % interval of the row that was added last. */
void repro_interval(struct repro_report *report, const double ci95[2]);
/* A run for the row that was added last failed: the row stands in the report with these words in place of a figure. */
void repro_failed(struct repro_report *report, const char *why);
/* A value of one benchmark (or launch): its column of the table of benchmarks. */
void repro_cell(struct repro_report *report, double paper, double ours, const char *unit, const char *item,
                const char *format, ...) __attribute__((format(printf, 6, 7)));
/* The rows of benchmarks as a table: a line a benchmark, a column a value, the paper's beside ours where it has one.
 * `width` columns of a terminal, wider tables in parts; 0: Markdown. Prints nothing where there are none. */
void repro_print_table(const struct repro_report *report, unsigned width, FILE *out);
/* A square map of one benchmark, which the report takes over: `of` says what its values are, x and y what its columns
 * and rows. */
void repro_map(struct repro_report *report, const char *benchmark, const char *of, const char *x, const char *y,
               const char *unit, struct json_t *values);
/* A statement of the paper, and whether our measurements bear it out. */
void repro_check(struct repro_report *report, bool holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void repro_deviation(struct repro_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool repro_direction_ok(const struct repro_report *report); /* every check holds */
bool repro_has_others(const struct repro_report *report);
/* The same report over other workloads: its values stand in the second column, its benchmarks behind these. */
void repro_add_others(struct repro_report *report, const struct repro_report *others);
/* The same report over programs of suites: its values stand in the column `suite`. */
void repro_add_suite(struct repro_report *ours, const struct repro_report *theirs);
void repro_report_fini(struct repro_report *report);

/* ---- what a row answers: 1, 0, or -1 where the paper has no value or nothing was measured ----
 * A factor ("x") is judged by its gain in percent, any other value as it is.
 * - direction: on the paper's side of no gain; where the paper has exactly 0, within the points below.
 * - order: above and below the rivals as in the paper: the other benchmarks of a column, the other rows that stand
 *   alone, of the same unit. Values that are equal in the paper ask nothing; a row without rivals contradicts nothing.
 * - magnitude: within a factor of the paper's value with the same sign, or so many percentage points apart.
 * - met: all three; of a row with a paper's value that was not measured, 0. */
#define REPRO_WITHIN 1.5
#define REPRO_POINTS_APART 2.0
enum repro_of { OF_OURS, OF_SUITE };
int repro_row_direction(const struct repro_report *report, size_t row, enum repro_of of);
int repro_row_order(const struct repro_report *report, size_t row, enum repro_of of);
int repro_row_magnitude(const struct repro_report *report, size_t row, enum repro_of of);
int repro_row_met(const struct repro_report *report, size_t row, enum repro_of of);
/* Over the rows with a paper's value; those that were not measured are among `rows` alone. */
struct repro_answers {
    size_t rows, measured, direction, order, magnitude, met;
};
struct repro_answers repro_answers(const struct repro_report *report, enum repro_of of);
/* "of 9 values of the paper, 8 measured: direction 7, ..." */
void repro_print_answers(const struct repro_report *report, enum repro_of of, FILE *out);

/* ---- means; values that are NAN are left out; NAN of none ---- */
enum repro_mean { MEAN_ARITHMETIC, MEAN_HARMONIC, MEAN_GEOMETRIC, N_REPRO_MEANS };
extern const char *const repro_mean_names[N_REPRO_MEANS];
double repro_mean(enum repro_mean mean, const double *values, size_t n);

/* The matrix as text: counts of classes, the strongest interactions, what was refused. */
void repro_print_matrix(const struct json_t *matrix, FILE *out);

/* A deviation that says how often L2 hits on the base, where the paper's comparison hangs on how much reaches DRAM. */
void repro_note_l2_hits(const struct repro_data *data, struct repro_report *report);

/* ---- studies ---- */
struct repro_study {
    const char *id, *title, *source;
    enum repro_mean mean;
    const char *spec; /* below experiments/specs */
    /* NULL, or the spec is a pipeline's, and the study tells its rows from the pipeline's summary. Quick
     * mode simulates the spec's points, full mode all. */
    void (*tell)(const struct repro_study *study, const struct json_t *summary, struct repro_report *report);
    bool runs_programs;    /* as a whole: launches in order, with L2 kept; the store has no part in such runs */
    bool has_pairs;        /* launches side by side, two by two, with warp tuples that are searched */
    bool is_of_lengths;    /* of the launches that learning is judged by, sealed ones too, under GTO */
    bool has_combinations; /* rows of its points put together come first */
    bool has_mixes; /* its points are run over mixes of CPU programs and a kernel (poise/mix.h), not over benchmarks */
    const struct yaml_file *file; /* of a figure of experiments/figures, with its place there; else NULL */
    const struct yaml_node *figure;
};
/* The study's rows, checks and deviations. Over no benchmarks a figure of a file is read and checked. */
int repro_report(const struct repro_study *study, const struct repro_data *data, struct repro_report *report,
                 struct error *err);
/* Reads a file of figures and works out every figure of it over no benchmarks and these points, the first of them
 * "base": what is wrong in it is an error with its line. */
int repro_figures_try(const char *name, const char *text, size_t size, const char *const *points, size_t n_points,
                      struct error *err);
/* Every study: the figures of experiments/figures, and those that compute something of their own; by id. */
struct repro_list;
int repro_list_load(struct repro_list **out, const char *configs_dir, struct error *err);
void repro_list_free(struct repro_list *list); /* accepts NULL */
size_t repro_list_n(const struct repro_list *list);
const struct repro_study *repro_list_at(const struct repro_list *list, size_t i);
/* An error names the nearest. */
int repro_list_find(const struct repro_list *list, const char *id, const struct repro_study **out, struct error *err);
/* It opens the sealed workloads (datasets/FAMILIES.md): it is never one of `all`, and every evaluation is
 * appended to the file of evaluations, datasets/sealed.csv. */
bool repro_opens_sealed(const struct repro_study *study);

/* ---- specs and running ---- */
struct repro_scope {
    int size;
    bool is_profiled_only, is_first_input;
    uint64_t max_cycles;
    uint64_t from_cycle; /* counters are those after it, while caches are warm; 0: of the whole run */
    uint64_t insts;      /* of mixes: instructions of each CPU program */
    size_t mixes[3];     /* with 1, 2 and 4 CPU programs: how many */
};
enum { REPRO_INSTS_DEFAULT = 2000000, REPRO_MIXES_MAX = 152 };
struct repro_spec {
    char name[REPRO_NAME_MAX], config[128];
    char kernels[64][64], paper_kernels[64][64];
    char programs[64][64]; /* of mixes: CPU programs; none: all that are known */
    size_t n_kernels, n_paper_kernels, n_programs, n_points;
    bool is_by_launch;
    char sample[200]; /* as --sample has it: of a report in full mode that names no other; empty: none */
    struct repro_scope scopes[N_REPRO_MODES];
    char points[REPRO_POINTS_MAX][REPRO_NAME_MAX];
    struct gpu_params *params[REPRO_POINTS_MAX];
    struct mech_spec stacks[REPRO_POINTS_MAX][MECH_STACK_MAX];
    unsigned n_stacks[REPRO_POINTS_MAX];
    char limit_keys[REPRO_POINTS_MAX][MECH_STACK_MAX][32]; /* the parameter that @swl stands at; empty: none */
    char markings[REPRO_POINTS_MAX][640];                  /* path of the marking that its traces get; empty: none */
    struct repro_combined combined[REPRO_POINTS_MAX];
    struct repro_refusal refusals[REPRO_POINTS_MAX]; /* of `combine`: what cannot be put together */
    size_t n_refusals;
    char networks[128]; /* the pipeline whose networks stand for @network, below experiments/specs */
    char kept[32][160]; /* changes that another configuration cannot follow in proportion */
    size_t n_kept;      /* of all; those beyond the array are counted alone */
    struct {
        char name[REPRO_NAME_MAX], among[REPRO_NAME_MAX];
    } chosen; /* of mixes: a point that is not run, but chosen for each mix of those that match `among`; empty: none */
};
/* `config` NULL: the spec's. */
int repro_spec_load(struct repro_spec *out, const char *path, const char *configs_dir, const char *config,
                    struct error *err);
int repro_spec_parse(struct repro_spec *out, const char *name, const char *text, size_t size, const char *configs_dir,
                     const char *config, struct error *err);
void repro_spec_fini(struct repro_spec *spec);
/* The spec's points become those of the measurements, with the one that is chosen among them. */
void repro_spec_points(const struct repro_spec *spec, struct repro_data *data);

struct repro_options {
    struct runner_options runner;
    struct lab_paths paths;
    enum repro_mode mode;
    const char *config;    /* NULL: the spec's */
    const char *store;     /* path */
    const char *shard;     /* "I/N": only these of the runs, and no report; NULL: all */
    bool is_dry;           /* say how many runs there are and how long they take; simulate nothing */
    const char *const *on; /* suites whose programs stand in a second column; none: ours alone */
    size_t n_on;
    uint64_t cap;       /* of each program's launches, warp instructions from the first; 0: all */
    bool carries_l2;    /* programs as a whole: their launches in order, with L2 kept */
    const char *sample; /* "error=0.02,..": estimate whole programs (poise/program_sample.h); NULL: as the spec says */
    bool is_exact;      /* whatever the spec says, estimate nothing */
    const struct suite_cast *only; /* set by repro_run_on: these names alone */
    const char *const *kernels;    /* learned-lengths: these alone; none: every one that has a split */
    size_t n_kernels;
};
struct repro_result {
    struct repro_report report;
    bool has_report;                 /* not of a shard, nor of a dry run */
    struct runner_estimate estimate; /* of a dry run */
    struct runner_totals totals;
    struct json_t *notes;  /* runner_notes(); NULL: none */
    struct json_t *sample; /* what was simulated of a sample; NULL: nothing is estimated */
    char config[128];
    struct suite_cast *cast;    /* of --on; NULL: there was none */
    struct repro_report second; /* of the suites' programs */
};
/* The suites' names without their folders, with `between` in between. */
void repro_on_names(const struct repro_options *o, const char *between, char *out, size_t size);
/* The study over our programs, and over those of suites that have its papers' names; rows have both. */
int repro_run_on(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
                 struct error *err);
/* The spec's names in place of which only those of the cast stand. */
void repro_only(const struct suite_cast *only, char (*names)[64], size_t *n, size_t max);
/* What `on` adds to the JSON of a report, and what is printed of it. */
void repro_on_json(const struct repro_result *result, struct json_t *out);
void repro_on_print(const struct repro_result *result, FILE *out);
/* A study that tells from a pipeline; results go to the store's folder. */
int repro_run_pipeline(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
                       struct error *err);
int repro_run_mixes(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
                    struct error *err);
int repro_run(const struct repro_study *study, const struct repro_options *options, struct repro_result *out,
              struct error *err);
void repro_result_fini(struct repro_result *result);

/* Every study (or those whose ids match a glob), DIR/ID.json of each, and DIR/studies.md and DIR/studies.csv with
 * all of them. A study that fails is counted and named on the page, and stops nothing but itself. */
struct repro_all {
    const struct repro_list *studies;
    const char *dir;
    const char *results; /* a table of stored results that gets these too; NULL: none */
    const char *const *globs;
    size_t n_globs;
};
struct repro_all_count {
    size_t studies, as_published, failed;
    uint64_t simulated;
};
int repro_run_all(const struct repro_options *options, const struct repro_all *all, struct repro_all_count *count,
                  struct error *err);
/* ---- stored results ----
 * A CSV table of studies: study, kind (value or statement), what, benchmark, unit, paper, ours, direction, order,
 * magnitude, met, mode, model_version, date. Values of benchmarks are in it where the paper has one. A suite's rows
 * stand apart from ours, in the same table or in one of their own, and have more: originals, suite, revision, revised
 * (its date), run, arguments. There `ours` is ours in the same run, and the answers are the originals'. A row of the
 * kind `program` has a program's arguments. */
struct repro_results;
void repro_results_head(FILE *out);
void repro_results_print(const struct repro_study *study, enum repro_mode mode, const struct repro_report *report,
                         FILE *out);
/* Of repro_run_on, with the head of such a table. */
void repro_results_print_on(const struct repro_study *study, const struct repro_options *options,
                            const struct repro_result *result, FILE *out);
int repro_results_parse(struct repro_results **out, const char *name, const char *text, size_t size, struct error *err);
int repro_results_read(struct repro_results **out, const char *path, struct error *err);
/* A second table's rows besides; in place of rows of the same study, mode and suite. */
int repro_results_add(struct repro_results **to, const char *path, struct error *err);
void repro_results_free(struct repro_results *results); /* accepts NULL */
/* The table `text` into the one at `path`, in place of the old rows of its studies in its mode. */
int repro_results_merge(const char *path, const char *text, size_t size, bool is_there, struct error *err);
bool repro_results_has(const struct repro_results *results, const struct repro_study *study);
/* The page with a table between each pair of marks, "<!-- results: studies -->", "<!-- results: values ID.. -->" or
 * "<!-- results: originals ID.. -->", and "<!-- /results -->". Figures of an older version of the simulation model say
 * so. The caller frees *out. */
int repro_results_fill(const struct repro_results *results, const struct repro_list *list, const char *page,
                       const char *text, char **out, size_t *size, struct error *err);
/* How much of a paper, or of a chapter of the thesis, stored results bear out; "ours": studies that are no paper's.
 * Of a study whose results are of an older model version, or not there, nothing holds. Of its modes the one of the
 * newest version counts, of two of the same quick. Returns how many there are, by name; none of ours where the table
 * has rows of suites alone. */
enum { REPRO_PAPERS_MAX = 16 };
struct repro_count {
    char paper[16];
    size_t studies, old; /* of these, studies of an older version */
    size_t values, direction, order, magnitude, met;
    size_t statements, held;
};
/* OF_SUITE: the same of suites' rows alone, over values that were measured on their programs. */
size_t repro_results_count(const struct repro_results *results, const struct repro_list *list, enum repro_of of,
                           struct repro_count out[REPRO_PAPERS_MAX]);
struct json_t *repro_json(const struct repro_study *study, const struct repro_options *options,
                          const struct repro_result *result);
/* `width`: columns of the terminal. */
void repro_print(const struct repro_study *study, const struct repro_options *options,
                 const struct repro_result *result, unsigned width, FILE *out);
#endif
