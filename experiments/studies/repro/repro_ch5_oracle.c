/* What is left above Static-Best: a tuple for each window in place of one for each kernel.   [THESIS §5.7.3, §5.7.4] */
#include <string.h>
#include "studies/repro/repro_ch5.h"
#include "studies/repro/repro_own.h"

static const struct {
    const char *name, *title;
} oracles[] = {{"oracle_200k", "Oracle, 200,000 cycles"},
               {"oracle_50k", "Oracle, 50,000 cycles"},
               {"oracle_20k", "Oracle, 20,000 cycles"}};

static double stat(const struct ch5 *c, size_t benchmark, const char *policy, const char *name)
{
    const json_t *policies = json_object_get(json_array_get(c->benchmarks, benchmark), "policies");
    return ch5_number(json_object_get(json_object_get(policies, policy), "oracle"), name);
}

static void tell_oracle(const struct repro_study *study, const json_t *summary, struct repro_report *report)
{
    const struct ch5 c = ch5_of(summary);
    const double best = ch5_rows(&c, "static_best", "Static-Best", ch5_speedup, study->mean, 1.528, "x", true, report);
    for (size_t i = 0; i < COUNT_OF(oracles); i++) {
        const double mean =
            ch5_rows(&c, oracles[i].name, oracles[i].title, ch5_speedup, study->mean, NAN, "x", true, report);
        double windows = 0, changes = 0;
        for (size_t b = 0; b < c.n; b++) {
            windows += stat(&c, b, oracles[i].name, "windows");
            changes += stat(&c, b, oracles[i].name, "changes");
        }
        repro_row(report, NAN, mean / best, "x", "%s over Static-Best", oracles[i].title);
        repro_row(report, NAN, windows, "windows", "%s: windows decided", oracles[i].title);
        repro_row(report, NAN, changes, "windows", "%s: with another tuple than before", oracles[i].title);
        repro_check(report, mean >= best, "%s is no slower than Static-Best", oracles[i].title);
    }
    repro_deviation(report, "the oracle is greedy: each window goes to the tuple with most instructions in it, "
                            "whatever state it leaves; that is no upper bound");
    repro_deviation(report, "21 candidates a window: the triangle over 1, 2, 4, 8, 16 and W without (16,16), and "
                            "Static-Best's tuple; profiled launches of more than 400,000 cycles under GTO");
}

const struct repro_study repro_thesis_5_9_oracle = {.id = "thesis-5.9-oracle",
                                                    .title = "a tuple for each window, beside Static-Best",
                                                    .source = "THESIS §5.7.4",
                                                    .mean = MEAN_HARMONIC,
                                                    .spec = "thesis-ch5/oracle.yaml",
                                                    .tell = tell_oracle};
