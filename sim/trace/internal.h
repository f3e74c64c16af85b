/* What the files of sim/trace share: ownership of a trace, validation, identity, the two forms. */
#ifndef TRACE_INTERNAL_H
#define TRACE_INTERNAL_H
#include "container.h"
#include "poise/trace.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the trace format is little-endian and read in place");

/* What trace_close frees: blocks from malloc and at most one mapping. */
enum owner_block {
    BLOCK_CODE,
    BLOCK_STRINGS,
    BLOCK_WARPS,
    BLOCK_STEPS,
    BLOCK_ACCESSES,
    BLOCK_GUARDS,
    BLOCK_SPUN,
    BLOCK_WORDS,
    BLOCK_WAITS,
    BLOCK_WRITES,
    BLOCK_PROVENANCE,
    BLOCK_FILE,
    N_BLOCKS
};
struct trace_owner {
    void *blocks[N_BLOCKS];
    void *map;
    size_t map_bytes;
};
struct trace *trace_alloc(void); /* zeroed, with its owner; NULL when out of memory */

static inline bool inst_is_memory(const struct trace_inst *inst)
{
    return inst->cls == TRACE_LOAD || inst->cls == TRACE_STORE || inst->cls == TRACE_ATOMIC;
}
/* Lanes that warp `warp` of a CTA of `threads` threads has. */
static inline uint32_t warp_lanes(uint32_t threads, uint32_t warp)
{
    const uint32_t left = threads - warp * TRACE_LANES;
    return left >= TRACE_LANES ? UINT32_MAX : (1u << left) - 1;
}

/* The launch, the code and the strings: everything that later stages index by. */
int trace_check_code(const struct trace *trace, const char *name, const struct section *where, struct error *err);
/* Where a walk over the warps stands. */
struct trace_cursor {
    uint64_t step, access, guard;
};
/* The step at the cursor, of a warp with these lanes: what is wrong with it, or NULL, and then the cursor's access
 * and guard are behind its. */
const char *trace_check_step(const struct trace *trace, uint32_t lanes, struct trace_cursor *at);
/* The warps' ranges tile steps, accesses and guards; every index is in range. After trace_check_code. */
int trace_check_warps(const struct trace *trace, const char *name, long byte, struct error *err);
/* The ranges of steps that waited are in order, apart, and each within a warp. After trace_check_warps. */
int trace_check_spun(const struct trace *trace, const char *name, long byte, struct error *err);
/* Waits and writes are in order and name words that there are; a wait's round lies within its warp, and ends a range of
 * steps that waited or touches none; no wait asks for more writes than its word gets. After trace_check_spun. */
int trace_check_waits(const struct trace *trace, const char *name, long byte, struct error *err);

/* parts.c: arrays that most traces do not have, and that are part of the identity where they are there. */
struct trace_part {
    enum section_type type;
    enum owner_block block;
    size_t item, data, count; /* bytes of an item; where the trace has the array and its length */
};
enum { N_TRACE_PARTS = 4 };
extern const struct trace_part trace_parts[N_TRACE_PARTS];
const void *trace_part_data(const struct trace *trace, const struct trace_part *part);
uint64_t trace_part_count(const struct trace *trace, const struct trace_part *part);
void trace_part_set(struct trace *trace, const struct trace_part *part, const void *data, uint64_t count);
/* The part's section, or NULL; *count: its items. An error where its size cannot be. */
int trace_part_find(const struct container *in, const struct trace_part *part, const struct section **section,
                    uint64_t *count, struct error *err);
/* XXH3-128 of the canonical content. Fails only when out of memory. */
int trace_identity(const struct trace *trace, struct hash *hash, struct error *err);

/* The container of each form, ready to be written; `trace` must stay alive for a decoded one. */
int trace_to_rest(struct container_out *out, const struct trace *trace, struct error *err);
void trace_to_decoded(struct container_out *out, const struct trace *trace);
/* Fills trace from a container whose checksums are right. */
int trace_from_rest(struct trace *trace, const struct container *in, struct error *err);
#endif
