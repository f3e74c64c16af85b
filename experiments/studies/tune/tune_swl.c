/* SWL's warp limit for the stack of a tuning, found once a set. */
#include <stdlib.h>
#include "studies/sweep/warp_limit.h"
#include "studies/tune/tune_internal.h"

static bool asks(const struct tune *t)
{
    for (unsigned k = 0; k < t->n_stack; k++)
        if (t->swl_key[k][0]) return true;
    return false;
}

int tune_need_swl(struct tune *t, struct tune_set *set, struct error *err)
{
    if (set->swl || !asks(t)) return 0;
    uint32_t *best = calloc(set->launches.n + 1, sizeof *best);
    if (!best) return error_set(err, ERR_MEMORY, "out of memory for warp limits");
    if (warp_limits_find(best, t->runner, t->name, &set->launches, t->params, &t->limits, &t->runs, err) < 0) {
        free(best);
        return -1;
    }
    set->swl = best;
    return 0;
}

int tune_set_swl(const struct tune *t, const struct tune_set *set, size_t launch, struct mech_spec *stack,
                 struct error *err)
{
    return set->swl ? warp_limit_set(stack, t->swl_key, t->n_stack, set->swl[launch], err) : 0;
}
