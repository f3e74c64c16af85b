/* What the files of a DRAM channel share: dram.c, dram_refresh.c. */
#ifndef GPU_DRAM_PARTS_H
#define GPU_DRAM_PARTS_H
#include "memory/dram.h"

static inline cycle_t later(cycle_t a, cycle_t b) { return a > b ? a : b; }
static inline void sooner(cycle_t *next, cycle_t at) { *next = at < *next ? at : *next; }

static inline uint64_t bit_of(uint32_t bank) { return 1ull << bank; }
static inline uint32_t after(const struct dram *d, uint32_t bank) { return bank < d->last_bank ? bank + 1 : 0; }

static inline struct dram_pseudo *pseudo_of(const struct dram *d, uint32_t bank)
{
    return d->pseudo + (bank & d->pseudo_mask); /* of a power of two */
}

static inline void note(struct dram *d, enum dram_command command, uint32_t bank, cycle_t now)
{
    struct dram_log *log = d->log;
    if (log && log->n < log->most) log->issued[log->n++] = (struct dram_issued){now, (uint8_t)command, (uint8_t)bank};
}

/* The bank is busy until a cycle that lies further away than the wheel reaches, or the last that it was asked for lies
 * far back. Returns the cycle in which to look at it again. */
static inline cycle_t dram_park(struct dram *d, uint64_t bit, cycle_t at, cycle_t now)
{
    if (!d->becoming_ready.slots.busy) d->becoming_ready.from = now;
    if (at - d->becoming_ready.from < WHEEL_SLOTS) return at;
    d->parked |= bit;
    return d->becoming_ready.from + WHEEL_SLOTS - 1;
}

/* The busy bank needs another command than before. Returns the cycle from which on it may go out, but for the
 * channel's rules: `now`, the present one, or any other. */
HOT static inline cycle_t await_command(struct dram *d, uint32_t bank, cycle_t now)
{
    const uint64_t bit = 1ull << bank;
    const struct dram_bank *b = &d->banks[bank];
    cycle_t at = d->open & bit     ? b->column_ok[d->reads >> bank & 1]
                 : d->closed & bit ? b->activate_ok
                                   : b->precharge_ok;
    if (at <= now) {
        d->ready |= bit;
        return at;
    }
    d->ready &= ~bit;
    if (at - d->becoming_ready.from >= WHEEL_SLOTS) at = dram_park(d, bit, at, now);
    wheel_put(&d->becoming_ready, bit, at);
    return at;
}

/* The bank serves no request, and a refresh has it: its row is closed, from cycle `now` on. */
void dram_retire(struct dram *d, uint32_t bank, cycle_t now);
/* Refreshes begin, and one may go out: returns whether it did. */
bool dram_refresh(struct dram *d, cycle_t now);
#endif
