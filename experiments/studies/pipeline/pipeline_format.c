/* The rows of kind pipeline. */
#include "poise/spec_format.h"
#include "poise/table.h"

static const struct spec_row rows[] = {
    {"schema", "1", "needed", "the version of this format"},
    {"kind", "pipeline", "needed", "what this spec is"},
    {"name", "WORD", "needed", "results go to results/NAME"},
    {"doc", "text", "", "for readers"},
    {"size", "test, small, eval, full", "small", "of the workloads"},
    {"training", "a list", "[\"*\"]",
     "what is learnt from: names, globs over the training set, traces and programs of your own"},
    {"evaluation", "a list", "[\"*\"]",
     "what is evaluated: likewise, globs over the evaluation set; a trace or benchmark in both lists is an error"},
    {"plugins", "a list of files", "none",
     "shared objects with mechanisms, replacement policies or cache organisations of your own (poise/plugin.h), beside "
     "the spec or in the current folder"},
    {"config", "a preset or a file", "kepler32", "the machine"},
    {"set", "{l1.ways: 8}", "none", "changes to it"},
    {"with", "a mechanism or a list", "none", "that every run has as well: a model for a machine that has them"},
    {"points", "a number, all, active, lattice", "coarse-to-fine: 20",
     "warp tuples simulated for a launch, at most; all: the whole grid; active: a tenth of it"},
    {"profiles", "a list of files", "none", "tables of datasets/profiles, whose runs are not simulated again"},
    {"whole", "a map", "none", "what joins these two lists where points are all"},
    {"whole.training", "a list", "needed", "further benchmarks to learn from"},
    {"whole.profiles", "a list of files", "none", "their tables"},
    {"dataset", "a map", "the thesis' values",
     "weights of scores, scale and thresholds of training rows: threshold_cycles, threshold_speedup, scale, w0, ..."},
    {"features", "a list", "those of Tab. 5.3", "what N and p are predicted from"},
    {"features_from", "runs or windows", "runs", "windows: what the engine itself samples at the start of a launch"},
    {"windows", "true or false", "false", "record these windows in any case, and report both predictions"},
    {"family", "nb2 or poisson", "nb2", "of the regression"},
    {"penalty", "none, KIND=LAMBDA", "none",
     "of the regression: ridge=0.1, lasso=0.1, elastic-net=0.1:MIX; LAMBDA cv: chosen by leaving benchmarks out"},
    {"model", "a file", "one is trained", "evaluate this model"},
    {"beside", "a file of models/", "none", "a shipped model whose predictions stand beside"},
    {"retrain", "a list of features", "none", "a further model without each of them"},
    {"response", "a map", "none", "learn response surfaces too: a network for each family, which saw nothing of it"},
    {"response.table", "a file", "none",
     "learn from this table of datasets/features/learned, in place of samplings of the spec's own launches"},
    {"response.sampling", "text", "without a table", "rounds of tuples that the engine samples: \"4:1 / 2:2 / W:W\""},
    {"response.features", "a list", "without a table",
     "what they are learned from: rate.0, need.2, In (poise/sampling.h)"},
    {"response.learner", "WORD", "gp", "a family of learners of response surfaces"},
    {"response.after", "a list of [N, p]", "none", "tuples that ran for a while before further samplings"},
    {"response.engine", "key=value,..", "none", "parameters of the engine that samples, where they are not its own"},
    {"response.min_cycles", "0 to 10^12", "0", "launches that last fewer cycles under GTO are not learned from"},
    {"response.hidden", "1 to 16", "12", "hidden units of the network"},
    {"response.coefs", "1 to 8", "4", "coefficients of the network"},
    {"sample", "error=E[,seed=S,..]", "none",
     "evaluate on all profiled launches and a sample of the others, as error=0.02: figures have intervals (poise run "
     "--sample)"},
    {"contenders", "a list", "none", "further policies, run on every evaluation launch"},
    {"contenders.name", "WORD", "needed", "what figures call it"},
    {"contenders.title", "text", "the name", "what tables call it"},
    {"contenders.mech", "a mechanism or a list", "gto",
     "its stack; @swl, @swl_launch, @best_N, @best_p, @predicted_N, @predicted_p, @beside_N, @beside_p (each may have "
     "an "
     "offset, as @best_N+2), @model, @models, @maximum_likelihood, @without:FEATURE stand for what the job found; "
     "@hint, "
     "@hint_corrected, @hint_tenth, @hint_remembered, @hint_other, @hint_smaller for files of the quick model's hints "
     "(learned,hint=@hint)"},
    {"contenders.set", "{l1.sets: 64}", "none", "its changes to the machine"},
    {"contenders.over", "a contender", "gto", "whose cycles are its baseline"},
    {"contenders.stats", "a mechanism", "none", "whose statistics the summary keeps"},
    {"contenders.launches", "all or profiled", "all", "profiled: the other launches run with all warps"},
};
static const char example[] =
    "schema: 1\n"
    "kind: pipeline\n"
    "name: my-model                        # results go to results/my-model\n"
    "size: test                            # inputs of seconds, whose figures say nothing; small is the default\n"
    "training: [gco, ccl]                  # learnt from; [\"*\"]: the whole training set\n"
    "evaluation: [mvt, atax]               # evaluated on; [\"*\"]: the whole evaluation set\n"
    "# training: [\"*\", {trace: \"traces/*.ptrace\", benchmark: mine}]         # your own, from poise cuda "
    "--trace-dir traces ./PROGRAM\n"
    "config: kepler32\n"
    "points: 12                            # warp tuples simulated for a launch; all: the whole grid\n"
    "dataset: {threshold_cycles: 500, threshold_speedup: 0, threshold_hit_rate: 0}       # only since size test is so "
    "short\n"
    "features: [h_o, h_prime, intercept]   # likewise: few rows bear few features\n"
    "contenders:                           # further policies beside GTO, SWL, Static-Best and Poise\n"
    "  - {name: pcal_swl, title: PCAL-SWL, mech: [\"pcal,N=@swl\"]}\n";
const struct spec_format spec_format_pipeline = {.kind = "pipeline",
                                                 .command = "run",
                                                 .doc = "The main job: record, profile, train, evaluate.",
                                                 .rows = rows,
                                                 .n_rows = COUNT_OF(rows),
                                                 .parts = {&spec_format_kernels},
                                                 .example = example,
                                                 .old = {"surface"}}; /* until SIM_MODEL_VERSION 5 */
