/* The `kernels` list of sweeps and tunings. Internal to poise_lab. */
#ifndef POISE_SWEEP_KERNELS_H
#define POISE_SWEEP_KERNELS_H
#include "poise/own_kernel.h"
#include "poise/sweep.h"
#include "poise/yaml.h"

struct selection {
    const char *pattern;
    struct workload *synth; /* a parametric kernel of the spec's own; NULL: those of the registry that the pattern
                             * matches */
    struct own_kernel *own; /* a trace or a program of the user's; NULL: none */
    int size;
    int32_t inputs[64];
    uint32_t indices[64];
    size_t n_inputs, n_indices;
    bool profiled_only;
    const struct yaml_node *node; /* where it stands in `file` of the selections */
};
/* `workloads`: those of the user's own kernels, once their launches are there. */
struct selections {
    struct selection *items;
    size_t n;
    const struct yaml_file *file; /* the spec's, which lives longer */
    struct own_workloads workloads;
};
/* `size: test|small|full`; leaves *out alone where the key is absent. */
int spec_size(const struct yaml_file *file, const struct yaml_node *map, int *out, struct error *err);
/* `limits: {max_cycles: N, max_insts: N}`; `map` may be NULL. */
int spec_limits(const struct yaml_file *file, const struct yaml_node *map, struct gpu_limits *out, struct error *err);
/* `key` of `root`; patterns live as long as the file. */
int selections_read(struct selections *out, const struct yaml_file *file, const struct yaml_node *root, const char *key,
                    int size, struct error *err);
void selections_fini(struct selections *selections);
/* Records what is missing and adds the launches; those of synthetic kernels and of the user's own refer to the
 * selections. */
int selections_launches(struct selections *selections, const struct registry *registry, const struct lab_paths *paths,
                        struct launches *out, struct error *err);
#endif
