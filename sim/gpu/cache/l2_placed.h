/* A bank of L2 whose organisation gives each sector a place of its own: sectors anywhere in their set (org_tsc.h),
 * those of several lines in a frame (org_dsc.h), or those of any lines with one common tag in a line (org_elastic.h).
 * Frames are names of lines; what a request does not find takes places, and what stood there goes, of several lines at
 * once if need be: of each that loses dirty sectors, these and no others are written back, or all its dirty sectors
 * with them (l2.placed_writes). [TSC §3: "can be well applied to L2"; ELASTIC §3]
 *
 * A request that takes places waits until the miss queue has room for a request of its own. Sectors that are written
 * back for it stand in a buffer behind that queue, from which they follow before anything else is taken; so no request
 * needs to know beforehand how many lines lose something. Stores fetch what they miss or take it, as
 * l2.write_miss says.
 *
 * In coarse mode of the tag-split cache (l2.tsc_mode) what fetches fetches all of its line, and is answered when
 * what it asked for is there; a hit fetches nothing. The mode is that of the cycle in which the request came to the
 * bank.
 *
 * An organisation serves here as it does for L1 (org.h): `may_take`, `take`, and `use`, `search`, `invalidate` if it
 * has them. `take` leaves `dirty` to L2, which compares the set before and after. Its own memory that outlives a launch
 * stands right behind that of the tags (tags_extend). */
#ifndef GPU_L2_PLACED_H
#define GPU_L2_PLACED_H
#include "cache/l2.h"

struct l2_placed {
    uint32_t *frames, *lines, *dirty; /* of the set that is taken from: those with dirty sectors, before */
    uint32_t lookup_cycles;           /* that a hit takes longer */
    bool changes_mode;                /* its mode is decided while it runs */
    bool goes_around;                 /* the head request takes no places: mechanisms want it so (l2_policy.h) */
};
/* In place of tags_init(): the tags and the organisation's own memory. A set has a frame for each line that it may hold
 * something of. */
void l2_placed_tags(struct tags *tags, const struct gpu_params *params, uint32_t bank, struct arena *arena);
/* Frames of a set, of any organisation. */
uint32_t l2_set_frames(const struct gpu_params *params);
/* l2_follow(). */
void l2_placed_follow(struct l2 *l2, const struct l2 *bank_0);
/* What the bank needs besides; it is otherwise ready. */
void l2_placed_init(struct l2 *l2, const struct gpu_params *params, struct arena *arena);
/* What the head request, which has found *p, waits for. In coarse mode *p fetches its line; nothing else changes. */
enum l2_wait l2_placed_waits(struct l2 *l2, const struct request *r, struct probe *p, cycle_t now);
/* It waits for nothing, and is taken. */
void l2_placed_take(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now);
/* l2_access_at_once(). */
bool l2_placed_at_once(struct l2 *l2, const struct request *r, struct probe p);
#endif
