/* Elastic-Cache as L1: Figs. 11 to 16. [ELASTIC] */
#include "studies/repro/repro_elastic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct elastic_benchmark elastic_papers[ELASTIC_BENCHMARKS] = {{"backprop", "backprop"},
                                                                     {"bfs", "bfs"},
                                                                     {"nw", "nw"},
                                                                     {"nn", "nn"},
                                                                     {"pathfinder", "pathfinder"},
                                                                     {"heartwall", "heartwall"},
                                                                     {"hotspot", "hotspot"},
                                                                     {"kmeans", "kmeans"},
                                                                     {"lud", "lud"},
                                                                     {"srad2", "srad"},
                                                                     {"streamcluster", "streamcluster"}};
enum { WAYS = 9 };

size_t elastic_find(const struct repro_data *data, const char *label)
{
    size_t i = 0, b = 0;
    while (i < ELASTIC_BENCHMARKS && strcmp(elastic_papers[i].label, label) != 0) i++;
    while (i < ELASTIC_BENCHMARKS && b < data->n && strcmp(data->benchmarks[b].name, elastic_papers[i].name) != 0) b++;
    return i < ELASTIC_BENCHMARKS ? b : data->n;
}

double elastic_gain(const struct repro_data *data, const char *label, const char *point, const char *over)
{
    const size_t b = elastic_find(data, label);
    if (b == data->n) return NAN;
    return 100 *
           (repro_speedup(data, b, repro_point(data, point)) / repro_speedup(data, b, repro_point(data, over)) - 1);
}

/* The arithmetic mean over those that were measured; NAN of none. */
static double mean_gain(const struct repro_data *data, const char *const labels[], size_t n, const char *point,
                        const char *over)
{
    double gains[ELASTIC_BENCHMARKS];
    size_t measured = 0;
    for (size_t i = 0; i < n; i++) {
        const double g = elastic_gain(data, labels[i], point, over);
        if (!isnan(g)) gains[measured++] = g;
    }
    return repro_mean(MEAN_ARITHMETIC, gains, measured);
}

void elastic_note(const struct repro_data *data, struct repro_report *report)
{
    for (size_t i = 0; i < ELASTIC_BENCHMARKS; i++)
        if (elastic_find(data, elastic_papers[i].label) == data->n)
            repro_deviation(report, "not measured here: %s", elastic_papers[i].label);
    repro_deviation(report, "the paper's run GPGPU-Sim 4 on Rodinia with its inputs, ours our own kernels and inputs");
    repro_deviation(report, "local memory is written through in both, as an elastic L1 keeps none of it");
}

/* ---- Fig. 11 ---- */

/* What an elastic L1 does to one benchmark, under the paper's reading and under the others. */
static void report_benchmark(const char *label, const struct repro_data *data, struct repro_report *report)
{
    static const char *const readings[] = {"one line", "from slot 0", "one request", "waits for probes"};
    const size_t b = elastic_find(data, label);
    if (b == data->n) return;
    const size_t p = repro_point(data, "elastic");
    repro_cell(report, NAN, elastic_gain(data, label, "elastic", "sector"), "%", label, "elastic");
    repro_cell(report, NAN, elastic_gain(data, label, "both elastic", "sector"), "%", label, "L1 and L2");
    for (size_t k = 0; k < COUNT_OF(readings); k++)
        repro_cell(report, NAN, elastic_gain(data, label, readings[k], "sector"), "%", label, "%s", readings[k]);
    repro_cell(report, NAN, elastic_gain(data, label, "elastic lines", "sector lines"), "%", label, "a request a line");
    const double accesses = repro_value(data, b, p, "l1d_load_accesses");
    repro_cell(report, NAN, accesses > 0 ? repro_value(data, b, p, "l1d_chunk_probes") / accesses : NAN, "probes",
               label, "probes an access");
    repro_cell(report, NAN, accesses > 0 ? repro_value(data, b, p, "l1d_chunk_conflicts") / accesses : NAN, "cycles",
               label, "conflicts an access");
    repro_cell(report, NAN, accesses > 0 ? 100 * repro_value(data, b, p, "l1d_partial_misses") / accesses : NAN, "%",
               label, "partial misses");
}

static void report_11(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const losers[] = {"backprop", "heartwall", "kmeans", "nn", "streamcluster"};
    static const char *const winners[] = {"hotspot", "lud", "pathfinder", "srad"};
    (void)study;
    const double nw = elastic_gain(data, "nw", "elastic", "sector"),
                 bfs = elastic_gain(data, "bfs", "elastic", "sector");
    const double lost = mean_gain(data, losers, COUNT_OF(losers), "elastic", "sector"),
                 won = mean_gain(data, winners, COUNT_OF(winners), "elastic", "sector");
    repro_row(report, 20, nw, "%", "nw, L1 elastic over sector");
    repro_row(report, 5, bfs, "%", "bfs, L1 elastic over sector");
    repro_row(report, -6.2, lost, "%", "mean of backprop, heartwall, kmeans, nn, streamcluster");
    repro_row(report, 1, won, "%", "mean of hotspot, lud, pathfinder, srad");
    const double nw_both = elastic_gain(data, "nw", "both elastic", "sector");
    const char *labels[ELASTIC_BENCHMARKS];
    for (size_t i = 0; i < ELASTIC_BENCHMARKS; i++) labels[i] = elastic_papers[i].label;
    const double both = mean_gain(data, labels, ELASTIC_BENCHMARKS, "both elastic", "sector"),
                 l2 = mean_gain(data, labels, ELASTIC_BENCHMARKS, "both elastic", "elastic");
    repro_row(report, 15, nw_both, "%", "nw, L1 and L2 elastic over sector");
    repro_row(report, NAN, both, "%", "mean of all, L1 and L2 elastic over sector");
    repro_row(report, NAN, l2, "%", "mean of all, L1 and L2 elastic over L1 alone");
    for (size_t i = 0; i < ELASTIC_BENCHMARKS; i++) report_benchmark(labels[i], data, report);
    if (!isnan(nw)) repro_check(report, nw > 0, "nw gains");
    if (!isnan(bfs)) repro_check(report, bfs > 0, "bfs gains");
    if (!isnan(nw) && !isnan(bfs)) repro_check(report, nw > bfs, "nw gains more than bfs");
    if (!isnan(lost))
        repro_check(report, lost < 0, "backprop, heartwall, kmeans, nn and streamcluster lose on average");
    if (!isnan(won)) repro_check(report, won > 0, "hotspot, lud, pathfinder and srad gain on average");
    if (!isnan(nw_both)) {
        repro_check(report, nw_both > 0, "with L1 and L2 elastic nw gains");
        repro_check(report, nw_both < nw, "and less than with L1 alone");
    }
    if (!isnan(l2)) repro_check(report, l2 < 0, "an elastic L2 beside an elastic L1 loses on average");
    repro_deviation(report,
                    "the paper's words for both elastic, 'degrades performance for all the benchmarks', and its "
                    "15 %% of nw contradict each other");
    repro_deviation(report, "'one line', 'from slot 0', 'one request' and 'waits for probes' are readings that the "
                            "paper leaves open (experiments/DEVIATIONS.md)");
    repro_deviation(report, "the machine asks for each sector by itself, so no access is to a whole line; 'a request a "
                            "line' sets both L1s on a machine whose accesses are (lsu.sector_requests=false)");
    elastic_note(data, report);
}
const struct repro_study repro_elastic_11 = {"elastic-11",
                                             "An elastic L1 beside a sectored one",
                                             "ELASTIC Fig. 11",
                                             MEAN_ARITHMETIC,
                                             "elastic/l1.yaml",
                                             report_11,
                                             NULL};

/* ---- Fig. 12 ---- */

static const char *point_of(char text[32], const char *organisation, size_t log2_ways)
{
    snprintf(text, 32, "%s %u", organisation, 1u << log2_ways);
    return text;
}

/* The associativity of an elastic L1 at which a benchmark is fastest: its power of two. */
static size_t best_ways(const struct repro_data *data, const char *label)
{
    char text[32];
    size_t best = 0;
    for (size_t w = 1; w < WAYS; w++) {
        char of_best[32];
        if (elastic_gain(data, label, point_of(text, "elastic", w), point_of(of_best, "elastic", best)) > 0) best = w;
    }
    return best;
}

static bool all_gain(const struct repro_data *data, const char *const labels[], size_t n, const char *point,
                     const char *over, bool gains)
{
    for (size_t i = 0; i < n; i++) {
        const double g = elastic_gain(data, labels[i], point, over);
        if (!isnan(g) && !(gains ? g > 0 : g < 0)) return false;
    }
    return true;
}

static void report_12(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const gaining[] = {"heartwall", "hotspot", "nn", "streamcluster"}, *const losing[] = {
                                                                                              "nw", "srad", "lud"};
    char text[32];
    double most = 0, best[ELASTIC_BENCHMARKS], full[ELASTIC_BENCHMARKS];
    size_t n = 0;
    (void)study;
    repro_row(report, 16, elastic_gain(data, "bfs", "elastic 1", "sector 1"), "%",
              "bfs, direct mapped, elastic over sector");
    repro_row(report, 18, elastic_gain(data, "streamcluster", "elastic 1", "elastic 256"), "%",
              "streamcluster, elastic, direct mapped over fully associative");
    for (size_t i = 0; i < ELASTIC_BENCHMARKS; i++) {
        if (elastic_find(data, elastic_papers[i].label) == data->n) continue;
        for (size_t w = 0; w < WAYS; w++) {
            const double flat =
                fabs(elastic_gain(data, elastic_papers[i].label, point_of(text, "sector", w), "sector 256"));
            most = flat > most ? flat : most;
            char other[32];
            repro_cell(
                report, NAN,
                elastic_gain(data, elastic_papers[i].label, point_of(text, "elastic", w), point_of(other, "sector", w)),
                "%", elastic_papers[i].label, "%u ways", 1u << w);
        }
        const size_t w = best_ways(data, elastic_papers[i].label);
        repro_cell(report, NAN, (double)(1u << w), "ways", elastic_papers[i].label, "best");
        full[n] = elastic_gain(data, elastic_papers[i].label, "elastic 256", "sector 256");
        best[n++] = elastic_gain(data, elastic_papers[i].label, point_of(text, "elastic", w), "sector 256");
    }
    repro_row(report, 0, most, "%", "most that associativity changes of a sectored L1");
    repro_row(report, NAN, repro_mean(MEAN_ARITHMETIC, full, n), "%",
              "mean, elastic and fully associative over sector");
    repro_row(report, NAN, repro_mean(MEAN_ARITHMETIC, best, n), "%",
              "mean, elastic at the best associativity of each over sector");
    if (elastic_find(data, "nw") < data->n)
        repro_check(report, best_ways(data, "nw") == WAYS - 1, "nw is fastest fully associative");
    if (elastic_find(data, "bfs") < data->n)
        repro_check(report, best_ways(data, "bfs") == 0, "bfs is fastest direct mapped");
    if (n) repro_check(report, most < 2, "associativity changes a sectored L1 by less than 2 %%");
    repro_check(report, all_gain(data, gaining, COUNT_OF(gaining), "elastic 1", "elastic 256", true),
                "heartwall, hotspot, nn and streamcluster are faster direct mapped than fully associative");
    repro_check(report, all_gain(data, losing, COUNT_OF(losing), "elastic 1", "elastic 256", false),
                "nw, srad and lud are slower direct mapped than fully associative");
    repro_deviation(report, "the best associativity of each benchmark is found by trying all: what a choice at run "
                            "time could reach at most [§7]");
    elastic_note(data, report);
}
const struct repro_study repro_elastic_12 = {"elastic-12",
                                             "An elastic L1 of 32 KB, direct mapped to fully associative",
                                             "ELASTIC Fig. 12, §7",
                                             MEAN_ARITHMETIC,
                                             "elastic/ways.yaml",
                                             report_12,
                                             NULL};

/* ---- Fig. 13 ---- */

static void point_of_clusters(char text[32], const char *organisation, unsigned clusters)
{
    snprintf(text, 32, "%u %s", clusters, organisation);
}

/* The paper's numbers of clusters, then TITAN V with a port for each SM. */
static const unsigned clusters_of_80[] = {10, 20, 40, 80};
enum { CLUSTER_COUNTS = sizeof clusters_of_80 / sizeof *clusters_of_80 };

/* Of an elastic L1 with so many clusters: over a sectored one with as many, or over itself with a port for each SM. */
static double gain_with(const struct repro_data *data, const char *label, unsigned clusters, bool over_sector)
{
    char elastic[32], other[32];
    point_of_clusters(elastic, "elastic", clusters);
    point_of_clusters(other, over_sector ? "sector" : "elastic", over_sector ? clusters : 80);
    return elastic_gain(data, label, elastic, other);
}

/* Of the paper's three numbers that with which it gains most over a sectored L1; of equals the fewest clusters. */
static unsigned best_clusters(const struct repro_data *data, const char *label)
{
    unsigned best = clusters_of_80[0];
    for (size_t k = 1; k < CLUSTER_COUNTS - 1; k++)
        if (gain_with(data, label, clusters_of_80[k], true) > gain_with(data, label, best, true))
            best = clusters_of_80[k];
    return best;
}

static void report_13(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct {
        const char *label;
        unsigned clusters;
    } best[] = {{"nw", 40}, {"bfs", 20}};
    (void)study;
    for (size_t i = 0; i < COUNT_OF(best); i++) {
        if (elastic_find(data, best[i].label) == data->n) continue;
        const unsigned ours = best_clusters(data, best[i].label);
        repro_row(report, best[i].clusters, ours, "clusters", "%s, clusters with which an elastic L1 gains most",
                  best[i].label);
        repro_check(report, ours == best[i].clusters, "%s gains most with %u clusters", best[i].label,
                    best[i].clusters);
    }
    for (size_t i = 0; i < ELASTIC_BENCHMARKS; i++)
        for (size_t k = 0; k < CLUSTER_COUNTS && elastic_find(data, elastic_papers[i].label) < data->n; k++) {
            const char *label = elastic_papers[i].label;
            repro_cell(report, NAN, gain_with(data, label, clusters_of_80[k], true), "%", label, "%u over sector",
                       clusters_of_80[k]);
            if (clusters_of_80[k] != 80)
                repro_cell(report, NAN, gain_with(data, label, clusters_of_80[k], false), "%", label,
                           "%u over 80 clusters", clusters_of_80[k]);
        }
    repro_deviation(report, "the figure has no numbers in the text: what it says of nw and bfs is read as the gain "
                            "over a sectored L1 with as many clusters");
    repro_deviation(report, "SMs of a cluster share a port of each crossbar, one packet a time, and keep queues of "
                            "their own (xbar.cluster_sms); SM i is of cluster i modulo their number");
    elastic_note(data, report);
}
const struct repro_study repro_elastic_13 = {"elastic-13",
                                             "An elastic L1 where 8, 4 or 2 SMs share a port of the crossbar",
                                             "ELASTIC Fig. 13",
                                             MEAN_ARITHMETIC,
                                             "elastic/clusters.yaml",
                                             report_13,
                                             NULL};

/* ---- Figs. 14 and 15 ---- */

static void report_14(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const char *const machines[] = {"TITAN V", "QV100", "TITAN X"};
    char sector[32], elastic[32];
    (void)study;
    for (size_t i = 0; i < ELASTIC_BENCHMARKS; i++)
        for (size_t m = 0; m < COUNT_OF(machines); m++) {
            snprintf(sector, sizeof sector, "%s sector", machines[m]);
            snprintf(elastic, sizeof elastic, "%s elastic", machines[m]);
            const double g = elastic_gain(data, elastic_papers[i].label, elastic, sector);
            if (!isnan(g)) repro_cell(report, NAN, g, "%", elastic_papers[i].label, "%s", machines[m]);
        }
    const double nw = elastic_gain(data, "nw", "QV100 elastic", "QV100 sector") -
                      elastic_gain(data, "nw", "TITAN V elastic", "TITAN V sector");
    const double sc = elastic_gain(data, "streamcluster", "QV100 elastic", "QV100 sector") -
                      elastic_gain(data, "streamcluster", "TITAN V elastic", "TITAN V sector");
    const double sc_x = elastic_gain(data, "streamcluster", "TITAN X elastic", "TITAN X sector") -
                        elastic_gain(data, "streamcluster", "TITAN V elastic", "TITAN V sector");
    repro_row(report, 10, nw, "points", "nw, gain on QV100 above that on TITAN V");
    repro_row(report, 11, sc, "points", "streamcluster, gain on QV100 above that on TITAN V");
    repro_row(report, 16, sc_x, "points", "streamcluster, gain on TITAN X above that on TITAN V");
    if (!isnan(nw)) repro_check(report, nw > 0, "nw gains more on QV100 than on TITAN V");
    if (!isnan(sc))
        repro_check(report, sc > 0 && sc_x > 0, "streamcluster gains more on QV100 and on TITAN X than on TITAN V");
    repro_deviation(report, "the paper gives no clocks: each machine's elastic L1 is set beside its own sectored one");
    elastic_note(data, report);
}
const struct repro_study repro_elastic_14 = {
    "elastic-14", "An elastic L1 on three GPUs", "ELASTIC Fig. 14", MEAN_ARITHMETIC, "elastic/machines.yaml", report_14,
    NULL};

static void report_15(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    static const struct {
        const char *label;
        double paper;
    } rows[] = {{"nw", 10}, {"bfs", 5}};
    (void)study;
    for (size_t i = 0; i < ELASTIC_BENCHMARKS; i++) {
        const char *label = elastic_papers[i].label;
        if (elastic_find(data, label) == data->n) continue;
        repro_cell(report, NAN, elastic_gain(data, label, "TITAN X elastic", "TITAN X sector"), "%", label,
                   "elastic over sector");
        repro_cell(report, NAN, elastic_gain(data, label, "TITAN X four arrays", "TITAN X sector"), "%", label,
                   "with four arrays");
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const double g = elastic_gain(data, rows[i].label, "TITAN X elastic", "TITAN X sector");
        repro_row(report, rows[i].paper, g, "%", "%s, L1 elastic over sector", rows[i].label);
        repro_row(report, rows[i].paper, elastic_gain(data, rows[i].label, "TITAN X four arrays", "TITAN X sector"),
                  "%", "%s, the same with four arrays of chunk tags", rows[i].label);
        if (!isnan(g)) repro_check(report, g > 0, "%s gains", rows[i].label);
    }
    repro_deviation(report,
                    "four slots a line stand in two banks, as L1's data does there; 'four arrays' takes [§3C] at "
                    "its word: an array of chunk tags for each chunk");
    repro_deviation(report, "the paper's Fig. 14 has nw and bfs lose on this machine");
    elastic_note(data, report);
}
const struct repro_study repro_elastic_15 = {
    "elastic-15", "An elastic L1 on TITAN X", "ELASTIC Fig. 15", MEAN_ARITHMETIC, "elastic/machines.yaml", report_15,
    NULL};

/* ---- Fig. 16 ---- */

/* The highest miss rate of a program's launches, in percent; NAN if none was measured. */
static double miss_rate(const struct repro_data *data, const char *name, const char *point)
{
    double highest = NAN;
    for (size_t b = 0; b < data->n; b++) {
        if (strcmp(data->benchmarks[b].workload->name, name) != 0) continue;
        const size_t p = repro_point(data, point);
        const double accesses = repro_value(data, b, p, "l1d_load_accesses"),
                     rate = 100 * repro_value(data, b, p, "l1d_misses") / accesses;
        if (accesses > 0 && !(highest >= rate)) highest = rate;
    }
    return highest;
}

static double fewer(const struct repro_data *data, const char *name, size_t w)
{
    char text[32], other[32];
    return 100 *
           (miss_rate(data, name, point_of(text, "elastic", w)) / miss_rate(data, name, point_of(other, "sector", w)) -
            1);
}

static void report_16(const struct repro_study *study, const struct repro_data *data, struct repro_report *report)
{
    (void)study;
    repro_row(report, -17.4, fewer(data, "nw", WAYS - 1), "%", "nw, fully associative, miss rate elastic over sector");
    repro_row(report, -28, fewer(data, "bfs", 0), "%", "bfs, direct mapped, miss rate elastic over sector");
    repro_row(report, -3, fewer(data, "bfs", WAYS - 1), "%", "bfs, fully associative, miss rate elastic over sector");
    for (size_t i = 0; i < ELASTIC_BENCHMARKS; i++)
        for (size_t w = 0; w < WAYS; w++) {
            char text[32];
            const double sector = miss_rate(data, elastic_papers[i].name, point_of(text, "sector", w)),
                         elastic = miss_rate(data, elastic_papers[i].name, point_of(text, "elastic", w));
            if (isnan(sector) || isnan(elastic)) continue;
            repro_cell(report, NAN, sector, "%", elastic_papers[i].label, "sector %u", 1u << w);
            repro_cell(report, NAN, elastic, "%", elastic_papers[i].label, "elastic %u", 1u << w);
        }
    const double nw = fewer(data, "nw", WAYS - 1), direct = fewer(data, "bfs", 0), full = fewer(data, "bfs", WAYS - 1);
    if (!isnan(nw))
        repro_check(report, nw < 0, "nw misses less in a fully associative elastic L1 than in a sectored one");
    if (!isnan(full)) repro_check(report, full < 0, "so does bfs");
    if (!isnan(direct)) repro_check(report, direct < full, "and more so direct mapped");
    repro_deviation(report, "misses over accesses of loads, accesses that merge into a miss on its way not among the "
                            "misses; of the launch of a program where it is highest");
    repro_deviation(report, "local memory is written through in both, as an elastic L1 keeps none of it");
}
const struct repro_study repro_elastic_16 = {"elastic-16",
                                             "Miss rates of an elastic and of a sectored L1 of 32 KB",
                                             "ELASTIC Fig. 16",
                                             MEAN_ARITHMETIC,
                                             "elastic/miss-rates.yaml",
                                             report_16,
                                             NULL};
