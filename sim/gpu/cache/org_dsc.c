#include "cache/org_dsc.h"

void dsc_init_as(struct tags *tags, uint32_t k, uint32_t frames, uint32_t n_chunks, struct arena *arena)
{
    uint8_t *owner = ARENA_TAKE(arena, uint8_t, (size_t)tags->sets * frames * n_chunks);
    tags_extend(tags, arena);
    struct dsc measured, *in_arena = ARENA_TAKE(arena, struct dsc, 1), *d = in_arena ? in_arena : &measured;
    *d = (struct dsc){.owner = owner, .tags = k, .n_chunks = n_chunks, .frames = frames};
    tags->own = d;
}

void dsc_init(struct tags *tags, const struct gpu_params *params, struct arena *arena)
{
    const struct l1_params *p = &params->l1;
    dsc_init_as(tags, p->dsc_tags, p->ways, p->line_bytes / p->chunk_bytes, arena);
}

/* Whose the places of a frame are; `way`: of one of its tags. */
static uint8_t *owners(const struct dsc *d, uint32_t set, uint32_t way)
{
    return d->owner + ((size_t)set * d->frames + way / d->tags) * d->n_chunks;
}

static struct tag_line *line_of(const struct tags *tags, uint32_t set, uint32_t way)
{
    return tags_line(tags, (size_t)set * tags->stride + way);
}

/* Chunks of a frame that are somebody's, and of these those that must stay. */
struct places {
    uint32_t taken, fixed;
};
static struct places places_of(const struct tags *tags, uint32_t set, uint32_t way)
{
    const struct dsc *d = tags->own;
    const uint8_t *owner = owners(d, set, way);
    const uint32_t first = way / d->tags * d->tags;
    struct places p = {0};
    for (uint32_t c = 0; c < d->n_chunks; c++) {
        if (!owner[c]) continue;
        p.taken |= 1u << c;
        p.fixed |= line_of(tags, set, first + owner[c] - 1u)->pending & 1u << c;
        if (tags_stays(tags, first + owner[c] - 1u)) p.fixed |= 1u << c;
    }
    return p;
}

enum { NO_WAY = UINT32_MAX };
/* The tag that a line takes for these chunks. */
static uint32_t way_for(const struct tags *tags, uint32_t set, uint32_t chunks)
{
    const struct dsc *d = tags->own;
    struct places p = {0};
    uint32_t best = NO_WAY, best_age = UINT32_MAX;
    for (uint32_t way = 0; way < tags->ways; way++) {
        const struct tag_line *l = line_of(tags, set, way);
        if (way % d->tags == 0) p = places_of(tags, set, way); /* of a frame, for all of its tags */
        if (l->pending || p.fixed & chunks || tags_stays(tags, way)) continue;
        const uint32_t age = line_is_free(l) ? (p.taken & chunks) != 0 : 2 + *tags_age(l);
        if (age >= best_age) continue;
        best = way;
        best_age = age;
    }
    return best;
}

static bool dsc_may_take(const struct tags *tags, uint32_t set, uint32_t line, const struct tag_line *l, uint32_t read,
                         uint32_t chunks)
{
    (void)line;
    (void)read; /* another place of the frame */
    if (!l) return way_for(tags, set, chunks) != NO_WAY;
    return !(places_of(tags, set, tags_index(tags, l) % tags->stride).fixed & chunks);
}

static void leave(struct tags *tags, struct tag_line *l, org_gone *gone, void *self)
{
    if (!line_is_free(l)) return;
    gone(self, l);
    tags_free(tags, l);
}

/* The line goes as a whole. */
static void drop_line(struct tags *tags, uint32_t set, uint32_t way, org_gone *gone, void *self)
{
    const struct dsc *d = tags->own;
    uint8_t *owner = owners(d, set, way);
    struct tag_line *l = line_of(tags, set, way);
    for (uint32_t c = 0; c < d->n_chunks; c++)
        if (owner[c] == way % d->tags + 1) owner[c] = 0;
    tags_evict(tags, l);
    l->valid = 0;
    leave(tags, l, gone, self);
}

static uint32_t dsc_take(struct tags *tags, uint32_t set, uint32_t line, struct tag_line *l, uint32_t read,
                         uint32_t chunks, org_gone *gone, void *self)
{
    const struct dsc *d = tags->own;
    const uint32_t way = l ? tags_index(tags, l) % tags->stride : way_for(tags, set, chunks),
                   first = way / d->tags * d->tags;
    uint8_t *owner = owners(d, set, way);
    uint32_t losers = 0; /* tags of the frame whose lines lose something */
    (void)line;
    (void)read;
    if (!l && !line_is_free(line_of(tags, set, way))) {
        losers |= 1u << (way - first);
        drop_line(tags, set, way, gone, self);
    }
    for (uint32_t left = chunks; left; left &= left - 1) {
        const uint32_t c = (uint32_t)__builtin_ctz(left);
        if (owner[c]) {
            struct tag_line *other = line_of(tags, set, first + owner[c] - 1u);
            losers |= 1u << (owner[c] - 1);
            other->valid &= ~(1u << c);
            leave(tags, other, gone, self);
        }
        owner[c] = (uint8_t)(way - first + 1);
    }
    const uint32_t n = (uint32_t)__builtin_popcount(losers);
    if (n > 1) tags->held_up = n - 1;
    return set * tags->stride + way;
}

static void dsc_invalidate(struct tags *tags, struct tag_line *l)
{
    const struct dsc *d = tags->own;
    const uint32_t frame = tags_index(tags, l), way = frame % tags->stride;
    uint8_t *owner = owners(d, frame / tags->stride, way);
    for (uint32_t c = 0; c < d->n_chunks; c++)
        if (owner[c] == way % d->tags + 1 && l->valid >> c & 1) owner[c] = 0;
    if (l->pending) tags_forget(l);
    else tags_free(tags, l);
}

const struct org_type org_dsc = {.name = "dsc",
                                 .is_sectored = true,
                                 .chunk_bytes = SECTOR_BYTES,
                                 .invalidate = dsc_invalidate,
                                 .may_take = dsc_may_take,
                                 .take = dsc_take};
