/* The rows of kind choice. */
#include "poise/spec_format.h"
#include "poise/table.h"

static const struct spec_row rows[] = {
    {"schema", "1", "needed", "the version of this format"},
    {"kind", "choice", "needed", "what this spec is"},
    {"name", "WORD", "needed", "results go to results/NAME"},
    {"doc", "text", "", "for readers"},
    {"size", "test, small, eval, full", "small", "of kernels that do not say"},
    {"kernels", "a list", "needed", "what is run: names, globs, traces and programs of your own, synthetic kernels"},
    {"min_insts", "a whole number", "0", "launches of fewer warp instructions are left out"},
    {"cap", "a whole number", "none",
     "of each program the first so many warp instructions, over its launches (those chosen) in order"},
    {"window", "core cycles", "20000", "of the baseline, whose counters are the columns after one window"},
    {"trial", "core cycles", "20000", "of every policy, whose speeds are the columns after a trial of each"},
    {"config", "a preset or a file", "kepler32", "the machine of the baseline"},
    {"sealed", "a map", "none", "families that no model is trained on"},
    {"sealed.seed", "a whole number", "needed", "of the draw"},
    {"sealed.one_in", "1 or more", "needed", "the share of the families that is drawn: 4 is a quarter, 1 all"},
    {"policies", "a list", "needed", "between which is chosen; the baseline, gto, is always among them"},
    {"policies.name", "WORD", "needed", "what tables call it"},
    {"policies.mech", "a mechanism or a list", "gto",
     "as 'swl,N=4' or [swl, bucl]; '@models/' of a file is the folder of models that come with the program"},
    {"policies.set", "{l1.organisation: tsc}", "none", "what it changes of the machine"},
};
static const char example[] =
    "schema: 1\n"
    "kind: choice\n"
    "name: my-choice                       # results go to results/my-choice\n"
    "size: test                            # inputs of seconds; small is the default\n"
    "kernels: [mvt, atax, mm, syrk, ii, stencil]\n"
    "min_insts: 1000                       # leaves out launches that are too short to be worth a choice\n"
    "cap: 100000\n"
    "policies:\n"
    "  - {name: swl2, mech: \"swl,N=2\"}\n"
    "  - {name: ccws, mech: ccws}\n"
    "  - {name: tsc, set: {l1.organisation: tsc, l1.tsc_mode: duel}}\n";
const struct spec_format spec_format_choice = {.kind = "choice",
                                               .command = "choice",
                                               .doc = "Launches under each of some policies, to learn which to choose.",
                                               .rows = rows,
                                               .n_rows = COUNT_OF(rows),
                                               .parts = {&spec_format_kernels},
                                               .example = example};
