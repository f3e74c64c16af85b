/* Off-chip traffic under write-buffering and read-bypassing at L2. [TECHNIQUES Fig. 7] The figure's axes carry no
 * numbers in the text that we have: directions alone are held against the paper. */
#include <math.h>
#include <stdio.h>
#include "poise/repro.h"

static const struct {
    const char *size, *lru, *marked;
} sizes[] = {{"252 KB", "252 KB", "252 KB marked"},
             {"768 KB", "base", "768 KB marked"},
             {"2 MB", "2 MB", "2 MB marked"},
             {"4 MB", "4 MB", "4 MB marked"}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Bytes that crossed the pins, in thousands of 64-byte bursts. */
static double traffic(const struct repro_data *d, size_t b, const char *point, const char *counter)
{
    const size_t p = repro_point(d, point);
    return p < d->n_points ? repro_value(d, b, p, counter) / 1000 : NAN;
}

static double mech_value(const struct repro_data *d, size_t b, const char *point, const char *counter)
{
    const size_t p = repro_point(d, point);
    return p < d->n_points ? repro_mech_value(d, b, p, "write_buffer", counter) : NAN;
}

/* By how much both together fall; 0 where there is no traffic. */
static double saved(const struct repro_data *d, size_t b, const char *lru, const char *marked)
{
    const double before = traffic(d, b, lru, "dram_reads") + traffic(d, b, lru, "dram_writes");
    const double after = traffic(d, b, marked, "dram_reads") + traffic(d, b, marked, "dram_writes");
    return before > 0 ? 100 * (1 - after / before) : 0;
}

static void report_benchmark(const struct repro_data *d, size_t b, struct repro_report *report)
{
    const char *name = d->benchmarks[b].name;
    for (size_t i = 0; i < SIZES; i++) {
        repro_cell(report, NAN, traffic(d, b, sizes[i].lru, "dram_reads"), "k bursts", name, "%s LRU reads",
                   sizes[i].size);
        repro_cell(report, NAN, traffic(d, b, sizes[i].marked, "dram_reads"), "k bursts", name, "%s marked reads",
                   sizes[i].size);
        repro_cell(report, NAN, traffic(d, b, sizes[i].lru, "dram_writes"), "k bursts", name, "%s LRU writes",
                   sizes[i].size);
        repro_cell(report, NAN, traffic(d, b, sizes[i].marked, "dram_writes"), "k bursts", name, "%s marked writes",
                   sizes[i].size);
        repro_cell(report, NAN, saved(d, b, sizes[i].lru, sizes[i].marked), "%", name, "%s saved", sizes[i].size);
        repro_cell(report, NAN, mech_value(d, b, sizes[i].marked, "c_lost_reads"), "reads", name, "%s lost reads",
                   sizes[i].size);
    }
    repro_cell(report, NAN, saved(d, b, "base", "768 KB first read"), "%", name, "768 KB, freed at the first read");
    repro_cell(report, NAN, saved(d, b, "base", "768 KB protected"), "%", name, "768 KB, protected from loads too");
}

static double sum(const struct repro_data *d, const char *point, const char *counter)
{
    double all = 0;
    for (size_t b = 0; b < d->n; b++) all += traffic(d, b, point, counter);
    return all;
}

static void report_7(const struct repro_study *study, const struct repro_data *d, struct repro_report *report)
{
    double means[SIZES], values[8];
    (void)study;
    for (size_t i = 0; i < SIZES; i++) {
        for (size_t b = 0; b < d->n && b < 8; b++) values[b] = saved(d, b, sizes[i].lru, sizes[i].marked);
        means[i] = repro_mean(MEAN_ARITHMETIC, values, d->n < 8 ? d->n : 8);
        repro_row(report, NAN, means[i], "%", "off-chip traffic saved, mean, L2 of %s", sizes[i].size);
    }
    for (size_t b = 0; b < d->n; b++) report_benchmark(d, b, report);
    repro_check(report, sum(d, "768 KB marked", "dram_writes") < sum(d, "base", "dram_writes"),
                "the amount of write traffic to the off-chip memory is reduced (768 KB, all programs)");
    repro_check(report, sum(d, "768 KB marked", "dram_reads") < sum(d, "base", "dram_reads"),
                "the number of off-chip read accesses is also reduced (768 KB, all programs)");
    repro_check(report, means[SIZES - 1] > means[0], "it improves more with larger L2 caches (4 MB against 252 KB)");
    repro_deviation(report, "Fig. 7 carries no numbers in the text that we have: directions alone are checked");
    repro_deviation(report, "the paper's programmer marks loads and stores by hand; here a profile marks address "
                            "ranges: written by one launch and read "
                            "by the next (.cc), read once in each launch that reads them (.cp)");
    repro_deviation(
        report,
        "dirty lines that are in L2 when the last launch ends are not written back: a program's results would be");
    repro_deviation(report, "a read that hits a buffered line frees it and its data is lost; lost reads count later "
                            "reads of it, which a real machine "
                            "would answer with old data");
}

const struct repro_study repro_tech_7 = {
    .id = "tech-7",
    .title = "Write-buffering and read-bypassing at L2: off-chip reads and writes over its size",
    .source = "TECHNIQUES Fig. 7",
    .mean = MEAN_ARITHMETIC,
    .spec = "techniques/write-buffer.yaml",
    .report = report_7,
};
