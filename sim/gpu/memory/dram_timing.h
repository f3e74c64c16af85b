/* Timing rules of DRAM as a table: which command keeps which later one waiting, where, and for how long.
 * [after Ramulator: Kim et al., IEEE CAL 2015; JESD235, JESD250]
 *
 *   scope    bank     the same bank
 *            group    banks of the same bank group, the same bank among them
 *            pseudo   banks of the same pseudo-channel, which share a data bus
 *
 * A rule that a machine does not have is no row. The scheduler (dram.c) does not walk the rows: dram_compile() makes a
 * table of gaps of them, and a command postpones with it what may come next at its bank, group and pseudo-channel. */
#ifndef GPU_DRAM_TIMING_H
#define GPU_DRAM_TIMING_H
#include "config/params.h"

enum dram_command { DRAM_WR, DRAM_RD, DRAM_ACT, DRAM_PRE, DRAM_REF, DRAM_COMMANDS };
enum dram_scope { DRAM_BANK, DRAM_GROUP, DRAM_PSEUDO, DRAM_SCOPES };
/* The `window`-th command `to` after a `from` (1: the next) comes no sooner than `cycles` after it. */
struct dram_rule {
    const char *name; /* parameters that it comes from */
    uint8_t from, to, scope, window;
    uint32_t cycles;
};
enum { DRAM_RULES_MAX = 40, DRAM_WINDOW = 4 };
/* The rules of a machine. Returns how many. */
uint32_t dram_rules(const struct dram_params *p, struct dram_rule rules[DRAM_RULES_MAX]);
/* Where bank `i` of a channel is: which pseudo-channel, and which group of all those of the channel. */
uint32_t dram_pseudo_of(const struct dram_params *p, uint32_t i);
uint32_t dram_group_of(const struct dram_params *p, uint32_t i);

/* Cycles from a refresh of a pseudo-channel to its next; 0: there is none. */
static inline uint32_t dram_refresh_interval(const struct dram_params *p)
{
    return p->refresh == REFRESH_BANK ? p->tREFI / (p->banks / p->pseudo_channels) : p->tREFI;
}

/* The same, by scope, command and later command; 0: no rule. */
struct dram_gaps {
    struct {
        uint32_t column[2], precharge; /* to a write and a read of the pseudo-channel, to the bank's precharge */
        uint32_t data;                 /* to the end of its data: no rule */
    } after[2];                        /* a write and a read */
    uint32_t bank[DRAM_COMMANDS][DRAM_COMMANDS], group[DRAM_COMMANDS][DRAM_COMMANDS],
        pseudo[DRAM_COMMANDS][DRAM_COMMANDS];
    uint32_t window;  /* of DRAM_WINDOW activates */
    bool groups_wait; /* some rule of a group is stricter than that of its pseudo-channel */
};
struct dram_gaps dram_compile(const struct dram_params *p);
#endif
