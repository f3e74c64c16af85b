/* L1s with their lines and MSHRs, and behind them one L2 and its DRAM: the modelled SMs' share of them. */
#include <math.h>
#include <string.h>
#include "poise/arena.h"
#include "quick.h"

#define NONE UINT32_MAX

/* What an MSHR is of: a line, or the first of the sectors that are missing. */
static uint32_t miss_of(const struct quick_machine *m, uint32_t line, uint32_t missing)
{
    return m->sectored ? line << 2 | ((uint32_t)__builtin_ctz(missing) & 3u) : line;
}

/* ---- servers ---- */

/* Work of `cycles` arrives, and as much from each of the SMs that a modelled one stands for: how long it waits. Theirs
 * comes spread over time, not at once: no work waits behind what came with it. */
static double server_ask(struct quick_server *s, uint64_t now, double cycles, double stands_for)
{
    if (now > s->at) {
        s->waiting -= (double)(now - s->at);
        if (s->waiting < 0) s->waiting = 0;
        s->at = now;
    }
    const double wait = s->waiting - (stands_for - 1) * cycles;
    s->waiting += cycles * stands_for;
    return wait > 0 ? wait : 0;
}

/* ---- L2 ---- */

void quick_l2_new(struct quick_l2 *l2, struct arena *arena, const struct quick_machine *m,
                  const struct gpu_params *params, const struct quick_share *share)
{
    *l2 = (struct quick_l2){.m = m, .share = *share};
    if (arena->base) l2->map = address_map_of(params);
    const double sets = m->l2_sets * share->capacity;
    l2->sets = sets < 1 ? 1 : (uint32_t)(sets + 0.5);
    l2->lines = ARENA_TAKE(arena, struct quick_l2_line, (size_t)m->l2_banks * l2->sets * m->l2_ways);
    l2->banks = ARENA_TAKE(arena, struct quick_server, m->l2_banks);
    l2->channels = ARENA_TAKE(arena, struct quick_server, m->channels);
    l2->row_banks = ARENA_TAKE(arena, struct quick_server, (size_t)m->channels * m->dram_banks);
    l2->rows = ARENA_TAKE(arena, uint32_t, (size_t)m->channels * m->dram_banks);
}

void quick_l2_clear(struct quick_l2 *l2)
{
    memset(l2->lines, 0, sizeof *l2->lines * l2->m->l2_banks * l2->sets * l2->m->l2_ways);
    memset(l2->banks, 0, sizeof *l2->banks * l2->m->l2_banks);
    memset(l2->channels, 0, sizeof *l2->channels * l2->m->channels);
    memset(l2->row_banks, 0, sizeof *l2->row_banks * l2->m->channels * l2->m->dram_banks);
    memset(l2->rows, 0, sizeof *l2->rows * l2->m->channels * l2->m->dram_banks);
    l2->clock = 0;
}

/* Bytes of a line's sectors; whole lines where L2 does not know sectors. */
static uint32_t bytes_of(const struct quick_machine *m, uint32_t sectors)
{
    return m->sectored ? 32 * (uint32_t)__builtin_popcount(sectors) : m->line_bytes;
}

/* What DRAM takes for a line's bytes, its waiting included. */
static double dram(struct quick_memory *mem, uint32_t line, uint32_t bank, uint32_t bytes, uint64_t now, bool write)
{
    struct quick_l2 *l2 = &mem->l2;
    const struct quick_machine *m = l2->m;
    const uint32_t channel = bank % m->channels;
    const struct dram_place place = address_dram(&l2->map, line, bank);
    const uint32_t at = channel * m->dram_banks + place.bank % m->dram_banks;
    const bool is_open = l2->rows[at] == place.row + 1;
    const double burst = bytes / m->channel_bytes, held = is_open ? burst : m->row_cycles;
    const double for_bus = server_ask(&l2->channels[channel], now, burst, l2->share.channels),
                 for_bank = server_ask(&l2->row_banks[at], now, held, l2->share.channels);
    l2->rows[at] = place.row + 1;
    *(write ? &mem->count->dram_writes : &mem->count->dram_reads) += 1;
    return fmax(for_bus, for_bank) + m->dram_latency - (is_open ? m->row_latency : 0);
}

static struct quick_l2_line *find(struct quick_l2 *l2, uint32_t line, uint32_t *bank, bool *hit)
{
    const struct place place = address_l2(&l2->map, line);
    /* fewer sets than the machine's: spread again */
    const uint32_t set =
        l2->sets == l2->m->l2_sets ? place.set : (uint32_t)((line * 0x9e3779b97f4a7c15ull >> 32) % l2->sets);
    struct quick_l2_line *ways = &l2->lines[((size_t)place.bank * l2->sets + set) * l2->m->l2_ways], *victim = ways;
    *bank = place.bank;
    l2->clock++;
    for (uint32_t i = 0; i < l2->m->l2_ways; i++) {
        if (ways[i].present && ways[i].line == line) {
            ways[i].used = l2->clock;
            *hit = true;
            return &ways[i];
        }
        if (!victim->present) continue;
        if (!ways[i].present || ways[i].used < victim->used) victim = &ways[i];
    }
    *hit = false;
    return victim;
}

/* A request for sectors of a line reaches L2 at `now`; returns when its answer leaves for the SM. */
static uint64_t l2_access(struct quick_memory *mem, uint32_t line, uint32_t sectors, uint32_t reply, bool write,
                          uint64_t now)
{
    struct quick_l2 *l2 = &mem->l2;
    const struct quick_machine *m = l2->m;
    uint32_t bank;
    bool hit;
    struct quick_l2_line *at = find(l2, line, &bank, &hit);
    const uint32_t all = m->all_sectors, wanted = m->sectored ? sectors : all;
    const double port = (write ? 32.0 * __builtin_popcount(sectors) : reply) / m->bank_bytes,
                 out = reply ? packet_cycles(m, reply) / m->crossbar_share : 0;
    double wait = server_ask(&l2->banks[bank], now, port > out ? port : out, l2->share.ports);
    mem->count->l2_accesses++;
    if (!hit) {
        if (at->present && at->dirty) (void)dram(mem, at->line, bank, bytes_of(m, at->dirty), now, true);
        *at = (struct quick_l2_line){.line = line, .used = l2->clock, .present = 1};
    }
    const uint32_t missing = wanted & ~at->sectors & (write && !m->reads_on_write ? 0 : all);
    const bool covers = write && sectors == all;
    if (missing && !covers) {
        wait += dram(mem, line, bank, bytes_of(m, missing), now + (uint64_t)wait, false);
        at->ready = now + (uint64_t)wait;
    } else {
        mem->count->l2_hits++;
        if (at->ready > now + (uint64_t)wait) wait = (double)(at->ready - now); /* on its way for another */
    }
    at->sectors |= (uint8_t)wanted;
    if (write) at->dirty |= (uint8_t)sectors;
    return now + (uint64_t)wait;
}

/* ---- L1 ---- */

void quick_l1_new(struct quick_l1 *l1, struct arena *arena, const struct quick_machine *m)
{
    l1->lines = ARENA_TAKE(arena, struct quick_l1_line, (size_t)m->l1_sets * m->l1_ways);
    l1->oldest = ARENA_TAKE(arena, uint32_t, m->l1_sets);
    l1->newest = ARENA_TAKE(arena, uint32_t, m->l1_sets);
    l1->filled = ARENA_TAKE(arena, uint32_t, m->l1_sets);
    line_map_init(&l1->where, arena, m->l1_sets * m->l1_ways);
    line_map_init(&l1->pending, arena, m->l1_mshrs);
    l1->misses = ARENA_TAKE(arena, struct quick_miss, m->l1_mshrs);
    l1->heap = ARENA_TAKE(arena, uint32_t, m->l1_mshrs);
    l1->free = ARENA_TAKE(arena, uint32_t, m->l1_mshrs);
}

void quick_l1_clear(struct quick_l1 *l1, const struct quick_machine *m)
{
    for (uint32_t i = 0; i < m->l1_sets; i++) l1->oldest[i] = l1->newest[i] = NONE, l1->filled[i] = 0;
    for (uint32_t i = 0; i <= l1->where.mask; i++) l1->where.slots[i].line = NO_LINE;
    for (uint32_t i = 0; i <= l1->pending.mask; i++) l1->pending.slots[i].line = NO_LINE;
    for (uint32_t i = 0; i < m->l1_mshrs; i++) l1->free[i] = i;
    l1->n_misses = 0;
    l1->link = 0;
    l1->request_link = 0;
}

/* The list of a set by last use. */
static void unlink_line(struct quick_l1 *l1, uint32_t set, uint32_t i)
{
    const struct quick_l1_line *l = &l1->lines[i];
    *(l->older == NONE ? &l1->oldest[set] : &l1->lines[l->older].newer) = l->newer;
    *(l->newer == NONE ? &l1->newest[set] : &l1->lines[l->newer].older) = l->older;
}
static void link_newest(struct quick_l1 *l1, uint32_t set, uint32_t i)
{
    l1->lines[i].older = l1->newest[set];
    l1->lines[i].newer = NONE;
    *(l1->newest[set] == NONE ? &l1->oldest[set] : &l1->lines[l1->newest[set]].newer) = i;
    l1->newest[set] = i;
}
static void link_oldest(struct quick_l1 *l1, uint32_t set, uint32_t i)
{
    l1->lines[i].newer = l1->oldest[set];
    l1->lines[i].older = NONE;
    *(l1->oldest[set] == NONE ? &l1->newest[set] : &l1->lines[l1->oldest[set]].older) = i;
    l1->oldest[set] = i;
}

static void sift_down(struct quick_l1 *l1, uint32_t k)
{
    for (uint32_t child; (child = 2 * k + 1) < l1->n_misses; k = child) {
        if (child + 1 < l1->n_misses && l1->misses[l1->heap[child + 1]].ready < l1->misses[l1->heap[child]].ready)
            child++;
        if (l1->misses[l1->heap[k]].ready <= l1->misses[l1->heap[child]].ready) return;
        const uint32_t other = l1->heap[k];
        l1->heap[k] = l1->heap[child];
        l1->heap[child] = other;
    }
}
static void add_miss(struct quick_l1 *l1, uint32_t key, uint32_t sectors, uint64_t ready)
{
    const uint32_t i = l1->free[l1->n_misses];
    l1->misses[i] = (struct quick_miss){.ready = ready, .key = key, .waiting = 1, .sectors = (uint8_t)sectors};
    line_map_add(&l1->pending, key, i);
    uint32_t k = l1->n_misses++;
    for (uint32_t parent; k && l1->misses[l1->heap[parent = (k - 1) / 2]].ready > ready; k = parent)
        l1->heap[k] = l1->heap[parent];
    l1->heap[k] = i;
}
/* MSHRs whose data has come are free again. */
static void retire(struct quick_l1 *l1, uint64_t now)
{
    while (l1->n_misses && l1->misses[l1->heap[0]].ready <= now) {
        const uint32_t i = l1->heap[0];
        line_map_remove(&l1->pending, l1->misses[i].key);
        l1->heap[0] = l1->heap[--l1->n_misses];
        l1->free[l1->n_misses] = i;
        sift_down(l1, 0);
    }
}

/* What the line has by now. */
static void settle(struct quick_l1_line *l, uint64_t now)
{
    if (!l->coming || l->ready > now) return;
    l->sectors |= l->coming;
    l->coming = 0;
}

/* The line that a miss takes: an empty one, or the least recently used of those that wait for nothing. NONE: all do,
 * *at being when the first of them has its data. */
static uint32_t victim(struct quick_l1 *l1, const struct quick_machine *m, uint32_t set, uint64_t now, uint64_t *at)
{
    if (l1->filled[set] < m->l1_ways) {
        const uint32_t i = set * m->l1_ways + l1->filled[set]++;
        l1->lines[i] = (struct quick_l1_line){.line = NO_LINE};
        link_oldest(l1, set, i);
        return i;
    }
    *at = QUICK_NEVER;
    for (uint32_t i = l1->oldest[set]; i != NONE; i = l1->lines[i].newer) {
        settle(&l1->lines[i], now);
        if (!l1->lines[i].coming) return i;
        if (l1->lines[i].ready < *at) *at = l1->lines[i].ready;
    }
    return NONE;
}
static void take(struct quick_l1 *l1, uint32_t set, uint32_t i, uint32_t line)
{
    struct quick_l1_line *l = &l1->lines[i];
    if (l->line != NO_LINE) line_map_remove(&l1->where, l->line);
    unlink_line(l1, set, i);
    l->line = line;
    l->sectors = l->coming = 0;
    l->ready = 0;
    link_newest(l1, set, i);
    line_map_add(&l1->where, line, i);
}

/* A packet goes to L2; returns when it is there, *t waits where more do not fit into the queue of misses. */
static uint64_t send(struct quick_l1 *l1, const struct quick_machine *m, uint32_t bytes, uint64_t *t)
{
    const double cycles = request_cycles(m, bytes),
                 begin = l1->request_link > (double)*t ? l1->request_link : (double)*t;
    l1->request_link = begin + cycles;
    const double waiting = (l1->request_link - (double)*t) / cycles - m->miss_queue;
    const uint64_t there = (uint64_t)begin;
    if (waiting > 0) *t += (uint64_t)(waiting * cycles);
    return there;
}
/* The answer takes the SM's port of the crossbar. */
static uint64_t receive(struct quick_memory *mem, struct quick_l1 *l1, uint32_t bytes, uint64_t at)
{
    const uint64_t begin = at > l1->link ? at : l1->link;
    l1->link = begin + (uint64_t)(packet_cycles(mem->m, bytes) + 0.5);
    mem->count->reply_bytes += bytes;
    return begin;
}

static uint64_t fetch(struct quick_memory *mem, struct quick_l1 *l1, uint32_t line, uint32_t sectors, uint64_t *t)
{
    const struct quick_machine *m = mem->m;
    const uint32_t bytes = 32 * (uint32_t)__builtin_popcount(sectors);
    const uint64_t sent = send(l1, m, 0, t), left = l2_access(mem, line, sectors, bytes, false, sent);
    return receive(mem, l1, bytes, left + (uint64_t)m->l2_latency);
}

static uint32_t set_of(const struct quick_machine *m, uint32_t line)
{
    if (m->l1_index == FERMI_INDEX) return fermi_index(line, m->l1_sets);
    return m->l1_index == HASH_INDEX ? hash_index(line, m->l1_sets) : line % m->l1_sets;
}

/* A miss of a line that nothing is on its way for: an MSHR, and a line where it pollutes. False: not now, *t is when to
 * ask again. */
static bool miss(struct quick_memory *mem, struct quick_l1 *l1, uint32_t line, uint32_t missing, bool pollutes,
                 uint64_t *t, uint64_t *ready)
{
    const struct quick_machine *m = mem->m;
    const uint32_t set = set_of(m, line);
    const int at = line_map_find(&l1->where, line);
    uint32_t way = at < 0 ? NONE : (uint32_t)at;
    uint64_t later = 0;
    if (l1->n_misses == m->l1_mshrs) return *t = l1->misses[l1->heap[0]].ready, false;
    if (pollutes && way == NONE && (way = victim(l1, m, set, *t, &later)) == NONE && !m->streaming)
        return *t = later, false;
    const uint32_t sectors = pollutes && !m->sectored ? m->all_sectors : missing;
    (*t)++;
    *ready = fetch(mem, l1, line, sectors, t);
    add_miss(l1, miss_of(m, line, missing), sectors, *ready);
    if (!pollutes || way == NONE) return true;
    if (at < 0) take(l1, set, way, line);
    l1->lines[way].coming |= (uint8_t)sectors;
    if (*ready > l1->lines[way].ready) l1->lines[way].ready = *ready;
    return true;
}

uint64_t quick_load(struct quick_memory *mem, struct quick_l1 *l1, plan_request request, bool pollutes, bool passes_l1,
                    uint64_t *t)
{
    const uint32_t line = REQUEST_LINE(request), wanted = REQUEST_SECTORS(request);
    if (passes_l1) return *t += 1, fetch(mem, l1, line, wanted, t);
    mem->count->l1_accesses++;
    for (uint64_t ready;;) {
        retire(l1, *t);
        const int at = line_map_find(&l1->where, line);
        uint32_t missing = wanted;
        if (at >= 0) {
            settle(&l1->lines[at], *t);
            missing &= ~(uint32_t)l1->lines[at].sectors;
            unlink_line(l1, set_of(mem->m, line), (uint32_t)at);
            link_newest(l1, set_of(mem->m, line), (uint32_t)at);
        }
        if (!missing) {
            mem->count->l1_hits++;
            return (*t)++ + mem->m->l1_latency;
        }
        const int before = line_map_find(&l1->pending, miss_of(mem->m, line, missing));
        if (before < 0) {
            if (miss(mem, l1, line, missing, pollutes, t, &ready)) return ready;
            continue;
        }
        struct quick_miss *other = &l1->misses[before];
        if (other->waiting < mem->m->l1_merge && !(missing & ~other->sectors)) {
            other->waiting++;
            (*t)++;
            return other->ready;
        }
        *t = other->ready;
    }
}

uint64_t quick_atomic(struct quick_memory *mem, struct quick_l1 *l1, plan_request request, uint64_t *t)
{
    (*t)++;
    const uint64_t sent = send(l1, mem->m, 32, t);
    const uint64_t left = l2_access(mem, REQUEST_LINE(request), REQUEST_SECTORS(request), 32, false, sent);
    return receive(mem, l1, 32, left + (uint64_t)mem->m->l2_latency);
}

void quick_store(struct quick_memory *mem, struct quick_l1 *l1, plan_request request, uint64_t *t)
{
    const struct quick_machine *m = mem->m;
    const uint32_t line = REQUEST_LINE(request), sectors = REQUEST_SECTORS(request);
    const int at = line_map_find(&l1->where, line);
    (*t)++;
    if (at >= 0 && m->evicts_on_write && l1->lines[at].ready <= *t) { /* one on its way stays */
        const uint32_t set = set_of(m, line);
        line_map_remove(&l1->where, line);
        unlink_line(l1, set, (uint32_t)at);
        l1->lines[at].line = NO_LINE;
        link_oldest(l1, set, (uint32_t)at);
    }
    l2_access(mem, line, sectors, 0, true, send(l1, m, 32 * (uint32_t)__builtin_popcount(sectors), t));
}
