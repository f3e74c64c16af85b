/* Hooks of L2: which line of a set goes, where a new one stands, who bypasses L2. [DESIGN §3.4]
 *
 * A hook is a row of MECH_L2_HOOKS. ONE: one mechanism of a stack may have it. ALL: every mechanism that has it must
 * agree. TELL: everybody hears it. A request at the head of a bank's queue meets them in this order:
 *
 *   its line is there               l2_on_hit, which may free the line
 *   its line is on its way          (it waits for the data)
 *   its line is absent              l2_bypass: past L2?  A free frame of the set is taken without asking. Otherwise
 *                                   l2_may_evict of every line of the set, then l2_share of those that may go: of
 *                                   those that it allows, or of all if it allows none, the replacement policy takes
 *                                   one (l2.replacement)
 *   all lines are vetoed            it bypasses L2, as if l2_bypass had said so; an atomic is done in L2 and
 *                                   overrides the vetoes
 *   it is taken                     l2_insert of the frame that it takes; l2_on_access in every case
 *
 * A request that bypasses L2 asks DRAM for the sectors that it touches, and what DRAM answers goes straight to the
 * crossbar; a store that does so is written to DRAM.
 *
 * Where sectors have places of their own (l2.organisation=tsc, dsc, elastic) the same is asked of the lines that have
 * any in the set: the sectors of a vetoed line stay, and room is made of the sectors of lines that l2_share allows, if
 * there is enough of them. A request that finds some of its line there overrides the vetoes: DRAM alone has not all of
 * it.
 *
 * A policy is named by a mechanism (mech_type.l2_replacement) or by l2.replacement; l2_insert may say where a line
 * begins in its order.
 *
 * l2_bypass, l2_may_evict and l2_share are questions: they may be asked several times for one request, and change
 * nothing. What they answer may depend on what the bank has been told, and on what the mechanism changes in its epoch;
 * after such a change it calls sm_view.l2_ask_again, so that requests that wait with their victim chosen ask again.
 *
 * A mechanism's memory of lines lies in a table of its own (mech_type.carried), by struct l2_way.frame; it lives on
 * from launch to launch of a program where L2's lines do (--carry-l2). */
#ifndef POISE_SYS_L2_HOOKS_H
#define POISE_SYS_L2_HOOKS_H
#include <stdbool.h>
#include <stdint.h>
#include "poise/mech.h"

enum l2_kind { L2_LOAD, L2_STORE, L2_ATOMIC, L2_READ_ONLY /* code, constants, textures */ };
enum l2_from { L2_FROM_SM, L2_FROM_CPU, L2_FROM_CACHE };
/* A request that looks a bank of L2 up. `now` is L2's cycle. */
struct l2_request {
    uint32_t bank, set, line; /* line: as plans count; mech_env says which address that is */
    uint32_t requester;       /* who asks: its number among those of */
    uint8_t from;             /* enum l2_from */
    uint8_t kind;             /* enum l2_kind */
    uint8_t cache_op;         /* enum trace_cache_op */
    uint8_t sectors;          /* the 32-byte sectors that it touches, a bit each */
    uint64_t now;
};
/* A frame of a set and what stands in it. */
struct l2_way {
    uint32_t frame; /* 0 .. mech_env.l2_frames - 1: its place among all frames of all banks */
    uint32_t line;
    uint32_t age;  /* in the order of replacement: the least goes first; 0 where sectors have places of their own */
    uint8_t parts; /* of the parts of a way, what it takes: all of them, or as many as it has sectors there */
    bool is_free, is_dirty;
    bool is_pending; /* some of it is on its way from DRAM: it stays */
    bool may_go;     /* asking for a victim: it is neither free nor pending, and nobody vetoes it */
};
enum { L2_WAYS_MAX = 64, L2_FRAMES_MAX = 4 * L2_WAYS_MAX };
/* Where sectors have places of their own there is a frame for each line that the set may have any of. */
struct l2_set {
    uint32_t n, at; /* frames; the one that is asked about, was hit or is taken (n: it is not known yet) */
    uint32_t parts; /* of a way: 1, or its sectors */
    struct l2_way ways[L2_FRAMES_MAX];
};
enum l2_outcome {
    L2_HIT,
    L2_MERGED,
    L2_MISSED,        /* it has taken a line, */
    L2_SECTOR_MISSED, /* or other sectors of one that was there */
    L2_BYPASSED
};
#define L2_NO_FRAME UINT32_MAX
/* A request has been taken. `frame`: of its line, L2_NO_FRAME if it bypassed L2. */
struct l2_access {
    enum l2_outcome outcome;
    uint32_t frame;
};
/* Where a new line begins in the order of replacement: where the policy has it; where it goes first (RRIP: 3); soon
 * (2); where it goes last, as if it had been hit (0). */
enum l2_insertion { L2_INSERT_USUAL, L2_INSERT_OLDEST, L2_INSERT_LONG, L2_INSERT_NEWEST };
/* What becomes of a line that was hit. Freed, its dirty sectors are lost unless they are written back, for which the
 * way to DRAM must have room (`has_room` below). */
enum l2_hit { L2_KEEP, L2_FREE, L2_WRITE_BACK_AND_FREE };
struct l2_hit_line {
    struct l2_way way;
    bool has_room;
};

/* name, answer, what it is asked or told besides the request */
#define MECH_L2_HOOKS(ONE, ALL, TELL) \
    ONE(l2_bypass, bool, l2_set)    /* of a request whose line is absent, never an atomic: it bypasses L2 */ \
    ONE(l2_share, bool, l2_set)     /* the line at `at` is one of those that this request should take the place of */ \
    ALL(l2_may_evict, bool, l2_set) /* the line at `at` may go for this request */ \
    ONE(l2_insert, enum l2_insertion, l2_set) /* the way `at` is taken; the set is as it was before */ \
    ONE(l2_on_hit, enum l2_hit, l2_hit_line) \
    TELL(l2_on_access, void, l2_access)

#define L2_OPS(hook, answer, with) answer (*hook)(void *self, const struct l2_request *, const struct with *);
#define L2_LINE_ONE(hook, answer, with) \
    struct { \
        answer (*ask)(void *, const struct l2_request *, const struct with *); \
        void *self; \
    } hook;
#define L2_LINE_MANY(hook, answer, with) \
    struct { \
        struct { \
            answer (*ask)(void *, const struct l2_request *, const struct with *); \
            void *self; \
        } at[MECH_STACK_MAX]; \
        unsigned n; \
    } hook;
struct l2_hooks {
    unsigned n; /* hooks that somebody has; with none L2 asks nothing */
    /* Not a mechanism's: the machine notes the order of atomics. `token` is the warp's slot in its SM, or with a result
     * its load. NULL: it does not. */
    void (*on_atomic)(void *machine, uint32_t sm, uint32_t token, bool wants_result, uint32_t line);
    /* The same of a write that somebody waits for: the machine counts it. */
    void (*on_counted)(void *machine, uint32_t sm, uint32_t token, uint32_t line);
    void *machine;
    MECH_L2_HOOKS(L2_LINE_ONE, L2_LINE_MANY, L2_LINE_MANY)
};
#endif
