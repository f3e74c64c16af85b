/* An L1 whose storage is not that of L2 and of messages: its lines are smaller or larger than L2's, its chunks are not
 * sectors of 32 bytes, or its organisation places each chunk by itself. Accesses are coalesced at L1's line and ask for
 * chunks; requests name sectors of one line of L2. The way of a load is that of any L1 (l1_path.h), which asks here
 * what is different: what an access wants, by which requests a miss asks for it, and what a reply brings.
 *
 *   access:  line of L1 | chunks touched --> missing --> fetched: by one request for each line of L2
 *   request: line of L2 | sectors, token: MSHR and the lowest chunk asked for, by which the reply finds what it brings
 *
 * An L2 of whole lines looks only at how many sectors a read names: a read of chunks that are smaller than these names
 * as many as the chunks' bytes fill, as that is what comes back. Nothing is less than one packet of the network. [TSC
 * §3.2, §3.4, §5.4]
 *
 * A chunk that is larger than a line of L2 is asked for by a request for each of these, and is there when all have
 * come.
 *
 * With l1.streaming, which only an organisation that places chunks may have here, room is taken when data comes. */
#ifndef GPU_L1_CHUNKED_H
#define GPU_L1_CHUNKED_H
#include "cache/l1_parts.h"

enum { CHUNK_TOKEN_SHIFT = 11, CHUNKS_MAX = 32 };
_Static_assert(1 << CHUNK_TOKEN_SHIFT == L1_CHUNKED_MSHRS, "a token names an MSHR and a chunk");
struct l1_chunked {
    uint32_t *fetched;      /* n_chunks of each MSHR: those that a request has asked for, by its lowest; */
    uint8_t *left;          /* and how many more requests bring parts of them */
    uint32_t n_chunks, all; /* of a line of L1 */
    uint32_t part_chunks;   /* of them, those in one line of L2 */
    uint8_t chunk_bytes;
    uint8_t named_bytes;               /* what accesses name: smaller chunks, or sectors */
    bool has_names;                    /* in the mask that the plan keeps (plan_names_chunks) */
    uint8_t up, down;                  /* line of L2: that of L1 shifted */
    uint8_t line_sectors, chunk_lines; /* sectors of a line that lie in one of L2, and lines of L2 that a chunk does */
    bool is_compact;                   /* L2 looks at the number of sectors alone */
    bool asks_apart;                   /* a request for each chunk, unless it is for a whole line */
};
/* Takes its memory and measures; `l1` is otherwise ready. */
void l1_chunked_init(struct l1 *l1, const struct gpu_params *params, struct arena *arena);
/* Sectors of a line of L1, all in one line of L2: that line, and the sectors there. */
void l1_chunked_place(const struct l1 *l1, uint32_t *line, uint32_t *sectors);
/* The same of any L1. */
static inline void l1_place(const struct l1 *l1, uint32_t *line, uint32_t *sectors)
{
    if (l1->chunked) l1_chunked_place(l1, line, sectors);
}
/* Sends what asks L2 for chunks of one of its lines, or for one chunk that lies in several. Returns the requests. */
uint32_t l1_chunked_send(struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t token);
/* The chunks that an access touches, and of these the ones that it covers: all but those that are larger than what it
 * names, and of which it names a part. */
uint32_t l1_chunked_touched(const struct l1 *l1, const struct l1_access *a);
uint32_t l1_chunked_covered(const struct l1 *l1, const struct l1_access *a);

/* ---- what l1_path.h asks ---- */

/* What a load finds of `line`, which its number finds, or NULL. */
struct look l1_chunked_look(const struct l1 *l1, const struct l1_access *a, struct tag_line *line);
/* The requests that these chunks take. */
uint32_t l1_chunked_requests(const struct l1 *l1, uint32_t chunks);
/* Sends them, under an MSHR: to L2, or to who takes misses on the way there. The caller has seen that there is room. */
void l1_chunked_ask(struct l1 *l1, const struct l1_access *a, uint32_t chunks, uint32_t entry, cycle_t now);
/* What a reply brings; `entry` is the MSHR that asked for it. False: only a part of it, and more are on their way. */
uint32_t l1_chunked_arrived(const struct l1 *l1, uint32_t token, int *entry);
bool l1_chunked_is_whole(struct l1 *l1, uint32_t token);
/* A load has been let in: the organisation is told what it looks for, and what of it is read. */
void l1_chunked_let_in(struct l1 *l1, const struct l1_access *a, const struct look *k, cycle_t now);
/* A miss asked for `fetch`, or has merged if that is 0. */
void l1_chunked_missed(struct l1 *l1, const struct look *k, uint32_t fetch, cycle_t now);
/* Room for chunks of a line, where its organisation places them. Returns the frame that names the line, `l` if not
 * NULL. */
uint32_t l1_chunked_take(struct l1 *l1, uint32_t set, uint32_t line, struct tag_line *l, uint32_t read, uint32_t chunks,
                         cycle_t now);
#endif
