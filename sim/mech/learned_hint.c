#include "learned_hint.h"

#include "poise/sys/hooks.h"

/* A hint that states no interval is doubted by as much as a rate that was seen once. */
#define LEAST_DOUBT 0.03

int learned_hint(enum hint_match *match, struct search *search, const struct response_net *net, const char *path,
                 bool in_gangs, const struct mech_env *env, struct error *err)
{
    struct hint_file hints;
    const struct launch_hint *hint = NULL;
    const struct hint_wanted wanted = {env->kernel, env->W, env->warps, env->warp_insts};
    if (hint_file_read(&hints, path, err) < 0) return -1;
    *match = hint_file_find(&hints, &wanted, &hint);
    if (*match != HINT_NONE) {
        const struct response_tuple t =
            launch_hint_response(hint, in_gangs, net->levels, net->n_levels, env->W, search->z);
        search->best = (struct tuple){t.N, t.p};
        search->is_hinted = true;
        search->doubt = hint->spread > LEAST_DOUBT ? hint->spread : LEAST_DOUBT;
    }
    hint_file_fini(&hints);
    return 0;
}
