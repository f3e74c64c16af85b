/* Beyond TAP: who should give way where CPU programs and a kernel share the last-level cache? A learned lifetime of
 * lines, judged on mixes whose programs and kernel it has not seen; a throttled kernel, alone and beside TAP; lockdown,
 * read-bypassing, and a wider cache. No paper has figures for these. */
#include <math.h>
#include <string.h>
#include "studies/repro/repro_tap.h"
#include "studies/repro/repro_own.h"

enum { RULES_MAX = 16 };

/* A point's weighted speedup over LRU's, of one mix; NAN where a run failed. */
static double gain_of(const struct mix_data *d, size_t m, size_t point)
{
    const struct mix_result *r = mix_at(d, m, point), *lru = mix_at(d, m, 0);
    return r->failed || lru->failed ? NAN : r->score.weighted / lru->score.weighted;
}

static size_t point_of(const struct mix_data *d, const char *name)
{
    size_t p = 0;
    while (p < d->spec->n_points && strcmp(d->spec->points[p], name) != 0) p++;
    return p;
}

/* Geometric means over the mixes. */
struct means {
    double weighted, programs, kernel; /* the first over LRU's; speeds over alone */
};
static struct means means_of(const struct mix_data *d, size_t point)
{
    struct means sum = {0, 0, 0};
    size_t n = 0, n_programs = 0;
    for (size_t m = 0; m < d->n; m++) {
        const double gain = gain_of(d, m, point);
        const struct mix_result *r = mix_at(d, m, point);
        if (isnan(gain)) continue;
        sum.weighted += log(gain);
        sum.kernel += log(r->speedups[d->mixes[m].n]);
        for (unsigned i = 0; i < d->mixes[m].n; i++, n_programs++) sum.programs += log(r->speedups[i]);
        n++;
    }
    if (!n) return (struct means){NAN, NAN, NAN};
    return (struct means){exp(sum.weighted / (double)n), exp(sum.programs / (double)n_programs),
                          exp(sum.kernel / (double)n)};
}

/* ---- the learned lifetime ---- */

static bool shares_a_member(const struct mix *a, const struct mix *b)
{
    if (a->kernel == b->kernel) return true;
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned k = 0; k < b->n; k++)
            if (a->programs[i] == b->programs[k]) return true;
    return false;
}

/* The rule that is best on the mixes that have no program and no kernel in common with mix `m`; of equals the first. */
static size_t choose_without(const struct mix_data *d, size_t m, const size_t *rules, size_t n_rules, size_t *n_seen)
{
    size_t best = rules[0];
    double most = NAN;
    for (size_t k = 0; k < n_rules; k++) {
        double sum = 0;
        size_t n = 0;
        for (size_t other = 0; other < d->n; other++) {
            const double gain = gain_of(d, other, rules[k]);
            if (other == m || shares_a_member(&d->mixes[m], &d->mixes[other]) || isnan(gain)) continue;
            sum += log(gain);
            n++;
        }
        *n_seen = n;
        if (!n || (!isnan(most) && sum / (double)n <= most)) continue;
        most = sum / (double)n;
        best = rules[k];
    }
    return best;
}

static void report_learned(const struct mix_data *d, struct repro_report *report)
{
    size_t rules[RULES_MAX], n_rules = 0, n = 0, n_seen, few = d->n;
    double learned = 0, hindsight = 0, tap = 0;
    const size_t tap_rrip = point_of(d, "tap-rrip");
    for (size_t p = 0; p < d->spec->n_points && n_rules < RULES_MAX; p++)
        if (strncmp(d->spec->points[p], "lifetime", 8) == 0) rules[n_rules++] = p;
    if (!n_rules || tap_rrip == d->spec->n_points) return;
    for (size_t m = 0; m < d->n; m++) {
        const double gain = gain_of(d, m, choose_without(d, m, rules, n_rules, &n_seen));
        double best = gain;
        if (isnan(gain) || isnan(gain_of(d, m, tap_rrip))) continue;
        for (size_t k = 0; k < n_rules; k++) best = fmax(best, gain_of(d, m, rules[k]));
        learned += log(gain);
        hindsight += log(best);
        tap += log(gain_of(d, m, tap_rrip));
        few = n_seen < few ? n_seen : few;
        n++;
    }
    if (!n) return;
    repro_row(report, NAN, 100 * (exp(learned / (double)n) - 1), "%", "learned lifetime over LRU, members held out");
    repro_row(report, NAN, 100 * (exp(hindsight / (double)n) - 1), "%", "the same, each mix's best rule in hindsight");
    repro_row(report, NAN, (double)few, "mixes", "mixes that a rule was chosen on, at least");
    repro_check(report, learned > tap, "the learned lifetime is better than TAP-RRIP's rule");
}

/* ---- who gives way ---- */

static double weighted(const struct mix_data *d, const char *point)
{
    const size_t p = point_of(d, point);
    return p < d->spec->n_points ? means_of(d, p).weighted : NAN;
}

void repro_beyond_report(const struct mix_data *d, struct repro_report *report)
{
    for (size_t p = 0; p < d->spec->n_points; p++) {
        const struct means m = means_of(d, p);
        const char *name = p ? d->spec->points[p] : "LRU";
        if (p) repro_row(report, NAN, 100 * (m.weighted - 1), "%", "weighted speedup of %s over LRU", name);
        repro_row(report, NAN, m.programs, "x", "speed of a CPU program over alone, %s", name);
        repro_row(report, NAN, m.kernel, "x", "speed of the kernel over alone, %s", name);
    }
    report_learned(d, report);
    repro_check(report, weighted(d, "poise tap-rrip") > weighted(d, "tap-rrip"),
                "Poise as the kernel's throttle beside TAP-RRIP is better than TAP-RRIP alone");
    repro_check(report, weighted(d, "throttled tap-rrip") > weighted(d, "throttled"),
                "beside a throttled kernel TAP-RRIP gains");
    repro_check(report, weighted(d, "wide tap-rrip") > weighted(d, "wide"),
                "in a cache whose ports are four times as wide TAP-RRIP gains");
    for (size_t m = 0; m < d->n; m++) {
        char name[96];
        size_t used = (size_t)snprintf(name, sizeof name, "%s", d->kernels[d->mixes[m].kernel]);
        for (unsigned i = 0; i < d->mixes[m].n; i++)
            used += (size_t)snprintf(name + used, sizeof name - used, "+%s", d->programs[d->mixes[m].programs[i]]);
        for (size_t p = 1; p < d->spec->n_points; p++) {
            const struct mix_result *r = mix_at(d, m, p), *lru = mix_at(d, m, 0);
            repro_cell(report, NAN, 100 * (gain_of(d, m, p) - 1), "%", name, "%s", d->spec->points[p]);
            if (r->failed || lru->failed) repro_failed(report, r->failed ? r->why : lru->why);
        }
    }
    repro_deviation(report, "no paper has these contenders; the rules of `lifetime`, N = 2, the lockdown's threshold "
                            "and the width of the cache are ours (assumed)");
    repro_deviation(report, "Poise's model is the thesis's, for another machine; a single launch writes nothing for "
                            "the next, so that of write-buffering only read-bypassing is there");
}

const struct repro_study repro_tech_9 = {
    .id = "tech-9",
    .title = "Beyond TAP: learned lifetime, throttled kernels, lockdown, read-bypassing, a wider cache",
    .source = "TECHNIQUES 5",
    .mean = MEAN_GEOMETRIC,
    .spec = "techniques/mixes-beyond.yaml",
};
