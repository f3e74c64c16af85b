/* Fast atomics of the survey of techniques: Fig. 2, where each part stops paying, contention, AtomNaive's wires,
 * epochs. The survey's figures carry no numbers, so directions alone can be checked. */
#include "studies/repro/repro_tech_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES_MAX = 64 };

/* Per cent over the machine as it is, or over the point `base`. */
static double gain_over(const struct repro_data *data, size_t b, const char *name, const char *base)
{
    const double ipc = repro_value(data, b, repro_point(data, base), "ipc");
    return ipc > 0 ? 100 * (repro_value(data, b, repro_point(data, name), "ipc") / ipc - 1) : NAN;
}

static double mean_gain_over(const struct repro_data *data, enum repro_mean mean, const char *name, const char *base)
{
    double values[LAUNCHES_MAX];
    size_t n = 0;
    for (size_t b = 0; b < data->n && n < LAUNCHES_MAX; b++) values[n++] = 1 + gain_over(data, b, name, base) / 100;
    return 100 * (repro_mean(mean, values, n) - 1);
}

static double worst_gain(const struct repro_data *data, const char *name)
{
    double worst = NAN;
    for (size_t b = 0; b < data->n; b++) {
        const double gain = gain_over(data, b, name, "base");
        if (isnan(worst) || gain < worst) worst = gain;
    }
    return worst;
}

static const char *mech_of(const char *point)
{
    return strcmp(point, "AtomNaive") == 0 || strncmp(point, "wires", 5) == 0 || strncmp(point, "token", 5) == 0 ||
                   strncmp(point, "update", 6) == 0
               ? "atomnaive"
               : "atomdir";
}

static double counter(const struct repro_data *data, size_t b, const char *point, const char *name)
{
    return repro_mech_value(data, b, repro_point(data, point), mech_of(point), name);
}

/* One counter in per cent of another, over all launches. */
static double share(const struct repro_data *data, const char *point, const char *of, const char *whole)
{
    double part = 0, all = 0;
    for (size_t b = 0; b < data->n; b++) {
        const double p = counter(data, b, point, of), w = counter(data, b, point, whole);
        if (!isnan(p) && !isnan(w)) part += p, all += w;
    }
    return all > 0 ? 100 * part / all : NAN;
}

static void no_update_is_lost(const struct repro_data *data, struct repro_report *report)
{
    double lost = 0;
    for (size_t p = 1; p < data->n_points; p++)
        for (size_t b = 0; b < data->n; b++) {
            const double n = counter(data, b, data->points[p], "lost_updates");
            lost += isnan(n) ? 0 : n;
        }
    repro_check(report, lost == 0, "every atomic sees all before it on its line");
}

static void note(struct repro_report *report)
{
    repro_deviation(report, "the survey's figure has no scale; its source (Franey, Lipasti, NoCS 2013) ran other "
                            "programs on another simulator");
    repro_deviation(
        report,
        "an atomic at L2 takes the data port as a read does, however many lanes meet in a word: contention costs "
        "atomics at L2 little here");
    repro_deviation(report, "latency, transport and sizes of the mechanisms are assumed: MECHANISMS 'Fast atomics'");
}

/* ---- Fig. 2 ---- */

static const char *const stacked[] = {"AtomNaive", "AtomDir", "topology", "speculation"};
enum { NAIVE, DIRECTORY, TOPOLOGY, SPECULATION, N_STACKED };

/* The gain of each program under each scheme. */
static void report_programs(const struct repro_data *data, struct repro_report *report)
{
    for (size_t b = 0; b < data->n; b++) {
        for (size_t i = 0; i < N_STACKED; i++)
            repro_cell(report, NAN, gain_over(data, b, stacked[i], "base"), "%", data->benchmarks[b].name, "%s",
                       stacked[i]);
        repro_cell(report, NAN, gain_over(data, b, "AtomDir back", "base"), "%", data->benchmarks[b].name,
                   "AtomDir back");
        repro_cell(report, NAN, gain_over(data, b, "speculation back", "base"), "%", data->benchmarks[b].name,
                   "all, back");
        repro_cell(report, NAN, gain_over(data, b, "AtomDir travels", "base"), "%", data->benchmarks[b].name,
                   "AtomDir travels");
    }
}

static void report_2(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const titles[] = {"AtomNaive", "AtomDir", "AtomDir + topology",
                                         "AtomDir + topology + speculative fetches"};
    double gains[N_STACKED];
    for (size_t i = 0; i < N_STACKED; i++) {
        gains[i] = mean_gain_over(data, study->mean, stacked[i], "base");
        repro_row(report, NAN, gains[i], "%", "%s over atomics at L2", titles[i]);
    }
    static const struct {
        const char *point, *title;
    } others[] = {{"AtomDir speculation", "AtomDir + speculative fetches"},
                  {"AtomDir refetch", "AtomDir + speculative fetches also where there is a copy"},
                  {"speculation refetch", "AtomDir + topology + speculative fetches also where there is a copy"},
                  {"AtomDir back", "AtomDir, written back"},
                  {"topology back", "AtomDir + topology, written back"},
                  {"speculation back", "AtomDir + topology + speculative fetches, written back"},
                  {"AtomDir travels", "AtomDir, data travels with the mutex"},
                  {"speculation travels", "AtomDir + topology + speculative fetches, data travels"}};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        repro_row(report, NAN, mean_gain_over(data, study->mean, others[i].point, "base"), "%", "%s over atomics at L2",
                  others[i].title);
    for (size_t i = 0; i < N_STACKED; i++)
        repro_row(report, NAN, worst_gain(data, stacked[i]), "%", "%s, its worst program", titles[i]);
    for (size_t i = 0; i < N_STACKED; i++)
        repro_row(report, NAN, share(data, stacked[i], "self_satisfied", "acquisitions"), "%",
                  "%s: requests that the SM answers itself at once", titles[i]);
    repro_row(report, NAN, share(data, "AtomDir", "copy_hits", "performed"), "%",
              "AtomDir: atomics whose data was there");
    repro_row(report, NAN, share(data, "speculation", "speculative_good", "speculative"), "%",
              "speculative fetches that could be used");
    repro_row(report, NAN, share(data, "AtomDir refetch", "speculative_good", "speculative"), "%",
              "speculative fetches that could be used, also where there is a copy");
    report_programs(data, report);
    repro_row(report, NAN, share(data, "AtomDir travels", "handed_over", "acquisitions"), "%",
              "AtomDir, data travels: acquisitions whose data came along");
    repro_check(report, gains[NAIVE] < 10, "AtomNaive is not much better than atomics at L2");
    repro_check(report, worst_gain(data, "AtomNaive") < -20, "for some programs it is much worse");
    repro_check(report, gains[DIRECTORY] > gains[NAIVE], "AtomDir is better than AtomNaive");
    repro_check(report, gains[DIRECTORY] > 0, "AtomDir gains by caching atomic data");
    repro_check(report, gains[TOPOLOGY] > gains[DIRECTORY], "distributing ownership gains on top");
    repro_check(report, gains[SPECULATION] > gains[TOPOLOGY], "speculative fetches gain on top");
    repro_check(report,
                share(data, "topology", "self_satisfied", "acquisitions") >
                    share(data, "AtomDir", "self_satisfied", "acquisitions"),
                "the hybrid answers more requests at the requester than one owner does");
    no_update_is_lost(data, report);
    static const struct ordered_machine machines[] = {{"at L2", "gto"},
                                                      {"AtomNaive", "atomnaive"},
                                                      {"AtomDir", "atomdir"},
                                                      {"topology", "atomdir,topology=rings"},
                                                      {"speculation", "atomdir,topology=rings,speculate=1"},
                                                      {"AtomDir back", "atomdir,writes=back"},
                                                      {"AtomDir travels", "atomdir,writes=travel"}};
    results_hold_in_order(data, machines, COUNT_OF(machines), report);
    note(report);
}
const struct repro_study repro_tech_2 = {"tech-2",
                                         "contributions of AtomDir, topology and speculative fetches",
                                         "TECHNIQUES Fig. 2",
                                         MEAN_GEOMETRIC,
                                         "techniques/atomics.yaml",
                                         report_2,
                                         NULL};

/* ---- where each stops paying ---- */

static const unsigned latencies[] = {60, 90, 120, 180, 240, 360, 480, 640};

static void report_3(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const schemes[] = {"AtomDir", "topology", "speculation", "AtomDir back", "AtomDir travels"};
    for (size_t i = 0; i < COUNT_OF(schemes); i++) {
        double first = NAN, last = NAN, pays_from = NAN;
        for (size_t k = 0; k < COUNT_OF(latencies); k++) {
            char name[REPRO_NAME_MAX], base[REPRO_NAME_MAX];
            snprintf(name, sizeof name, "%s %u", schemes[i], latencies[k]);
            snprintf(base, sizeof base, "base %u", latencies[k]);
            const double gain = mean_gain_over(data, study->mean, name, base);
            repro_row(report, NAN, gain, "%", "%s, L2 at %u cycles", schemes[i], latencies[k]);
            if (k == 0) first = gain;
            last = gain;
            if (gain <= 0) pays_from = NAN;
            else if (isnan(pays_from)) pays_from = latencies[k];
        }
        repro_row(report, NAN, pays_from, "cycles", "%s pays from this latency of L2 on", schemes[i]);
        repro_check(report, first < last, "%s gains less where L2 is near", schemes[i]);
    }
    for (size_t b = 0; b < data->n; b++)
        for (size_t k = 0; k < COUNT_OF(latencies); k++) {
            char name[REPRO_NAME_MAX], base[REPRO_NAME_MAX];
            snprintf(name, sizeof name, "AtomDir back %u", latencies[k]);
            snprintf(base, sizeof base, "base %u", latencies[k]);
            repro_cell(report, NAN, gain_over(data, b, name, base), "%", data->benchmarks[b].name, "back, %u",
                       latencies[k]);
        }
    repro_deviation(
        report,
        "the survey doubts that fast atomics pay on Kepler and Maxwell, whose L2 answers sooner: no figure of it");
    note(report);
}
const struct repro_study repro_tech_3 = {"tech-3",
                                         "where fast atomics stop paying as L2 comes nearer",
                                         "TECHNIQUES 6",
                                         MEAN_GEOMETRIC,
                                         "techniques/atomics-latency.yaml",
                                         report_3,
                                         NULL};

/* ---- contention and locality ---- */

/* Pairs of launches that differ in who meets: `shared` in more contention, or with less locality, than `own`. */
struct pair {
    const char *own, *shared, *what;
};
static const struct pair pairs[] = {
    {"histcopies/0", "histcopies/4", "copies of the bins: one a block against one for all"},
    {"histcopies/0", "histcopies/2", "copies of the bins: one a block against one for eight"},
    {"histogram/1", "histogram/0", "counters: 4096 against 64"},
    {"reduction/2", "reduction/0", "a sum: one atomic a block against one a thread"},
};

static size_t launch_of(const struct repro_data *data, const char *name)
{
    size_t b = 0;
    while (b < data->n && strcmp(data->benchmarks[b].name, name) != 0) b++;
    return b;
}

static void report_4(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    (void)study;
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        const size_t own = launch_of(data, pairs[i].own), shared = launch_of(data, pairs[i].shared);
        if (own == data->n || shared == data->n) {
            repro_deviation(report, "not measured: %s", pairs[i].what);
            continue;
        }
        const double a = gain_over(data, own, "AtomDir", "base"), b = gain_over(data, shared, "AtomDir", "base");
        repro_row(report, NAN, a, "%", "AtomDir, %s", pairs[i].own);
        repro_row(report, NAN, b, "%", "AtomDir, %s", pairs[i].shared);
        repro_check(report, a > b, "AtomDir does better with less contention (%s)", pairs[i].what);
    }
    for (size_t b = 0; b < data->n; b++) {
        const char *name = data->benchmarks[b].name;
        repro_cell(report, NAN, gain_over(data, b, "AtomDir", "base"), "%", name, "AtomDir");
        repro_cell(report, NAN,
                   counter(data, b, "AtomDir", "copy_hits") / counter(data, b, "AtomDir", "performed") * 100, "%", name,
                   "data was there");
        repro_cell(report, NAN,
                   counter(data, b, "AtomDir", "own_again") / counter(data, b, "AtomDir", "acquisitions") * 100, "%",
                   name, "mutex was last its own");
        repro_cell(report, NAN, counter(data, b, "AtomDir", "performed") / counter(data, b, "AtomDir", "acquisitions"),
                   "atomics", name, "a holding");
        repro_cell(report, NAN,
                   counter(data, b, "AtomDir", "acquisition_cycles") / counter(data, b, "AtomDir", "acquisitions"),
                   "cycles", name, "for the mutex");
        repro_cell(report, NAN, counter(data, b, "AtomDir", "longest"), "cycles", name, "longest wait");
    }
    note(report);
}
const struct repro_study repro_tech_4 = {"tech-4",
                                         "contention and locality of atomics under AtomDir",
                                         "TECHNIQUES 3.2",
                                         MEAN_GEOMETRIC,
                                         "techniques/atomics.yaml",
                                         report_4,
                                         NULL};

/* ---- sweeps of parameters ---- */

static void each_point(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    for (size_t p = 1; p < data->n_points; p++)
        repro_row(report, NAN, mean_gain_over(data, study->mean, data->points[p], "base"), "%",
                  "%s, over atomics at L2", data->points[p]);
}

static void report_5(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    const double one = mean_gain_over(data, study->mean, "wires 1", "base"),
                 many = mean_gain_over(data, study->mean, "wires 64", "base");
    static const char *const wires[] = {"wires 1", "wires 8", "wires 64"};
    each_point(study, data, report);
    for (size_t i = 0; i < COUNT_OF(wires); i++)
        repro_row(report, NAN, share(data, wires[i], "busy_conflicts", "busy_waits"), "%",
                  "%s: stalled acquisitions for an update of another mutex", wires[i]);
    repro_check(report, many > one, "more busy wires reduce false conflicts: 64 are better than one");
    repro_check(report,
                share(data, "wires 64", "busy_conflicts", "busy_waits") <
                    share(data, "wires 1", "busy_conflicts", "busy_waits"),
                "fewer stalls are for another mutex's update with 64 wires than with one");
    repro_check(report,
                mean_gain_over(data, study->mean, "token 8", "base") <
                    mean_gain_over(data, study->mean, "wires 8", "base"),
                "a slower token costs time");
    no_update_is_lost(data, report);
    static const struct ordered_machine machines[] = {{"wires 1", "atomnaive,wires=1"},
                                                      {"wires 64", "atomnaive,wires=64"},
                                                      {"token 8", "atomnaive,token_cycles=8"},
                                                      {"update 256", "atomnaive,update_cycles=256"}};
    results_hold_in_order(data, machines, COUNT_OF(machines), report);
    note(report);
}
const struct repro_study repro_tech_5 = {"tech-5",
                                         "AtomNaive's busy wires, token and updates",
                                         "TECHNIQUES 3.2",
                                         MEAN_GEOMETRIC,
                                         "techniques/atomics-naive.yaml",
                                         report_5,
                                         NULL};

static void report_6(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const epochs[] = {"epoch 64", "epoch 256", "epoch 1024", "epoch 4096", "epoch 16384"};
    each_point(study, data, report);
    for (size_t i = 0; i < COUNT_OF(epochs); i++)
        repro_row(report, NAN, share(data, epochs[i], "speculative_good", "speculative"), "%",
                  "%s: speculative fetches that could be used", epochs[i]);
    double slowest = 0;
    for (size_t b = 0; b < data->n; b++) slowest = fmax(slowest, counter(data, b, "mutexes 256", "slowest_write"));
    repro_row(report, NAN, slowest, "cycles",
              "the slowest write to L2, which an epoch must exceed where releases do not wait for it");
    repro_check(report,
                mean_gain_over(data, study->mean, "hop 4", "base") >
                    mean_gain_over(data, study->mean, "owner hop 4", "base"),
                "where the mesh is slow, a token in one dimension is better than a way there and back in two");
    no_update_is_lost(data, report);
    static const struct ordered_machine machines[] = {
        {"epoch 64", "atomdir,topology=rings,speculate=1,epoch_cycles=64"},
        {"epoch 16384", "atomdir,topology=rings,speculate=1,epoch_cycles=16384"},
        {"mutexes 16", "atomdir,topology=rings,speculate=1,mutexes=16"},
        {"hold 1", "atomdir,topology=rings,speculate=1,hold=1"},
        {"hop 8", "atomdir,topology=rings,speculate=1,hop_cycles=8"}};
    results_hold_in_order(data, machines, COUNT_OF(machines), report);
    note(report);
}
const struct repro_study repro_tech_6 = {"tech-6",
                                         "epochs, mutexes and the mesh under speculative fetches",
                                         "TECHNIQUES 3.3, 3.4",
                                         MEAN_GEOMETRIC,
                                         "techniques/atomics-epochs.yaml",
                                         report_6,
                                         NULL};
