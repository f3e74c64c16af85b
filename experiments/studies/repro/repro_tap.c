/* TAP's evaluation as the survey reports it: mixes of CPU programs and a GPU kernel under policies of the shared
 * last-level cache. [TECHNIQUES 5.1.3, Fig. 8: 152 mixes; TAP-UCP +5 % over UCP and +11 % over LRU, TAP-RRIP +10 % over
 * RRIP and +12 % over LRU; more with more CPU programs. TAP's own abstract says +9 % over RRIP.] The policies are
 * points of the spec; the base is LRU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "studies/repro/repro_tap.h"
#include "studies/repro/repro_own.h"

enum { ALL_SIZES = -1 };

static bool is_meant(const struct mix_data *d, size_t m, int size)
{
    return size == ALL_SIZES || d->mixes[m].n == mix_sizes[size];
}

/* Over the mixes of a size: the geometric mean of one of the scores, under a point over that of another (`over`
 * n_points: itself). */
enum score { WEIGHTED, HARMONIC, FAIRNESS, N_SCORES };
static double score_of(const struct mix_result *r, enum score score)
{
    return score == WEIGHTED ? r->score.weighted : score == HARMONIC ? r->score.harmonic : r->score.fairness;
}

static double mean_score(const struct mix_data *d, int size, enum score score, size_t point, size_t over)
{
    double sum = 0;
    size_t n = 0;
    for (size_t m = 0; m < d->n; m++) {
        const struct mix_result *r = mix_at(d, m, point), *o = over < d->spec->n_points ? mix_at(d, m, over) : NULL;
        if (!is_meant(d, m, size) || r->failed || (o && o->failed)) continue;
        sum += log(o ? score_of(r, score) / score_of(o, score) : score_of(r, score));
        n++;
    }
    return n ? exp(sum / (double)n) : NAN;
}

static const char *size_text(int size, char text[32])
{
    if (size == ALL_SIZES) strcpy(text, "all mixes");
    else snprintf(text, 32, "%u CPU program%s", mix_sizes[size], mix_sizes[size] > 1 ? "s" : "");
    return text;
}

/* What sharing costs on the base: a member alone has 1. */
static void report_base(const struct mix_data *d, struct repro_report *report)
{
    static const char *const names[N_SCORES] = {"weighted speedup", "harmonic speedup", "fairness"};
    char text[32];
    for (int score = 0; score < N_SCORES; score++)
        for (int size = 0; size < MIX_SIZES; size++)
            repro_row(report, NAN, mean_score(d, size, (enum score)score, 0, d->spec->n_points), "x", "%s, LRU, %s",
                      names[score], size_text(size, text));
    for (int is_kernel = 0; is_kernel < 2; is_kernel++)
        for (int size = 0; size < MIX_SIZES; size++) {
            double sum = 0;
            size_t n = 0;
            for (size_t m = 0; m < d->n; m++) {
                const struct mix_result *r = mix_at(d, m, 0);
                if (!is_meant(d, m, size) || r->failed) continue;
                for (unsigned i = is_kernel ? d->mixes[m].n : 0; i < d->mixes[m].n + (unsigned)is_kernel; i++, n++)
                    sum += log(r->speedups[i]);
            }
            repro_row(report, NAN, n ? exp(sum / (double)n) : NAN, "x", "speed of %s over alone, LRU, %s",
                      is_kernel ? "the kernel" : "a CPU program", size_text(size, text));
        }
}

/* "GPGPU applications typically access caches much more frequently than CPU applications ... often an order of
 * difference" [TECHNIQUES 5.1] */
static void report_access_ratio(const struct mix_data *d, struct repro_report *report)
{
    double sum = 0;
    size_t n = 0, above = 0;
    for (size_t m = 0; m < d->n; m++) {
        const struct mix_result *r = mix_at(d, m, 0);
        if (r->failed || !(r->access_ratio > 0)) continue;
        sum += log(r->access_ratio);
        above += r->access_ratio > 1;
        n++;
    }
    repro_row(report, 10, n ? exp(sum / (double)n) : NAN, "1",
              "accesses to the last-level cache, kernel over the busiest CPU program");
    repro_check(report, n && above * 2 > n,
                "the kernel accesses the last-level cache more often than any CPU program (in %zu of %zu mixes)", above,
                n);
}

/* What one policy gains over another, by size and over all mixes. */
static void report_gain(const struct mix_data *d, const char *policy, const char *over, double paper,
                        struct repro_report *report)
{
    char text[32];
    size_t p = 0, o = 0;
    while (p < d->spec->n_points && strcmp(d->spec->points[p], policy) != 0) p++;
    while (o < d->spec->n_points && strcmp(d->spec->points[o], over) != 0) o++;
    if (p == d->spec->n_points || o == d->spec->n_points) return;
    const char *name = o ? over : "LRU";
    for (int size = ALL_SIZES; size < MIX_SIZES; size++)
        repro_row(report, size == ALL_SIZES ? paper : NAN, 100 * (mean_score(d, size, WEIGHTED, p, o) - 1), "%",
                  "weighted speedup of %s over %s, %s", policy, name, size_text(size, text));
    repro_row(report, NAN, 100 * (mean_score(d, ALL_SIZES, HARMONIC, p, o) - 1), "%",
              "harmonic speedup of %s over %s, all mixes", policy, name);
    repro_check(report, mean_score(d, ALL_SIZES, WEIGHTED, p, o) > 1, "%s is faster than %s", policy, name);
}

/* "TAP mechanisms show higher benefits with more CPU applications" [TECHNIQUES 5.1.3] */
static void report_order(const struct mix_data *d, size_t point, struct repro_report *report)
{
    double gain[MIX_SIZES];
    for (int size = 0; size < MIX_SIZES; size++) gain[size] = 100 * (mean_score(d, size, WEIGHTED, point, 0) - 1);
    repro_check(report, gain[0] < gain[1] && gain[1] < gain[2],
                "%s gains more over LRU with more CPU programs (with %u, %u and %u: %.1f, %.1f and %.1f %%)",
                d->spec->points[point], mix_sizes[0], mix_sizes[1], mix_sizes[2], gain[0], gain[1], gain[2]);
}

static void report_mixes(const struct mix_data *d, struct repro_report *report)
{
    for (size_t m = 0; m < d->n; m++) {
        const struct mix *mix = &d->mixes[m];
        char name[96];
        size_t used = (size_t)snprintf(name, sizeof name, "%s", d->kernels[mix->kernel]);
        for (unsigned i = 0; i < mix->n; i++)
            used += (size_t)snprintf(name + used, sizeof name - used, "+%s", d->programs[mix->programs[i]]);
        for (size_t p = 0; p < d->spec->n_points; p++) {
            repro_cell(report, NAN, mix_at(d, m, p)->failed ? NAN : mix_at(d, m, p)->score.weighted, "x", name, "%s",
                       p ? d->spec->points[p] : "LRU");
            if (mix_at(d, m, p)->failed) repro_failed(report, mix_at(d, m, p)->why);
        }
    }
}

void repro_tap_report(const struct mix_data *d, struct repro_report *report)
{
    report_base(d, report);
    report_access_ratio(d, report);
    for (size_t p = 1; p < d->spec->n_points; p++) {
        const char *policy = d->spec->points[p];
        report_gain(d, policy, "base",
                    strcmp(policy, "tap-ucp") == 0    ? 11
                    : strcmp(policy, "tap-rrip") == 0 ? 12
                                                      : NAN,
                    report);
        if (strncmp(policy, "tap-", 4) == 0) report_order(d, p, report);
    }
    report_gain(d, "tap-ucp", "ucp", 5, report);
    report_gain(d, "tap-rrip", "drrip", 10, report);
    report_mixes(d, report);
    if (d->spec->n_points == 1)
        repro_deviation(report, "LRU alone: no other policy of the last-level cache is a point of the spec");
}

const struct repro_study repro_tech_8 = {
    .id = "tech-8",
    .title = "CPU programs and a GPU kernel share the last-level cache: 152 mixes",
    .source = "TECHNIQUES Fig. 8",
    .mean = MEAN_GEOMETRIC,
    .spec = "techniques/mixes.yaml",
};
