#include "cache/l1_snoop.h"

void l1_snoop_touch(struct l1 *l1, uint32_t line)
{
    struct tag_line *l = tags_find(&l1->tags, l1_set_of(l1, line), line);
    if (l) tags_touch(&l1->tags, l, l->last_use_warp);
}

bool l1_resume(struct l1 *l1, const struct miss *miss)
{
    const struct l1_access of = {.line = miss->line, .op = miss->op};
    if (!queue_has_room(l1, l1->chunked ? l1->chunked->chunk_lines : 1)) return false;
    if (l1->chunked) l1->stats.l1d_split_requests += l1_chunked_send(l1, &of, miss->chunks, miss->token) - 1;
    else send(l1, REQUEST_READ, &of, miss->chunks, miss->token, true);
    return true;
}

bool l1_ask(struct l1 *l1, const struct atomic_data *data)
{
    if (!queue_has_room(l1, 1)) return false;
    const enum request_kind kind = data->is_write ? REQUEST_ATOMIC_STORE : REQUEST_ATOMIC_FETCH;
    send(l1, kind, &(struct l1_access){.line = data->line}, data->sectors, data->token, true);
    l1->atomic_packets++;
    return true;
}

void l1_leave_atomic(struct l1 *l1, uint32_t line, cycle_t now)
{
    l1_discard(l1, line, now);
    l1->stats.l1d_atomics++;
    l1->atomics_taken++;
}
