/* A bank of L2 in a machine whose memory is idealised: a request is looked up and answered at once, without queues,
 * MSHRs or ports (machine/ideal.c). */
#include "cache/l2_placed.h"
#include "cache/l2_policy.h"

bool l2_access_at_once(struct l2 *l2, const struct request *r)
{
    const struct probe p = org_probe(&l2->tags, tags_find(&l2->tags, r->set, r->line), r->sectors);
    if (l2->policy) l2_policy_tell_machine(l2, r);
    if (l2->is_placed) return l2_placed_at_once(l2, r, p);
    struct tag_line *l = p.line;
    if (!l) {
        const struct room room =
            l2->policy ? l2_policy_reserve(l2, r, 0) : org_reserve(&l2->tags, r->set, r->line, l2->others);
        if (room.frame >= L2_BYPASS) { /* nothing is ever pending: only a policy may forbid it */
            l2->stats.l2_accesses++;
            l2->stats.l2_responses++;
            l2->stats.l2_misses++;
            l2_policy_tell(l2, r, L2_BYPASSED, L2_BYPASS, 0);
            return false;
        }
        const enum fill_as as = l2->policy ? (enum fill_as)l2_policy_insert(l2, r, room.frame, 0) : FILL_OWN;
        l = tags_line(&l2->tags, room.frame);
        l2->stats.l2_writebacks += room.writes;
        for (uint32_t i = 0; i < room.others; i++) org_invalidate(&l2->tags, tags_line(&l2->tags, l2->others[i]));
        l2->tags.fill_as = (uint8_t)as;
        tags_reserve(&l2->tags, l, r->line, 0);
        l2->tags.fill_as = FILL_OWN;
    }
    org_fill(&l2->tags, l, p.missing);
    tags_use(&l2->tags, l, 0, !p.missing);
    if (!request_reads_line(r->kind)) org_write(&l2->tags, l, org_wanted(&l2->tags, r->sectors), true);
    l2->stats.l2_accesses++;
    l2->stats.l2_responses++;
    if (!p.missing) l2->stats.l2_hits++;
    else l2->stats.l2_misses++;
    l2->stats.l2_sector_misses += p.missing && p.line;
    if (l2->policy)
        l2_policy_tell(l2, r, !p.missing ? L2_HIT : p.line ? L2_SECTOR_MISSED : L2_MISSED, tags_index(&l2->tags, l), 0);
    return !p.missing;
}
