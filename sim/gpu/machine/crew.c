#include "machine/crew.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "poise/threads.h"

/* A thread's part of a turn, as one word: turn | next | end, `next` to below `end` being places among the items that
 * nobody has taken. The turn keeps a thread that comes late from taking of the next one what it believes to be of the
 * last. */
enum { NEXT_SHIFT = 16, TURN_SHIFT = 32 };
struct part {
    _Alignas(64) _Atomic uint64_t left;
};
struct crew {
    struct part parts[CREW_MAX];
    _Alignas(64) _Atomic uint32_t turn; /* the last that began */
    atomic_bool is_over;
    _Alignas(64) _Atomic uint32_t done; /* items of it */
    /* What it is. Written by the leader while there is no turn. */
    _Alignas(64) const struct crew_items *items;
    void (*work)(const void *self, uint32_t item);
    const void *self;
    unsigned threads;
    void (*lead)(void *self);
    void *leader;
};

struct crew *crew_new(unsigned threads, struct error *err)
{
    struct crew *c = aligned_alloc(_Alignof(struct crew), sizeof *c);
    if (!c) {
        error_set(err, ERR_MEMORY, "no memory for %u threads", threads);
        return NULL;
    }
    *c = (struct crew){.threads = threads < CREW_MAX ? threads : CREW_MAX};
    return c;
}

void crew_free(struct crew *c) { free(c); }

/* ---- waiting: turns are microseconds apart ---- */

static void breathe(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

/* For the nth time in a row. Whoever has waited for long leaves its processor to others, who may have what it waits
 * for. */
static void wait_on(uint32_t n)
{
    enum { SPINS = 2000, YIELDS = 4000, PAUSE_NS = 50000 };
    if (n < SPINS) breathe();
    else if (n < YIELDS) sched_yield();
    else nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

/* ---- a turn ---- */

static bool take_item(struct part *p, uint32_t turn, uint32_t *place)
{
    uint64_t left = atomic_load_explicit(&p->left, memory_order_acquire);
    for (;;) {
        const uint32_t next = left >> NEXT_SHIFT & UINT16_MAX, end = left & UINT16_MAX;
        if (left >> TURN_SHIFT != turn || next >= end) return false;
        *place = next;
        if (atomic_compare_exchange_weak_explicit(&p->left, &left, left + (1ull << NEXT_SHIFT), memory_order_acq_rel,
                                                  memory_order_acquire))
            return true;
    }
}

/* What is left of the parts from `first` to before `end`, around. */
static void work_off(struct crew *c, unsigned first, unsigned end, uint32_t turn)
{
    uint32_t n = 0, place;
    for (unsigned k = first; k < end; k++)
        for (struct part *p = &c->parts[k % c->threads]; take_item(p, turn, &place); n++)
            c->work(c->self, c->items->item[place]);
    if (n) atomic_fetch_add_explicit(&c->done, n, memory_order_release);
}

/* Others' parts are left to them for a while: what they know of their items is in their processors' caches. It is done
 * for those that do not run. */
enum { PATIENCE = 200 };
static void wait_for_others(struct crew *c, unsigned me, uint32_t turn, uint32_t n)
{
    if (n == PATIENCE) work_off(c, me + 1, me + c->threads, turn);
    else wait_on(n);
}

void crew_do(struct crew *c, const struct crew_items *items, void (*work)(const void *self, uint32_t item),
             const void *self)
{
    const uint32_t turn = atomic_load_explicit(&c->turn, memory_order_relaxed) + 1;
    c->items = items;
    c->work = work;
    c->self = self;
    atomic_store_explicit(&c->done, 0, memory_order_relaxed);
    for (uint32_t k = 0, next = 0; k < c->threads; k++) {
        uint32_t end = next;
        while (end < items->n && items->item[end] * c->threads < (k + 1) * items->all) end++;
        atomic_store_explicit(&c->parts[k].left, (uint64_t)turn << TURN_SHIFT | next << NEXT_SHIFT | end,
                              memory_order_release);
        next = end;
    }
    atomic_store_explicit(&c->turn, turn, memory_order_release);
    work_off(c, 0, 1, turn);
    for (uint32_t n = 0; atomic_load_explicit(&c->done, memory_order_acquire) != items->n; n++)
        wait_for_others(c, 0, turn, n);
}

/* ---- the threads ---- */

static void help(struct crew *c, unsigned me)
{
    uint32_t seen = 0;
    for (uint32_t n = 0; !atomic_load_explicit(&c->is_over, memory_order_acquire);) {
        const uint32_t turn = atomic_load_explicit(&c->turn, memory_order_acquire);
        if (turn == seen) {
            wait_for_others(c, me, turn, n++);
            continue;
        }
        seen = turn;
        n = 0;
        work_off(c, me, me + 1, turn);
    }
}

static void member(void *self, unsigned index)
{
    struct crew *c = self;
    if (index) {
        help(c, index);
        return;
    }
    c->lead(c->leader);
    atomic_store_explicit(&c->is_over, true, memory_order_release);
}

void crew_run(struct crew *c, void (*lead)(void *self), void *self)
{
    c->lead = lead;
    c->leader = self;
    atomic_store(&c->turn, 0);
    atomic_store(&c->is_over, false);
    threads_run(c->threads, member, c);
}
