/* The hint of a launch, for the mechanism `learned`. */
#ifndef MECH_LEARNED_HINT_H
#define MECH_LEARNED_HINT_H
#include "poise/hint_file.h"
#include "learned_kernels.h"

struct mech_env;
/* Looks the launch up in a file of hints. Where it is known: the tuple to begin with, the surface at the network's
 * points, and how far that is doubted. */
int learned_hint(enum hint_match *match, struct search *search, const struct response_net *net, const char *path,
                 bool in_gangs, const struct mech_env *env, struct error *err);
#endif
