/* Copies that read fewer bytes than they write, and barriers in shared memory. A barrier is a word: arrivals that a
 * phase expects (20 bits), arrivals that it still waits for (20), bytes of copies that it still waits for (22, signed),
 * and the phase's parity (the top bit). */
#include <string.h>
#include "exec/exec.h"
#include "exec/lane_macros.h"

#define COUNT_MASK 0xfffffu
#define PENDING_AT 20
#define BYTES_AT 40
#define BYTES_MASK 0x3fffffu
#define PHASE_AT 63

int exec_load_part(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    uint64_t addresses[LANES];
    lane_addresses(w, u, mask, addresses);
    record_addresses(w, u, mask, addresses);
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        unsigned char bytes[16] = {0};
        uint32_t n, most = (uint32_t)u->bytes * u->n_vec;
        memcpy(&n, w->regs + u->c + (u->op ? 0 : l * 4), 4);
        if (u->op) n = (u->flags & UOP_C_NOT ? ~n : n) >> l & 1 ? 0 : most;
        if (n > most) return run_fault(r, w, u, l, "%u bytes of a copy of %u", n, most);
        const unsigned char *from = n ? lane_memory(r, w, u, l, addresses[l], n) : bytes;
        if (!from) return -1;
        memcpy(bytes, from, n);
        for (uint32_t v = 0; v < u->n_vec; v++) memcpy(w->regs + u->vec[v] + l * 4, bytes + v * 4, 4);
    }
    return 0;
}

struct mbarrier {
    uint32_t expected, pending, phase;
    int32_t bytes;
};

static struct mbarrier unpack(uint64_t word)
{
    const uint32_t bytes = word >> BYTES_AT & BYTES_MASK;
    return (struct mbarrier){.expected = (uint32_t)word & COUNT_MASK,
                             .pending = (uint32_t)(word >> PENDING_AT) & COUNT_MASK,
                             .phase = (uint32_t)(word >> PHASE_AT),
                             .bytes = (int32_t)(bytes << 10) / 1024};
}

static uint64_t pack(const struct mbarrier *b)
{
    return b->expected | (uint64_t)b->pending << PENDING_AT | ((uint64_t)(uint32_t)b->bytes & BYTES_MASK) << BYTES_AT |
           (uint64_t)b->phase << PHASE_AT;
}

static uint32_t lane_word(const struct warp *w, uint32_t slot, uint32_t lane)
{
    uint32_t x;
    memcpy(&x, w->regs + slot + lane * 4, 4);
    return x;
}

static int change(struct run *r, struct warp *w, const struct uop *u, uint32_t lane, struct mbarrier *b)
{
    if (u->op == MBARRIER_INIT) {
        const uint32_t n = lane_word(w, u->b, lane);
        if (!n || n > COUNT_MASK)
            return run_fault(r, w, u, lane, "a barrier of %u arrivals, there are 1 to 1048575", n);
        *b = (struct mbarrier){.expected = n, .pending = n};
        return 0;
    }
    if (u->c != NO_SLOT) {
        const int64_t n = lane_word(w, u->c, lane), sum = u->op == MBARRIER_COMPLETE ? b->bytes - n : b->bytes + n;
        if (sum > (int64_t)COUNT_MASK || sum < -(int64_t)COUNT_MASK)
            return run_fault(r, w, u, lane, "the barrier would wait for %lld bytes, at most 1048575 either way",
                             (long long)sum);
        b->bytes = (int32_t)sum;
    }
    if (u->op == MBARRIER_ARRIVE || u->op == MBARRIER_ARRIVE_DROP) {
        const uint32_t n = lane_word(w, u->b, lane);
        if (n > b->pending)
            return run_fault(r, w, u, lane, "%u arrivals at a barrier that waits for %u", n, b->pending);
        b->pending -= n;
        if (u->op == MBARRIER_ARRIVE_DROP) b->expected -= n;
    }
    if (!b->pending && !b->bytes) {
        b->phase ^= 1;
        b->pending = b->expected;
    }
    return 0;
}

static int barrier_space(struct run *r, struct warp *w, const struct uop *u, enum space space, uint32_t mask,
                         uint64_t addresses[LANES])
{
    const bool waits = u->op == MBARRIER_WAIT || u->op == MBARRIER_WAIT_PARITY;
    if (to_host(r, w, u, space, mask, 8, addresses) < 0) return -1;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        uint64_t word;
        memcpy(&word, (const void *)(uintptr_t)addresses[l], 8);
        struct mbarrier b = unpack(word);
        if (waits) {
            uint64_t state = lane_word(w, u->b, u->op == MBARRIER_WAIT ? 0 : l);
            if (u->op == MBARRIER_WAIT) memcpy(&state, w->regs + u->b + l * 8, 8);
            const uint32_t phase = (uint32_t)(u->op == MBARRIER_WAIT ? state >> PHASE_AT : state & 1);
            uint32_t done;
            memcpy(&done, w->regs + u->d, 4);
            done = b.phase != phase ? done | 1u << l : done & ~(1u << l);
            memcpy(w->regs + u->d, &done, 4);
            if (b.phase == phase) r->stop = r->counts.warp_insts; /* others must come first */
            continue;
        }
        if (u->op == MBARRIER_INVAL) continue;
        if (change(r, w, u, l, &b) < 0) return -1;
        if (u->d != NO_SLOT) memcpy(w->regs + u->d + l * 8, &word, 8);
        word = pack(&b);
        memcpy((void *)(uintptr_t)addresses[l], &word, 8);
        r->changed = r->counts.warp_insts;
    }
    return 0;
}

int exec_mbarrier(struct run *r, struct warp *w, const struct uop *u, uint32_t mask)
{
    uint64_t addresses[LANES];
    if (u->op == MBARRIER_PENDING) {
        for (uint32_t left = mask; left; left &= left - 1) {
            const uint32_t l = (uint32_t)__builtin_ctz(left);
            uint64_t state;
            memcpy(&state, w->regs + u->b + l * 8, 8);
            const uint32_t n = unpack(state).pending;
            memcpy(w->regs + u->d + l * 4, &n, 4);
        }
        return 0;
    }
    lane_addresses(w, u, mask, addresses);
    record_addresses(w, u, mask, addresses);
    if (!r->waits) return each_space(r, w, u, mask, addresses, barrier_space);
    waits_begin_access(r, w, u, mask, addresses);
    const int rc = each_space(r, w, u, mask, addresses, barrier_space);
    waits_end_access(r, w);
    return rc;
}
