/* The decoupled sectored cache, as the paper compares it: DSC-2 and DSC-4 have twice and four times the tags of a
 * sectored cache. [TSC §5.2, Tab. 3; Seznec, ISCA 1994]
 *
 *   frame: | tag tag .. | chunk 0: whose | chunk 1: whose | ..
 *
 * The tags of a frame share its chunks: chunk i of any of their lines stands in place i of the frame and nowhere else,
 * and a selector says whose it is; a hit needs the tag and its selector. A line takes a free tag, one first in whose
 * frame the places it needs are nobody's, else that of the least recently used line of the set, which goes. Other lines
 * lose what stands in places that it needs. Replacement is a line a cycle [TSC §3.3]: each further line that loses
 * something holds up L1 for a cycle. */
#ifndef GPU_ORG_DSC_H
#define GPU_ORG_DSC_H
#include "cache/org.h"
#include "config/params.h"

struct dsc {
    uint8_t *owner;          /* sets x frames x chunks: 1 + the tag of the frame, or 0 */
    uint32_t tags, n_chunks; /* of a frame, of a line */
    uint32_t frames;         /* of a set */
};
extern const struct org_type org_dsc;
/* Their memory; `tags` is otherwise ready, with `k` tags for each of `frames` frames a set. */
void dsc_init_as(struct tags *tags, uint32_t k, uint32_t frames, uint32_t n_chunks, struct arena *arena);
/* Those of L1. */
void dsc_init(struct tags *tags, const struct gpu_params *params, struct arena *arena);
#endif
