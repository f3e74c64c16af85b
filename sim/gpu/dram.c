#include "dram.h"

#include <stdio.h>
#include <string.h>

void dram_init(struct dram *d, const struct gpu_params *params, uint32_t channel, struct arena *arena)
{
    struct dram measured, *at = arena->base ? d : &measured;
    const uint32_t burst_bytes = params->dram.bus_bytes * params->dram.burst;
    *at = (struct dram){.params = &params->dram, .machine = params, .channel = channel, .wake = NEVER, .assign_at = NEVER, .meter = {.capacity = params->dram.queue}};
    at->burst_bytes = burst_bytes;
    at->banks = ARENA_TAKE(arena, struct dram_bank, params->dram.banks);
    at->queue = ARENA_TAKE(arena, struct dram_request, params->dram.outstanding > params->dram.queue ? params->dram.outstanding : params->dram.queue);
    at->group = UINT32_MAX;
    for (uint32_t i = 0; at->banks && i < params->dram.banks; i++) at->banks[i].row = -1;
}

uint32_t dram_bursts(const struct dram *d, const struct request *r)
{
    const bool is_sectored = d->machine->l2.organisation == L2_SECTORED;
    const uint32_t bytes = is_sectored ? 32 * sector_count(r->sectors) : d->machine->l1.line_bytes;
    return (bytes + d->burst_bytes - 1) / d->burst_bytes;
}

void dram_count(struct dram *d, bool is_read, uint32_t bursts)
{
    uint64_t *bytes = is_read ? &d->read_bytes : &d->write_bytes;
    *bytes += bursts * d->burst_bytes;
    *(is_read ? &d->stats.dram_reads : &d->stats.dram_writes) = (*bytes + 63) / 64;
}

static uint32_t in_channel(const struct dram *d) { return d->count + d->n_busy; }

void dram_push(struct dram *d, const struct request *request, cycle_t now, cycle_t at)
{
    const struct dram_place place = address_dram(d->machine, request->line, request->bank);
    d->queue[d->count++] = (struct dram_request){.request = *request, .row = place.row, .bank = place.bank, .at = at};
    d->wanted |= 1ull << place.bank;
    if (!(d->busy >> place.bank & 1)) {
        d->wake = d->wake < at ? d->wake : at;
        d->assign_at = d->assign_at < at ? d->assign_at : at;
    }
    meter_set(&d->meter, in_channel(d), now);
    if (in_channel(d) == 1 && now > d->pending_end) {
        d->stats.dram_pending_cycles += d->pending_end - d->pending_since;
        d->pending_since = now;
    }
}

static cycle_t later(cycle_t a, cycle_t b) { return a > b ? a : b; }
static void sooner(cycle_t *next, cycle_t at) { *next = at < *next ? at : *next; }

/* The bank begins to serve. */
static void serve(struct dram *d, uint32_t bank, const struct dram_request *q)
{
    const uint64_t bit = 1ull << bank;
    struct dram_bank *b = &d->banks[bank];
    b->current = *q;
    b->bursts_left = dram_bursts(d, &q->request);
    d->busy |= bit;
    d->n_busy++;
    d->open = b->row == q->row ? d->open | bit : d->open & ~bit;
    d->reads = q->request.kind == REQUEST_READ ? d->reads | bit : d->reads & ~bit;
}

/* The first of `banks` in turn. */
static uint64_t first_in_turn(const struct dram *d, uint64_t banks)
{
    const uint64_t from_turn = banks & ~((1ull << d->turn) - 1);
    return from_turn ? from_turn & -from_turn : banks & -banks;
}

/* FR-FCFS: gives every free bank its next request, or one bank a cycle. */
static void assign(struct dram *d, cycle_t now, cycle_t *next)
{
    if (!(d->wanted & ~d->busy)) return;
    uint64_t done = d->busy, hits = 0;
    uint32_t chosen[64];
    const uint32_t seen = d->count < d->params->queue ? d->count : d->params->queue;
    for (uint32_t i = 0; i < seen; i++) {
        const struct dram_request *q = &d->queue[i];
        const uint64_t bit = 1ull << q->bank;
        if (d->busy & bit) continue;
        if (q->at > now) {
            sooner(next, q->at);
            continue;
        }
        const bool is_hit = d->banks[q->bank].row == q->row;
        if (!(done & bit) || (is_hit && !(hits & bit))) chosen[q->bank] = i;
        done |= bit;
        if (is_hit) hits |= bit;
    }
    uint32_t kept = d->count;
    uint64_t served = done & ~d->busy;
    if (d->params->paired_commands && served) {
        served = first_in_turn(d, served);
        d->turn = d->turn + 1 < d->params->banks ? d->turn + 1 : 0;
    }
    if (served && (d->params->paired_commands || seen < d->count)) sooner(next, now + 1);
    for (uint64_t left = served; left; left &= left - 1) {
        const uint32_t bank = (uint32_t)__builtin_ctzll(left), i = chosen[bank];
        serve(d, bank, &d->queue[i]);
        d->queue[i].row = -2; /* taken */
        if (i < kept) kept = i;
        d->stats.dram_row_hits += hits >> bank & 1;
    }
    d->wanted = 0;
    for (uint32_t i = 0; i < kept; i++) d->wanted |= 1ull << d->queue[i].bank;
    for (uint32_t i = kept; i < d->count; i++) {
        if (d->queue[i].row == -2) continue;
        d->wanted |= 1ull << d->queue[i].bank;
        d->queue[kept++] = d->queue[i];
    }
    d->count = kept;
}

/* Every timing rule of a column command: from this command to the next of each kind. Returns when its data is over. */
static cycle_t issue_column(struct dram *d, uint32_t bank, bool is_read, cycle_t now)
{
    const struct dram_params *t = d->params;
    struct dram_bank *b = &d->banks[bank];
    const cycle_t end = now + t->tCCD; /* the burst's slot on the bus, as commands count it */
    cycle_t data_end;
    if (t->bank_groups > 1) { /* the next command of the same group waits longer */
        d->group = bank % t->bank_groups;
        d->group_ok = now + later(t->tCCDL, t->tCCD);
    }
    if (is_read) {
        data_end = end + t->tCL;
        d->read_ok = later(d->read_ok, end);
        d->write_ok = later(d->write_ok, t->tRTW ? now + t->tRTW : end + t->tCL > t->tWL ? end + t->tCL - t->tWL : end); /* write data after read data */
        b->precharge_ok = later(b->precharge_ok, t->tRTPL ? now + t->tRTPL : end);
    } else {
        data_end = end + t->tWL;
        d->write_ok = later(d->write_ok, end);
        d->read_ok = later(d->read_ok, data_end + t->tCDLR);
        b->precharge_ok = later(b->precharge_ok, data_end + t->tWR);
    }
    dram_count(d, is_read, 1);
    d->stats.dram_bus_cycles += t->tCCD;
    d->pending_end = end;
    return data_end;
}

static bool try_column(struct dram *d, uint32_t bank, cycle_t now, struct dram_done *done, cycle_t *next)
{
    struct dram_bank *b = &d->banks[bank];
    const bool is_read = b->current.request.kind == REQUEST_READ;
    cycle_t at = later(b->column_ok, is_read ? d->read_ok : d->write_ok);
    if (d->params->bank_groups > 1 && bank % d->params->bank_groups == d->group) at = later(at, d->group_ok);
    if (at > now) {
        sooner(next, at);
        return false;
    }
    *done = (struct dram_done){is_read, b->current.request, issue_column(d, bank, is_read, now)};
    if (--b->bursts_left == 0) {
        d->busy &= ~(1ull << bank);
        d->n_busy--;
        d->assign_at = now + 1;
    }
    return true;
}

static bool try_row(struct dram *d, uint32_t bank, cycle_t now, cycle_t *next)
{
    const struct dram_params *t = d->params;
    struct dram_bank *b = &d->banks[bank];
    if (b->row >= 0) {
        if (b->precharge_ok > now) {
            sooner(next, b->precharge_ok);
            return false;
        }
        b->row = -1;
        b->activate_ok = later(b->activate_ok, now + t->tRP);
        return true;
    }
    const cycle_t at = later(b->activate_ok, d->activate_ok);
    if (at > now) {
        sooner(next, at);
        return false;
    }
    b->row = b->current.row;
    d->open |= 1ull << bank;
    b->column_ok = now + (t->tRCDWR && b->current.request.kind != REQUEST_READ ? t->tRCDWR : t->tRCD);
    b->precharge_ok = later(b->precharge_ok, now + t->tRAS);
    b->activate_ok = now + t->tRC;
    d->activate_ok = now + t->tRRD;
    d->stats.dram_activates++;
    return true;
}

/* Busy banks in turn, from the one after the last that issued. */
static uint64_t from_turn(const struct dram *d, uint64_t banks, bool wrapped)
{
    const uint64_t below = (1ull << d->turn) - 1;
    return wrapped ? banks & below : banks & ~below;
}

/* Banks that want a column command, but for those to whose kind the channel is closed. */
static uint64_t columns_of(const struct dram *d, cycle_t now, cycle_t *next)
{
    uint64_t banks = d->busy & d->open;
    if (d->read_ok > now && banks & d->reads) {
        sooner(next, d->read_ok);
        banks &= ~d->reads;
    }
    if (d->write_ok > now && banks & ~d->reads) {
        sooner(next, d->write_ok);
        banks &= d->reads;
    }
    return banks;
}

static bool issue(struct dram *d, cycle_t now, bool columns, struct dram_done *done, cycle_t *next, bool *ended)
{
    const uint64_t banks = columns ? columns_of(d, now, next) : d->busy & ~d->open;
    for (int wrapped = 0; wrapped < 2 && banks; wrapped++)
        for (uint64_t left = from_turn(d, banks, wrapped); left; left &= left - 1) {
            const uint32_t bank = (uint32_t)__builtin_ctzll(left);
            if (!(columns ? try_column(d, bank, now, done, next) : try_row(d, bank, now, next))) continue;
            *ended = columns && d->banks[bank].bursts_left == 0;
            d->turn = bank + 1 < d->params->banks ? bank + 1 : 0;
            return true;
        }
    return false;
}

/* One command of each kind: banks are asked in turn for a column command and, until one has gone out, for a row command, behind which
 * the turn counts on from its bank. */
static bool issue_pair(struct dram *d, cycle_t now, struct dram_done *done, cycle_t *next, bool *ended)
{
    const uint64_t columns = columns_of(d, now, next), rows = d->busy & ~d->open;
    bool row = false;
    for (uint32_t i = 0; i < d->params->banks; i++) {
        const uint32_t bank = (i + d->turn) % d->params->banks;
        if (columns >> bank & 1 && try_column(d, bank, now, done, next)) {
            *ended = d->banks[bank].bursts_left == 0;
            return true;
        }
        if (!(rows >> bank & 1) || row || !try_row(d, bank, now, next)) continue;
        row = true;
        d->turn = bank + 1 < d->params->banks ? bank + 1 : 0;
    }
    return row;
}

static bool issue_one(struct dram *d, cycle_t now, struct dram_done *done, cycle_t *next, bool *ended)
{
    return issue(d, now, true, done, next, ended) || issue(d, now, false, done, next, ended);
}

bool dram_tick(struct dram *d, cycle_t now, struct dram_done *done)
{
    cycle_t next = NEVER;
    bool ended = false;
    if (d->assign_at <= now) {
        d->assign_at = NEVER;
        assign(d, now, &d->assign_at);
    }
    sooner(&next, d->assign_at);
    if ((d->params->paired_commands ? issue_pair : issue_one)(d, now, done, &next, &ended)) next = now + 1;
    if (ended) meter_set(&d->meter, in_channel(d), now);
    d->wake = next;
    return ended;
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
    const cycle_t until = in_channel(d) && end > d->pending_end ? end : d->pending_end;
    s->dram_pending_cycles += until - d->pending_since;
}

bool dram_idle(const struct dram *d) { return d->count == 0 && d->busy == 0; }

void dram_dump(const struct dram *d, char *text, size_t size)
{
    snprintf(text, size, "dram %u: queue %u, busy banks %llx, wake %lld", d->channel, d->count, (unsigned long long)d->busy, (long long)d->wake);
}
