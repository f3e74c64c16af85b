/* The rows of hardware.yaml. */
#include "poise/spec_format.h"
#include "poise/table.h"

static const struct spec_row rows[] = {
    {"kind", "hardware", "needed", "what this file is"},
    {"schema", "1", "needed", "version of this format"},
    {"gpu", "a text", "needed", "the GPU that was measured"},
    {"machine", "a preset, a YAML file or a gpgpusim.config", "needed", "the simulated machine that models it"},
    {"source", "a text", "none", "who measured it, when and with what"},
    {"rows", "a list of maps", "needed", "what was measured, a kernel of a program each, of these keys:"},
    {"rows.name", "a text", "program and kernel", "what tables call it"},
    {"rows.program", "a text", "needed",
     "SUITE/PROGRAM ('poise suite'), a workload ('poise kernels'), or the path of an executable, from this file"},
    {"rows.arguments", "a text or a list", "those of the suite",
     "what the program of a suite, or the executable, is called with"},
    {"rows.size", "test, small or full", "small",
     "of a workload; of a suite: which arguments, where there are none here"},
    {"rows.kernel", "a text or a pattern", "every kernel", "the kernel's name, mangled or as its source has it"},
    {"rows.launches", "[0, 3]", "all", "which of the kernel's launches, counted from 0, stand for what was measured"},
    {"rows.fitted", "true or false", "false", "figures of our model were fitted on it: its errors are reported apart"},
    {"rows.measured", "a map of numbers", "needed",
     "cycles, power_w, and any counter of 'poise stats' or of 'poise validate --counters'; a mean over the launches"},
};
static const char example[] = "# poise validate --hardware FILE compares with this; the figures are invented.\n"
                              "kind: hardware\n"
                              "schema: 1\n"
                              "gpu: \"a Quadro GV100\"\n"
                              "machine: volta80\n"
                              "rows:\n"
                              "  - name: rows of atax\n"
                              "    program: atax\n"
                              "    size: test\n"
                              "    kernel: atax_rows\n"
                              "    launches: [0]\n"
                              "    measured: {cycles: 40000, dram_read_sectors: 33000}\n";
const struct spec_format spec_format_hardware = {.kind = "hardware",
                                                 .command = "validate",
                                                 .doc = "What was measured on a GPU, for 'poise validate --hardware'.",
                                                 .rows = rows,
                                                 .n_rows = COUNT_OF(rows),
                                                 .example = example};
