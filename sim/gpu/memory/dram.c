#include <stdio.h>
#include <string.h>
#include "memory/dram_parts.h"

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
    append(d, &d->lists[true][bank], i);
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
    append(d, &d->lists[false][q->bank], i);
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
static struct dram_list *served_list(struct dram *d, uint32_t bank) { return &d->lists[d->serves_writes][bank]; }

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
            serve(d, bank, choose(d, &d->lists[false][bank], d->banks[bank].row), now);
        }
    }
    if (d->delayed.count && can_enter(d)) sooner(&d->assign_at, later(dram_fifo_ready_at(&d->delayed), now + 1));
}

/* ---- commands, and what they keep waiting ---- */

/* The group may keep commands waiting from now on. */
static struct dram_group *hold_group(struct dram *d, const struct dram_bank *b)
{
    struct dram_group *g = &d->groups[b->group];
    d->held |= 1ull << b->group;
    d->held_banks |= g->banks;
    return g;
}

/* Returns when its data is over. `plain`, here and below: d->is_plain, known to the compiler. */
static ALWAYS_INLINE cycle_t issue_column(struct dram *d, uint32_t bank, bool is_read, cycle_t now, bool plain)
{
    struct dram_bank *b = &d->banks[bank];
    struct dram_pseudo *p = plain ? d->pseudo : pseudo_of(d, bank);
    const uint32_t busy = d->burst_cycles, *next = d->gaps.after[is_read].column;
    note(d, is_read ? DRAM_RD : DRAM_WR, bank, now);
    p->column_ok[DRAM_WR] = later(p->column_ok[DRAM_WR], now + next[DRAM_WR]);
    p->column_ok[DRAM_RD] = later(p->column_ok[DRAM_RD], now + next[DRAM_RD]);
    if (!plain && d->groups) {
        struct dram_group *g = hold_group(d, b);
        for (int kind = DRAM_WR; kind <= DRAM_RD; kind++)
            g->column_ok[kind] = later(g->column_ok[kind], now + d->gaps.group[is_read][kind]);
    }
    b->precharge_ok = later(b->precharge_ok, now + d->gaps.after[is_read].precharge);
    dram_count(d, is_read, 1);
    d->stats.dram_bus_cycles += busy;
    d->pending_end = now + busy;
    return now + d->gaps.after[is_read].data;
}

static void issue_precharge(struct dram *d, uint32_t bank, cycle_t now)
{
    struct dram_bank *b = &d->banks[bank];
    note(d, DRAM_PRE, bank, now);
    b->row = DRAM_CLOSED;
    b->activate_ok = later(b->activate_ok, now + d->gaps.bank[DRAM_PRE][DRAM_ACT]);
    d->closed |= 1ull << bank;
}

/* The next activate of the pseudo-channel, after one in cycle `now`. */
static void pass_window(const struct dram *d, struct dram_pseudo *p, cycle_t now)
{
    p->window_ok[p->oldest] = now + d->gaps.window;
    p->oldest = (p->oldest + 1) % DRAM_WINDOW;
    p->activate_ok = later(p->activate_ok, p->window_ok[p->oldest]);
}

static void issue_activate(struct dram *d, uint32_t bank, cycle_t now)
{
    const uint32_t *gap = d->gaps.bank[DRAM_ACT];
    struct dram_bank *b = &d->banks[bank];
    struct dram_pseudo *p = pseudo_of(d, bank);
    note(d, DRAM_ACT, bank, now);
    b->row = b->current_row;
    b->column_ok[DRAM_WR] = now + gap[DRAM_WR];
    b->column_ok[DRAM_RD] = now + gap[DRAM_RD];
    b->precharge_ok = later(b->precharge_ok, now + gap[DRAM_PRE]);
    b->activate_ok = now + gap[DRAM_ACT];
    p->activate_ok = later(p->activate_ok, now + d->gaps.pseudo[DRAM_ACT][DRAM_ACT]);
    if (d->gaps.window) pass_window(d, p, now);
    if (d->groups) hold_group(d, b)->activate_ok = now + d->gaps.group[DRAM_ACT][DRAM_ACT];
    d->closed &= ~(1ull << bank);
    d->open |= 1ull << bank;
    d->stats.dram_activates++;
}

/* ---- what goes out next ---- */

/* The bank has become free: it takes its next request in the next cycle. Which one that is is known already, and so
 * it is done with now, if that is a row hit or if nothing can enter the queue before. */
static inline void serve_next(struct dram *d, uint32_t bank, cycle_t now)
{
    const struct dram_bank *b = &d->banks[bank];
    if (d->serves_in_turn || d->delayed.count || d->refresh_at <= now + 1) {
        d->assign_at = now + 1;
        return;
    }
    const struct choice choice = choose(d, &d->lists[false][bank], b->row);
    if (d->room_at <= now + 1 && d->queue[choice.request].row != b->row) d->assign_at = now + 1;
    else serve(d, bank, choice, now + 1);
}

/* Returns true if it was the last of a line. */
static ALWAYS_INLINE bool column_as(struct dram *d, uint32_t bank, cycle_t now, struct dram_done *done, bool plain)
{
    struct dram_bank *b = &d->banks[bank];
    const bool is_read = b->current.kind == REQUEST_READ;
    const cycle_t data_end = issue_column(d, bank, is_read, now, plain);
    if (--b->bursts_left) return false;
    *done = (struct dram_done){is_read, b->current, data_end};
    d->busy &= ~(1ull << bank);
    d->ready &= ~(1ull << bank);
    d->n_busy--;
    if (d->refreshed >> bank & 1) dram_retire(d, bank, now + 1);
    else if ((d->wanted | d->wanted_writes) >> bank & 1) serve_next(d, bank, now);
    return true;
}

HOT static bool column_plain(struct dram *d, uint32_t bank, cycle_t now, struct dram_done *done)
{
    return column_as(d, bank, now, done, true);
}
HOT static bool column_any(struct dram *d, uint32_t bank, cycle_t now, struct dram_done *done)
{
    return column_as(d, bank, now, done, false);
}
static ALWAYS_INLINE bool column(struct dram *d, uint32_t bank, cycle_t now, struct dram_done *done, bool plain)
{
    return plain ? column_plain(d, bank, now, done) : column_any(d, bank, now, done);
}

/* A bank whose row is not that of its request closes it, or opens the other. */
HOT static void row(struct dram *d, uint32_t bank, cycle_t now)
{
    const uint64_t bit = bit_of(bank);
    if (d->closed & bit) issue_activate(d, bank, now);
    else issue_precharge(d, bank, now);
    if (d->retired & bit) dram_retire(d, bank, now + 1);
    else await_command(d, bank, now);
}

/* All banks before cycle `at`, then none: what a rule of the channel forbids, without a branch that nobody could
 * predict. */
static uint64_t before(cycle_t now, cycle_t at) { return 0 - (uint64_t)(now < at); }

/* Banks of held groups that their groups keep from a column command, or from an activate. Groups that keep nobody
 * waiting any more are let go. */
static uint64_t barred_by_groups(struct dram *d, cycle_t now, bool columns)
{
    uint64_t barred = 0;
    for (uint64_t left = d->held; left; left &= left - 1) {
        const struct dram_group *g = &d->groups[__builtin_ctzll(left)];
        const uint64_t reads = before(now, g->column_ok[DRAM_RD]), writes = before(now, g->column_ok[DRAM_WR]),
                       activates = before(now, g->activate_ok);
        barred |= g->banks & (columns ? (d->reads & reads) | (~d->reads & writes) : d->closed & activates);
        if (reads | writes | activates) continue;
        d->held &= ~(left & -left);
        d->held_banks &= ~g->banks;
    }
    return barred;
}

/* Those of `reads` and of `writes` that the pseudo-channel does not keep from a column command. */
static ALWAYS_INLINE uint64_t allowed_by(const struct dram_pseudo *p, uint64_t reads, uint64_t writes, cycle_t now)
{
    return (reads & ~before(now, p->column_ok[DRAM_RD])) | (writes & ~before(now, p->column_ok[DRAM_WR]));
}

/* Banks that may issue a column command. */
static ALWAYS_INLINE uint64_t columns_of(struct dram *d, cycle_t now, bool plain)
{
    const uint64_t banks = d->ready & d->open, reads = banks & d->reads, writes = banks & ~d->reads;
    if (plain) return allowed_by(d->pseudo, reads, writes, now);
    uint64_t allowed = 0;
    for (const struct dram_pseudo *p = d->pseudo; p <= d->pseudo + d->pseudo_mask; p++)
        allowed |= allowed_by(p, reads & p->banks, writes & p->banks, now);
    return allowed & d->held_banks ? allowed & ~barred_by_groups(d, now, true) : allowed;
}

/* And a row command. */
static ALWAYS_INLINE uint64_t rows_of(struct dram *d, cycle_t now, bool plain)
{
    uint64_t banks = d->ready & ~d->open;
    if (plain) return banks & ~(d->closed & before(now, d->pseudo->activate_ok));
    for (const struct dram_pseudo *p = d->pseudo; p <= d->pseudo + d->pseudo_mask; p++)
        banks &= ~(p->banks & d->closed & before(now, p->activate_ok));
    return banks & d->held_banks ? banks & ~barred_by_groups(d, now, false) : banks;
}

static ALWAYS_INLINE bool issue_one(struct dram *d, cycle_t now, struct dram_done *done, bool plain)
{
    const uint64_t columns = columns_of(d, now, plain), banks = columns ? columns : rows_of(d, now, plain);
    if (!banks) return false;
    const uint32_t bank = first_in_turn(d, banks);
    d->turn = after(d, bank);
    if (columns) return column(d, bank, now, done, plain);
    row(d, bank, now);
    return false;
}

/* One command of each kind: banks are asked in turn for a column command and, until one has gone out, for a row
 * command, behind which the turn counts on from its bank: as many as were asked are then passed over. */
static ALWAYS_INLINE bool issue_pair(struct dram *d, cycle_t now, struct dram_done *done, bool plain)
{
    const uint64_t columns = columns_of(d, now, plain), banks = columns | rows_of(d, now, plain);
    if (!banks) return false;
    const uint32_t bank = first_in_turn(d, banks);
    if (columns >> bank & 1) return column(d, bank, now, done, plain);
    row(d, bank, now);
    const uint32_t n = d->last_bank + 1, asked = bank - d->turn + (bank < d->turn ? n : 0) + 1,
                   start = d->turn = after(d, bank);
    const uint64_t turned = start ? columns >> start | columns << (n - start) : columns;
    const uint64_t left = asked < n ? turned & (~0ull >> (64 - n)) & ~0ull << asked : 0;
    if (!left) return false;
    const uint32_t beside = start + (uint32_t)__builtin_ctzll(left);
    return column(d, beside < n ? beside : beside - n, now, done, plain);
}

/* One command of each kind, each of the first bank in turn that can: rows have a bus of their own. */
static ALWAYS_INLINE bool issue_dual(struct dram *d, cycle_t now, struct dram_done *done, bool plain)
{
    const uint64_t columns = columns_of(d, now, plain), rows = rows_of(d, now, plain);
    const bool ended = columns && column(d, first_in_turn(d, columns), now, done, plain);
    if (!rows) return ended;
    const uint32_t bank = first_in_turn(d, rows);
    row(d, bank, now);
    d->turn = after(d, bank);
    return ended;
}

/* The first cycle in which a group allows a command of that kind (DRAM_WR, DRAM_RD, DRAM_ACT) to any of these banks. */
static APART cycle_t first_of_groups(const struct dram *d, uint64_t banks, enum dram_command kind)
{
    cycle_t first = NEVER;
    if (banks & ~d->held_banks) return 0;
    for (uint64_t left = d->held; left; left &= left - 1) {
        const struct dram_group *g = &d->groups[__builtin_ctzll(left)];
        if (banks & g->banks) sooner(&first, kind == DRAM_ACT ? g->activate_ok : g->column_ok[kind]);
    }
    return first;
}

/* A command of that kind goes out to one of these banks, none before what `next` becomes; `at`: their pseudo-channel
 * allows it. */
static ALWAYS_INLINE void consider(const struct dram *d, uint64_t banks, enum dram_command kind, cycle_t at,
                                   cycle_t *next, bool plain)
{
    if (!banks || at >= *next) return;
    if (!plain && d->held) at = later(at, first_of_groups(d, banks, kind));
    sooner(next, at);
}

/* No command goes out before the cycle that it returns, at least `soonest`; nor does a bank become ready before it. */
static ALWAYS_INLINE cycle_t next_command(const struct dram *d, cycle_t soonest, bool plain)
{
    const uint64_t columns = d->ready & d->open, rows = d->ready & ~d->open;
    if (rows & ~d->closed) return soonest;
    cycle_t next = wheel_first(&d->becoming_ready);
    for (const struct dram_pseudo *p = d->pseudo; p <= d->pseudo + (plain ? 0 : d->pseudo_mask); p++) {
        const uint64_t banks = plain ? ~0ull : p->banks;
        consider(d, columns & d->reads & banks, DRAM_RD, p->column_ok[DRAM_RD], &next, plain);
        consider(d, columns & ~d->reads & banks, DRAM_WR, p->column_ok[DRAM_WR], &next, plain);
        consider(d, rows & banks, DRAM_ACT, p->activate_ok, &next, plain);
    }
    return later(next, soonest);
}

static cycle_t next_event(const struct dram *d)
{
    const cycle_t next = d->assign_at < d->command_at ? d->assign_at : d->command_at;
    return d->refresh_at < next ? d->refresh_at : next;
}

static ALWAYS_INLINE bool issue(struct dram *d, cycle_t now, struct dram_done *done, bool plain)
{
    const bool ended = d->params->dual_bus          ? issue_dual(d, now, done, plain)
                       : d->params->paired_commands ? issue_pair(d, now, done, plain)
                                                    : issue_one(d, now, done, plain);
    d->command_at = next_command(d, now + 1, plain);
    return ended;
}

/* With groups, or several pseudo-channels. */
HOT static APART bool issue_any(struct dram *d, cycle_t now, struct dram_done *done)
{
    return issue(d, now, done, false);
}

/* All of a cycle but refreshes; `refreshed`: one has gone out, and nothing else may. */
static ALWAYS_INLINE bool step(struct dram *d, cycle_t now, struct dram_done *done, bool refreshed)
{
    if (d->assign_at <= now) assign(d, now);
    if (d->command_at > now) return false;
    become_ready(d, now);
    if (!refreshed) return d->is_plain ? issue(d, now, done, true) : issue_any(d, now, done);
    d->command_at = next_command(d, now + 1, false);
    return false;
}

static APART bool step_refreshed(struct dram *d, cycle_t now, struct dram_done *done)
{
    return step(d, now, done, d->refresh_at <= now && dram_refresh(d, now));
}

/* The refreshes of an idle channel, and the rows that they close, before cycle `now`. */
static APART void catch_up(struct dram *d, cycle_t now)
{
    struct dram_done none;
    for (cycle_t at; (at = next_event(d)) < now;) step_refreshed(d, at, &none);
}

static APART bool tick_refreshed(struct dram *d, cycle_t now, struct dram_done *done)
{
    catch_up(d, now);
    const bool ended = step_refreshed(d, now, done);
    if (ended) meter_set(&d->meter, dram_pending(d), now);
    d->wake = dram_idle(d) ? NEVER : next_event(d);
    return ended;
}

bool dram_tick(struct dram *d, cycle_t now, struct dram_done *done)
{
    if (d->refreshes) return tick_refreshed(d, now, done);
    const bool ended = step(d, now, done, false);
    if (ended) meter_set(&d->meter, dram_pending(d), now);
    d->wake = d->assign_at < d->command_at ? d->assign_at : d->command_at;
    return ended;
}

void dram_push(struct dram *d, const struct request *request, cycle_t now, cycle_t at)
{
    const struct dram_place place = address_dram(&d->map, request->line, request->bank);
    const struct dram_request r = {
        place.row, {request->token, request->bank, request->kind, request->sectors}, DRAM_NONE, (uint8_t)place.bank};
    const uint32_t was = dram_pending(d);
    if (d->refreshes) catch_up(d, now);
    if (at <= now && queue_has_room_for(d, &r) && !d->delayed.count) {
        enter_queue(d, &r);
        if (!(d->busy >> place.bank & 1)) d->assign_at = now;
    } else {
        dram_fifo_push(&d->delayed, r, at);
        if (d->delayed.count == 1 && can_enter(d)) sooner(&d->assign_at, at);
    }
    if (!d->outstanding && d->count + d->delayed.count == d->capacity) d->room_at = NEVER;
    sooner(&d->wake, d->refreshes ? next_event(d) : d->assign_at);
    if (dram_pending(d) != was) note_entry(d, was, now);
}

void dram_finish(struct dram *d, cycle_t end)
{
    struct dram_stats *s = &d->stats;
    if (d->refreshes) catch_up(d, end);
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
    s->dram_pending_cycles *= d->params->pseudo_channels; /* of each bus, as the cycles that it moves data */
}

bool dram_idle(const struct dram *d) { return dram_in_channel(d) == 0; }

void dram_dump(const struct dram *d, char *text, size_t size)
{
    snprintf(text, size, "dram %u: queue %u, busy banks %llx, wake %lld", d->channel, d->count + d->delayed.count,
             (unsigned long long)d->busy, (long long)d->wake);
}
