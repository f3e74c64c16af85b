/* A set of the tag-split cache as its paper describes it, access by access: what test_tsc.c holds the cache against.
 * [TSC §3.2, §3.3] */
#ifndef TEST_TSC_REFERENCE_H
#define TEST_TSC_REFERENCE_H
#include "cache/l1.h"
#include "cache/org_tsc.h"

enum { LINES = 40, GROUPS_MAX = 16, CHUNKS_MAX_REF = 16 };
struct ref_chunk {
    bool valid, pending, nru, stays;
    uint32_t private_tag, offset;
};
struct ref_group {
    uint32_t shared_tag;
    struct ref_chunk chunks[CHUNKS_MAX_REF];
};
struct ref_set {
    struct ref_group groups[GROUPS_MAX];
    uint32_t n_groups, n_chunks, private_bits, draws;
    bool matching_first, anywhere, keeps_nru;
};

static bool holds(const struct ref_chunk *c) { return c->valid || c->pending; }
static uint32_t private_tag(const struct ref_set *s, uint32_t tag) { return tag & ((1u << s->private_bits) - 1); }
static uint32_t shared_tag(const struct ref_set *s, uint32_t tag) { return tag >> s->private_bits; }

static bool is_empty(const struct ref_set *s, const struct ref_group *g)
{
    for (uint32_t c = 0; c < s->n_chunks; c++)
        if (holds(&g->chunks[c])) return false;
    return true;
}
static bool matches(const struct ref_set *s, const struct ref_group *g, uint32_t tag)
{
    return !is_empty(s, g) && g->shared_tag == shared_tag(s, tag);
}

/* §3.2: every chunk's tags are compared; those that match set their bit. */
static uint32_t find(const struct ref_set *s, uint32_t tag, bool pending)
{
    uint32_t mask = 0;
    for (uint32_t g = 0; g < s->n_groups; g++)
        for (uint32_t c = 0; c < s->n_chunks; c++) {
            const struct ref_chunk *chunk = &s->groups[g].chunks[c];
            const bool is_there = pending ? chunk->pending : chunk->valid;
            if (is_there && s->groups[g].shared_tag == shared_tag(s, tag) && chunk->private_tag == private_tag(s, tag))
                mask |= 1u << chunk->offset;
        }
    return mask;
}

/* §3.3: a chunk that is accessed gets its NRU bit; if all are 1, they are reset. */
static void set_nru(struct ref_set *s, uint32_t tag, uint32_t mask)
{
    bool all = true;
    struct ref_chunk *used[GROUPS_MAX * CHUNKS_MAX_REF];
    uint32_t n = 0;
    for (uint32_t g = 0; g < s->n_groups; g++)
        for (uint32_t c = 0; c < s->n_chunks; c++) {
            struct ref_chunk *chunk = &s->groups[g].chunks[c];
            if (!holds(chunk)) continue;
            const bool is_used = s->groups[g].shared_tag == shared_tag(s, tag) &&
                                 chunk->private_tag == private_tag(s, tag) && mask >> chunk->offset & 1;
            if (is_used) chunk->nru = true, used[n++] = chunk;
            all &= chunk->nru;
        }
    for (uint32_t g = 0; all && g < s->n_groups; g++)
        for (uint32_t c = 0; c < s->n_chunks; c++) s->groups[g].chunks[c].nru = false;
    for (uint32_t i = 0; all && s->keeps_nru && i < n; i++) used[i]->nru = true;
}

static uint32_t draw(struct ref_set *s, uint32_t n)
{
    return n > 1 ? tsc_draw(params->l1.tsc_seed, 0, s->draws++, n) : 0;
}

/* One of the chunks of matching groups that may go and have this NRU bit. */
static struct ref_chunk *victim_chunk(struct ref_set *s, uint32_t tag, bool nru)
{
    struct ref_chunk *found[GROUPS_MAX * CHUNKS_MAX_REF];
    uint32_t n = 0;
    for (uint32_t g = 0; g < s->n_groups; g++)
        for (uint32_t c = 0; c < s->n_chunks && matches(s, &s->groups[g], tag); c++) {
            struct ref_chunk *chunk = &s->groups[g].chunks[c];
            if (chunk->valid && !chunk->stays && chunk->nru == nru) found[n++] = chunk;
        }
    return n ? found[draw(s, n)] : NULL;
}

/* Of the groups with another shared tag of which nothing must stay, one with most chunks without their NRU bit: all of
 * them, or any number. */
static struct ref_group *victim_group(struct ref_set *s, uint32_t tag, bool all_old)
{
    struct ref_group *found[GROUPS_MAX];
    uint32_t n = 0, most = all_old ? s->n_chunks : 0;
    for (uint32_t g = 0; g < s->n_groups; g++) {
        struct ref_group *group = &s->groups[g];
        uint32_t old = 0, stays = 0;
        for (uint32_t c = 0; c < s->n_chunks; c++) {
            stays += group->chunks[c].pending || group->chunks[c].stays;
            old += !holds(&group->chunks[c]) || !group->chunks[c].nru;
        }
        if (matches(s, group, tag) || stays || old < most) continue;
        if (old > most) n = 0;
        most = old;
        found[n++] = group;
    }
    return n ? found[draw(s, n)] : NULL;
}

static struct ref_chunk *retag(struct ref_set *s, struct ref_group *g, uint32_t tag)
{
    memset(g->chunks, 0, sizeof g->chunks);
    g->shared_tag = shared_tag(s, tag);
    return &g->chunks[0];
}

/* §3.3, word by word: of all chunks of the set one whose NRU bit is 0, at random, else one whose bit is 1; a group
 * with another shared tag goes as a whole. */
static struct ref_chunk *victim_anywhere(struct ref_set *s, uint32_t tag)
{
    for (int nru = 0; nru < 2; nru++) {
        struct ref_chunk *found[GROUPS_MAX * CHUNKS_MAX_REF];
        struct ref_group *of[GROUPS_MAX * CHUNKS_MAX_REF];
        uint32_t n = 0;
        for (uint32_t g = 0; g < s->n_groups; g++) {
            struct ref_group *group = &s->groups[g];
            bool stays = false;
            for (uint32_t c = 0; c < s->n_chunks; c++) stays |= group->chunks[c].pending || group->chunks[c].stays;
            for (uint32_t c = 0; c < s->n_chunks; c++) {
                struct ref_chunk *chunk = &group->chunks[c];
                if (!chunk->valid || chunk->stays || chunk->nru != nru || (stays && !matches(s, group, tag))) continue;
                found[n] = chunk;
                of[n++] = group;
            }
        }
        if (!n) continue;
        const uint32_t k = draw(s, n);
        return matches(s, of[k], tag) ? found[k] : retag(s, of[k], tag);
    }
    return NULL;
}

/* A place for one more chunk of this line, in the order of MECHANISMS 'Cache organisations'; NULL: there is none. */
static struct ref_chunk *place_for(struct ref_set *s, uint32_t tag)
{
    struct ref_chunk *chunk;
    struct ref_group *group;
    for (uint32_t g = 0; g < s->n_groups; g++)
        for (uint32_t c = 0; c < s->n_chunks && matches(s, &s->groups[g], tag); c++)
            if (!holds(&s->groups[g].chunks[c])) return &s->groups[g].chunks[c];
    for (uint32_t g = 0; g < s->n_groups; g++)
        if (is_empty(s, &s->groups[g])) return retag(s, &s->groups[g], tag);
    if (s->anywhere) return victim_anywhere(s, tag);
    if ((chunk = victim_chunk(s, tag, false))) return chunk;
    if (s->matching_first && (chunk = victim_chunk(s, tag, true))) return chunk;
    if ((group = victim_group(s, tag, true))) return retag(s, group, tag);
    if ((chunk = victim_chunk(s, tag, true))) return chunk;
    return (group = victim_group(s, tag, false)) ? retag(s, group, tag) : NULL;
}

/* False if there is no room for all: then nothing has changed. */
static bool allocate(struct ref_set *s, uint32_t tag, uint32_t hit, uint32_t chunks)
{
    const struct ref_set before = *s;
    for (uint32_t g = 0; g < s->n_groups; g++)
        for (uint32_t c = 0; c < s->n_chunks; c++) {
            struct ref_chunk *chunk = &s->groups[g].chunks[c];
            chunk->stays = chunk->valid && s->groups[g].shared_tag == shared_tag(s, tag) &&
                           chunk->private_tag == private_tag(s, tag) && hit >> chunk->offset & 1;
        }
    for (uint32_t left = chunks; left; left &= left - 1) {
        struct ref_chunk *chunk = place_for(s, tag);
        if (!chunk) {
            *s = before;
            return false;
        }
        *chunk = (struct ref_chunk){
            .pending = true, .nru = true, .private_tag = private_tag(s, tag), .offset = (uint32_t)__builtin_ctz(left)};
    }
    return true;
}

/* What an access of the line asks L2 for; *outcome: as L1 says. */
static uint32_t ref_access(struct ref_set *s, uint32_t tag, uint32_t access, enum l1_outcome *outcome)
{
    const uint32_t hit = access & find(s, tag, false), coming = find(s, tag, true), fetch = access & ~hit & ~coming;
    const struct ref_set before = *s;
    if (hit) set_nru(s, tag, hit);
    *outcome = hit == access ? L1_HIT : !fetch ? L1_MERGED : L1_MISS;
    if (*outcome != L1_MISS) return 0;
    if (!allocate(s, tag, hit, fetch)) {
        *s = before;
        *outcome = L1_FAIL_LINE;
        return 0;
    }
    set_nru(s, tag, 0); /* those reserved have their bits */
    if (s->keeps_nru) { /* and keep them */
        bool any_set = false;
        for (uint32_t g = 0; g < s->n_groups; g++)
            for (uint32_t c = 0; c < s->n_chunks; c++) any_set |= s->groups[g].chunks[c].nru;
        if (!any_set)
            for (uint32_t g = 0; g < s->n_groups; g++)
                for (uint32_t c = 0; c < s->n_chunks; c++) {
                    struct ref_chunk *chunk = &s->groups[g].chunks[c];
                    if (chunk->pending && s->groups[g].shared_tag == shared_tag(s, tag) &&
                        chunk->private_tag == private_tag(s, tag) && fetch >> chunk->offset & 1)
                        chunk->nru = true;
                }
    }
    return fetch;
}

/* Chunks of a line have come; or a store has come, and those that are there go. */
static void ref_end(struct ref_set *s, uint32_t tag, uint32_t chunks, bool arrive)
{
    for (uint32_t g = 0; g < s->n_groups; g++)
        for (uint32_t c = 0; c < s->n_chunks; c++) {
            struct ref_chunk *chunk = &s->groups[g].chunks[c];
            if (s->groups[g].shared_tag != shared_tag(s, tag) || chunk->private_tag != private_tag(s, tag) ||
                !(chunks >> chunk->offset & 1))
                continue;
            if (arrive && chunk->pending) chunk->pending = false, chunk->valid = true;
            else if (!arrive && chunk->valid) *chunk = (struct ref_chunk){0};
        }
}
#endif
