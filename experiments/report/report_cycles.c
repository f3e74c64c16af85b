/* Where cycles go: issue stalls, occupancy of the L2 and DRAM queues, DRAM bandwidth efficiency, by benchmark and
 * policy. */
#include "report/report_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum who { WHO_GTO, WHO_BEST, WHO_POISE, N_WHO };
static const char *const who_titles[N_WHO] = {"GTO", "Static-Best", "Poise"};
struct group {
    const char *benchmark, *config;
    char name[160]; /* with the machine, where there are several */
    double sums[N_WHO][N_REPORT_METRICS], joules[N_WHO][N_ENERGY_PARTS], time_us[N_WHO];
    size_t runs[N_WHO];
};
struct groups_list {
    struct group *items;
    size_t n;
};

struct share {
    const char *label;
    enum report_metric metric;
};
static const struct share stalls[] = {{"memory: structural", METRIC_stall_str_mem},
                                      {"memory: data", METRIC_stall_data_mem},
                                      {"arithmetic: structural", METRIC_stall_str_alu},
                                      {"arithmetic: data", METRIC_stall_data_alu},
                                      {"fetch", METRIC_stall_fetch},
                                      {"synchronisation", METRIC_stall_sync},
                                      {"throttled", METRIC_stall_throttled},
                                      {"no warp", METRIC_stall_idle}};
static const struct share l2_queue[] = {{"1-25 %", METRIC_l2_access_queue_le25_cycles},
                                        {"26-50 %", METRIC_l2_access_queue_le50_cycles},
                                        {"51-75 %", METRIC_l2_access_queue_le75_cycles},
                                        {"76-99 %", METRIC_l2_access_queue_lt100_cycles},
                                        {"full", METRIC_l2_access_queue_full_cycles}};
static const struct share dram_queue[] = {{"1-25 %", METRIC_dram_queue_le25_cycles},
                                          {"26-50 %", METRIC_dram_queue_le50_cycles},
                                          {"51-75 %", METRIC_dram_queue_le75_cycles},
                                          {"76-99 %", METRIC_dram_queue_lt100_cycles},
                                          {"full", METRIC_dram_queue_full_cycles}};

/* ---- gathering ---- */

static struct group *group_of(struct groups_list *groups, const struct report_launch *l)
{
    for (size_t i = 0; i < groups->n; i++)
        if (strcmp(groups->items[i].benchmark, l->benchmark) == 0 && strcmp(groups->items[i].config, l->config) == 0)
            return &groups->items[i];
    struct group *group = &groups->items[groups->n++];
    group->benchmark = l->benchmark;
    group->config = l->config;
    snprintf(group->name, sizeof group->name, "%.60s%s%.90s", l->benchmark, *l->machine ? ", " : "", l->machine);
    return group;
}

static void add_run(struct group *group, enum who who, const struct report_run *run)
{
    if (!run) return;
    report_metrics_add(group->sums[who], run);
    for (int i = 0; i < N_ENERGY_PARTS; i++) group->joules[who][i] += run->joules[i];
    group->time_us[who] += run->time_us;
    group->runs[who]++;
}

static const struct report_run *baseline(const struct report_launch *launch)
{
    for (size_t i = 0; i < launch->n; i++)
        if (launch->points[i].N == launch->W && launch->points[i].p == launch->W) return launch->points[i].run;
    return launch->all_warps;
}

/* Evaluation launches where there is a summary; all of them otherwise. Nothing is added up over machines. */
static int gather(struct groups_list *groups, const struct report_context *c, struct error *err)
{
    groups->items = calloc(c->launches->n + 1, sizeof *groups->items);
    if (!groups->items) return error_set(err, ERR_MEMORY, "out of memory for %zu launches", c->launches->n);
    for (size_t i = 0; i < c->launches->n; i++) {
        const struct report_launch *l = &c->launches->items[i];
        const struct report_point *best = report_best(l);
        if (l->is_training || !best || !best->run || !baseline(l)) continue;
        struct group *group = group_of(groups, l);
        add_run(group, WHO_GTO, baseline(l));
        add_run(group, WHO_BEST, best->run);
        add_run(group, WHO_POISE, l->poise);
    }
    return 0;
}

/* ---- figures ---- */

static double issued(const double *sums)
{
    double lost = 0;
    for (size_t i = 0; i < COUNT_OF(stalls); i++) lost += sums[stalls[i].metric];
    return sums[METRIC_issue_slots] - lost;
}

static json_t *shares_of(const struct groups_list *groups, const struct share *shares, size_t n, size_t part,
                         bool with_issued)
{
    json_t *values = json_array();
    for (size_t g = 0; g < groups->n; g++)
        for (int who = 0; who < N_WHO; who++) {
            const double *sums = groups->items[g].sums[who];
            double whole = with_issued ? issued(sums) : 0;
            if (!groups->items[g].runs[who]) continue;
            for (size_t i = 0; i < n; i++) whole += sums[shares[i].metric];
            const double mine = part == n ? issued(sums) : sums[shares[part].metric];
            json_array_append_new(values, report_number(whole > 0 ? mine / whole : NAN));
        }
    return values;
}

/* A figure of stacked bars, one for each benchmark and policy that ran. */
static json_t *stack_of(json_t *section, const struct groups_list *groups, const char *id, const char *title,
                        const char *caption, const char *palette)
{
    json_t *figure = report_figure(section, "stack", id, title, caption), *categories = json_array(),
           *within = json_array();
    for (size_t g = 0; g < groups->n; g++)
        for (int who = 0; who < N_WHO; who++) {
            if (!groups->items[g].runs[who]) continue;
            json_array_append_new(categories, json_string(groups->items[g].name));
            json_array_append_new(within, json_string(who_titles[who]));
        }
    json_object_set_new(figure, "categories", categories);
    json_object_set_new(figure, "within", within);
    json_object_set_new(figure, "palette", json_string(palette));
    return figure;
}

static void add_stack(json_t *section, const struct groups_list *groups, const char *id, const char *title,
                      const char *caption, const struct share *shares, size_t n, bool with_issued)
{
    json_t *figure = stack_of(section, groups, id, title, caption, with_issued ? "causes" : "steps");
    report_axis(figure, "y", "share", "percent");
    if (with_issued) report_series(figure, "issued", shares_of(groups, shares, n, n, true));
    for (size_t i = 0; i < n; i++) report_series(figure, shares[i].label, shares_of(groups, shares, n, i, with_issued));
}

static void add_efficiency(json_t *section, const struct groups_list *groups)
{
    json_t *figure =
        report_figure(section, "bars", "dram-efficiency", "DRAM bandwidth efficiency",
                      "Cycles in which the data bus moves data, over cycles with requests pending [THESIS Fig. 3.7].");
    json_t *categories = json_array();
    for (size_t g = 0; g < groups->n; g++) json_array_append_new(categories, json_string(groups->items[g].name));
    json_object_set_new(figure, "categories", categories);
    report_axis(figure, "y", "efficiency", "percent");
    for (int who = 0; who < N_WHO; who++) {
        size_t runs = 0;
        json_t *values = json_array();
        for (size_t g = 0; g < groups->n; g++) {
            runs += groups->items[g].runs[who];
            json_array_append_new(values, report_number(report_ratio(groups->items[g].sums[who], METRIC_dram_bus_cycles,
                                                                     METRIC_dram_pending_cycles)));
        }
        if (runs) report_series(figure, who_titles[who], values);
        else json_decref(values);
    }
}

/* ---- energy ---- */

static double joules_of(const struct group *g, enum who who)
{
    double sum = 0;
    for (int i = 0; i < N_ENERGY_PARTS; i++) sum += g->joules[who][i];
    return sum;
}

static double most_joules(const struct group *g)
{
    double most = 0;
    for (int who = 0; who < N_WHO; who++)
        if (g->runs[who]) most = fmax(most, joules_of(g, who));
    return most;
}

/* Parts over the largest whole of the benchmark, so that a bar's length is energy over that. */
static void add_energy(json_t *section, const struct groups_list *groups)
{
    json_t *figure = stack_of(
        section, groups, "energy", "Energy by part",
        "Energy of the board by what takes it, over that of the benchmark's longest bar; sim/energy/README.md says "
        "how it is worked out and how far it may be off.",
        "causes");
    report_axis(figure, "y", "energy", "percent");
    for (int part = 0; part < N_ENERGY_PARTS; part++) {
        json_t *values = json_array();
        if (part == ENERGY_mechanism) continue;
        for (size_t g = 0; g < groups->n; g++)
            for (int who = 0; who < N_WHO; who++)
                if (groups->items[g].runs[who])
                    json_array_append_new(
                        values, report_number(groups->items[g].joules[who][part] / most_joules(&groups->items[g])));
        report_series(figure, energy_part_names[part], values);
    }
}

/* Time and energy of each benchmark and policy: what is below and to the left of another is better in both. */
static void add_pareto(json_t *section, const struct groups_list *groups)
{
    json_t *table = report_table(section, "energy-time", "Time and energy over GTO's");
    static const char *const heads[][2] = {{"benchmark", "text"},
                                           {"policy", "text"},
                                           {"time", "number"},
                                           {"energy", "number"},
                                           {"energy-delay product", "number"},
                                           {"no other is better in both", "text"}};
    for (size_t i = 0; i < COUNT_OF(heads); i++) report_column(table, heads[i][0], heads[i][1]);
    for (size_t g = 0; g < groups->n; g++) {
        const struct group *group = &groups->items[g];
        for (int who = 0; who < N_WHO; who++) {
            if (!group->runs[who]) continue;
            const double time = group->time_us[who] / group->time_us[WHO_GTO],
                         energy = joules_of(group, who) / joules_of(group, WHO_GTO);
            bool is_best = true;
            for (int other = 0; other < N_WHO; other++)
                is_best &=
                    !group->runs[other] || other == who ||
                    !(group->time_us[other] < group->time_us[who] && joules_of(group, other) < joules_of(group, who));
            json_t *row = report_row(table);
            report_cell_text(row, "%s", group->name);
            report_cell_text(row, "%s", who_titles[who]);
            report_cell(row, time);
            report_cell(row, energy);
            report_cell(row, time * energy);
            report_cell_text(row, "%s", is_best ? "yes" : "");
        }
    }
}

int report_add_cycles(const struct report_context *c, struct error *err)
{
    struct groups_list groups = {0};
    if (!c->input->has_store) return 0;
    if (gather(&groups, c, err) < 0) {
        free(groups.items);
        return -1;
    }
    if (groups.n) {
        json_t *section = report_open(
            c, "cycles", "Where cycles go",
            "Counters of the profiled launches, summed over a benchmark on one machine: with all warps (GTO), at the "
            "fastest simulated tuple (Static-Best), and under the engine (Poise). "
            "Every lost issue slot has exactly one cause.");
        add_stack(section, &groups, "issue-slots", "Issue slots",
                  "Shares of all issue slots; the causes are those of THESIS Fig. 3.6, and what they leave out.",
                  stalls, COUNT_OF(stalls), true);
        add_stack(section, &groups, "l2-queue", "Occupancy of the L2 access queues",
                  "Over the cycles in which a queue holds anything [THESIS Fig. 3.3].", l2_queue, COUNT_OF(l2_queue),
                  false);
        add_stack(section, &groups, "dram-queue", "Occupancy of the DRAM queues",
                  "Over the cycles in which a queue holds anything [THESIS Fig. 3.4].", dram_queue,
                  COUNT_OF(dram_queue), false);
        add_efficiency(section, &groups);
        add_energy(section, &groups);
        add_pareto(section, &groups);
    }
    free(groups.items);
    return 0;
}
