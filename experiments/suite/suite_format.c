/* The rows of NAME.suite.yaml. */
#include "poise/spec_format.h"
#include "poise/table.h"

static const struct spec_row rows[] = {
    {"kind", "suite", "needed", "what this file is"},
    {"schema", "1", "needed", "version of this format"},
    {"name", "WORD", "needed", "the suite: its programs are the workloads NAME/PROGRAM"},
    {"folder", "a path", "needed", "the checkout, which stays as it is; a relative one is beside this file"},
    {"seconds", "a whole number", "60 of 'poise suite'", "for each build, and for each run"},
    {"revision", "a text", "what git says",
     "of the checkout: stored beside what is measured on it ('poise repro --on')"},
    {"date", "YYYY-MM-DD", "what git says", "of the revision"},
    {"names", "a map", "none",
     "what a paper calls a program: the program, or a list of patterns ('poise repro ID --on NAME')"},
    {"programs", "a list of maps", "needed", "of these keys:"},
    {"programs.name", "WORD", "needed", "the program, as commands name it behind the suite and a '/'"},
    {"programs.folder", "a path", "needed", "its folder below the checkout, in which it is built and runs"},
    {"programs.build", "make, cmake or sources", "sources",
     "and arguments for it: 'make release SM=70', 'cmake -DX=1', 'sources main.cu -lcublas' (without files: all of the "
     "folder); quotes hold words together"},
    {"programs.program", "a path", "the one that is built", "the executable, from the folder"},
    {"programs.test", "a text or a list", "none", "its arguments for sizes test and small"},
    {"programs.full", "a text or a list", "those of test", "its arguments for sizes full and eval"},
    {"programs.environment", "a text or a list", "none",
     "NAME=VALUE of its environment, as DATAPATH=tables; POISE_TURN_INSTS=64 where its warps race"},
    {"programs.check", "output, none or {right: REGEX, wrong: REGEX}", "output",
     "what says that its results are right: the words that programs print, or lines of yours"},
    {"programs.reference", "a path", "none", "folder of a version for the CPU, which has to print the same"},
    {"programs.launches", "[0, 3]", "all", "which of its launches count as profiled"},
    {"programs.max_launches", "a whole number", "all", "record so many, from the first, and end the program there"},
    {"programs.seconds", "a whole number", "the suite's", "for its build, and for each run of it"},
    {"check.right", "REGEX", "none", "the results are right where a line of the output matches"},
    {"check.wrong", "REGEX", "none", "they are wrong where a line matches"},
};
static const char example[] = "# poise suite add tiny @datasets/../tests/e2e/suite/tiny writes such a file.\n"
                              "kind: suite\n"
                              "schema: 1\n"
                              "name: tiny\n"
                              "folder: \"@datasets/../tests/e2e/suite/tiny\"\n"
                              "names: {mvt: scale} # for poise repro thesis-tab-5.4 --on tiny\n"
                              "programs:\n"
                              "  - name: scale\n"
                              "    folder: loose/scale\n"
                              "    build: sources\n"
                              "    test: [256]\n"
                              "    full: [4096]\n"
                              "    check: output\n";
const struct spec_format spec_format_suite = {.kind = "suite",
                                              .command = "suite",
                                              .doc = "A checkout of CUDA programs: what builds and runs each. "
                                                     "'poise suite add NAME DIR' writes a draft.",
                                              .rows = rows,
                                              .n_rows = COUNT_OF(rows),
                                              .example = example};
