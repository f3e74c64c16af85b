/* Whom a limit of N warps lets in when a warp of a scheduler ends.
 *
 *   each   the next oldest, at once
 *   gang   nobody, until the N warps that entered together have ended on all schedulers of the SM; then the next N
 *          enter together
 *
 * Warps that were in step share lines of L1. Under `each` they enter one by one after the first of them has ended, so
 * that a launch whose warps fell out of step stays so. Under `gang` they begin in step again, at the price of places
 * that stand empty until the last of a gang has ended.
 *
 * A gang is counted, not listed: of N places, those whose warps have ended are gone, and the oldest live warps have the
 * others. A warp that waits at a barrier or fence leaves its place to the next, as everywhere [MECHANISMS 'Warp age, N
 * and p']. So no barrier waits for a warp that is not let in: a scheduler whose gang has ended waits only for those
 * that have a warp to run. A limit of all warps lets all in. */
#ifndef POISE_SYS_ADMISSION_H
#define POISE_SYS_ADMISSION_H
#include "poise/sys/hooks.h"

enum admit { ADMIT_EACH, ADMIT_GANG };
#define ADMIT_PARAM(P) \
    P(ENUM, admit, ADMIT_EACH, 0, 1, "each|gang", "this project", \
      "whom a limit lets in when a warp ends: the next, or the next N together when all of the last N have ended")

enum { ADMISSION_SCHEDULERS = 12 };
/* One an SM. */
struct admission {
    uint32_t all; /* warps of a scheduler: a limit that is as high limits nothing; 0: each */
    struct {
        uint32_t began, ended; /* warps that had ended when its gang entered, and that have by now */
        bool runs;             /* its gang has a warp that waits for no other */
    } of[ADMISSION_SCHEDULERS];
};

static inline void admission_init(struct admission *a, enum admit admit, uint32_t all)
{
    *a = (struct admission){.all = admit == ADMIT_GANG ? all : 0};
}

/* Places of the scheduler's gang that are left: whoever is asked after a warp has begun, ended or waited. */
static inline uint32_t admission_places(struct admission *a, const struct warp_set *set, uint32_t n)
{
    const uint64_t live = set->n < 64 ? (1ull << set->n) - 1 : ~0ull;
    const uint32_t me = set->scheduler;
    bool others_run = false;
    a->of[me].ended = set->ended;
    if (n >= a->all) {
        a->of[me].began = set->ended;
        a->of[me].runs = false;
        return n;
    }
    const uint32_t gone = set->ended - a->of[me].began, left = gone < n ? n - gone : 0;
    const bool ran = a->of[me].runs;
    a->of[me].runs = left && (live & ~set->waiting);
    if (ran && !a->of[me].runs) mask_again(set->ask_at, set->now + 1); /* others may have waited for it */
    if (left) return left;
    for (uint32_t i = 0; i < ADMISSION_SCHEDULERS; i++) others_run |= a->of[i].runs;
    if (others_run) return 0;
    for (uint32_t i = 0; i < ADMISSION_SCHEDULERS; i++) a->of[i].began = a->of[i].ended;
    a->of[me].runs = (live & ~set->waiting) != 0;
    mask_again(set->ask_at, set->now + 1); /* those that have been asked enter too */
    return n;
}

/* The warps that may issue under a limit of n. */
static inline uint64_t admission_mask(struct admission *a, const struct warp_set *set, uint32_t n, bool literal)
{
    return warp_rank_mask(set, a->all ? admission_places(a, set, n) : n, literal);
}
#endif
