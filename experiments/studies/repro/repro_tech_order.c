#include "studies/repro/repro_tech_order.h"

#include <math.h>
#include <string.h>
#include "poise/order_check.h"

/* Several launches of a program stand side by side. */
static bool is_new(const struct repro_data *data, size_t b)
{
    for (size_t i = 0; i < b; i++)
        if (data->benchmarks[i].workload == data->benchmarks[b].workload) return false;
    return data->benchmarks[b].workload != NULL;
}

/* 1: it holds; 0: it does not; -1: it could not be tried, and why is in *err. */
static int holds(struct order_check *found, const struct lab_paths *paths, const struct workload *w,
                 const struct gpu_params *params, const char *mech, struct error *err)
{
    struct mech_spec stack;
    if (mech_parse(&stack, mech, err) < 0) return -1;
    const int result = order_check_workload(found, paths, w, workload_size("test"), params, &stack, 1, err);
    mech_free(&stack);
    return result < 0 ? -1 : found->holds;
}

/* A machine's column of the table: the share of a program's atomics whose turn came as in the simulated run. The rest
 * depends on what results decide. */
static void tell_share(const struct repro_data *data, const struct workload *w, const char *machine,
                       const struct order_check *found, struct repro_report *report)
{
    for (size_t b = 0; b < data->n; b++)
        if (data->benchmarks[b].workload == w)
            repro_cell(report, NAN, 100.0 * (double)found->in_order / (double)found->atomics, "%",
                       data->benchmarks[b].name, "in turn, %s", machine);
}

void results_hold_in_order(const struct repro_data *data, const struct ordered_machine *machines, size_t n,
                           struct repro_report *report)
{
    struct lab_paths paths;
    size_t tried = 0, held = 0;
    lab_paths_init(&paths);
    for (size_t m = 0; m < n; m++)
        for (size_t b = 0; b < data->n; b++) {
            const struct workload *w = data->benchmarks[b].workload;
            struct order_check found;
            struct error err = {0};
            if (!is_new(data, b)) continue;
            const int it_holds = holds(&found, &paths, w, data->params[0], machines[m].mech, &err);
            tried++;
            held += it_holds == 1;
            if (it_holds < 0) repro_deviation(report, "%s in the order of %s: %s", w->name, machines[m].name, err.text);
            if (it_holds == 0)
                repro_deviation(report, "%s in the order of %s: %s", w->name, machines[m].name, found.said);
            if (it_holds == 1 && found.atomics) tell_share(data, w, machines[m].name, &found, report);
        }
    if (!tried) return; /* launches of no program */
    repro_row(report, NAN, 100.0 * (double)held / (double)tried, "%",
              "functional result holds in the machine's order, test size");
    repro_check(report, held == tried, "every program's result holds in the order of each machine");
}
