#include "cache/readonly.h"

void read_only_init(struct read_only *c, struct arena *arena, enum request_kind kind, uint32_t sets, uint32_t ways,
                    uint32_t mshrs, uint32_t merge, uint32_t line_bytes, uint32_t replacement)
{
    *c = (struct read_only){.kind = kind};
    if (!sets) return;
    tags_init(&c->tags, arena, sets, ways, line_bytes, &org_streaming, replacement_of(replacement, NULL));
    mshrs_init(&c->mshrs, arena, mshrs, merge, 1, true);
}

enum l1_outcome read_only_load(struct read_only *c, struct l1 *l1, uint32_t line, uint32_t load)
{
    const bool is_const = c->kind == REQUEST_CONST;
    struct tag_line *l = tags_find(&c->tags, line % c->tags.sets, line);
    int entry = l ? -1 : mshrs_find(&c->mshrs, line);
    enum l1_outcome outcome = l ? L1_HIT : L1_MERGED;
    if (l) {
        tags_touch(&c->tags, l, 0);
    } else if (entry >= 0) {
        if (!mshrs_can_merge(&c->mshrs, entry)) return L1_FAIL_MERGE;
        mshrs_merge(&c->mshrs, entry, load, c->tags.all, c->tags.all);
    } else {
        if (mshrs_full(&c->mshrs)) return L1_FAIL_MSHR;
        if (!request_fifo_has_room(&l1->to_xbar)) return L1_FAIL_QUEUE;
        entry = mshrs_take(&c->mshrs, line, NO_FRAME);
        mshrs_merge(&c->mshrs, entry, load, c->tags.all, c->tags.all);
        l1_send_fetch(l1, c->kind, line, (uint32_t)entry);
        *(is_const ? &l1->stats.const_misses : &l1->stats.tex_misses) += 1;
        outcome = L1_MISS;
    }
    *(is_const ? &l1->stats.const_accesses : &l1->stats.tex_accesses) += 1;
    return outcome;
}

uint32_t read_only_fill(struct read_only *c, uint32_t entry, const uint32_t **targets)
{
    struct mshr *m = mshrs_at(&c->mshrs, (int)entry);
    const uint32_t line = m->line, n = m->count;
    org_take_whole(&c->tags, line % c->tags.sets, line);
    *targets = mshr_targets(&c->mshrs, m);
    mshrs_free(&c->mshrs, (int)entry);
    return n;
}
