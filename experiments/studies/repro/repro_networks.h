/* Learned surfaces in studies of simulated points. Internal to poise_lab. */
#ifndef POISE_REPRO_NETWORKS_H
#define POISE_REPRO_NETWORKS_H
#include "poise/repro.h"

/* Makes the networks of spec->networks, a pipeline, without its contenders; its folder is written to dir: NAME-networks
 * beside the store. Does nothing where the spec names none. */
int repro_networks_make(const struct repro_spec *spec, const struct repro_options *options, char *dir, size_t size,
                        struct error *err);
/* Mechanisms of the job whose parameter `model` is @network get the file of `dir` that has learned nothing of the
 * workload's family: its own, or that of all families where none of its launches was learned from. */
int repro_networks_fill(struct run_job *job, const char *dir, struct error *err);
#endif
