/* Refreshes of a DRAM channel: see dram.h. */
#include "memory/dram_parts.h"

/* The first cycle in which the refresh of the pseudo-channel is due, or may go out once all its banks are closed. */
static cycle_t next_refresh(const struct dram *d, const struct dram_pseudo *p)
{
    if (!p->refreshed) return p->due;
    if (p->refreshed & ~(d->retired & d->closed)) return NEVER;
    const bool by_bank = d->params->refresh == REFRESH_BANK;
    cycle_t at = by_bank ? p->activate_ok : 0;
    for (uint64_t left = p->refreshed; left; left &= left - 1) {
        const struct dram_bank *b = &d->banks[__builtin_ctzll(left)];
        at = later(at, b->activate_ok);
        if (by_bank && d->groups) at = later(at, d->groups[b->group].activate_ok);
    }
    return at;
}

void dram_retire(struct dram *d, uint32_t bank, cycle_t now)
{
    const uint64_t bit = bit_of(bank);
    d->busy |= bit;
    d->retired |= bit;
    d->open &= ~bit;
    d->ready &= ~bit;
    if (!(d->closed & bit)) sooner(&d->command_at, await_command(d, bank, now));
    else sooner(&d->refresh_at, later(next_refresh(d, pseudo_of(d, bank)), now));
}

/* All banks of the pseudo-channel, or the next in turn. */
static void begin_refresh(struct dram *d, struct dram_pseudo *p, cycle_t now)
{
    p->refreshed = p->banks;
    if (d->params->refresh == REFRESH_BANK) {
        const uint64_t left = p->banks & ~0ull << p->next_refreshed;
        const uint32_t bank = (uint32_t)__builtin_ctzll(left ? left : p->banks);
        p->refreshed = bit_of(bank);
        p->next_refreshed = after(d, bank);
    }
    d->refreshed |= p->refreshed;
    for (uint64_t left = p->refreshed & ~d->busy; left; left &= left - 1)
        dram_retire(d, (uint32_t)__builtin_ctzll(left), now);
}

/* Its banks may be activated when it is over. The next is due an interval after it was, but never before the banks can
 * serve a request. */
static void send_refresh(struct dram *d, struct dram_pseudo *p, cycle_t now)
{
    const struct dram_params *t = d->params;
    note(d, DRAM_REF, (uint32_t)__builtin_ctzll(p->refreshed), now);
    for (uint64_t left = p->refreshed; left; left &= left - 1)
        d->banks[__builtin_ctzll(left)].activate_ok = now + t->tRFC;
    if (t->refresh == REFRESH_BANK) p->activate_ok = later(p->activate_ok, now + t->tRREFD);
    d->busy &= ~p->refreshed;
    d->retired &= ~p->refreshed;
    d->refreshed &= ~p->refreshed;
    p->refreshed = 0;
    p->due = later(p->due + dram_refresh_interval(t), now + 1 + (t->refresh == REFRESH_BANK ? 0 : t->tRFC));
    if (d->count + d->n_writes) sooner(&d->assign_at, now);
}

bool dram_refresh(struct dram *d, cycle_t now)
{
    bool sent = false;
    cycle_t first = NEVER;
    for (struct dram_pseudo *p = d->pseudo; p <= d->pseudo + d->pseudo_mask; p++) {
        if (!p->refreshed && p->due <= now) begin_refresh(d, p, now);
        if (!sent && p->refreshed && next_refresh(d, p) <= now) {
            send_refresh(d, p, now);
            sent = true;
        }
        const cycle_t next = next_refresh(d, p);
        if (next != NEVER) sooner(&first, later(next, now + sent));
    }
    d->refresh_at = first;
    return sent;
}
