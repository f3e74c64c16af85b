/* Workloads and their traces: the registry of CUDA programs, recording them, and the folder that keeps the traces. */
#ifndef POISE_WORKLOAD_H
#define POISE_WORKLOAD_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "poise/error.h"
#include "poise/hash.h"

/* Where things are: beside an installed program or where it was built, each overridden by an environment variable. */
struct lab_paths {
    char kernels[512];  /* POISE_KERNELS: the registry, datasets/kernels/list.yaml */
    char programs[512]; /* POISE_PROGRAMS: folder of the built workloads */
    char configs[512];  /* POISE_CONFIGS: folder of configuration presets */
    char traces[512];   /* POISE_TRACES: folder of recorded traces, $XDG_CACHE_HOME/poise/traces or
                         * ~/.cache/poise/traces */
    char cuda_lib[512]; /* POISE_CUDA_LIB: folder of our libcudart and libcuda, for CUDA programs of the user's own */
    bool opens_sealed;  /* set by the studies learned-sealed and learned-lengths alone */
    const struct suite_cast *cast;     /* of poise repro --on: programs of a suite for ours (poise/suite.h), or NULL */
    const volatile sig_atomic_t *stop; /* set: who waits for a recording ends as interrupted; NULL: never */
    bool is_cache;                     /* the folder is our own choice: traces that nobody used for two months go */
};
void lab_paths_init(struct lab_paths *out);
/* The value of `variable`; else `below` the prefix that the program is installed under; else `otherwise`. */
/* Where tables of profiles are, beside the presets' folder. */
void lab_profiles(char *out, size_t size, const char *configs);
void lab_path(char *out, size_t size, const char *variable, const char *below, const char *otherwise);
/* The folder of the models that come with the program, which lies beside that of the presets; "@models" in specs. */
void lab_models(char *out, size_t size, const char *configs);
/* A mechanism's text with that folder in the place of "@models/". What has no room here is more than mech_parse()
 * takes, which says so. */
enum { LAB_MECH_TEXT = 3072 };
void lab_models_in(char *out, size_t size, const char *text, const char *configs);

#define WORKLOAD_SIZES 4
extern const char *const workload_sizes[WORKLOAD_SIZES]; /* test small full eval */
int workload_size(const char *name);                     /* index, -1 if there is none */

/* A launch that is profiled over warp tuples. */
struct profiled_launch {
    int size;
    int32_t input; /* -1: whatever the input */
    uint32_t launch;
};
/* Training and evaluation are disjoint, always [THESIS Tab. 5.4]; further benchmarks are for the other papers'
 * figures; a variant is a program of one of these with other inputs or launches, and is run where it is named: no glob
 * finds it. */
enum workload_set { WORKLOAD_TRAINING, WORKLOAD_EVALUATION, WORKLOAD_FURTHER, WORKLOAD_VARIANT, WORKLOAD_SETS };
extern const char *const workload_sets[WORKLOAD_SETS];

/* What a benchmark is to learning (datasets/FAMILIES.md): no family of programs is in two of these. Sealed ones are
 * executed and checked as all others, but their traces are refused to every command. */
enum workload_split { SPLIT_NONE, SPLIT_DEVELOPMENT, SPLIT_TRAINING, SPLIT_SEALED, WORKLOAD_SPLITS };
extern const char *const workload_splits[WORKLOAD_SPLITS]; /* "" development training sealed */

struct workload {
    char name[64], suite[64], program[128], doc[256];
    char class[160];    /* what the literature calls it, with its source; empty: no paper says */
    char benchmark[64]; /* what rows of a dataset call it: two entries of one benchmark are one group of a
                         * cross-validation */
    char family[64];    /* programs that share the address recurrence of their dominant load; empty: not assigned */
    enum workload_split split;
    char knobs[256]; /* "KEY=VALUE ...", for --set; empty: as the program has them */
    enum workload_set set;
    uint32_t max_launches; /* record so many, from the first; 0: all */
    int32_t inputs[256];   /* one -1 where the program has none */
    size_t n_inputs;
    struct profiled_launch *profiled;
    size_t n_profiled;
    struct suite_entry *of_suite; /* a program of somebody's suite (poise/suite.h); NULL: one of ours */
};
/* Workloads that are in no registry: of traces and programs of the user's own (poise/own_kernel.h), or copies in
 * another set. */
struct own_workloads {
    struct workload **items;
    size_t n;
};
void own_workloads_fini(struct own_workloads *workloads);
struct registry {
    struct workload *workloads;
    size_t n;
    struct own_workloads own; /* what a spec brings along; registry_fini frees it */
};
/* The list at `path`, and behind it the programs of the suites that are here (poise/suite.h). */
int registry_load(struct registry *out, const char *path, struct error *err);
int registry_parse(struct registry *out, const char *name, const char *text, size_t size, struct error *err);
void registry_fini(struct registry *registry);
/* An unknown name is an error with the nearest known one. */
int registry_find(const struct registry *registry, const char *name, const struct workload **out, struct error *err);
/* Does a name or a pattern mean this workload? A name means what it names; a pattern what it matches, but nothing
 * sealed and nothing without a profiled launch at `size`. Wildcards do not stand for '/': programs of a suite are meant
 * by patterns that name suites, as SUITE/ and a star. */
bool workload_is_meant(const struct workload *w, const char *pattern, int size);
const char *workload_family(const struct workload *w); /* its own name where the registry gives it none */
bool workload_is_profiled(const struct workload *w, int size, int32_t input, uint32_t launch);

/* A recorded launch. */
struct launch {
    const struct workload *workload; /* NULL for a trace given as a file */
    char label[160];                 /* "pvr.2/5": workload, input, launch */
    char kernel[128];
    char path[1024];
    int size;
    int32_t input;
    uint32_t index;
    bool is_profiled;
    struct hash hash;
    uint32_t grid[3], block[3];
    uint64_t warp_insts, bytes;
    char skipped[160]; /* "cublasSgemm_v2 (2 times)": what the program had done before it and is in no trace; or "" */
    uint64_t outside;  /* accesses of its threads outside every allocation, which went on (POISE_BOUNDS) */
};
/* Launches of one benchmark are of the same workload and input. */
static inline bool is_same_benchmark(const struct launch *a, const struct launch *b)
{
    return a->workload == b->workload && a->input == b->input;
}
struct launches {
    struct launch *items;
    size_t n, capacity;
};
int launches_add(struct launches *list, const struct launch *launch, struct error *err); /* copies */
void launches_fini(struct launches *list);
/* Of each program (workload and input) the launches in order up to `cap` warp instructions; the last one is that in
 * which the cap is reached. 0: all. */
void launches_cap(struct launches *list, uint64_t cap);
/* What the cap leaves to a launch of a list that launches_cap has cut, as its limit of instructions; 0: all of it. */
uint64_t launches_left(const struct launches *list, size_t launch, uint64_t cap);

/* Adds the launches of a workload's program at a size for one input; runs the program if its traces are not kept or
 * were recorded by another build of it. Safe between processes; a failing program's own words are in the error. */
int workload_launches(struct launches *list, const struct lab_paths *paths, const struct workload *w, int size,
                      int32_t input, struct error *err);
/* A trace file as a launch. */
int launch_from_file(struct launch *out, const char *path, struct error *err);
/* Runs `argv` with POISE_TRACE_DIR = dir (and, unless 0, POISE_TRACE_MAX_LAUNCHES = max_launches), its stdout and
 * stderr to `log` (NULL: ours). 0, -1 with an error that quotes the end of the log, or the program's exit status in
 * *status. */
int record_program(char *const argv[], const char *dir, uint32_t max_launches, const char *log,
                   const volatile sig_atomic_t *stop, int *status, struct error *err);
#endif
