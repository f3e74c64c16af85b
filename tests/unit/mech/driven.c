#include "driven.h"

void driven_new(struct driven *d, const struct mech_type *type, const char *how, const struct mech_env *env)
{
    struct error err;
    struct mech_spec spec;
    char once[1024];
    assert_ok(mech_parse(&spec, rig_later_wins(once, sizeof once, how), &err), &err);
    assert_ptr_equal(type, spec.type);
    *d = (struct driven){.type = type, .params = spec.params, .W = env->W};
    struct mech_env own = *env;
    own.carried_at = (type->state_size + env->sms * type->per_sm_size + 63) / 64 * 64;
    d->carried = type->carried ? type->carried(d->params, &own) : 0;
    d->self = calloc(1, own.carried_at + d->carried);
    d->carried_at = own.carried_at;
    assert_ok(type->init(d->self, d->params, &own, &err), &err);
}

void driven_resume(struct driven *d, const struct driven *before)
{
    assert_int_equal(d->carried, before->carried);
    memcpy((char *)d->self + d->carried_at, (const char *)before->self + before->carried_at, d->carried);
    d->type->resume(d->self);
}

void driven_free(struct driven *d)
{
    free(d->self);
    free(d->params);
}

uint32_t driven_warps(const struct driven *d, uint32_t sm, uint64_t now,
                      uint64_t (*hook)(void *, const struct warp_set *))
{
    uint8_t slots[64];
    uint64_t ask_at = UINT64_MAX;
    for (uint32_t i = 0; i < d->W; i++) slots[i] = (uint8_t)i;
    const struct warp_set set = {.sm = sm, .n = d->W, .slots = slots, .now = now, .ask_at = &ask_at};
    return (uint32_t)__builtin_popcountll(hook(d->self, &set));
}
uint32_t driven_N(const struct driven *d, uint32_t sm, uint64_t now)
{
    return driven_warps(d, sm, now, d->type->warp_may_issue);
}
uint32_t driven_p(const struct driven *d, uint32_t sm, uint64_t now)
{
    return driven_warps(d, sm, now, d->type->warp_may_pollute);
}

uint64_t driven_stat(const struct driven *d, const char *name)
{
    const struct stat_table *t = &d->type->stats;
    for (size_t i = 0; i < t->n_rows; i++)
        if (strcmp(t->rows[i].name, name) == 0) return stats_get(&t->rows[i], d->type->stats_of(d->self));
    fail_msg("no statistic %s", name);
    return 0;
}
