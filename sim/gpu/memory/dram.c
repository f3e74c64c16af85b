#include "memory/dram.h"

#include <stdio.h>
#include <string.h>

static cycle_t later(cycle_t a, cycle_t b) { return a > b ? a : b; }
static void sooner(cycle_t *next, cycle_t at) { *next = at < *next ? at : *next; }

/* Every timing rule of a column command: from a read to the next command of each kind, and from a write. */
static void init_gaps(struct dram_gaps gaps[2], const struct dram_params *t)
{
    const uint32_t after_read = t->tCCD + t->tCL, same_group = t->tCCDL > t->tCCD ? t->tCCDL : t->tCCD;
    gaps[true] = (struct dram_gaps){.same_kind = t->tCCD,
                                    .same_group = same_group,
                                    .data = after_read,
                                    .precharge = t->tRTPL ? t->tRTPL : t->tCCD,
                                    /* write data after read data */
                                    .other_kind = t->tRTW               ? t->tRTW
                                                  : after_read > t->tWL ? after_read - t->tWL
                                                                        : t->tCCD};
    gaps[false] = (struct dram_gaps){.same_kind = t->tCCD,
                                     .same_group = same_group,
                                     .data = t->tCCD + t->tWL,
                                     .precharge = t->tCCD + t->tWL + t->tWR,
                                     .other_kind = t->tCCD + t->tWL + t->tCDLR};
}

/* The first bank of the group that bank `i` is one of. */
static uint32_t first_of_group(const struct dram_params *p, uint32_t i)
{
    const uint32_t a_group = (p->banks + p->bank_groups - 1) / p->bank_groups;
    if (p->bank_groups == 1) return 0;
    return p->group_index == GROUP_OF_HIGH_BITS ? i - i % a_group : i % p->bank_groups;
}

void dram_init(struct dram *d, const struct gpu_params *params, uint32_t channel, struct arena *arena)
{
    const struct dram_params *p = &params->dram;
    const bool is_sectored = l2_is_sectored(params);
    struct dram measured, *at = arena->base ? d : &measured;
    *at = (struct dram){.params = p,
                        .map = address_map_of(params),
                        .channel = channel,
                        .wake = NEVER,
                        .assign_at = NEVER,
                        .command_at = NEVER,
                        .may_lag = true,
                        .visit = NEVER,
                        .offered_at = NEVER,
                        .capacity = p->queue,
                        .outstanding = p->outstanding,
                        .has_write_queue = p->write_queue > 0,
                        .last_bank = p->banks - 1,
                        .serves_in_turn = p->paired_commands || p->outstanding,
                        .meter = {.capacity = p->queue},
                        .burst_bytes = p->bus_bytes * p->burst};
    init_gaps(at->gaps, p);
    at->banks = ARENA_TAKE(arena, struct dram_bank, p->banks);
    at->queue = ARENA_TAKE(arena, struct dram_request, p->queue + p->write_queue);
    at->writes = ARENA_TAKE(arena, struct dram_list, p->write_queue ? p->banks : 0);
    for (uint32_t i = 0; at->writes && p->write_queue && i < p->banks; i++) at->writes[i].first = DRAM_NONE;
    at->offers = ARENA_TAKE(arena, cycle_t, params->l2.banks / p->channels);
    for (uint32_t i = 0; at->offers && i < params->l2.banks / p->channels; i++) at->offers[i] = NEVER;
    dram_fifo_init(&at->delayed, arena, p->outstanding > p->queue ? p->outstanding : p->queue);
    for (uint32_t i = 0; i < 16; i++)
        at->bursts[i] = (uint8_t)(((is_sectored ? 32 * sector_count(i) : l2_line_bytes(params)) + at->burst_bytes - 1) /
                                  at->burst_bytes);
    for (uint32_t i = 0; at->banks && i < p->banks; i++) {
        const uint32_t group = first_of_group(p, i);
        at->banks[i] = (struct dram_bank){.row = DRAM_CLOSED, .list.first = DRAM_NONE, .group = (uint8_t)group};
        at->closed |= 1ull << i;
        if (p->bank_groups > 1 && group == 0) at->group_banks |= 1ull << i;
    }
    for (uint32_t i = 0; at->queue && i < p->queue + p->write_queue; i++) at->queue[i].next = (uint16_t)(i + 1);
}

/* The request is one for the queue of writes. */
static bool is_write_apart(const struct dram *d, const struct dram_request *r)
{
    return d->has_write_queue && r->ticket.kind != REQUEST_READ;
}

static bool queue_has_room_for(const struct dram *d, const struct dram_request *r)
{
    return is_write_apart(d, r) ? d->n_writes < d->params->write_queue : d->count < d->capacity;
}

/* What leaves the delay line next finds room in its queue. */
static bool can_enter(const struct dram *d)
{
    return d->has_write_queue ? queue_has_room_for(d, dram_fifo_peek(&d->delayed)) : d->count < d->capacity;
}

/* The request, which stands at place `i`, is the list's youngest. */
static void append(struct dram *d, struct dram_list *list, uint16_t i)
{
    *(list->first == DRAM_NONE ? &list->first : &d->queue[list->last].next) = i;
    list->last = i;
}

static APART void append_write(struct dram *d, uint32_t bank, uint16_t i)
{
    append(d, &d->writes[bank], i);
    d->wanted_writes |= 1ull << bank;
    d->n_writes++;
}

/* The request is its queue's youngest. */
static ALWAYS_INLINE void enter_queue(struct dram *d, const struct dram_request *request)
{
    const uint16_t i = d->free_request;
    struct dram_request *q = &d->queue[i];
    d->free_request = q->next;
    *q = *request;
    if (is_write_apart(d, request)) {
        append_write(d, q->bank, i);
        return;
    }
    append(d, &d->banks[q->bank].list, i);
    d->wanted |= 1ull << q->bank;
    d->count++;
}

/* Requests have come to the scheduler, which had `was` before: a stretch of work begins if it had none. */
static void note_entry(struct dram *d, uint32_t was, cycle_t now)
{
    meter_set(&d->meter, dram_pending(d), now);
    if (was || now <= d->pending_end) return;
    d->stats.dram_pending_cycles += d->pending_end - d->pending_since;
    d->pending_since = now;
}

void dram_push(struct dram *d, const struct request *request, cycle_t now, cycle_t at)
{
    const struct dram_place place = address_dram(&d->map, request->line, request->bank);
    const struct dram_request r = {
        place.row, {request->token, request->bank, request->kind, request->sectors}, DRAM_NONE, (uint8_t)place.bank};
    const uint32_t was = dram_pending(d);
    if (at <= now && queue_has_room_for(d, &r) && !d->delayed.count) {
        enter_queue(d, &r);
        if (!(d->busy >> place.bank & 1)) d->assign_at = now;
    } else {
        dram_fifo_push(&d->delayed, r, at);
        if (d->delayed.count == 1 && can_enter(d)) sooner(&d->assign_at, at);
    }
    if (!d->outstanding && d->count + d->delayed.count == d->capacity) d->room_at = NEVER;
    sooner(&d->wake, d->assign_at);
    if (dram_pending(d) != was) note_entry(d, was, now);
}

/* A bank's next request, the oldest for its open row, else the oldest, and that which hangs before it. */
struct choice {
    uint16_t before, request;
};
static struct choice choose(const struct dram *d, const struct dram_list *list, uint32_t row)
{
    struct choice c = {DRAM_NONE, list->first};
    while (c.request != DRAM_NONE && d->queue[c.request].row != row)
        c = (struct choice){c.request, d->queue[c.request].next};
    return c.request == DRAM_NONE ? (struct choice){DRAM_NONE, list->first} : c;
}

/* The requests of a bank that are served now. */
static struct dram_list *served_list(struct dram *d, uint32_t bank)
{
    return d->serves_writes ? &d->writes[bank] : &d->banks[bank].list;
}

/* Takes it out of the queue: its place stays as it is until a request enters. */
static const struct dram_request *take(struct dram *d, struct dram_list *list, struct choice c)
{
    struct dram_request *q = &d->queue[c.request];
    *(c.before == DRAM_NONE ? &list->first : &d->queue[c.before].next) = q->next;
    if (list->last == c.request) list->last = c.before;
    q->next = d->free_request;
    d->free_request = c.request;
    if (d->serves_writes) {
        if (list->first == DRAM_NONE) d->wanted_writes &= ~(1ull << q->bank);
        d->n_writes--;
    } else {
        if (list->first == DRAM_NONE) d->wanted &= ~(1ull << q->bank);
        d->count--;
    }
    return q;
}

/* The busy bank needs another command than before. Returns the cycle from which on it may go out, but for the
 * channel's rules: `now`, the present one, or any other. */
HOT static cycle_t await_command(struct dram *d, uint32_t bank, cycle_t now)
{
    const uint64_t bit = 1ull << bank;
    const struct dram_bank *b = &d->banks[bank];
    const cycle_t at = d->open & bit ? b->column_ok : d->closed & bit ? b->activate_ok : b->precharge_ok;
    if (at <= now) {
        d->ready |= bit;
        return at;
    }
    d->ready &= ~bit;
    if (at - d->becoming_ready.from >= WHEEL_SLOTS) d->parked |= bit;
    wheel_put(&d->becoming_ready, bit, at);
    return at;
}

/* Banks whose cycle has come are ready. */
static void become_ready(struct dram *d, cycle_t now)
{
    const uint64_t due = wheel_take_now(&d->becoming_ready, now); /* no bank's cycle is passed over: see
                                                                    * next_command */
    uint64_t early = due & d->parked;
    d->ready |= due;
    if (!early) return;
    d->parked &= ~early;
    for (; early; early &= early - 1) await_command(d, (uint32_t)__builtin_ctzll(early), now);
}

/* The free bank begins to serve its next request in cycle `now`. */
HOT static void serve(struct dram *d, uint32_t bank, struct choice choice, cycle_t now)
{
    const uint64_t bit = 1ull << bank;
    struct dram_bank *b = &d->banks[bank];
    const struct dram_request *q = take(d, served_list(d, bank), choice);
    if (d->room_at == NEVER) d->room_at = now + 1;
    const bool is_hit = b->row == q->row;
    b->current = q->ticket;
    b->current_row = q->row;
    b->bursts_left = (uint8_t)dram_bursts(d, q->ticket.sectors);
    d->busy |= bit;
    d->n_busy++;
    d->open = is_hit ? d->open | bit : d->open & ~bit;
    d->reads = q->ticket.kind == REQUEST_READ ? d->reads | bit : d->reads & ~bit;
    d->stats.dram_row_hits += is_hit;
    sooner(&d->command_at, await_command(d, bank, now));
}

/* Of `banks`, the first from that on whose turn it is. */
static uint32_t first_in_turn(const struct dram *d, uint64_t banks)
{
    const uint64_t from = banks & ~0ull << d->turn;
    return (uint32_t)__builtin_ctzll(from ? from : banks);
}

static uint32_t after(const struct dram *d, uint32_t bank) { return bank < d->last_bank ? bank + 1 : 0; }

/* Writes are served from when there are many until there are few. */
static void change_direction(struct dram *d)
{
    const struct dram_params *p = d->params;
    d->serves_writes = d->serves_writes ? d->n_writes >= p->write_low : d->n_writes >= p->write_high;
}

/* Free banks for which requests wait that are served now. */
static uint64_t waited_for(struct dram *d)
{
    if (!d->has_write_queue) return d->wanted & ~d->busy;
    change_direction(d);
    return (d->serves_writes ? d->wanted_writes : d->wanted) & ~d->busy;
}

/* One bank a cycle takes its next request. */
static void assign_one(struct dram *d, uint64_t served, cycle_t now)
{
    const uint32_t bank = first_in_turn(d, served);
    serve(d, bank, choose(d, served_list(d, bank), d->banks[bank].row), now);
    d->turn = after(d, d->turn);
    if (d->has_write_queue ? waited_for(d) : served & (served - 1)) d->assign_at = now + 1;
}

/* FR-FCFS: gives every free bank its next request, or one bank a cycle. */
static void assign(struct dram *d, cycle_t now)
{
    const uint32_t was = dram_pending(d);
    while (dram_fifo_ready_at(&d->delayed) <= now && can_enter(d)) {
        enter_queue(d, dram_fifo_peek(&d->delayed));
        dram_fifo_pop(&d->delayed);
    }
    if (dram_pending(d) != was) note_entry(d, was, now);
    uint64_t served = waited_for(d);
    d->assign_at = NEVER;
    if (d->params->paired_commands && served) {
        assign_one(d, served, now);
    } else {
        for (; served; served &= served - 1) {
            const uint32_t bank = (uint32_t)__builtin_ctzll(served);
            serve(d, bank, choose(d, &d->banks[bank].list, d->banks[bank].row), now);
        }
    }
    if (d->delayed.count && can_enter(d)) sooner(&d->assign_at, later(dram_fifo_ready_at(&d->delayed), now + 1));
}

/* Returns when its data is over. */
static cycle_t issue_column(struct dram *d, struct dram_bank *b, bool is_read, cycle_t now)
{
    const struct dram_gaps *gap = &d->gaps[is_read];
    d->group = d->group_banks << b->group; /* the next command of the same group waits longer */
    d->group_ok = now + gap->same_group;
    d->column_ok[is_read] = later(d->column_ok[is_read], now + gap->same_kind);
    d->column_ok[!is_read] = later(d->column_ok[!is_read], now + gap->other_kind);
    b->precharge_ok = later(b->precharge_ok, now + gap->precharge);
    dram_count(d, is_read, 1);
    d->stats.dram_bus_cycles += gap->same_kind;
    d->pending_end = now + gap->same_kind;
    return now + gap->data;
}

/* The bank has become free: it takes its next request in the next cycle. Which one that is is known already, and so
 * it is done with now, if that is a row hit or if nothing can enter the queue before. */
static inline void serve_next(struct dram *d, uint32_t bank, cycle_t now)
{
    const struct dram_bank *b = &d->banks[bank];
    if (d->serves_in_turn || d->delayed.count) {
        d->assign_at = now + 1;
        return;
    }
    const struct choice choice = choose(d, &b->list, b->row);
    if (d->room_at <= now + 1 && d->queue[choice.request].row != b->row) d->assign_at = now + 1;
    else serve(d, bank, choice, now + 1);
}

/* Returns true if it was the last of a line. */
HOT static bool column(struct dram *d, uint32_t bank, cycle_t now, struct dram_done *done)
{
    struct dram_bank *b = &d->banks[bank];
    const bool is_read = b->current.kind == REQUEST_READ;
    const cycle_t data_end = issue_column(d, b, is_read, now);
    if (--b->bursts_left) return false;
    *done = (struct dram_done){is_read, b->current, data_end};
    d->busy &= ~(1ull << bank);
    d->ready &= ~(1ull << bank);
    d->n_busy--;
    if ((d->wanted | d->wanted_writes) >> bank & 1) serve_next(d, bank, now);
    return true;
}

/* A bank whose row is not that of its request closes it, or opens the other. */
HOT static void row(struct dram *d, uint32_t bank, cycle_t now)
{
    const struct dram_params *t = d->params;
    const uint64_t bit = 1ull << bank;
    struct dram_bank *b = &d->banks[bank];
    if (!(d->closed & bit)) {
        b->row = DRAM_CLOSED;
        b->activate_ok = later(b->activate_ok, now + t->tRP);
        d->closed |= bit;
    } else {
        b->row = b->current_row;
        b->column_ok = now + (t->tRCDWR && !(d->reads & bit) ? t->tRCDWR : t->tRCD);
        b->precharge_ok = later(b->precharge_ok, now + t->tRAS);
        b->activate_ok = now + t->tRC;
        d->activate_ok = now + t->tRRD;
        d->closed &= ~bit;
        d->open |= bit;
        d->stats.dram_activates++;
    }
    await_command(d, bank, now);
}

/* All banks before cycle `at`, then none: what a rule of the channel forbids, without a branch that nobody could
 * predict. */
static uint64_t before(cycle_t now, cycle_t at) { return 0 - (uint64_t)(now < at); }

/* Banks that may issue a column command. */
static uint64_t columns_of(const struct dram *d, cycle_t now)
{
    return d->ready & d->open & ~(d->group & before(now, d->group_ok)) & ~(d->reads & before(now, d->column_ok[true])) &
           ~(~d->reads & before(now, d->column_ok[false]));
}

static uint64_t rows_of(const struct dram *d, cycle_t now)
{
    return d->ready & ~d->open & ~(d->closed & before(now, d->activate_ok));
}

static bool issue_one(struct dram *d, cycle_t now, struct dram_done *done)
{
    const uint64_t columns = columns_of(d, now), banks = columns ? columns : rows_of(d, now);
    if (!banks) return false;
    const uint32_t bank = first_in_turn(d, banks);
    d->turn = after(d, bank);
    if (columns) return column(d, bank, now, done);
    row(d, bank, now);
    return false;
}

/* One command of each kind: banks are asked in turn for a column command and, until one has gone out, for a row
 * command, behind which the turn counts on from its bank: as many as were asked are then passed over. */
static bool issue_pair(struct dram *d, cycle_t now, struct dram_done *done)
{
    const uint64_t columns = columns_of(d, now), banks = columns | rows_of(d, now);
    if (!banks) return false;
    const uint32_t bank = first_in_turn(d, banks);
    if (columns >> bank & 1) return column(d, bank, now, done);
    row(d, bank, now);
    const uint32_t n = d->last_bank + 1, asked = bank - d->turn + (bank < d->turn ? n : 0) + 1,
                   start = d->turn = after(d, bank);
    const uint64_t turned = start ? columns >> start | columns << (n - start) : columns;
    const uint64_t left = asked < n ? turned & (~0ull >> (64 - n)) & ~0ull << asked : 0;
    if (!left) return false;
    const uint32_t beside = start + (uint32_t)__builtin_ctzll(left);
    return column(d, beside < n ? beside : beside - n, now, done);
}

/* One command of each kind, each of the first bank in turn that can: rows have a bus of their own. */
static bool issue_dual(struct dram *d, cycle_t now, struct dram_done *done)
{
    const uint64_t columns = columns_of(d, now), rows = rows_of(d, now);
    const bool ended = columns && column(d, first_in_turn(d, columns), now, done);
    if (!rows) return ended;
    const uint32_t bank = first_in_turn(d, rows);
    row(d, bank, now);
    d->turn = after(d, bank);
    return ended;
}

/* Not before any of these banks' column commands, which the channel allows from `channel` on. */
static cycle_t first_column(const struct dram *d, uint64_t banks, cycle_t channel)
{
    return !banks ? NEVER : banks & ~d->group ? channel : later(channel, d->group_ok);
}

/* No command goes out before the cycle that it returns, at least `soonest`; nor does a bank become ready before it. */
static cycle_t next_command(const struct dram *d, cycle_t soonest)
{
    const uint64_t columns = d->ready & d->open, rows = d->ready & ~d->open;
    if (rows & ~d->closed) return soonest;
    cycle_t next = wheel_first(&d->becoming_ready);
    sooner(&next, first_column(d, columns & d->reads, d->column_ok[true]));
    sooner(&next, first_column(d, columns & ~d->reads, d->column_ok[false]));
    if (rows) sooner(&next, d->activate_ok);
    return later(next, soonest);
}

bool dram_tick(struct dram *d, cycle_t now, struct dram_done *done)
{
    bool ended = false;
    if (d->assign_at <= now) assign(d, now);
    if (d->command_at <= now) {
        become_ready(d, now);
        ended = d->params->dual_bus          ? issue_dual(d, now, done)
                : d->params->paired_commands ? issue_pair(d, now, done)
                                             : issue_one(d, now, done);
        d->command_at = next_command(d, now + 1);
    }
    if (ended) meter_set(&d->meter, dram_pending(d), now);
    d->wake = d->assign_at < d->command_at ? d->assign_at : d->command_at;
    return ended;
}

void dram_finish(struct dram *d, cycle_t end)
{
    struct dram_stats *s = &d->stats;
    s->dram_reads = (d->bytes[true] + 63) / 64;
    s->dram_writes = (d->bytes[false] + 63) / 64;
    meter_set(&d->meter, 0, end > d->meter.since ? end : d->meter.since);
    s->dram_queue_le25_cycles = d->meter.bins[0];
    s->dram_queue_le50_cycles = d->meter.bins[1];
    s->dram_queue_le75_cycles = d->meter.bins[2];
    s->dram_queue_lt100_cycles = d->meter.bins[3];
    s->dram_queue_full_cycles = d->meter.bins[4];
    const cycle_t until = dram_pending(d) && end > d->pending_end ? end : d->pending_end;
    s->dram_pending_cycles += until - d->pending_since;
}

bool dram_idle(const struct dram *d) { return dram_in_channel(d) == 0; }

void dram_dump(const struct dram *d, char *text, size_t size)
{
    snprintf(text, size, "dram %u: queue %u, busy banks %llx, wake %lld", d->channel, d->count + d->delayed.count,
             (unsigned long long)d->busy, (long long)d->wake);
}
