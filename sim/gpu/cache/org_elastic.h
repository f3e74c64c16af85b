/* Elastic-Cache. [ELASTIC §3]
 *
 *   line:   common tag, full-line bit | slot 0: chunk tag, chunk | slot 1 | slot 2 | slot 3 |
 *
 *   address: common tag | 14 bits of the tag | set | which chunk | byte        chunk tag = the 14 bits, which chunk
 *
 * A slot of a line may hold a chunk of any line of memory that has the line's common tag. An access that touches all
 * chunks of a line of memory and finds none takes the least recently used line of the set as a whole, chunk i in slot
 * i; any other takes room for each chunk by itself:
 *
 *   1. a free slot of a line with its common tag, searched as it is looked for
 *   2. an invalid line
 *   3. the least recently used chunk of the lines with its common tag; with l1.elastic_victims=line, of the first
 *      of them, before 2; with invalid_first, of the first of them
 *   4. the least recently used line, which goes as a whole
 *
 * `Least recently used' is the usual policy: another one (order.h) orders chunks and lines likewise, a line being used
 * when one of its chunks is.
 *
 * What is on its way, and what the access itself finds, never goes. With l1.streaming room is taken when the data
 * comes, and nothing is ever on its way in a slot. [§3E]
 *
 * A chunk is looked for in its own bank first, then in the next ones in turn: in each, the chunk tags of all lines with
 * its common tag are compared at once. A bank serves one probe a cycle; one that finds it taken waits, as does a chunk
 * whose data stands in the bank of another of the same access. What an access waits for beyond its ordinary lookup
 * holds L1 up. [§3D] */
#ifndef GPU_ORG_ELASTIC_H
#define GPU_ORG_ELASTIC_H
#include "cache/org.h"
#include "config/params.h"

enum { ELASTIC_SLOTS = 8 };
#define ELASTIC_INVALID UINT32_MAX
/* What the parameters say, of L1's or of L2's. */
struct elastic_shape {
    uint32_t lines; /* of a set */
    uint32_t slots; /* of a line: as many as it has chunks */
    uint32_t chunk_bits, banks, victims, first, walk;
    bool streaming;
    const struct replacement_type *replacement;
};
struct elastic {
    struct elastic_shape shape;
    uint32_t lines, slots; /* as the shape has them */
    uint32_t all;          /* every slot */
    uint32_t part_lines;   /* of a set, in which a line may be: all, or as many as elastic_set_ways() said */
    uint8_t tag_shift, set_shift, banks;
    bool streaming;
    struct order slot_order, line_order; /* of a set's slots, line by line; and of its lines */
    uint32_t *n_free;                    /* sets: free slots of lines that are not invalid */
    /* sets x lines: */
    uint32_t *common; /* ELASTIC_INVALID: nothing is held */
    uint8_t *held;    /* slots with a chunk that is there or on its way */
    uint8_t *full;    /* it holds one line of memory, chunk i in slot i */
    /* the same x slots: */
    uint16_t *way;  /* the frame in the set that names the chunk's line of memory, */
    uint8_t *chunk; /* and which chunk of it */
    /* frames x slots: */
    uint16_t *slot_of; /* of each chunk that is held: its slot in the set */
    uint8_t *fixed;    /* lines: in a search for room, slots that must stay; */
    bool any_fixed;    /* there may be some */
    /* cycles from `busy_from` on in which a bank of chunk tags is taken */
    uint64_t busy[ELASTIC_SLOTS];
    cycle_t busy_from;
};
extern const struct org_type org_elastic, org_elastic_streaming;
/* Of L2, in chunks of a sector. Common tags are those of addresses, whichever bank they are in: [ELASTIC §3B] has 6
 * bits of 32 for 32 sets. */
struct elastic_shape elastic_of_l2(const struct gpu_params *params);
/* Its memory; `tags` is otherwise ready, with a frame for each slot of a set. */
void elastic_init_as(struct tags *tags, const struct elastic_shape *shape, struct arena *arena);
/* Another associativity from now on: so many lines of a set are a set of their own, which the line's number modulo
 * these chooses. Nothing may be held. The nearest at most `ways` that the lines of a set can be shared out by; 0: all.
 * [ELASTIC §7] */
uint32_t elastic_ways_near(const struct tags *tags, uint32_t ways);
void elastic_set_ways(struct tags *tags, uint32_t ways);
uint32_t elastic_ways(const struct tags *tags);
/* That of L1, with so many lines a set. */
void elastic_init(struct tags *tags, const struct gpu_params *params, uint32_t lines, struct arena *arena);
#endif
