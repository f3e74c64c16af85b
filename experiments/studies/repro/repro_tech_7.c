/* Off-chip traffic under write-buffering and read-bypassing at L2. [TECHNIQUES Fig. 7] The figure's axes carry no
 * numbers in the text that we have: directions alone are held against the paper. */
#include <math.h>
#include <stdio.h>
#include "poise/repro.h"
#include "studies/repro/repro_own.h"

static const struct {
    const char *size, *lru;
} sizes[] = {{"252 KB", "252 KB"}, {"516 KB", "516 KB"}, {"768 KB", "base"},
             {"1 MB", "1 MB"},     {"2 MB", "2 MB"},     {"4 MB", "4 MB"}};
enum { SIZES = sizeof sizes / sizeof *sizes };
/* Names of points are SIZE and one of these. */
static const struct {
    const char *name, *title;
} markings[] = {{"marked", ""}, {"by hand", ", marked by hand"}, {"by rule", ", marked by rule"}};
enum { MARKINGS = sizeof markings / sizeof *markings };

static const char *point_of(size_t size, size_t marking, char out[REPRO_NAME_MAX])
{
    snprintf(out, REPRO_NAME_MAX, "%s %s", sizes[size].size, markings[marking].name);
    return out;
}

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

static void report_marking(const struct repro_data *d, size_t b, size_t size, size_t marking,
                           struct repro_report *report)
{
    char point[REPRO_NAME_MAX];
    const char *name = d->benchmarks[b].name;
    point_of(size, marking, point);
    repro_cell(report, NAN, traffic(d, b, point, "dram_reads"), "k bursts", name, "%s reads", point);
    repro_cell(report, NAN, traffic(d, b, point, "dram_writes"), "k bursts", name, "%s writes", point);
    repro_cell(report, NAN, saved(d, b, sizes[size].lru, point), "%", name, "%s%s saved", sizes[size].size,
               markings[marking].title);
    repro_cell(report, NAN, mech_value(d, b, point, "c_lost_reads"), "reads", name, "%s lost reads", point);
}

static void report_benchmark(const struct repro_data *d, size_t b, struct repro_report *report)
{
    const char *name = d->benchmarks[b].name;
    for (size_t i = 0; i < SIZES; i++) {
        repro_cell(report, NAN, traffic(d, b, sizes[i].lru, "dram_reads"), "k bursts", name, "%s LRU reads",
                   sizes[i].size);
        repro_cell(report, NAN, traffic(d, b, sizes[i].lru, "dram_writes"), "k bursts", name, "%s LRU writes",
                   sizes[i].size);
        for (size_t m = 0; m < MARKINGS; m++) report_marking(d, b, i, m, report);
    }
    repro_cell(report, NAN, saved(d, b, "base", "768 KB first read"), "%", name, "768 KB, freed at the first read");
    repro_cell(report, NAN, saved(d, b, "base", "768 KB protected"), "%", name, "768 KB, protected from loads too");
    repro_cell(report, NAN, saved(d, b, "2 MB", "2 MB by hand written back"), "%", name,
               "2 MB, by hand, freed lines written back");
    repro_cell(report, NAN, saved(d, b, "2 MB", "2 MB by rule once"), "%", name, "2 MB, by rule, handed over once");
}

/* What a marking saves on average over the programs. */
static double mean_saved(const struct repro_data *d, const char *lru, const char *marked)
{
    double values[8];
    const size_t n = d->n < 8 ? d->n : 8;
    for (size_t b = 0; b < n; b++) values[b] = saved(d, b, lru, marked);
    return repro_mean(MEAN_ARITHMETIC, values, n);
}

/* Reads of data that was freed and lost: a real machine would answer them with old data. */
static double lost_reads(const struct repro_data *d, const char *point)
{
    double all = 0;
    for (size_t b = 0; b < d->n; b++) {
        const double lost = mech_value(d, b, point, "c_lost_reads");
        all += isnan(lost) ? 0 : lost;
    }
    return all;
}

static double sum(const struct repro_data *d, const char *point, const char *counter)
{
    double all = 0;
    for (size_t b = 0; b < d->n; b++) all += traffic(d, b, point, counter);
    return all;
}

static void report_7(const struct repro_study *study, const struct repro_data *d, struct repro_report *report)
{
    double means[MARKINGS][SIZES];
    char point[REPRO_NAME_MAX];
    (void)study;
    for (size_t m = 0; m < MARKINGS; m++)
        for (size_t i = 0; i < SIZES; i++) {
            means[m][i] = mean_saved(d, sizes[i].lru, point_of(i, m, point));
            repro_row(report, NAN, means[m][i], "%", "off-chip traffic saved, mean, L2 of %s%s", sizes[i].size,
                      markings[m].title);
        }
    repro_row(report, NAN, mean_saved(d, "2 MB", "2 MB by hand written back"), "%",
              "the same, 2 MB, marked by hand, freed lines written back");
    repro_row(report, NAN, mean_saved(d, "2 MB", "2 MB by rule once"), "%",
              "the same, 2 MB, marked by rule, what one CTA reads alone");
    for (size_t m = 0; m < MARKINGS; m++)
        repro_row(report, NAN, lost_reads(d, point_of(4, m, point)), "reads", "reads of lost data, 2 MB, %s",
                  markings[m].name);
    for (size_t b = 0; b < d->n; b++) report_benchmark(d, b, report);
    repro_check(report, sum(d, "768 KB marked", "dram_writes") < sum(d, "base", "dram_writes"),
                "the amount of write traffic to the off-chip memory is reduced (768 KB, all programs)");
    repro_check(report, sum(d, "768 KB marked", "dram_reads") < sum(d, "base", "dram_reads"),
                "the number of off-chip read accesses is also reduced (768 KB, all programs)");
    repro_check(report, means[0][SIZES - 1] > means[0][0],
                "it improves more with larger L2 caches (4 MB against 252 KB)");
    repro_check(report, sum(d, "768 KB by hand", "dram_writes") < sum(d, "base", "dram_writes"),
                "write traffic is reduced with the marking by hand (768 KB, all programs)");
    repro_check(report, sum(d, "768 KB by hand", "dram_reads") < sum(d, "base", "dram_reads"),
                "off-chip reads are reduced with the marking by hand (768 KB, all programs)");
    repro_deviation(report, "Fig. 7 carries no numbers in the text that we have: directions alone are checked");
    repro_deviation(report, "'marked' is no programmer's work: a profile of L2 marks address ranges, lines that one "
                            "launch writes and the next reads once and for the last time (.cc), lines read once in "
                            "each launch that reads them (.cp)");
    repro_deviation(report, "'by hand' marks instructions as the paper does, of our kernels; which ones its programmer "
                            "marked is not published. hotspot, srad2: neighbouring blocks read a tile's edge too, "
                            "after the first read has freed it");
    repro_deviation(report, "'by rule' marks instructions whose data the next launch reads (.cc), or one CTA alone "
                            "(.cp), for nine tenths of what they touch");
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
    .runs_programs = true};
