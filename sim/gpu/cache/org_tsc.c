#include "cache/org_tsc.h"

static inline uint64_t first_slots(uint32_t n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }
static inline uint64_t slots_of_group(const struct tsc *t, uint32_t group)
{
    return first_slots(t->group_chunks) << group * t->group_chunks;
}

uint32_t tsc_slots(const struct gpu_params *p) { return p->l1.ways * (p->l1.line_bytes / p->l1.chunk_bytes); }

static struct tsc_shape tsc_of_l1(const struct gpu_params *params)
{
    const struct l1_params *p = &params->l1;
    const uint32_t chunks = p->line_bytes / p->chunk_bytes;
    return (struct tsc_shape){.group_chunks = p->tsc_group_chunks ? p->tsc_group_chunks : chunks,
                              .banks = 1,
                              .slots = tsc_slots(params),
                              .private_bits = p->tsc_private_bits,
                              .victims = p->tsc_victims,
                              .nru_reset = p->tsc_nru_reset,
                              .seed = p->tsc_seed,
                              .mode = p->tsc_mode,
                              .sampler_sets = p->tsc_sampler_sets,
                              .age_at = p->tsc_age_at,
                              .delay = p->tsc_delay,
                              .replacement = replacement_of(p->replacement, &replacement_nru)};
}

struct tsc_shape tsc_of_l2(const struct gpu_params *params)
{
    const struct l2_params *p = &params->l2;
    const uint32_t chunks = l2_line_bytes(params) / SECTOR_BYTES;
    return (struct tsc_shape){.group_chunks = p->tsc_group_chunks ? p->tsc_group_chunks : chunks,
                              .banks = p->banks,
                              .slots = p->ways * chunks,
                              .private_bits = p->tsc_private_bits,
                              .victims = p->tsc_victims,
                              .nru_reset = p->tsc_nru_reset,
                              .seed = p->tsc_seed,
                              .mode = p->tsc_mode,
                              .sampler_sets = p->tsc_sampler_sets,
                              .age_at = p->tsc_age_at,
                              .delay = p->tsc_delay,
                              .replacement = replacement_of(p->replacement, &replacement_nru)};
}

/* As many sets for each mode, at random. */
static void choose_samplers(struct tsc *t, uint32_t sets)
{
    for (uint32_t role = TSC_SAMPLES_FINE, n = 0; n < 2 * t->shape.sampler_sets; n++) {
        uint32_t set = tsc_draw(t->shape.seed, UINT32_MAX, n, sets);
        while (t->roles[set]) set = (set + 1) % sets;
        t->roles[set] = (uint8_t)role;
        role = TSC_SAMPLES_FINE + TSC_SAMPLES_COARSE - role;
    }
}

void tsc_init_as(struct tags *tags, const struct tsc_shape *shape, uint32_t cache, struct arena *arena)
{
    struct tsc_set *sets = ARENA_TAKE(arena, struct tsc_set, tags->sets);
    struct order order;
    order_init(&order, arena, shape->replacement, tags->sets, shape->slots, NULL, 0);
    order.reset = shape->nru_reset == TSC_RESET_OTHERS ? RESET_OTHERS : RESET_ALL;
    tags_extend(tags, arena);
    struct tsc measured, *in_arena = ARENA_TAKE(arena, struct tsc, 1), *t = in_arena ? in_arena : &measured;
    *t = (struct tsc){.shape = *shape,
                      .order = order,
                      .sets = sets,
                      .groups = shape->slots / shape->group_chunks,
                      .group_chunks = shape->group_chunks,
                      .slots = shape->slots,
                      .tag_shift = (uint8_t)((uint32_t)__builtin_ctz(tags->sets) + shape->private_bits),
                      .duel = ARENA_TAKE(arena, struct tsc_duel, 1),
                      .roles = ARENA_TAKE(arena, uint8_t, tags->sets),
                      .is_coarse = shape->mode == TSC_COARSE};
    if (t->roles && cache == 0 && shape->mode == TSC_DUEL) choose_samplers(t, tags->sets);
    tags->own = t;
    tags->own_orders[0] = &t->order;
}

void tsc_init(struct tags *tags, const struct gpu_params *params, uint32_t sm, struct arena *arena)
{
    const struct tsc_shape shape = tsc_of_l1(params);
    tsc_init_as(tags, &shape, sm, arena);
}

void tsc_follow(struct tags *tags, const struct tags *of_first)
{
    const struct tsc *first = of_first->own;
    ((struct tsc *)tags->own)->duel = first->duel;
}

void tsc_resume(struct tsc_duel *duel, const struct tsc_duel *left)
{
    *duel = *left;
    duel->n_changes = left->n_changes & 1;
    duel->at[0] = 0;
}

/* ---- fine and coarse mode ---- */

static bool tsc_is_coarse(const struct tags *tags, uint32_t set)
{
    const struct tsc *t = tags->own;
    return t->roles[set] == TSC_FOLLOWS ? t->is_coarse : t->roles[set] == TSC_SAMPLES_COARSE;
}

static bool prefers_coarse(const struct tsc_duel *d)
{
    return (uint64_t)d->misses[1] * d->packets[1] < (uint64_t)d->misses[0] * d->packets[0];
}

void tsc_decide(struct tags *tags, bool is_coarse, cycle_t now)
{
    const struct tsc *t = tags->own;
    struct tsc_duel *d = t->duel;
    if (is_coarse == (d->n_changes & 1)) return;
    const cycle_t at = now + t->shape.delay;
    if (d->n_changes && d->at[(d->n_changes - 1) % TSC_CHANGES] == at)
        d->n_changes--; /* back again in the same cycle */
    else d->at[d->n_changes++ % TSC_CHANGES] = at;
}

/* A miss of a sampler set, with the packets that it causes. */
static void tsc_on_miss(struct tags *tags, uint32_t set, uint32_t packets, cycle_t now)
{
    const struct tsc *t = tags->own;
    struct tsc_duel *d = t->duel;
    if (t->roles[set] == TSC_FOLLOWS) return;
    const uint32_t mode = t->roles[set] == TSC_SAMPLES_COARSE;
    d->packets[mode] += packets;
    if (++d->misses[mode] >= t->shape.age_at)
        for (int i = 0; i < 2; i++) {
            d->misses[i] >>= 1;
            d->packets[i] >>= 1;
        }
    tsc_decide(tags, prefers_coarse(d), now);
}

/* The mode of this cycle: that of the last change that has taken effect. True if it is another than before. */
static bool tsc_note(struct tags *tags, cycle_t now)
{
    struct tsc *t = tags->own;
    const struct tsc_duel *d = t->duel;
    uint32_t n = d->n_changes;
    while (n && d->at[(n - 1) % TSC_CHANGES] > now) n--;
    const bool was_coarse = t->is_coarse;
    t->is_coarse = n & 1;
    return t->is_coarse != was_coarse;
}

/* ---- what may go ---- */

struct choice {
    const struct tags *tags;
    const struct tsc *tsc;
    struct tsc_set *set;
    uint32_t index;    /* of the set */
    uint64_t fixed;    /* slots that stay: on their way, or read by this access */
    uint64_t matching; /* slots of groups with the line's shared tag */
};

static const struct tag_line *line_of_slot(const struct choice *c, uint32_t slot)
{
    return tags_line(c->tags, (size_t)c->index * c->tags->stride + c->set->way[slot]);
}

static uint32_t shared_tag(const struct tsc *t, uint32_t line)
{
    const uint32_t tag = line >> t->tag_shift;
    return t->shape.banks > 1 ? tag / t->shape.banks : tag;
}

static struct choice begin(const struct tags *tags, uint32_t index, uint32_t line, const struct tag_line *l,
                           uint32_t read)
{
    const struct tsc *t = tags->own;
    struct choice c = {.tags = tags, .tsc = t, .set = &t->sets[index], .index = index};
    for (uint64_t left = c.set->held; left; left &= left - 1) {
        const uint32_t slot = (uint32_t)__builtin_ctzll(left), bit = 1u << c.set->chunk[slot];
        const struct tag_line *of = line_of_slot(&c, slot);
        if (of->pending & bit || (of == l && read & bit) || tags_stays(tags, c.set->way[slot])) c.fixed |= left & -left;
    }
    const uint32_t shared = shared_tag(t, line);
    for (uint32_t g = 0; g < t->groups; g++)
        if (c.set->held & slots_of_group(t, g) && c.set->shared[g] == shared) c.matching |= slots_of_group(t, g);
    return c;
}

/* A group that does not match may be given to the line: nothing of it must stay. */
static bool may_change(const struct choice *c, uint32_t group)
{
    const uint64_t slots = slots_of_group(c->tsc, group);
    return !(slots & (c->matching | c->fixed));
}

static bool tsc_may_take(const struct tags *tags, uint32_t set, uint32_t line, const struct tag_line *l, uint32_t read,
                         uint32_t chunks)
{
    const struct choice c = begin(tags, set, line, l, read);
    uint32_t room = (uint32_t)__builtin_popcountll(c.matching & ~c.fixed);
    for (uint32_t g = 0; g < c.tsc->groups; g++) room += may_change(&c, g) ? c.tsc->group_chunks : 0;
    return room >= (uint32_t)__builtin_popcount(chunks);
}

/* ---- which goes ---- */

static uint32_t draw(struct choice *c, uint32_t n)
{
    return n > 1 ? tsc_draw(c->tsc->shape.seed, c->index, c->set->draws++, n) : 0;
}

static uint64_t any_of(struct choice *c, uint64_t slots)
{
    for (uint32_t skip = draw(c, (uint32_t)__builtin_popcountll(slots)); skip; skip--) slots &= slots - 1;
    return slots & -slots;
}

/* The place of a slot in the order, and its rank there: of free slots that of what goes first. */
static uint32_t place_of(const struct choice *c, uint32_t slot) { return c->index * c->tsc->order.stride + slot; }
static uint32_t rank_of(const struct choice *c, uint32_t slot)
{
    const uint32_t rank = order_rank(&c->tsc->order, place_of(c, slot));
    return rank ? rank : 1;
}

/* The slots of the least rank. */
static uint64_t first_to_go(const struct choice *c, uint64_t slots, uint32_t *rank)
{
    uint64_t first = 0;
    *rank = UINT32_MAX;
    for (; slots; slots &= slots - 1) {
        const uint32_t its = rank_of(c, (uint32_t)__builtin_ctzll(slots));
        if (its > *rank) continue;
        first = its < *rank ? slots & -slots : first | (slots & -slots);
        *rank = its;
    }
    return first;
}

/* How late a group goes: the ranks of its slots, the greatest first. */
struct lateness {
    uint32_t ranks[TSC_SLOTS];
};
static void lateness_of(const struct choice *c, uint32_t group, struct lateness *out)
{
    const uint32_t n = c->tsc->group_chunks;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t rank = rank_of(c, group * n + i);
        uint32_t at = i;
        for (; at && out->ranks[at - 1] < rank; at--) out->ranks[at] = out->ranks[at - 1];
        out->ranks[at] = rank;
    }
}
static int later(const struct lateness *a, const struct lateness *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a->ranks[i] != b->ranks[i]) return a->ranks[i] > b->ranks[i] ? 1 : -1;
    return 0;
}

/* Of the groups that may change, those that go first; how many. *latest: the greatest rank of one of their slots. */
static uint32_t best_groups(const struct choice *c, uint32_t groups[TSC_GROUPS], uint32_t *latest)
{
    struct lateness best, its;
    uint32_t n = 0;
    for (uint32_t g = 0; g < c->tsc->groups; g++) {
        if (!may_change(c, g)) continue;
        lateness_of(c, g, &its);
        const int is_later = n ? later(&its, &best, c->tsc->group_chunks) : -1;
        if (is_later > 0) continue;
        if (is_later < 0) n = 0;
        best = its;
        groups[n++] = g;
    }
    *latest = n ? best.ranks[0] : UINT32_MAX;
    return n;
}

static int empty_group(struct choice *c)
{
    for (uint32_t g = 0; g < c->tsc->groups; g++)
        if (!(c->set->held & slots_of_group(c->tsc, g))) return (int)g;
    return -1;
}

/* As [TSC §3.3] has it: of all chunks of the set that may go, one that was not used recently, at random; where its
 * group has another tag, that goes as a whole. */
static uint64_t from_anywhere(struct choice *c, uint64_t usable, int *group)
{
    uint32_t rank;
    for (uint32_t g = 0; g < c->tsc->groups; g++)
        if (may_change(c, g)) usable |= c->set->held & slots_of_group(c->tsc, g);
    const uint64_t slot = any_of(c, first_to_go(c, usable, &rank));
    if (slot & c->matching) return slot;
    *group = (int)((uint32_t)__builtin_ctzll(slot) / c->tsc->group_chunks);
    return 0;
}

/* Slots of which one may be taken next, or a group that is to be taken as a whole. */
static uint64_t next_slots(struct choice *c, int *group)
{
    const uint64_t free = c->matching & ~c->set->held, usable = c->matching & c->set->held & ~c->fixed;
    uint32_t rank, latest, groups[TSC_GROUPS];
    *group = -1;
    if (free) return free & -free;
    if ((*group = empty_group(c)) >= 0) return 0;
    if (c->tsc->shape.victims == TSC_ANYWHERE) return from_anywhere(c, usable, group);
    const uint64_t first = first_to_go(c, usable, &rank);
    if (usable && (c->tsc->shape.victims == TSC_MATCHING_FIRST || rank == 1)) return first;
    const uint32_t n = best_groups(c, groups, &latest);
    if (usable && rank <= latest) return first;
    *group = (int)groups[draw(c, n)];
    return 0;
}

/* ---- it goes ---- */

struct leaving {
    struct tags *tags;
    const struct tag_line *stays;
    org_gone *gone;
    void *self;
};

static void drop(struct choice *c, const struct leaving *leaving, uint64_t slots)
{
    struct order *order = &((struct tsc *)leaving->tags->own)->order;
    for (slots &= c->set->held; slots; slots &= slots - 1) {
        const uint32_t slot = (uint32_t)__builtin_ctzll(slots);
        struct tag_line *l = tags_line(leaving->tags, (size_t)c->index * leaving->tags->stride + c->set->way[slot]);
        l->valid &= ~(1u << c->set->chunk[slot]);
        c->set->held &= ~(slots & -slots);
        order_evict(order, place_of(c, slot));
        order_free(order, place_of(c, slot));
        if (l == leaving->stays || !line_is_free(l)) continue;
        leaving->gone(leaving->self, l);
        tags_free(leaving->tags, l);
    }
}

static uint64_t take_slot(struct choice *c, const struct leaving *leaving, uint32_t line)
{
    int group;
    uint64_t slots = next_slots(c, &group);
    if (group >= 0) {
        drop(c, leaving, slots_of_group(c->tsc, (uint32_t)group));
        c->set->shared[group] = shared_tag(c->tsc, line);
        c->matching |= slots = slots_of_group(c->tsc, (uint32_t)group);
        slots &= -slots;
    } else {
        slots = any_of(c, slots);
        drop(c, leaving, slots);
    }
    c->fixed |= slots;
    return slots;
}

static uint32_t free_way(const struct tags *tags, uint32_t set)
{
    uint32_t frame = set * tags->stride;
    while (!line_is_free(tags_line(tags, frame))) frame++;
    return frame;
}

static uint32_t tsc_take(struct tags *tags, uint32_t index, uint32_t line, struct tag_line *l, uint32_t read,
                         uint32_t chunks, org_gone *gone, void *self)
{
    struct choice c = begin(tags, index, line, l, read);
    const struct leaving leaving = {tags, l, gone, self};
    struct tsc *t = tags->own;
    uint8_t slots[32];
    uint32_t n = 0;
    for (uint32_t left = chunks; left; left &= left - 1) {
        const uint64_t slot = take_slot(&c, &leaving, line);
        slots[n++] = (uint8_t)__builtin_ctzll(slot);
        c.set->held |= slot; /* nobody's yet, and fixed */
        order_fill(&t->order, place_of(&c, slots[n - 1]), tags->fill_as);
    }
    const uint32_t frame = l ? tags_index(tags, l) : free_way(tags, index);
    for (n = 0; chunks; chunks &= chunks - 1, n++) {
        c.set->way[slots[n]] = (uint8_t)(frame - index * tags->stride);
        c.set->chunk[slots[n]] = (uint8_t)__builtin_ctz(chunks);
    }
    order_settle(&t->order, index);
    return frame;
}

/* Slots of some chunks of a line. */
static uint64_t slots_of(const struct tags *tags, const struct tag_line *l, uint32_t chunks, struct tsc_set **set)
{
    const struct tsc *t = tags->own;
    const uint32_t frame = tags_index(tags, l), index = frame / tags->stride;
    uint64_t slots = 0;
    *set = &t->sets[index];
    for (uint64_t left = (*set)->held; left; left &= left - 1) {
        const uint32_t slot = (uint32_t)__builtin_ctzll(left);
        if ((*set)->way[slot] == frame - index * tags->stride && chunks >> (*set)->chunk[slot] & 1)
            slots |= left & -left;
    }
    return slots;
}

static void tsc_use(struct tags *tags, struct tag_line *l, uint32_t chunks)
{
    struct tsc_set *set;
    struct tsc *t = tags->own;
    const uint32_t index = tags_index(tags, l) / tags->stride;
    for (uint64_t slots = slots_of(tags, l, chunks, &set); slots; slots &= slots - 1)
        order_hit(&t->order, index * t->order.stride + (uint32_t)__builtin_ctzll(slots));
    order_settle(&t->order, index);
}

/* A store: every chunk of the line that is there goes, in one cycle. [TSC §3.3] */
static void tsc_invalidate(struct tags *tags, struct tag_line *l)
{
    struct tsc_set *set;
    struct tsc *t = tags->own;
    const uint32_t index = tags_index(tags, l) / tags->stride;
    const uint64_t slots = slots_of(tags, l, l->valid, &set);
    set->held &= ~slots;
    for (uint64_t left = slots; left; left &= left - 1)
        order_free(&t->order, index * t->order.stride + (uint32_t)__builtin_ctzll(left));
    if (l->pending) tags_forget(l);
    else tags_free(tags, l);
}

const struct org_type org_tsc = {.name = "tsc",
                                 .is_sectored = true,
                                 .chunk_bytes = SECTOR_BYTES,
                                 .invalidate = tsc_invalidate,
                                 .may_take = tsc_may_take,
                                 .take = tsc_take,
                                 .use = tsc_use,
                                 .is_coarse = tsc_is_coarse,
                                 .on_miss = tsc_on_miss,
                                 .note = tsc_note};
