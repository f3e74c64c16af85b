/* An L1 in chunks: its storage is not that of L2 and of messages. Its lines are smaller or larger than L2's, its chunks
 * are not sectors of 32 bytes, or its organisation places each chunk by itself. Accesses are coalesced at L1's line and
 * ask for chunks; requests name sectors of one line of L2.
 *
 *   load:     line of L1, chunks touched --> those missing --> room for them --> a request for each line of L2
 *   request:  line of L2 | sectors, token: MSHR and the lowest chunk asked for, by which the reply finds what it brings
 *   reply:    chunks --> their room --> the loads that now have all
 *
 * l1_chunked.c is the way of a load, l1_chunk_room.c says where chunks go, l1_chunk_requests.c what is asked of L2.
 * With l1.streaming, which of this tree's organisations only one that places chunks may have here, room is taken when
 * data comes. */
#ifndef GPU_L1_CHUNKED_H
#define GPU_L1_CHUNKED_H
#include "cache/l1_parts.h"

enum { CHUNK_TOKEN_SHIFT = 11 };
_Static_assert(1 << CHUNK_TOKEN_SHIFT == L1_CHUNKED_MSHRS, "a token names an MSHR and a chunk");

/* Chunks of a line that need room. */
struct room_wanted {
    uint32_t line, set;
    struct tag_line *l; /* where some of the line is already, or NULL */
    bool is_kept;       /* else they get room only where their line has a frame to itself */
    uint32_t read;      /* of what is there, what the access finds, and is to find still */
    uint32_t chunks;
};
/* Where chunks go, l1_chunk_room.c: into the frame of their line, where the organisation places them, or nowhere. */
struct l1_room {
    bool (*may_take)(const struct l1 *, const struct room_wanted *); /* changes nothing */
    /* The frame of the line: that of `l`, or one that the caller names; NO_FRAME: they have no room. */
    uint32_t (*take)(struct l1 *, const struct room_wanted *, cycle_t now);
};
extern const struct l1_room l1_room_in_frame, l1_room_placed, l1_room_nowhere;

struct l1_chunked {
    const struct l1_room *at_miss, *at_fill; /* when chunks get room: one of the two is nowhere, */
    const struct l1_room *room;              /* and the other one, where also what stores leave goes */
    uint32_t *fetched;      /* n_chunks of each MSHR: those that a request has asked for, by its lowest; */
    uint8_t *left;          /* and how many more requests bring parts of them */
    uint32_t n_chunks, all; /* of a line of L1, */
    uint32_t whole;         /* and those that any access asks for */
    uint32_t part_chunks;   /* of them, those in one line of L2 */
    uint8_t chunk_bytes;
    uint8_t named_bytes;               /* what accesses name: smaller chunks, or sectors */
    bool has_names;                    /* in the mask that the plan keeps (plan_names_chunks) */
    uint8_t up, down;                  /* line of L2: that of L1 shifted */
    uint8_t line_sectors, chunk_lines; /* sectors of a line that lie in one of L2, and lines of L2 that a chunk does */
    bool is_compact;                   /* L2 looks at the number of sectors alone */
    bool asks_apart;                   /* a request for each chunk, unless it is for a whole line */
};
/* Takes its memory and measures, and is what `l1` is from then on, which is otherwise ready. */
void l1_chunked_init(struct l1 *l1, const struct gpu_params *params, struct arena *arena);
/* Parts of `from` bytes that are set, as parts of `to` bytes that they overlap. */
static inline uint32_t renamed(uint32_t mask, uint32_t from, uint32_t to)
{
    return from == to ? mask : masks_overlap(mask, from, to);
}
/* The chunks that an access touches. */
uint32_t l1_chunked_touched(const struct l1 *l1, const struct l1_access *a);

/* ---- what is asked of L2 ---- */

/* Sectors of a line of L1, all in one line of L2: that line, and the sectors there. */
void l1_chunked_place(const struct l1 *l1, uint32_t *line, uint32_t *sectors);
/* The same of any L1. */
static inline void l1_place(const struct l1 *l1, uint32_t *line, uint32_t *sectors)
{
    if (l1->chunked) l1_chunked_place(l1, line, sectors);
}
/* The requests that these chunks take. */
uint32_t l1_chunked_requests(const struct l1 *l1, uint32_t chunks);
/* Sends them, under an MSHR: to L2, or to who takes misses on the way there. The caller has seen that there is room. */
void l1_chunked_ask(struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t entry, cycle_t now);
/* Sends what asks L2 for chunks of one of its lines, or for one chunk that lies in several. Returns the requests. */
uint32_t l1_chunked_send(struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t token);
/* What a reply brings; `entry` is the MSHR that asked for it. False: only a part of it, and more are on their way. */
uint32_t l1_chunked_arrived(const struct l1 *l1, uint32_t token, int *entry);
bool l1_chunked_is_whole(struct l1 *l1, uint32_t token);
#endif
