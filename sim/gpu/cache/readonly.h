/* Read-only caches of an SM: constants and textures. Lines are taken when they come; what waits for one line shares
 * a register.
 *
 *   LSU --> tags --hit--> data after the latency
 *             +--miss--> MSHR, L1's miss queue --> L2 --> fill: every load that waits has its part */
#ifndef GPU_READONLY_H
#define GPU_READONLY_H
#include "cache/l1.h"

struct read_only {
    struct tags tags;
    struct mshrs mshrs;
    enum request_kind kind;
};
/* sets 0: there is no such cache. `replacement`: a parameter's value. */
void read_only_init(struct read_only *cache, struct arena *arena, enum request_kind kind, uint32_t sets, uint32_t ways,
                    uint32_t mshrs, uint32_t merge, uint32_t line_bytes, uint32_t replacement);
/* L1_HIT, L1_MERGED, L1_MISS, or a failure to be tried again. */
enum l1_outcome read_only_load(struct read_only *cache, struct l1 *l1, uint32_t line, uint32_t load);
/* *targets: the loads that waited, valid until the next access. */
uint32_t read_only_fill(struct read_only *cache, uint32_t entry, const uint32_t **targets);
#endif
