/* How long a queue holds how much, in quarters of its capacity, while it holds anything. [THESIS Fig. 3.4] Nothing
 * is done before the quarter changes. */
#ifndef GPU_LEVELS_H
#define GPU_LEVELS_H
#include "net/msg.h"

enum { LEVELS = 6 }; /* empty, up to 25, 50, 75 %, below full, full */
struct levels {
    uint32_t first, n; /* counts of the present level */
    cycle_t since;
    uint32_t level, capacity;
    uint64_t cycles[LEVELS];
};
/* Where a level ends: the first count beyond it. */
static inline uint32_t level_end(uint32_t level, uint32_t capacity)
{
    return level < 4 ? level * capacity / 4 + 1 : level == 4 ? capacity : UINT32_MAX;
}
APART static void levels_change(struct levels *l, uint32_t count, cycle_t at)
{
    l->cycles[l->level] += at - l->since;
    l->since = at;
    l->level = 5;
    while (l->level && count < level_end(l->level - 1, l->capacity)) l->level--;
    l->first = l->level ? level_end(l->level - 1, l->capacity) : 0;
    l->n = level_end(l->level, l->capacity) - l->first;
}
/* It holds `count` from cycle `at` on. */
static inline void levels_set(struct levels *l, uint32_t count, cycle_t at)
{
    if (count - l->first >= l->n) levels_change(l, count, at);
}
#endif
