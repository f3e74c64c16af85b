/* SWL's warp limit as an offline profile finds it, for mechanisms that start from it: "pcal,N=@swl" [THESIS §5.7.3].
 * Internal to poise_lab. */
#ifndef POISE_WARP_LIMIT_H
#define POISE_WARP_LIMIT_H
#include "poise/runner.h"

enum { WARP_LIMIT_KEY = 32 };
/* The mechanism without the word, and in `key` the parameter that it stood at; empty: there was none. */
int warp_limit_parse(struct mech_spec *out, char key[WARP_LIMIT_KEY], const char *text, struct error *err);
/* Of each launch the limit with which its benchmark's launches take the fewest cycles an instruction together; ties go
 * to the smaller. *runs grows by what was asked of the runner. */
int warp_limits_find(uint32_t *out, struct runner *runner, const char *what, const struct launches *launches,
                     const struct gpu_params *params, const struct gpu_limits *limits, size_t *runs, struct error *err);
/* Puts the limit where the word stood, in a stack of n mechanisms. */
int warp_limit_set(struct mech_spec *stack, const char keys[][WARP_LIMIT_KEY], unsigned n, uint32_t limit,
                   struct error *err);
#endif
