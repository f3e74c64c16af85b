#include "dram.h"

#include <stdio.h>
#include <string.h>

void dram_init(struct dram *d, const struct gpu_params *params, uint32_t channel, struct arena *arena)
{
    struct dram measured, *at = arena->base ? d : &measured;
    const uint32_t burst_bytes = params->dram.bus_bytes * params->dram.burst;
    *at = (struct dram){.params = &params->dram, .machine = params, .channel = channel, .wake = NEVER, .meter = {.capacity = params->dram.queue}};
    at->bursts = (params->l1.line_bytes + burst_bytes - 1) / burst_bytes;
    at->line_cycles = at->bursts * params->dram.tCCD;
    at->banks = ARENA_TAKE(arena, struct dram_bank, params->dram.banks);
    at->queue = ARENA_TAKE(arena, struct dram_request, params->dram.queue);
    for (uint32_t i = 0; at->banks && i < params->dram.banks; i++) at->banks[i].row = -1;
}

void dram_push(struct dram *d, const struct request *request, cycle_t now, cycle_t at)
{
    const struct dram_place place = address_dram(d->machine, request->line, request->bank);
    struct dram_request *q = &d->queue[d->count++];
    *q = (struct dram_request){.request = *request, .row = place.row, .bank = place.bank, .at = at};
    d->wake = d->wake < at ? d->wake : at;
    meter_set(&d->meter, d->count, now);
}

static cycle_t later(cycle_t a, cycle_t b) { return a > b ? a : b; }

/* Every timing rule of a column command: from this command to the next of each kind. */
static cycle_t issue_column(struct dram *d, uint32_t bank, bool is_read, cycle_t now)
{
    const struct dram_params *t = d->params;
    struct dram_bank *b = &d->banks[bank];
    const cycle_t end = now + d->line_cycles; /* after its last column command's slot */
    if (t->bank_groups > 1) { /* the next command of the same group waits longer */
        d->group = bank % t->bank_groups;
        d->group_ok = now + (d->bursts - 1) * t->tCCD + (t->tCCDL > t->tCCD ? t->tCCDL : t->tCCD);
    }
    cycle_t data_end;
    if (is_read) {
        data_end = end + t->tCL;
        d->bus_read_ok = later(d->bus_read_ok, end);
        /* write data may follow read data on the bus: command so that tWL later the bus is free */
        d->bus_write_ok = later(d->bus_write_ok, end + t->tCL > t->tWL ? end + t->tCL - t->tWL : end);
        b->precharge_ok = later(b->precharge_ok, t->tRTPL ? end - t->tCCD + t->tRTPL : end);
        d->stats.dram_reads += d->bursts;
    } else {
        data_end = end + t->tWL;
        d->bus_write_ok = later(d->bus_write_ok, end);
        d->bus_read_ok = later(d->bus_read_ok, data_end + t->tCDLR);
        b->precharge_ok = later(b->precharge_ok, data_end + t->tWR);
        d->stats.dram_writes += d->bursts;
    }
    d->stats.dram_bus_cycles += d->line_cycles;
    return data_end;
}

static void issue_activate(struct dram *d, struct dram_bank *b, int64_t row, cycle_t now)
{
    const struct dram_params *t = d->params;
    b->row = row;
    b->column_ok = now + t->tRCD;
    b->precharge_ok = later(b->precharge_ok, now + t->tRAS);
    b->activate_ok = now + t->tRC;
    d->activate_ok = now + t->tRRD;
    d->stats.dram_activates++;
}

static cycle_t column_ready(const struct dram *d, const struct dram_request *q)
{
    const cycle_t at = later(d->banks[q->bank].column_ok, q->request.kind == REQUEST_READ ? d->bus_read_ok : d->bus_write_ok);
    return d->params->bank_groups > 1 && q->bank % d->params->bank_groups == d->group ? later(at, d->group_ok) : at;
}

/* FR: the oldest request whose row is open and whose column command may go now. */
static bool try_column(struct dram *d, cycle_t now, struct dram_done *done, cycle_t *next)
{
    for (uint32_t i = 0; i < d->count; i++) {
        struct dram_request *q = &d->queue[i];
        if (d->banks[q->bank].row != q->row) continue;
        const cycle_t at = later(column_ready(d, q), q->at);
        if (at > now) {
            if (at < *next) *next = at;
            continue;
        }
        const bool is_read = q->request.kind == REQUEST_READ;
        d->stats.dram_row_hits += !q->opened;
        *done = (struct dram_done){is_read, q->request, issue_column(d, q->bank, is_read, now)};
        d->count--;
        memmove(q, q + 1, (d->count - i) * sizeof *q);
        meter_set(&d->meter, d->count, now);
        return true;
    }
    return false;
}

/* FCFS: make a bank ready for the oldest request that needs it; banks whose open row is still wanted are left open. */
static bool try_row(struct dram *d, cycle_t now, cycle_t *next)
{
    uint64_t seen = 0; /* banks for which an older request has spoken */
    for (uint32_t i = 0; i < d->count; i++) {
        struct dram_request *q = &d->queue[i];
        struct dram_bank *b = &d->banks[q->bank];
        const uint64_t bit = 1ull << q->bank;
        if (q->at > now) { /* still on its way */
            if (q->at < *next) *next = q->at;
            continue;
        }
        if (seen & bit) continue;
        seen |= bit;
        if (b->row == q->row) continue;
        if (b->row >= 0) {
            bool wanted = false; /* a younger row hit goes before */
            for (uint32_t k = i + 1; k < d->count && !wanted; k++) wanted = d->queue[k].bank == q->bank && d->queue[k].row == b->row;
            if (wanted) continue;
            if (b->precharge_ok <= now) {
                b->row = -1;
                b->activate_ok = later(b->activate_ok, now + d->params->tRP);
                return true;
            }
            if (b->precharge_ok < *next) *next = b->precharge_ok;
            continue;
        }
        const cycle_t at = later(b->activate_ok, d->activate_ok);
        if (at <= now) {
            issue_activate(d, b, q->row, now);
            q->opened = true;
            return true;
        }
        if (at < *next) *next = at;
    }
    return false;
}

bool dram_tick(struct dram *d, cycle_t now, struct dram_done *done)
{
    cycle_t next = NEVER;
    const bool column = try_column(d, now, done, &next);
    if (column || try_row(d, now, &next)) next = now + 1;
    d->wake = d->count ? next : NEVER;
    return column;
}

void dram_finish(struct dram *d, cycle_t end)
{
    struct dram_stats *s = &d->stats;
    meter_set(&d->meter, 0, end > d->meter.since ? end : d->meter.since);
    s->dram_queue_le25_cycles = d->meter.bins[0];
    s->dram_queue_le50_cycles = d->meter.bins[1];
    s->dram_queue_le75_cycles = d->meter.bins[2];
    s->dram_queue_lt100_cycles = d->meter.bins[3];
    s->dram_queue_full_cycles = d->meter.bins[4];
    for (int i = 0; i < METER_BINS; i++) s->dram_pending_cycles += d->meter.bins[i];
}

bool dram_idle(const struct dram *d) { return d->count == 0; }

void dram_dump(const struct dram *d, char *text, size_t size)
{
    snprintf(text, size, "dram %u: queue %u, wake %lld", d->channel, d->count, (long long)d->wake);
}
