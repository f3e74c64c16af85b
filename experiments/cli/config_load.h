/* A configuration by whatever names it. Internal to the program. */
#ifndef POISE_CONFIG_LOAD_H
#define POISE_CONFIG_LOAD_H
#include "cli/options.h"
struct gpu_params;
/* A preset, a YAML file, or a gpgpusim.config; of the latter, what was ignored is told on stderr. */
int config_load(struct gpu_params *params, const char *name, const struct cli *cli, struct error *err);
#endif
