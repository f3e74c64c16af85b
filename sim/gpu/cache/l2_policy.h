/* What mechanisms have to say about lines of L2 (poise/sys/l2_hooks.h), asked and told for a bank of L2 that has a
 * `policy`. Nothing here is called without one. */
#ifndef GPU_L2_POLICY_H
#define GPU_L2_POLICY_H
#include "cache/l2.h"

#define L2_BYPASS (NO_FRAME - 1) /* in the place of a frame: the request bypasses L2 */
/* Where the absent line of a request would go, as org_reserve(), or L2_BYPASS. */
struct room l2_policy_reserve(struct l2 *l2, const struct request *r, cycle_t now);
/* The same where sectors have places of their own: room for what *p fetches can be made now. The tags keep who must
 * stay for it until it is taken. *goes_around: of no sector, as it bypasses L2. */
bool l2_policy_may_take(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now, bool *goes_around);
/* The request takes that frame, whose line is still there. */
enum l2_insertion l2_policy_insert(struct l2 *l2, const struct request *r, uint32_t frame, cycle_t now);
enum l2_hit l2_policy_hit(struct l2 *l2, const struct request *r, const struct tag_line *l, cycle_t now);
/* `frame`: of the request's line, or L2_BYPASS. */
void l2_policy_tell(struct l2 *l2, const struct request *r, enum l2_outcome outcome, uint32_t frame, cycle_t now);
/* The bank's replacement policy is that which the stack builds on, or l2.replacement. */
void l2_attach(struct l2 *l2, const struct hooks *hooks);
/* The machine hears of a request that the bank takes. */
void l2_policy_tell_machine(const struct l2 *l2, const struct request *r);
#endif
