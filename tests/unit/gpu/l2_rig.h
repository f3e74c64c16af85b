/* One bank of L2 under a stack of mechanisms, driven access by access; what it asks of DRAM is kept as text. */
#ifndef TEST_L2_RIG_H
#define TEST_L2_RIG_H
#include "rig.h"

#include "../../../sim/gpu/cache/l2_placed.h"
#include "../../../sim/gpu/cache/l2_policy.h"
#include "../../../sim/gpu/machine/machine.h"

enum { L2_RIG_MECHS = 3 };
struct l2_rig {
    struct gpu_params *params;
    struct arena arena;
    struct l2 bank;
    struct hooks hooks;
    struct mech_spec stack[L2_RIG_MECHS];
    void *self[L2_RIG_MECHS];
    unsigned n;
    cycle_t now;
    uint32_t answered; /* requests, since the rig began */
    char dram[4096];   /* "LD:5 WR:7 ": what has been asked of DRAM, by line */
};
/* `set`: parameters as "l2.ways=2", up to NULL; a bank of one set unless they say otherwise. `mechs`: as on the command
 * line, up to NULL. */
void l2_rig_new(struct l2_rig *rig, const char *const *set, const char *const *mechs);
/* The same with mechanisms of the test's own, with their parameters at the defaults. */
void l2_rig_of(struct l2_rig *rig, const char *const *set, const struct mech_type *const *types);
void l2_rig_free(struct l2_rig *rig);
/* Done to its end: all that DRAM was asked for has come, the answer has gone. Returns what the bank asked of DRAM. */
const char *l2_rig_do(struct l2_rig *rig, const struct request *request);
const char *l2_rig_load(struct l2_rig *rig, uint32_t line, unsigned cache_op, uint32_t requester);
const char *l2_rig_store(struct l2_rig *rig, uint32_t line, unsigned cache_op, uint32_t requester);
bool l2_rig_holds(const struct l2_rig *rig, uint32_t line);
uint64_t l2_rig_stat(const struct l2_rig *rig, unsigned mech, const char *name);
#endif
