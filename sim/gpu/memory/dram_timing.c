#include "memory/dram_timing.h"

static uint32_t greater(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* A read's command to a write's: what keeps their data apart, unless the machine says it. */
static uint32_t read_to_write(const struct dram_params *t)
{
    const uint32_t after_read = t->tCCD + t->tCL;
    return t->tRTW ? t->tRTW : after_read > t->tWL ? after_read - t->tWL : t->tCCD;
}

uint32_t dram_rules(const struct dram_params *t, struct dram_rule rules[DRAM_RULES_MAX])
{
    enum { WR = DRAM_WR, RD = DRAM_RD, ACT = DRAM_ACT, PRE = DRAM_PRE, REF = DRAM_REF };
    const bool has_groups = t->bank_groups > 1, refreshes = t->tREFI != 0, by_bank = t->refresh == REFRESH_BANK;
    const uint8_t refreshed = by_bank ? DRAM_BANK : DRAM_PSEUDO; /* what a refresh is of */
    const uint32_t write_data = t->tWL + t->tCCD, same_group = has_groups ? greater(t->tCCD, t->tCCDL) : 0;
    const struct dram_rule all[] = {
        {"tRCD", ACT, RD, DRAM_BANK, 1, t->tRCD},
        {"tRCDWR", ACT, WR, DRAM_BANK, 1, t->tRCDWR ? t->tRCDWR : t->tRCD},
        {"tRAS", ACT, PRE, DRAM_BANK, 1, t->tRAS},
        {"tRC", ACT, ACT, DRAM_BANK, 1, t->tRC},
        {"tRP", PRE, ACT, DRAM_BANK, 1, t->tRP},
        {"tRTPL", RD, PRE, DRAM_BANK, 1, t->tRTPL ? t->tRTPL : t->tCCD},
        {"tWL + tCCD + tWR", WR, PRE, DRAM_BANK, 1, write_data + t->tWR},

        {"tCCDL", RD, RD, DRAM_GROUP, 1, same_group},
        {"tCCDL", RD, WR, DRAM_GROUP, 1, same_group},
        {"tCCDL", WR, WR, DRAM_GROUP, 1, same_group},
        {"tCCDL", WR, RD, DRAM_GROUP, 1, same_group},
        {"tWL + tCCD + tWTRL", WR, RD, DRAM_GROUP, 1, has_groups && t->tWTRL ? write_data + t->tWTRL : 0},
        {"tRRDL", ACT, ACT, DRAM_GROUP, 1, has_groups ? t->tRRDL : 0},

        {"tCCD", RD, RD, DRAM_PSEUDO, 1, t->tCCD},
        {"tCCD", WR, WR, DRAM_PSEUDO, 1, t->tCCD},
        {"tRTW", RD, WR, DRAM_PSEUDO, 1, read_to_write(t)},
        {"tWL + tCCD + tCDLR", WR, RD, DRAM_PSEUDO, 1, write_data + t->tCDLR},
        {"tRRD", ACT, ACT, DRAM_PSEUDO, 1, t->tRRD},
        {"tFAW", ACT, ACT, DRAM_PSEUDO, DRAM_WINDOW, t->tFAW},

        /* A refresh comes where an activate of each of its banks could, and is followed by what waits for it. */
        {"tRC", ACT, REF, refreshed, 1, refreshes ? t->tRC : 0},
        {"tRP", PRE, REF, refreshed, 1, refreshes ? t->tRP : 0},
        {"tRFC", REF, ACT, refreshed, 1, refreshes ? t->tRFC : 0},
        {"tRFC", REF, REF, refreshed, 1, refreshes ? t->tRFC : 0},
        {"tRRD", ACT, REF, DRAM_PSEUDO, 1, refreshes && by_bank ? t->tRRD : 0},
        {"tRRDL", ACT, REF, DRAM_GROUP, 1, refreshes && by_bank && has_groups ? t->tRRDL : 0},
        {"tRREFD", REF, ACT, DRAM_PSEUDO, 1, refreshes && by_bank ? t->tRREFD : 0},
        {"tRREFD", REF, REF, DRAM_PSEUDO, 1, refreshes && by_bank ? t->tRREFD : 0},
    };
    _Static_assert(COUNT_OF(all) <= DRAM_RULES_MAX, "a machine may have all rules");
    uint32_t n = 0;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (all[i].cycles) rules[n++] = all[i];
    return n;
}

uint32_t dram_pseudo_of(const struct dram_params *p, uint32_t i) { return i % p->pseudo_channels; }

uint32_t dram_group_of(const struct dram_params *p, uint32_t i)
{
    const uint32_t own = i / p->pseudo_channels, banks = p->banks / p->pseudo_channels,
                   a_group = (banks + p->bank_groups - 1) / p->bank_groups;
    return dram_pseudo_of(p, i) * p->bank_groups +
           (p->group_index == GROUP_OF_HIGH_BITS ? own / a_group : own % p->bank_groups);
}

struct dram_gaps dram_compile(const struct dram_params *p)
{
    struct dram_rule rules[DRAM_RULES_MAX];
    struct dram_gaps gaps = {0};
    const uint32_t n = dram_rules(p, rules);
    for (uint32_t i = 0; i < n; i++) {
        const struct dram_rule *r = &rules[i];
        if (r->window > 1) {
            gaps.window = r->cycles;
            continue;
        }
        uint32_t *gap = r->scope == DRAM_BANK    ? &gaps.bank[r->from][r->to]
                        : r->scope == DRAM_GROUP ? &gaps.group[r->from][r->to]
                                                 : &gaps.pseudo[r->from][r->to];
        *gap = greater(*gap, r->cycles);
    }
    for (uint32_t from = 0; from < DRAM_COMMANDS; from++)
        for (uint32_t to = 0; to < DRAM_COMMANDS; to++)
            gaps.groups_wait |= gaps.group[from][to] > gaps.pseudo[from][to];
    for (uint32_t kind = DRAM_WR; kind <= DRAM_RD; kind++) {
        gaps.after[kind].column[DRAM_WR] = gaps.pseudo[kind][DRAM_WR];
        gaps.after[kind].column[DRAM_RD] = gaps.pseudo[kind][DRAM_RD];
        gaps.after[kind].precharge = gaps.bank[kind][DRAM_PRE];
        gaps.after[kind].data = p->tCCD + (kind == DRAM_RD ? p->tCL : p->tWL);
    }
    return gaps;
}
