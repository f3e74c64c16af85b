#include "plan/coalesce.h"

#include <string.h>

/* ---- addresses ---- */

static bool is_contiguous(uint32_t mask) { return ((mask + (mask & -mask)) & mask) == 0; }

static uint32_t lowest(uint32_t mask) { return (uint32_t)__builtin_ctz(mask); }

uint32_t lanes_read_scattered(struct lanes *a, const uint32_t *words, uint32_t mask)
{
    const bool is_near = words[0] == TRACE_ACCESS_SCATTER32;
    a->mask = mask;
    a->is_straight = false;
    a->base = (uint64_t)words[2] << 32 | words[1];
    a->low = is_near ? a->base : 0;
    a->high = is_near && a->base <= UINT64_MAX - UINT32_MAX ? a->base + UINT32_MAX : UINT64_MAX;
    return trace_access_decode(words, mask, a->addresses);
}

void lanes_wrap(struct lanes *a)
{
    lanes_spread(a);
    a->low = 0;
    a->high = UINT64_MAX;
}

void lanes_spread(struct lanes *a)
{
    if (!a->is_straight) return;
    const uint32_t first = lowest(a->mask);
    for (uint32_t l = 0; l < TRACE_LANES; l++) a->addresses[l] = a->base + (uint64_t)(l - first) * a->stride;
    a->is_straight = false;
}

/* ---- lines ---- */

struct found {
    uint64_t *lines;
    uint32_t *chunks;
    uint32_t n, shift, chunk_shift;
};

/* The chunks that bytes from..to touch in a line. */
static uint32_t touched(const struct found *f, uint64_t line, uint64_t from, uint64_t to)
{
    const uint64_t start = line << f->shift, end = start + (1u << f->shift) - 1;
    const uint32_t first = (uint32_t)((from > start ? from : start) - start) >> f->chunk_shift;
    const uint32_t last = (uint32_t)((to < end ? to : end) - start) >> f->chunk_shift;
    return (uint32_t)((2ull << last) - (1ull << first));
}

/* The same of bytes within a line, of which `start` is the first. */
static inline uint32_t within(const struct found *f, uint32_t start, uint32_t bytes)
{
    return (2u << ((start + bytes - 1) >> f->chunk_shift)) - (1u << (start >> f->chunk_shift));
}

static void add(struct found *f, uint64_t line, uint32_t chunks)
{
    f->lines[f->n] = line;
    f->chunks[f->n++] = chunks;
}

/* Bytes from..to are touched without a gap that a chunk would fit into. */
static void span(struct found *f, uint64_t from, uint64_t to)
{
    for (uint64_t line = from >> f->shift; line <= to >> f->shift; line++) add(f, line, touched(f, line, from, to));
}

/* Lanes one behind the other, up or down, of at most two lines each: a line that was there before is one of the last
 * three. */
static void in_order(struct found *f, const struct lanes *a, uint32_t bytes)
{
    const uint32_t first = lowest(a->mask);
    for (uint32_t left = a->mask; left; left &= left - 1) {
        const uint64_t from = a->base + (uint64_t)(lowest(left) - first) * a->stride, to = from + bytes - 1;
        for (uint64_t line = from >> f->shift; line <= to >> f->shift; line++) {
            uint32_t k = f->n;
            const uint32_t stop = k > 3 ? k - 3 : 0;
            while (k > stop && f->lines[k - 1] != line) k--;
            if (k > stop) f->chunks[k - 1] |= touched(f, line, from, to);
            else add(f, line, touched(f, line, from, to));
        }
    }
}

/* The same of lanes that are each within a line: one that was there before is the last. */
static void in_order_within(struct found *found, const struct lanes *a, uint32_t bytes)
{
    struct found f = *found; /* in registers */
    const uint32_t first = lowest(a->mask), line_bytes = 1u << f.shift;
    uint64_t last = UINT64_MAX;
    for (uint32_t left = a->mask; left; left &= left - 1) {
        const uint64_t from = a->base + (uint64_t)(lowest(left) - first) * a->stride, line = from >> f.shift;
        const uint32_t chunks = within(&f, (uint32_t)from & (line_bytes - 1), bytes);
        if (line == last) f.chunks[f.n - 1] |= chunks;
        else add(&f, line, chunks);
        last = line;
    }
    found->n = f.n;
}

/* Lanes whole lines apart, each within its line. */
static void apart(struct found *f, const struct lanes *a, uint32_t bytes)
{
    const uint32_t first = lowest(a->mask), start = (uint32_t)a->base & ((1u << f->shift) - 1);
    const uint32_t chunks = touched(f, 0, start, start + bytes - 1);
    for (uint32_t left = a->mask; left; left &= left - 1)
        add(f, (a->base + (uint64_t)(lowest(left) - first) * a->stride) >> f->shift, chunks);
}

/* Lines that have been found, by a small hash table of their numbers from 1 on. */
enum { SLOTS = 2 * COALESCE_MAX, SLOT_BITS = 7 };
struct seen {
    uint8_t at[SLOTS];
    uint32_t begin; /* of `found` */
};

static inline void add_once(struct found *f, struct seen *seen, uint64_t line, uint32_t chunks)
{
    uint32_t slot = (uint32_t)(line * 0x9e3779b97f4a7c15ull >> (64 - SLOT_BITS)), k;
    while ((k = seen->at[slot]) && f->lines[seen->begin + k - 1] != line) slot = (slot + 1) % SLOTS;
    if (k) {
        f->chunks[seen->begin + k - 1] |= chunks;
    } else {
        add(f, line, chunks);
        seen->at[slot] = (uint8_t)(f->n - seen->begin);
    }
}

/* Lanes anywhere, most of them each within a line. */
static void anywhere(struct found *found, const uint64_t *addresses, uint32_t mask, uint32_t bytes)
{
    struct found f = *found; /* in registers */
    struct seen seen = {.begin = f.n};
    const uint32_t line_bytes = 1u << f.shift;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint64_t from = addresses[lowest(left)], to = from + bytes - 1;
        const uint32_t start = (uint32_t)from & (line_bytes - 1);
        if (start + bytes <= line_bytes) {
            add_once(&f, &seen, from >> f.shift, within(&f, start, bytes));
            continue;
        }
        for (uint64_t line = from >> f.shift; line <= to >> f.shift; line++)
            add_once(&f, &seen, line, touched(&f, line, from, to));
    }
    found->n = f.n;
}

static bool is_span(const struct lanes *a, uint32_t chunk_bytes)
{
    return a->is_straight && (a->stride == 0 || (a->stride <= chunk_bytes && is_contiguous(a->mask)));
}

static bool is_apart(const struct lanes *a, uint32_t bytes, uint32_t line_bytes)
{
    return a->is_straight && (a->stride & (line_bytes - 1)) == 0 && (a->base & (line_bytes - 1)) + bytes <= line_bytes;
}

/* Addresses whose bits are all among these are multiples of the bytes of a lane, and no lane is in two lines. */
static bool are_aligned(uint64_t bits, uint32_t bytes, uint32_t line_bytes)
{
    return (bytes & (bytes - 1)) == 0 && bytes <= line_bytes && (bits & (bytes - 1)) == 0;
}

uint32_t coalesce_count(const struct lanes *a, uint32_t bytes, uint32_t line_bytes)
{
    const uint32_t shift = (uint32_t)__builtin_ctz(line_bytes);
    if (is_span(a, 1u << shift)) return (uint32_t)(((a->high + bytes - 1) >> shift) - (a->low >> shift)) + 1;
    return is_apart(a, bytes, line_bytes) ? (uint32_t)__builtin_popcount(a->mask) : 0;
}

uint32_t coalesce_bound(struct lanes *a, uint32_t bytes, uint32_t line_bytes)
{
    uint64_t any = a->base | a->stride;
    if (!a->is_straight) {
        any = a->high = 0;
        a->low = UINT64_MAX;
        for (uint32_t left = a->mask; left; left &= left - 1) {
            const uint64_t at = a->addresses[lowest(left)];
            any |= at;
            a->low = at < a->low ? at : a->low;
            a->high = at > a->high ? at : a->high;
        }
    }
    if (a->high > UINT64_MAX - bytes) return 0;
    const uint32_t lines = are_aligned(any, bytes, line_bytes) ? 1 : (bytes + line_bytes - 2) / line_bytes + 1;
    return lines * (uint32_t)__builtin_popcount(a->mask);
}

static struct found nothing_found(struct coalesced *out, uint32_t line_bytes, uint32_t chunk_bytes)
{
    return (struct found){out->lines, out->chunks, 0, (uint32_t)__builtin_ctz(line_bytes),
                          (uint32_t)__builtin_ctz(chunk_bytes)};
}

uint32_t coalesce(struct coalesced *out, struct lanes *a, uint32_t bytes, uint32_t line_bytes, uint32_t chunk_bytes)
{
    struct found f = nothing_found(out, line_bytes, chunk_bytes);
    if (is_span(a, chunk_bytes)) {
        span(&f, a->low, a->high + bytes - 1);
    } else if (is_apart(a, bytes, line_bytes)) {
        apart(&f, a, bytes);
    } else if (a->is_straight && are_aligned(a->base | a->stride, bytes, line_bytes)) {
        in_order_within(&f, a, bytes);
    } else if (a->is_straight && bytes <= line_bytes) {
        in_order(&f, a, bytes);
    } else {
        lanes_spread(a);
        anywhere(&f, a->addresses, a->mask, bytes);
    }
    return f.n;
}

/* Each lane goes in the first round in which no lane before it touches its bytes. */
uint32_t coalesce_atomic(struct coalesced *out, struct lanes *a, uint32_t bytes, uint32_t line_bytes,
                         uint32_t chunk_bytes)
{
    struct found f = nothing_found(out, line_bytes, chunk_bytes);
    lanes_spread(a);
    for (uint32_t left = a->mask; left;) {
        uint32_t round = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            const uint32_t lane = lowest(rest);
            bool conflicts = false;
            for (uint32_t k = round; k && !conflicts; k &= k - 1) {
                const uint64_t x = a->addresses[lane], y = a->addresses[lowest(k)];
                conflicts = x < y + bytes && y < x + bytes;
            }
            if (!conflicts) round |= 1u << lane;
        }
        anywhere(&f, a->addresses, round, bytes);
        left &= ~round;
    }
    return f.n;
}

bool lanes_cover_sectors(const struct lanes *lanes, uint32_t bytes)
{
    const uint32_t from_lowest = lanes->mask >> __builtin_ctz(lanes->mask);
    if (lanes->is_straight)
        return lanes->stride == bytes && !(from_lowest & (from_lowest + 1)) && lanes->low % 32 == 0 &&
               (lanes->high + bytes) % 32 == 0;
    uint64_t end = 0; /* of what the lanes before touch */
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        const uint64_t at = lanes->addresses[__builtin_ctz(left)];
        if (at != end && (at < end || at % 32 || end % 32)) return false;
        end = at + bytes;
    }
    return end % 32 == 0;
}

/* ---- shared memory and constants ---- */

/* Words that have been given, of each bank a list. */
struct words {
    uint64_t seen[TRACE_LANES * 16];
    uint16_t before[TRACE_LANES * 16], last[TRACE_LANES]; /* counted from 1 */
    uint32_t n;
};
/* The words of these lanes that have not been given before: the most that one bank has of them. */
static uint32_t passes_of(struct words *w, const uint64_t *addresses, uint32_t mask, uint32_t words_a_lane,
                          uint32_t banks)
{
    uint32_t per_bank[TRACE_LANES] = {0}, worst = 0;
    for (uint32_t left = mask; left; left &= left - 1)
        for (uint32_t word = 0; word < words_a_lane; word++) {
            const uint64_t at = addresses[lowest(left)] / 4 + word;
            const uint32_t bank = (uint32_t)(at % banks);
            uint32_t k = w->last[bank];
            while (k && w->seen[k - 1] != at) k = w->before[k - 1];
            if (k) continue;
            w->seen[w->n] = at;
            w->before[w->n] = w->last[bank];
            w->last[bank] = (uint16_t)++w->n;
            if (++per_bank[bank] > worst) worst = per_bank[bank];
        }
    return worst;
}

uint32_t shared_passes(struct lanes *a, uint32_t bytes, uint32_t banks)
{
    const uint32_t words_a_lane = bytes > 4 ? (bytes + 3) / 4 : 1;
    const uint32_t part = words_a_lane < TRACE_LANES ? TRACE_LANES / words_a_lane : 1;
    if (a->is_straight && a->stride == 0) return (words_a_lane + banks - 1) / banks;
    if (a->is_straight && a->stride == 4 && words_a_lane == 1 && banks >= TRACE_LANES) return 1;
    lanes_spread(a);
    struct words words;
    memset(words.last, 0, sizeof words.last);
    words.n = 0;
    uint32_t passes = 0;
    for (uint32_t first = 0; first < TRACE_LANES; first += part) {
        const uint32_t lanes = (uint32_t)(((1ull << part) - 1) << first);
        passes += passes_of(&words, a->addresses, a->mask & lanes, words_a_lane, banks);
    }
    return passes;
}

/* All lanes that take part name what the lane beside them at this distance does, if that takes part. */
static bool are_pairs(const struct lanes *a, uint32_t distance)
{
    for (uint32_t left = a->mask; left; left &= left - 1) {
        const uint32_t lane = lowest(left), other = lane ^ distance;
        if (a->mask >> other & 1 && a->addresses[lane] != a->addresses[other]) return false;
    }
    return true;
}

uint32_t shared_return_passes(struct lanes *a, uint32_t bytes)
{
    const uint32_t registers = bytes > 4 ? (bytes + 3) / 4 : 1;
    if (registers == 1) return 1;
    lanes_spread(a);
    return are_pairs(a, 1) || are_pairs(a, 2) ? (registers + 1) / 2 : registers;
}

uint32_t distinct_addresses(struct lanes *a)
{
    if (a->is_straight) return a->stride == 0 ? 1 : (uint32_t)__builtin_popcount(a->mask);
    uint32_t n = 0;
    for (uint32_t left = a->mask; left; left &= left - 1) {
        const uint64_t at = a->addresses[lowest(left)];
        bool is_new = true;
        for (uint32_t k = a->mask & ((left & -left) - 1); k && is_new; k &= k - 1)
            is_new = a->addresses[lowest(k)] != at;
        n += is_new;
    }
    return n;
}
