/* What formats of specs share: kernels, axes, limits. */
#include "poise/spec_format.h"
#include "poise/table.h"

static const struct spec_row kernels[] = {
    {"name: name", "NAME or a glob", "needed",
     "a workload of 'poise kernels'; the name alone, without a map, means the same; globs leave out what has no "
     "profiled launch"},
    {"name: size", "test, small, eval, full", "the spec's", "of its input"},
    {"name: launches", "[0, 3], profiled or all", "all", "which of its launches"},
    {"name: inputs", "[1, 2]", "all", "which of its inputs"},
    {"trace: trace", "FILE, a glob or a folder", "needed",
     "traces of your own, beside the spec or in the current folder"},
    {"trace: benchmark", "WORD", "each trace is one",
     "the group that they belong to: what folds leave out together, and what is not used both for tuning and for "
     "evaluation"},
    {"program: program", "FILE", "needed", "a CUDA program of your own, which is run and recorded"},
    {"program: args", "a text or a list", "none",
     "its arguments; it runs again once it, one of them or a file that one of them names has changed"},
    {"program: launches", "[0, 3]", "all", "which of its launches"},
    {"program: benchmark", "WORD", "the program", "the group that its launches belong to"},
    {"synth: name", "WORD", "needed", "what the synthetic kernel is called"},
    {"synth: synth", "{divergence: 8, ...}", "needed",
     "its knobs, as of 'poise trace synth'; a list has a value for each phase or stream; pipelines take those with a "
     "pattern alone"},
    {"synth: size", "test, small, full", "the spec's", "of its grid"},
    {"synth: benchmark", "WORD", "its name", "the group that it belongs to"},
};
const struct spec_format spec_format_kernels = {.kind = "kernels",
                                                .rows = kernels,
                                                .n_rows = COUNT_OF(kernels),
                                                .doc = "A kernel is a name, or a map of one of four forms:"};

static const struct spec_row axes[] = {
    {"from", "a number", "needed", "the first value of a range; a list of values, or one value, does without a range"},
    {"to", "a number", "needed", "the last value of the range"},
    {"step", "a number", "1", "between values"},
    {"times", "a number above 1", "", "a geometric range: each value is so many times the one before"},
    {"points", "a whole number", "", "so many values, even in the logarithm"},
};
const struct spec_format spec_format_axes = {
    .kind = "axes",
    .rows = axes,
    .n_rows = COUNT_OF(axes),
    .doc = "An axis is NAME: [4, 8], or NAME: {from: 1, to: 24} with these keys:"};

static const struct spec_row limits[] = {
    {"max_cycles", "a whole number", "none", "core cycles after which a run is stopped"},
    {"max_insts", "a whole number", "none", "warp instructions after which a run is stopped"},
    {"early_end", "0.000001 .. 0.5", "never",
     "sweeps alone: runs end when the launch's cycles are known within this share; figures are estimates"},
};
const struct spec_format spec_format_limits = {
    .kind = "limits", .rows = limits, .n_rows = COUNT_OF(limits), .doc = "Limits of a run:"};
