/* The rows of kind tune. */
#include "poise/spec_format.h"
#include "poise/table.h"

static const struct spec_row rows[] = {
    {"schema", "1", "needed", "the version of this format"},
    {"kind", "tune", "needed", "what this spec is"},
    {"name", "WORD", "needed", "results go to results/NAME"},
    {"doc", "text", "", "for readers"},
    {"size", "test, small, eval, full", "small", "of kernels that do not say"},
    {"kernels", "a list", "needed", "what is tuned on"},
    {"heldout", "a list", "none",
     "what the result is evaluated on; a trace or benchmark of your own that is in both lists is an error"},
    {"plugins", "a list of files", "none",
     "shared objects with mechanisms, replacement policies or cache organisations of your own (poise/plugin.h), beside "
     "the spec or in the current folder"},
    {"config", "a preset or a file", "kepler32", "the machine"},
    {"set", "{l1.ways: 8}", "none", "changes to it"},
    {"mech", "a mechanism or a list", "needed",
     "the stack that is tuned; @swl is the warp limit that is best for the benchmark: 'pcal,N=@swl'"},
    {"parameters", "{N: {from: 1, to: 24}}", "needed",
     "axes of the search, at most 20: parameters of the stack (MECH.PARAMETER where two have it), of the machine "
     "(l1.ways), and mechanisms of the stack ({bucl: [on, off]}), whose parameters exist only where they are on"},
    {"when", "{PARAMETER: a condition or a list}", "none",
     "a parameter exists only where this holds: {l1.dsc_tags: l1.organisation == dsc}"},
    {"where", "a condition or a list", "none", "which points: p <= N"},
    {"baseline", "a mechanism", "gto", "what a speedup refers to"},
    {"metric", "speedup, a formula, or a list", "speedup",
     "speedup: the harmonic mean over benchmarks; a formula over statistics, baseline.X among them: the mean over "
     "launches; of a list the front of points that no other beats in every metric is reported as well"},
    {"goal", "max or min, or a list", "max", "of each metric; of time_us, energy, edp and ed2p: min"},
    {"method", "a map", "gp", "how points are chosen"},
    {"method.name", "a method", "gp", "'poise tune --help' lists them"},
    {"method.budget", "a whole number", "24", "points that are simulated in full, at most"},
    {"method.initial", "a whole number", "2 a parameter and 2", "points before the method has any knowledge"},
    {"method.seed", "a whole number", "1", "of what is random"},
    {"method.regret", "true or false", "false",
     "simulate the whole grid as well, to say what the method lost against it"},
    {"seed_points", "a list", "none",
     "points that are tried first, and count: [{N: 4, p: 2}, default]; default: the stack's own values"},
    {"folds", "benchmark or family", "none",
     "tune again without each benchmark, or each family of benchmarks, in turn, which is then evaluated"},
    {"sample", "error=E[,seed=S,..]", "none",
     "estimate the speedups of trials from a sample of each program's launches, as error=0.02; the best point is then "
     "simulated whole (poise tune --sample)"},
    {"limits", "a map", "none", "of every run; not early_end"},
};
static const char example[] =
    "schema: 1\n"
    "kind: tune\n"
    "name: my-tune                         # results go to results/my-tune\n"
    "size: test\n"
    "kernels: [{name: mvt, launches: [0]}, {name: bicg, launches: [0]}]     # tuned on these\n"
    "heldout: [{name: atax, launches: [0]}]                                # evaluated on this one\n"
    "# kernels: [{trace: \"traces/*.ptrace\", benchmark: mine}]               # your own, from poise cuda --trace-dir "
    "traces ./PROGRAM\n"
    "config: kepler32\n"
    "mech: swl                             # 'poise mechs' lists mechanisms and their parameters\n"
    "parameters: {N: {from: 1, to: 16}}    # each with a list or a range; also the machine's: l1.ways: [4, 8]\n"
    "metric: speedup                       # over the baseline; or a formula: 1000 * l1d_misses / warp_insts\n"
    "baseline: gto\n"
    "method: {name: grid}                  # every point; 'poise tune --help' lists methods that need fewer, as {name: "
    "gp, budget: 8}\n";
const struct spec_format spec_format_tune = {.kind = "tune",
                                             .command = "tune",
                                             .doc = "Parameters of mechanisms and of the machine against a metric.",
                                             .rows = rows,
                                             .n_rows = COUNT_OF(rows),
                                             .parts = {&spec_format_kernels, &spec_format_axes, &spec_format_limits},
                                             .example = example};
