/* One direction of a network, at its ends: the inputs whose head packet waits, and for which output; the outputs that
 * can take a packet; and when either may be granted again. Whatever is between the ends is the network's own (net.h).
 * Buffers are the queues at both ends: a packet leaves its input queue when it is granted, and needs room at its
 * output. Each output takes the inputs that wait for it in turn, round robin.
 *
 * Ports are bits: a cycle looks only at outputs that are free, have room, and are wanted by an input that is free. */
#ifndef GPU_PORTS_H
#define GPU_PORTS_H
#include "net/agenda.h"
#include "net/clock.h"
#include "poise/arena.h"

enum { PORT_WORDS = AGENDA_WORDS, PORTS_MAX = 64 * PORT_WORDS, PORT_NONE = PORTS_MAX };
enum port_side { PORT_IN, PORT_OUT, PORT_SIDES };
/* When the ports of a word become free: slots of a wheel, one a switch cycle. What is further away stands in the last
 * slot, and is `late`. */
struct port_wheel {
    cycle_t from;              /* the first cycle not yet taken, */
    uint64_t soon[PORT_SIDES]; /* and what becomes free in it without standing in a slot */
    uint64_t late[PORT_SIDES];
    struct wheel_slots slots[PORT_SIDES];
};
struct ports {
    uint32_t *turn;               /* of each output: the input whose turn it is */
    uint32_t *target;             /* of each input whose head packet waits: the output that it wants */
    uint64_t *wanted;             /* of each output, in_words each: the inputs whose head packet wants it */
    cycle_t *free_at[PORT_SIDES]; /* of each port: may be granted again; in switch cycles, link cycles times speedup */
    struct bits free_in, free_out;
    struct bits waiting;                              /* inputs whose head packet wants an output */
    struct bits room;                                 /* outputs whose queue can take a packet */
    uint64_t ready[PORT_WORDS];                       /* outputs that a free input wants */
    uint32_t n_in, n_out, in_words, out_words, words; /* words of the bit sets above that are in use; of either */
    uint32_t n_waiting;
    uint32_t speedup; /* switch cycles, in which packets are granted, in one of the network's clock: of its links */
    bool wanders;     /* a cycle begins with another output each time: what one takes, others do not have */
    cycle_t link_now; /* the link cycle */
    struct port_wheel *wheels;
    struct clocks *clocks; /* of the machine, which have the network run */
    void *own;             /* what the network keeps between the ends; NULL: nothing */
};
void ports_init(struct ports *p, uint32_t n_in, uint32_t n_out, struct arena *arena);
static inline uint64_t *ports_wanted_of(const struct ports *p, uint32_t out)
{
    return p->wanted + (size_t)out * p->in_words;
}
/* The head packet of `in` (after a push into an empty queue, or after a grant) wants `out`. */
static inline void ports_want(struct ports *p, uint32_t in, uint32_t out)
{
    ports_wanted_of(p, out)[in / 64] |= 1ull << in % 64;
    bits_set(&p->waiting, in);
    p->target[in] = out;
    p->n_waiting++;
    p->ready[out / 64] |= (uint64_t)bits_has(&p->free_in, in) << out % 64;
}
static inline bool ports_wants(const struct ports *p, uint32_t in) { return bits_has(&p->waiting, in); }
/* Of a queue that an output gives to (net/queue.h), and that keeps its room; of one that an input takes from. */
#define PORTS_OUTPUT(p, out) .room = &(p)->room.word[(out) / 64], .output = 1ull << (out) % 64
#define PORTS_INPUT(p, in) .ports = (p), .input = (in)
static inline bool ports_wanted(const struct ports *p) { return p->n_waiting != 0; }

/* The port, a bit of word w, may be granted again from `at` on. */
static inline void ports_free_at(struct ports *p, enum port_side side, uint32_t w, uint64_t bit, cycle_t at)
{
    struct port_wheel *wheel = &p->wheels[w];
    cycle_t slot = at;
    if (at == wheel->from) {
        wheel->soon[side] |= bit;
        return;
    }
    if (at - wheel->from >= WHEEL_SLOTS) {
        p->free_at[side][64 * w + (uint32_t)__builtin_ctzll(bit)] = at;
        wheel->late[side] |= bit;
        slot = wheel->from + WHEEL_SLOTS - 1;
    }
    wheel_slots_put(&wheel->slots[side], bit, slot);
}
/* Of ports that were due by the wheel at `now`, those that really are; the others are put into it again. */
uint64_t ports_late(struct ports *p, enum port_side side, uint32_t w, uint64_t due, cycle_t now);
/* The ports of one side of a word that become free up to `now`. */
static inline uint64_t ports_take(struct port_wheel *wheel, enum port_side side, cycle_t now)
{
    const uint64_t soon = wheel->soon[side];
    wheel->soon[side] = 0;
    return soon | wheel_slots_take_until(&wheel->slots[side], wheel->from, now);
}
/* Begins switch cycle `now` of link cycle `link_now`: ports become free. May be left out while nobody waits. */
static inline void ports_begin(struct ports *p, cycle_t now, cycle_t link_now)
{
    p->link_now = link_now;
    for (uint32_t w = 0; w < p->words; w++) {
        struct port_wheel *wheel = &p->wheels[w];
        uint64_t in = ports_take(wheel, PORT_IN, now), out = ports_take(wheel, PORT_OUT, now);
        wheel->from = now + 1;
        if (in & wheel->late[PORT_IN]) in = ports_late(p, PORT_IN, w, in, now);
        if (out & wheel->late[PORT_OUT]) out = ports_late(p, PORT_OUT, w, out, now);
        p->free_out.word[w] |= out;
        p->free_in.word[w] |= in;
        for (in &= p->waiting.word[w]; in; in &= in - 1) {
            const uint32_t target = p->target[64 * w + (uint32_t)__builtin_ctzll(in)];
            p->ready[target / 64] |= 1ull << target % 64;
        }
    }
}
/* The head packet of input `in` comes at the end of its queue only in switch cycle `at`. */
static inline void ports_hold(struct ports *p, uint32_t in, cycle_t at)
{
    const uint64_t bit = 1ull << in % 64;
    cycle_t *free_at = &p->free_at[PORT_IN][in];
    uint64_t *late = &p->wheels[in / 64].late[PORT_IN];
    if (p->free_in.word[in / 64] & bit) {
        p->free_in.word[in / 64] &= ~bit;
        ports_free_at(p, PORT_IN, in / 64, bit, at);
    } else { /* looked at again when its last packet has left */
        if (!(*late & bit) || *free_at < at) *free_at = at;
        *late |= bit;
    }
}
/* The head packet of `in` wants `out`, and the network runs in its next cycle, */
static inline void ports_offer(struct ports *p, uint32_t in, uint32_t out)
{
    ports_want(p, in, out);
    clocks_poke_next(p->clocks, DOMAIN_XBAR);
}
/* or from the cycle on in which the packet is there, `at` of domain `from`. */
static inline void ports_offer_from(struct ports *p, uint32_t in, uint32_t out, enum domain from, cycle_t at)
{
    const cycle_t first = clocks_convert(p->clocks, DOMAIN_XBAR, from, at);
    ports_hold(p, in, first * p->speedup);
    ports_want(p, in, out);
    clocks_poke(p->clocks, DOMAIN_XBAR, first);
}
/* The first switch cycle from `next` on in which anything can be granted, for all that is known; NEVER: nobody
 * waits. */
static inline cycle_t ports_next(const struct ports *p, cycle_t next)
{
    cycle_t first = NEVER;
    uint64_t ready = 0;
    if (!p->n_waiting) return NEVER;
    for (uint32_t w = 0; w < p->out_words; w++) ready |= p->ready[w];
    if (ready) return next;
    for (uint32_t w = 0; w < p->in_words; w++) {
        const struct port_wheel *wheel = &p->wheels[w];
        if (wheel->soon[PORT_IN]) return next;
        const uint64_t busy = wheel->slots[PORT_IN].busy | wheel->slots[PORT_OUT].busy;
        const cycle_t at = busy ? wheel_next(busy, wheel->from) : NEVER;
        if (at < first) first = at;
    }
    return first;
}
/* Word w of the outputs that can be granted in this cycle. */
static inline uint64_t ports_grantable(const struct ports *p, uint32_t w)
{
    return p->ready[w] & p->free_out.word[w] & p->room.word[w];
}
/* Inputs of a machine with several words of them, around from `turn` on to where it began. */
static inline uint32_t ports_pick_around(const struct ports *p, const uint64_t *wanted, uint32_t turn)
{
    const uint32_t first = turn / 64;
    const uint64_t ahead = wanted[first] & p->free_in.word[first] & ~0ull << turn % 64;
    if (ahead) return 64 * first + (uint32_t)__builtin_ctzll(ahead);
    for (uint32_t k = 1; k <= p->in_words; k++) {
        const uint32_t w = first + k < p->in_words ? first + k : first + k - p->in_words;
        const uint64_t left = wanted[w] & p->free_in.word[w];
        if (left) return 64 * w + (uint32_t)__builtin_ctzll(left);
    }
    return PORT_NONE;
}
/* The input whose turn it is at a grantable output. */
static inline uint32_t ports_pick(const struct ports *p, uint32_t out)
{
    const uint32_t turn = p->turn[out];
    const uint64_t *wanted = ports_wanted_of(p, out);
    if (p->in_words > 1) return ports_pick_around(p, wanted, turn);
    const uint64_t left = wanted[0] & p->free_in.word[0], ahead = left & ~0ull << turn;
    return (uint32_t)__builtin_ctzll(ahead ? ahead : left);
}
/* The head packet of `in` goes to `out`, and waits no longer. */
static inline void ports_leave(struct ports *p, uint32_t in, uint32_t out)
{
    uint64_t *wanted = ports_wanted_of(p, out);
    wanted[in / 64] &= ~(1ull << in % 64);
    uint64_t others = wanted[0] & p->free_in.word[0];
    for (uint32_t w = 1; w < p->in_words; w++) others |= wanted[w] & p->free_in.word[w];
    p->ready[out / 64] &= ~(others ? 0 : 1ull << out % 64);
    p->n_waiting--;
    bits_clear(&p->waiting, in);
    p->turn[out] = in + 1 < p->n_in ? in + 1 : 0;
}
#endif
