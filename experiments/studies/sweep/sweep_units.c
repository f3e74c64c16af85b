#include "studies/sweep/sweep_units.h"

#include <stdlib.h>
#include <string.h>
#include "poise/csv.h"
#include "poise/file.h"
#include "poise/energy.h"
#include "store/run_columns.h"

const struct sweep_identity sweep_identities[N_SWEEP_IDENTITIES] = {
    {"kernel", "the kernel, as its source names it"},
    {"launch", "benchmark, input and number of the launch"},
    {"trace", "hash of the recorded launch"},
    {"config", "the setting, as the spec has it"},
    {"mechs", "the stack of mechanisms, as the spec has it"},
    {"complete", "1: the launch came to its end"},
    {"error", "why the run failed"},
};
const char *const sweep_figures[N_SWEEP_FIGURES] = {"core_cycles",  "warp_insts",   "ipc",           "time_us",
                                                    "energy_j",     "energy_low_j", "energy_high_j", "edp",
                                                    "l1d_hit_rate", "l2_hit_rate",  "aml_cycles"};

static void print_unit(FILE *out, const char *name, const char *unit, const char *meaning)
{
    csv_print(out, name);
    csv_next(out, unit);
    csv_next(out, meaning);
    fputc('\n', out);
}

/* A figure's row: a counter or a ratio. */
static void print_figure_unit(FILE *out, const char *name)
{
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        if (strcmp(gpu_stat_table.rows[i].name, name) == 0)
            print_unit(out, name, gpu_stat_table.rows[i].unit, gpu_stat_table.rows[i].doc);
    for (size_t i = 0; i < n_gpu_ratio_rows; i++)
        if (strcmp(gpu_ratio_rows[i].name, name) == 0) print_unit(out, name, "", gpu_ratio_rows[i].doc);
    const struct energy_value_row *row = energy_value_find(name);
    if (row) print_unit(out, name, row->unit, row->doc);
}

static void print_units(FILE *out, const struct run_columns *c, bool has_estimates, const char *const *metrics,
                        size_t n_metrics)
{
    struct run_column column;
    fputs("column,unit,meaning\n", out);
    for (size_t i = 0; i < N_SWEEP_IDENTITIES; i++)
        print_unit(out, sweep_identities[i].name, "", sweep_identities[i].meaning);
    print_unit(out, "machine", "", "short name of the configuration");
    print_unit(out, "benchmark", "", "group of the row in a cross-validation");
    print_unit(out, "mechanism", "", "names of the mechanisms, joined by +");
    for (size_t i = 0; i < run_columns_count(c); i++) {
        run_columns_at(c, i, &column);
        print_unit(out, column.name, column.row ? column.row->unit : "", column.row ? column.row->doc : "");
    }
    for (size_t f = 0; f < N_SWEEP_FIGURES; f++) print_figure_unit(out, sweep_figures[f]);
    if (has_estimates)
        print_unit(out, "estimate_error", "fraction", "of a run that ended early: half of the interval of its cycles");
    for (size_t m = 0; m < n_metrics; m++) print_unit(out, metrics[m], "", "a metric of the spec");
}

int sweep_write_units(const char *path, const struct run_columns *columns, bool has_estimates,
                      const char *const *metrics, size_t n_metrics, struct error *err)
{
    char *text = NULL, *beside = NULL;
    size_t size = 0;
    const char *slash = strrchr(path, '/');
    if (asprintf(&beside, "%.*sunits.csv", slash ? (int)(slash - path) + 1 : 0, path) < 0)
        return error_set(err, ERR_MEMORY, "out of memory for units");
    FILE *out = open_memstream(&text, &size);
    if (out) print_units(out, columns, has_estimates, metrics, n_metrics);
    const int result =
        out ? file_write_stream(beside, out, &text, &size, err) : error_set(err, ERR_MEMORY, "out of memory for units");
    free(beside);
    return result;
}
