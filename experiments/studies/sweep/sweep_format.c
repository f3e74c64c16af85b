/* The rows of kind sweep. */
#include "poise/spec_format.h"
#include "poise/table.h"

static const struct spec_row rows[] = {
    {"schema", "1", "needed", "the version of this format"},
    {"kind", "sweep", "needed", "what this spec is"},
    {"name", "WORD", "needed", "results go to results/NAME"},
    {"doc", "text", "", "for readers"},
    {"size", "test, small, eval, full", "small", "of kernels that do not say"},
    {"kernels", "a list", "needed", "what is run: names, globs, traces and programs of your own, synthetic kernels"},
    {"filters", "a condition or a list", "none",
     "which launches: warp_insts <= 1e6; also blocks, threads, launch, input"},
    {"plugins", "a list of files", "none",
     "shared objects with mechanisms, replacement policies or cache organisations of your own (poise/plugin.h), beside "
     "the spec or in the current folder"},
    {"config", "a preset, a file or a list", "kepler32", "the machine, or machines that are compared"},
    {"set", "{l1.ways: 8}", "none", "changes to each of them"},
    {"axes", "{l1.ways: [4, 8]}", "none", "parameters of the machine that vary: every combination is a machine"},
    {"stacks", "a list", "needed",
     "policies: a mechanism, [a, stack, of, them] or a map of these keys; the first is what baseline.X of a metric "
     "means"},
    {"stacks.mech", "a mechanism or a list", "needed",
     "as 'tuple', 'swl,N=4', [tuple, bucl]; '@models/' of a file is the folder of models that come with the program"},
    {"stacks.axes", "{N: [1, 4]}", "none", "parameters of the mechanisms that vary; MECH.PARAMETER where two have it"},
    {"stacks.where", "a condition or a list", "none", "which combinations of the axes: p <= N"},
    {"relative_to", "MACHINE or MACHINE:STACK", "the first",
     "what speeds of machines are relative to, as 'volta80' or 'l1.ways=8:gto'; the machine that reference.X of a "
     "metric is of"},
    {"metrics", "{NAME: formula}", "none",
     "columns of sweep.csv over statistics ('poise stats'), baseline.X and reference.X"},
    {"limits", "a map", "none", "of every run"},
    {"cap", "a whole number", "none",
     "of each program the first so many warp instructions, over its launches (those chosen) in order"},
    {"sample", "error=E[,seed=S,..]", "none",
     "estimate whole programs from a sample of their launches, as error=0.02 (poise sweep --sample)"},
    {"warmup", "core cycles", "0", "the baseline runs so long, then the stack takes over"},
};
static const char example[] =
    "schema: 1\n"
    "kind: sweep\n"
    "name: my-sweep                        # results go to results/my-sweep\n"
    "size: test                            # inputs of seconds; small is the default\n"
    "kernels:\n"
    "  - mvt                               # 'poise kernels' lists them\n"
    "  - {name: atax, launches: [0]}\n"
    "  - {name: walks, synth: {divergence: 4, reuse: 4}}\n"
    "  # - {trace: \"traces/*.ptrace\", benchmark: mine}     # your own, from poise cuda --trace-dir traces ./PROGRAM\n"
    "  # - {program: ./a.out, args: [1024]}                # your own, recorded when needed\n"
    "config: kepler32                      # or machines to compare: [kepler32, volta80]\n"
    "axes: {l1.ways: [4, 8]}               # 'poise params' lists the machine's parameters\n"
    "stacks:\n"
    "  - gto                               # the first is the baseline\n"
    "  - mech: tuple                       # 'poise mechs' lists mechanisms and their parameters\n"
    "    axes: {N: [1, 4, 8], p: [1, 4]}\n"
    "    where: p <= N\n"
    "metrics:                              # 'poise stats' lists what may stand in a formula\n"
    "  speedup: baseline.core_cycles / core_cycles\n"
    "  mpki: 1000 * l1d_misses / warp_insts\n";
const struct spec_format spec_format_sweep = {.kind = "sweep",
                                              .command = "sweep",
                                              .doc = "Kernels under many mechanisms, parameters and machines.",
                                              .rows = rows,
                                              .n_rows = COUNT_OF(rows),
                                              .parts = {&spec_format_kernels, &spec_format_axes, &spec_format_limits},
                                              .example = example};
