/* Kernels of the user's own where a list takes names of the registry: a trace, traces by a glob or a folder, a CUDA
 * program, or a pattern of accesses (poise/pattern.h).
 *
 *   kernels: [mvt, {trace: traces/0000-scale.ptrace}, {trace: "traces/b*.ptrace", benchmark: b},
 *             {program: ./a.out, args: [1024, 3]}, {name: rows, synth: {pattern: scan, degree: 32, in: 6}}]
 *
 * `benchmark` is the group that these kernels belong to: what cross-validation and folds leave out together, and what
 * may not be both trained on and judged. Without it each trace is a group of its own, and so is each program. A path is
 * looked for beside the spec first, then in the current folder, which is told on stderr. In each, the file or folder of
 * that very name is what is meant; only where there is none is the text of the spec a pattern, which is told as well.
 * The name of the folder that a spec lies in is never a pattern. */
#ifndef POISE_OWN_KERNEL_H
#define POISE_OWN_KERNEL_H
#include "poise/pattern.h"
#include "poise/workload.h"
struct yaml_file;
struct yaml_node;

enum { OWN_KERNELS_MAX = 64, OWN_LAUNCHES_MAX = 64 };
struct own_kernel {
    char path[512];              /* as it was given */
    bool is_program, is_pattern; /* neither: traces; a pattern has its name in `path` */
    struct pattern pattern;
    char args[1024]; /* the program's arguments, each with its '\0' */
    size_t n_args, args_size;
    char benchmark[64];                  /* empty: none was declared */
    uint32_t launches[OWN_LAUNCHES_MAX]; /* of the program; none: all */
    size_t n_launches;
    char file[1024]; /* the spec, and where it says so; empty: the command line */
    int line, column;
};
/* A copy of one of the registry's workloads in another set; NULL when out of memory. It borrows what the original
 * points to. */
struct workload *own_workloads_copy(struct own_workloads *workloads, const struct workload *from,
                                    enum workload_set set);

/* {trace: ..}, {program: ..} or {name: .., synth: {pattern: ..}} of a spec. Nothing is opened. */
bool own_kernel_is(const struct yaml_node *node);
int own_kernel_read(struct own_kernel *out, const struct yaml_file *file, const struct yaml_node *map,
                    struct error *err);
/* The same from a command line. */
int own_kernel_trace(struct own_kernel *out, const char *path, struct error *err);
int own_kernel_program(struct own_kernel *out, const char *path, const char *const *args, size_t n_args,
                       struct error *err);
/* Adds the launches, those of one declared benchmark one after another; programs run where their traces are not kept
 * (again once the program, an argument or a file that an argument names has changed). Names that `registry` (may be
 * NULL) has get a part of the trace's hash behind them. All launches count as profiled. */
int own_launches(struct launches *list, struct own_workloads *workloads, const struct own_kernel *kernels, size_t n,
                 enum workload_set set, const struct registry *registry, const struct lab_paths *paths,
                 struct error *err);
#endif
