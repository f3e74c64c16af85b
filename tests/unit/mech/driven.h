/* A mechanism by itself, driven through its hooks: what the tests of policies that move warp tuples share. */
#ifndef TEST_DRIVEN_H
#define TEST_DRIVEN_H
#include "rig.h"

#include "poise/sys/hooks.h"

struct driven {
    const struct mech_type *type;
    void *self, *params;
    uint32_t W;
    size_t carried_at, carried; /* what it keeps between launches: where it lies in self, and its bytes */
};
/* `how` as on the command line: "ladder,steps=0". */
void driven_new(struct driven *d, const struct mech_type *type, const char *how, const struct mech_env *env);
/* The next launch of a program: what the mechanism has kept of the one before, which has ended, is put in its place. */
void driven_resume(struct driven *d, const struct driven *before);
void driven_free(struct driven *d);
/* Of a scheduler with W warps on an SM: how many a hook lets through; how many may issue, how many may pollute. */
uint32_t driven_warps(const struct driven *d, uint32_t sm, uint64_t now,
                      uint64_t (*hook)(void *, const struct warp_set *));
uint32_t driven_N(const struct driven *d, uint32_t sm, uint64_t now);
uint32_t driven_p(const struct driven *d, uint32_t sm, uint64_t now);
uint64_t driven_stat(const struct driven *d, const char *name);
#endif
