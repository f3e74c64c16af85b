/* CPU programs: a registry of programs of Debian packages with inputs of ours, recorded under Valgrind's lackey as
 * access streams (poise/cpu_stream.h) and kept in the folder of recorded traces. */
#ifndef POISE_CPU_PROGRAMS_H
#define POISE_CPU_PROGRAMS_H
#include <stddef.h>
#include "poise/cpu_locality.h"
#include "poise/cpu_stream.h"
#include "poise/workload.h"

/* How a program lives with a cache that it shares.   [TECHNIQUES §5: the groups that TAP's mixes are drawn from] */
#define CPU_CLASSES(X) \
    X(COMPUTE, "compute-bound", "hardly ever misses in its private caches") \
    X(FRIENDLY, "cache-friendly", "what misses there is used again soon enough for a last-level cache to hold it") \
    X(THRASHING, "thrashing", "what misses there is used again, but only after more than a last-level cache holds") \
    X(STREAMING, "streaming", "what misses there is not used again")
enum cpu_class {
#define X(id, name, doc) CPU_##id,
    CPU_CLASSES(X)
#undef X
        N_CPU_CLASSES
};
extern const char *const cpu_class_names[N_CPU_CLASSES];
extern const char *const cpu_class_docs[N_CPU_CLASSES];

/* Compute-bound: less than one line of 1000 instructions is asked of the last-level cache. Otherwise what is asked for
 * decides: at least 3 of 10 lines found in that of the machine are friendly, at least 3 of 10 asked for again, but not
 * found there, are thrashing. Of bytes between the capacities that are known the smaller one. [thresholds: assumed] */
enum cpu_class cpu_class_of(const struct cpu_locality *locality);

enum { CPU_ARGS_MAX = 8 };
/* In args, "@words", "@pairs" and "@noise" stand for inputs that are made on demand, "@d/NAME" for a file of
 * datasets/cpu. */
struct cpu_program {
    const char *name, *package, *doc;
    enum cpu_class class;           /* two million instructions on apu6: `poise cpu info` says by which misses */
    const char *args[CPU_ARGS_MAX]; /* the first is the program */
    const char *input;              /* standard input, as in args; NULL: none */
    uint32_t skip;                  /* thousands of instructions before what is recorded */
};
extern const struct cpu_program cpu_programs[];
extern const size_t n_cpu_programs;
const struct cpu_program *cpu_program_find(const char *name); /* NULL if there is none */

/* A command to record. What it finds open from CPU_FILE_FD on are `files`. */
enum { CPU_FILE_FD = 10 };
struct cpu_command {
    const char *const *argv, *const *shown; /* shown: as provenance and errors tell it, which may be argv itself */
    const char *input, *shown_input;        /* path of its standard input; NULL: nothing */
    const int *files;
    size_t n_files;
    bool is_apart; /* it runs in the root folder, so that nothing depends on ours */
    uint64_t skip, insts;
    const volatile sig_atomic_t *stop; /* set: the recording ends as interrupted; NULL: never */
};
/* Runs a command under lackey and records `insts` instructions behind the first `skip`; then ends it. What it prints
 * is dropped, its environment is PATH and what keeps interpreters' hashes the same from run to run. */
int cpu_record(struct cpu_stream **out, const struct cpu_command *command, struct error *err);
/* A program of the registry: from the folder of recorded traces, or recorded into it. `path` (may be NULL) is where it
 * is. */
int cpu_program_open(struct cpu_stream **out, const struct cpu_program *program, uint64_t insts,
                     const struct lab_paths *paths, char path[1024], struct error *err);
/* A name of the registry, or the path of a file (it has a '/' or ends in .cpu). */
int cpu_open(struct cpu_stream **out, const char *name_or_path, uint64_t insts, const struct lab_paths *paths,
             struct error *err);
#endif
