/* Elastic-Cache, TSC, DSC and LAMAR with the same bits beside their tags, on Fermi's 16 KB and Volta's 32 KB.
 *
 * A budget is what one of them takes as its authors built it. Of each organisation the spec has the largest that fits:
 * TSC with more bits of a private tag, Elastic-Cache with more bits of a chunk tag, DSC with twice the tags. LAMAR's
 * valid bit a sector has nothing to enlarge. Bits are those of gpu_l1_extra_bits(), beyond a plain L1's. */
#include <math.h>
#include <stdio.h>
#include "studies/repro/repro_elastic.h"

enum { ADDRESS_BITS = 32, LINE_BITS = 7, MACHINES = 2, BUDGETS = 4, ORGANISATIONS = 4 };
static const char *const organisations[ORGANISATIONS] = {"LAMAR", "DSC", "TSC", "elastic"};
static const struct {
    const char *name, *plain;
    /* Who sets the budget, and under it the points by organisation. */
    struct {
        const char *whose, *points[ORGANISATIONS];
    } budgets[BUDGETS];
} machines[MACHINES] = {{"Fermi 16 KB",
                         "Fermi plain",
                         {{"DSC-2", {"Fermi LAMAR", "Fermi DSC-2", "Fermi TSC-5", "Fermi elastic 5"}},
                          {"TSC", {"Fermi LAMAR", "Fermi DSC-2", "Fermi TSC-8", "Fermi elastic 7"}},
                          {"elastic", {"Fermi LAMAR", "Fermi DSC-2", "Fermi TSC-16", "Fermi elastic 16"}},
                          {"DSC-4", {"Fermi LAMAR", "Fermi DSC-4", "Fermi TSC-20", "Fermi elastic 21"}}}},
                        {"Volta 32 KB",
                         "Volta plain",
                         {{"DSC-2", {"Volta LAMAR", "Volta DSC-2", "Volta TSC-7", "Volta elastic 6"}},
                          {"TSC", {"Volta LAMAR", "Volta DSC-2", "Volta TSC-8", "Volta elastic 7"}},
                          {"elastic", {"Volta LAMAR", "Volta DSC-2", "Volta TSC-17", "Volta elastic 16"}},
                          {"DSC-4", {"Volta LAMAR", "Volta DSC-4", "Volta TSC-20", "Volta elastic 22"}}}}};

static double bytes_of(const struct repro_data *data, const char *point)
{
    const struct gpu_params *params = data->params[repro_point(data, point)];
    const unsigned set_bits = (unsigned)lround(log2(repro_param(data, repro_point(data, point), "l1", "sets")));
    return (double)gpu_l1_extra_bits(params, ADDRESS_BITS - LINE_BITS - set_bits) / 8;
}

/* The geometric mean over the benchmarks that were measured, in percent. */
static double gain_of(const struct repro_data *data, const char *point, const char *plain)
{
    double ratios[ELASTIC_BENCHMARKS];
    size_t n = 0;
    for (size_t i = 0; i < ELASTIC_BENCHMARKS; i++) {
        const double gain = elastic_gain(data, elastic_papers[i].label, point, plain);
        if (!isnan(gain)) ratios[n++] = 1 + gain / 100;
    }
    return 100 * (repro_mean(MEAN_GEOMETRIC, ratios, n) - 1);
}

/* The budget of organisation o as its authors built it. */
static size_t own_budget(size_t o) { return o == 0 || o == 1 ? 0 : o - 1; }

static void report_machine(const struct repro_data *data, size_t m, struct repro_report *report)
{
    for (size_t k = 0; k < BUDGETS; k++)
        for (size_t o = 0; o < ORGANISATIONS; o++) {
            const char *point = machines[m].budgets[k].points[o];
            char row[96];
            snprintf(row, sizeof row, "%s, bits of %s", machines[m].name, machines[m].budgets[k].whose);
            repro_cell(report, NAN, bytes_of(data, point), "B", row, "%s, storage", organisations[o]);
            repro_cell(report, NAN, gain_of(data, point, machines[m].plain), "%", row, "%s", organisations[o]);
        }
    for (size_t i = 0; i < ELASTIC_BENCHMARKS; i++)
        for (size_t o = 0; o < ORGANISATIONS; o++) {
            const char *label = elastic_papers[i].label, *point = machines[m].budgets[own_budget(o)].points[o];
            char row[96];
            snprintf(row, sizeof row, "%s, %s", machines[m].name, label);
            if (elastic_find(data, label) == data->n) continue;
            repro_cell(report, NAN, elastic_gain(data, label, point, machines[m].plain), "%", row, "%s",
                       organisations[o]);
        }
}

static void check_machine(const struct repro_data *data, size_t m, struct repro_report *report)
{
    const char *const *as_built = machines[m].budgets[2].points, *plain = machines[m].plain;
    const double elastic = gain_of(data, as_built[3], plain);
    repro_check(report, elastic > gain_of(data, as_built[0], plain), "%s: elastic gains more than LAMAR",
                machines[m].name);
    repro_check(report, elastic > gain_of(data, as_built[1], plain), "%s: than DSC with no more bits",
                machines[m].name);
    repro_check(report, elastic > gain_of(data, as_built[2], plain), "%s: than TSC with no more bits",
                machines[m].name);
}

static void report_rivals(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    (void)study;
    for (size_t m = 0; m < MACHINES; m++) report_machine(data, m, report);
    for (size_t m = 0; m < MACHINES; m++) check_machine(data, m, report);
    repro_deviation(report, "no paper compares them; gains are over a plain L1 of lines of 128 bytes, geometric means");
    repro_deviation(report, "on Volta each has 16 sets of 16 ways and takes room when it asks, as a set of TSC holds "
                            "at most 64 chunks and neither TSC nor DSC is streaming");
    repro_deviation(report, "elastic has at most 21 and 22 bits of a chunk tag there, TSC-20 of a private tag: less "
                            "than the bits of DSC-4");
    elastic_note(data, report);
}
const struct repro_study repro_elastic_rivals = {"elastic-rivals",
                                                 "Elastic-Cache, TSC, DSC and LAMAR with the same bits",
                                                 "ours, on ELASTIC §3 and TSC Tab. 3",
                                                 MEAN_GEOMETRIC,
                                                 "elastic/rivals.yaml",
                                                 report_rivals,
                                                 NULL};
