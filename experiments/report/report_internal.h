/* Shared by the files of the report. */
#ifndef POISE_REPORT_INTERNAL_H
#define POISE_REPORT_INTERNAL_H
#include <jansson.h>
#include <stdint.h>
#include "poise/energy.h"
#include "poise/points.h"
#include "poise/report.h"
#include "poise/table.h"
#include "poise/table_csv.h"

/* ---- documents: every function takes over the json_t it is given, returns borrowed ones, and bears NULL (out of
 * memory) ---- */
json_t *report_number(double value); /* whole numbers as they are, others to six digits; null where it is not finite */
json_t *report_numbers(const double *values, size_t n);
double report_mean(const double *x, size_t n);
double report_deviation_of(const double *x, size_t n);  /* the sample's standard deviation */
void report_print_escaped(const char *text, FILE *out); /* for HTML and SVG */
double report_value(const json_t *number);              /* NAN for what is no number; "inf" is infinite */
double report_get(const json_t *object, const char *key);
const char *report_string(const json_t *object, const char *key); /* "" where there is none */
json_t *report_section(json_t *document, const char *id, const char *title, const char *source, const char *text);
void report_note(json_t *section, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `alt` is built by the caller that knows the figure, or left to report_finish(). */
json_t *report_figure(json_t *section, const char *kind, const char *id, const char *title, const char *caption);
void report_axis(json_t *figure, const char *axis, const char *label,
                 const char *format);                                 /* format: "ratio", "percent", "number" */
void report_series(json_t *figure, const char *name, json_t *values); /* appends {name, values} */
json_t *report_last_series(json_t *figure);
void report_intervals(json_t *figure, json_t *low, json_t *high); /* of the last series */
json_t *report_scatter(json_t *section, const char *id, const char *title, const char *caption, const char *x,
                       const char *y, const char *format);
/* left out where it is not finite */
void report_dot(json_t *figure, double x, double y, const char *group, const char *label);
json_t *report_table(json_t *section, const char *id, const char *title);
/* kind: text, number, ratio, percent, whole */
void report_column(json_t *table, const char *name, const char *kind);
json_t *report_row(json_t *table); /* a new empty row; append with report_cell_* */
void report_cell(json_t *row, double value);
void report_cell_text(json_t *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_finding(json_t *document, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_headline(json_t *document, const char *label, const char *value, const char *detail, const char *role);
void report_finish(json_t *document);                              /* unique ids, alt texts, numbers of figures */
const char *report_slug(const char *text, char *out, size_t size); /* a-z, 0-9 and '-' */

/* ---- inputs ---- */
/* One row a run of a store. */
/* clang-format off */
#define REPORT_METRICS(M) \
    M(core_cycles) M(warp_insts) M(thread_insts) M(issue_slots) M(l1d_load_accesses) M(l1d_load_hits) M(l1d_fills) \
    M(miss_latency_sum) \
    M(l2_accesses) M(l2_hits) M(stall_str_mem) M(stall_str_alu) M(stall_data_mem) M(stall_fetch) M(stall_data_alu) \
    M(stall_sync) \
    M(stall_throttled) M(stall_idle) M(l2_access_queue_le25_cycles) M(l2_access_queue_le50_cycles) \
    M(l2_access_queue_le75_cycles) \
    M(l2_access_queue_lt100_cycles) M(l2_access_queue_full_cycles) M(dram_queue_le25_cycles) \
    M(dram_queue_le50_cycles) \
    M(dram_queue_le75_cycles) M(dram_queue_lt100_cycles) M(dram_queue_full_cycles) M(dram_bus_cycles) \
    M(dram_pending_cycles)
/* clang-format on */
enum report_metric {
#define M(counter) METRIC_##counter,
    REPORT_METRICS(M)
#undef M
        N_REPORT_METRICS
};
struct report_run {
    char trace[40], config[40], mech[64]; /* mech: names joined by '+'; "gto" for none */
    char *params;                         /* JSON list of {name, params, stats} */
    uint32_t N, p;                        /* of a lone tuple or swl mechanism; 0 */
    bool is_tuple, is_poise, complete;
    double metrics[N_REPORT_METRICS];
    double joules[N_ENERGY_PARTS], time_us; /* mechanisms' own apart; NAN where the machine is not known */
};
struct report_trace {
    char hash[40], workload[64], kernel[128], size[16];
    uint32_t launch;
    int32_t input;
};
struct report_machine {
    char hash[40];
    struct gpu_params *params; /* NULL: of a build that had other parameters */
};
struct report_runs {
    struct report_run *runs;                         /* sorted by trace, then configuration */
    struct report_trace *traces;                     /* sorted by hash */
    size_t n, n_traces, failed, incomplete, damaged; /* damaged: rows that the store refuses, which are not among n */
    json_t *configs;                                 /* hash -> resolved configuration */
    struct report_machine *machines;                 /* the same, sorted by hash */
    size_t n_machines;
    json_t *warps;       /* "TRACE CONFIG" -> warps a scheduler */
    json_t *experiments; /* list of {name, hash, spec} */
    json_t *mechs;       /* names of the mechanisms that ran -> true */
};
int report_runs_read(struct report_runs *out, const char *path, struct error *err);
void report_runs_fini(struct report_runs *runs);
struct run_columns;
int report_machines_read(struct run_columns **out, const struct report_runs *runs, struct error *err);
const struct report_trace *report_trace_find(const struct report_runs *runs, const char *hash);
/* Of a trace on a machine, as its plan says; 0: there is none. */
uint32_t report_warps_of(const struct report_runs *runs, const char *trace, const char *config);
/* The first run of a trace, and how many follow. */
const struct report_run *report_runs_of(const struct report_runs *runs, const char *trace, size_t *n);
void report_metrics_add(double *into, const struct report_run *run);
double report_ratio(const double *metrics, enum report_metric num, enum report_metric den); /* NAN over 0 */

struct report_input {
    char *path, *name;
    json_t *summary, *run_info, *model, *cv, *tune, *validate, *hardware; /* NULL where it has none */
    json_t *repros, *fits, *sims;                                         /* lists */
    json_t *files;                                                        /* list of {file, what, bytes, hash} */
    struct table_csv profile, dataset, predictions, sweep, estimates;     /* n_columns 0 where it has none */
    struct report_runs store;
    struct run_columns
        *machines; /* the store's configurations by their hashes: every part of the report names them so */
    bool has_store;
};
int report_input_read(struct report_input *out, const char *path, struct error *err);
void report_input_fini(struct report_input *input);
/* A cell as text or number; "" and NAN where the table has no such column. */
const char *report_cell_at(const struct table_csv *table, const char *column, size_t row);
double report_number_at(const struct table_csv *table, const char *column, size_t row);
/* A column of a table made of a CSV file's rows, or of a list of JSON objects: title, format, column or key. */
struct report_head {
    const char *title, *format, *key;
};
/* The first `most` rows of a CSV file. */
void report_table_of(json_t *section, const char *id, const char *title, const struct table_csv *csv,
                     const struct report_head *heads, size_t n, size_t most);
void report_table_of_list(json_t *section, const char *id, const char *title, const json_t *list,
                          const struct report_head *heads, size_t n);
/* A training row's name for people: workload, input and launch ("pvr.2/0"), as the profile or the store has its trace;
 * where neither does, benchmark, kernel and launch. */
const char *report_row_label(const struct report_input *input, size_t row, char *text, size_t size);

/* ---- launches with a profile, for maps and policies ---- */
struct report_point {
    double N, p, speedup, score;
    const struct report_run *run;
};
struct report_launch {
    char benchmark[64], launch[96], trace[40], config[40];
    char machine[120];                  /* its short name where launches are of several machines; "" */
    const struct report_run *all_warps; /* with all warps (gto), at these points' side; NULL */
    bool is_training;
    uint32_t W;
    struct report_point *points;
    size_t n;
    const json_t *summary;                                             /* its row of summary.json; NULL */
    double target[2], predicted[2], engine_predicted[2], corrected[2]; /* (N, p); NAN */
    const struct report_run *poise;
    bool is_ambiguous; /* runs of several models: which one is this summary's cannot be told */
};
struct report_launches {
    struct report_launch *items;
    size_t n;
};
int report_launches_init(struct report_launches *out, const struct report_input *input, struct error *err);
void report_launches_fini(struct report_launches *launches);
bool report_has_machines(const struct report_launches *launches);           /* of several, so that each is named */
const struct report_point *report_best(const struct report_launch *launch); /* NULL where there is no point */

/* ---- sections ---- */
struct report_context {
    json_t *document;
    const struct report_input *input;
    const struct report_launches *launches;
    const struct report_choice *choice;
    bool is_alone;
};
/* clang-format off */
#define REPORT_SECTIONS(S) \
    S(policies) S(maps) S(cycles) S(features) S(fit) S(cv) S(tune) S(sweep) S(estimates) S(repro) S(validate) \
    S(hardware) S(provenance)
/* clang-format on */
#define S(section) int report_add_##section(const struct report_context *c, struct error *err);
REPORT_SECTIONS(S)
#undef S
/* Charts of the fastest stacks of a sweep, by launch or across its machines, with a table of these, and what was found;
 * `relative_to` (may be NULL) names the reference. */
int report_add_machines(json_t *document, json_t *section, const struct table_csv *sweep, const char *relative_to,
                        struct error *err);
/* A comparison with a GPU, as poise validate --hardware --json has it, into a section of this title and text. */
#define REPORT_HARDWARE_TITLE "Against a GPU"
#define REPORT_HARDWARE_TEXT "Kernels that were measured on a GPU, and the same launches simulated."
void report_hardware_section(json_t *section, const json_t *hardware);
/* A section whose id is `id`, or SOURCE-id where there are several inputs. */
json_t *report_open(const struct report_context *c, const char *id, const char *title, const char *text);

/* ---- forms ---- */
/* 100 * share as "61.2 %", ratios as "1.63x", numbers to four digits; "" for NAN. Returns `text`. */
const char *report_format(const char *format, double value, char *text, size_t size);
/* "N=4 p=2" of a tuned point. */
const char *report_point_text(const json_t *params, char *text, size_t size);
/* Parts of a tuning's section; nothing where the tuning has no such part. */
void report_add_parallel(json_t *section, const json_t *tune, json_t *params);
void report_add_tune_estimates(json_t *section, const json_t *tune);
double report_tune_best(const json_t *tune); /* what was simulated, else what was estimated */
/* " (an estimate; 1.01 to 1.03)", or "". Returns `text`. */
const char *report_tune_estimated(const json_t *tune, char *text, size_t size);
void report_add_front(json_t *section, const json_t *tune);
void report_add_curves(json_t *section, const json_t *tune);
void report_add_apart(json_t *section, const json_t *tune);
/* Of a study of points put together. */
void report_add_combinations(json_t *section, const json_t *repro);
void report_text_put(const char *text, size_t width, bool is_right, FILE *out); /* printable, `width` columns */
void report_text_parallel(const json_t *figure, const struct report_style *style, FILE *out);
void report_text_figure(const json_t *figure, const struct report_style *style, FILE *out);
/* Maps from `first` on that fit beside each other; how many that were. */
size_t report_text_maps(const json_t *figures, size_t first, const struct report_style *style, FILE *out);
#endif
