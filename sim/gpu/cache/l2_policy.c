#include "cache/l2_policy.h"

#include <assert.h>

_Static_assert((int)L2_FROM_SM == FROM_SM && (int)L2_FROM_CPU == FROM_CPU && (int)L2_FROM_CACHE == FROM_CACHE,
               "mechanisms know requesters as the network does");
_Static_assert(L2_BYPASS > L2_WAYS_MAX, "no frame has this number");

static struct l2_request view_request(const struct l2 *l2, const struct request *r, cycle_t now)
{
    const enum l2_kind kind = request_is_store(r->kind)                              ? L2_STORE
                              : r->kind == REQUEST_ATOMIC                            ? L2_ATOMIC
                              : r->kind == REQUEST_READ || r->kind == REQUEST_BYPASS ? L2_LOAD
                                                                                     : L2_READ_ONLY;
    return (struct l2_request){.bank = l2->bank,
                               .set = r->set,
                               .line = r->line,
                               .requester = requester_index(r->requester),
                               .from = (uint8_t)(r->requester >> REQUESTER_INDEX_BITS),
                               .kind = (uint8_t)kind,
                               .cache_op = (uint8_t)MEMORY_OP_CACHE(r->op),
                               .sectors = r->sectors,
                               .now = now};
}

/* A bank's frames among those of all banks. */
static uint32_t first_frame(const struct l2 *l2) { return l2->bank * l2->tags.sets * l2->tags.stride; }

static struct l2_way view_way(const struct l2 *l2, const struct tag_line *l)
{
    return (struct l2_way){.frame = first_frame(l2) + tags_index(&l2->tags, l),
                           .line = *tags_key(l),
                           .age = *tags_age(l),
                           .is_free = line_is_free(l),
                           .is_dirty = l->dirty != 0,
                           .is_pending = l->pending != 0};
}

static void view_set(const struct l2 *l2, uint32_t set, struct l2_set *out)
{
    out->n = l2->tags.ways;
    out->at = 0;
    for (uint32_t way = 0; way < out->n; way++)
        out->ways[way] = view_way(l2, tags_line(&l2->tags, set * l2->tags.stride + way));
}

/* Which lines may go, and whether one that is on its way will: then the request can wait for it. */
static uint32_t ask_vetoes(const struct l2_hooks *h, const struct l2_request *who, struct l2_set *set, bool *can_wait)
{
    uint32_t n = 0;
    for (set->at = 0; set->at < set->n; set->at++) {
        bool may_go = true;
        for (unsigned i = 0; i < h->l2_may_evict.n && may_go; i++)
            may_go = h->l2_may_evict.at[i].ask(h->l2_may_evict.at[i].self, who, set);
        struct l2_way *way = &set->ways[set->at];
        way->may_go = may_go && !way->is_pending;
        *can_wait |= may_go && way->is_pending;
        n += way->may_go;
    }
    return n;
}

static uint32_t oldest(const struct l2_set *set)
{
    uint32_t least = set->n;
    for (uint32_t i = 0; i < set->n; i++)
        if (set->ways[i].may_go && (least == set->n || set->ways[i].age < set->ways[least].age)) least = i;
    return least;
}

/* The way that goes, of a set without a free one; set->n: none now, so the request waits; more: it bypasses L2. */
static uint32_t choose(const struct l2_hooks *h, const struct l2_request *who, struct l2_set *set)
{
    bool can_wait = false;
    uint32_t n = ask_vetoes(h, who, set, &can_wait);
    if (n == 0 && who->kind == L2_ATOMIC)
        for (uint32_t i = 0; i < set->n; i++) n += set->ways[i].may_go = !set->ways[i].is_pending;
    if (n == 0) return can_wait || who->kind == L2_ATOMIC ? set->n : set->n + 1;
    if (!h->l2_victim.ask) return oldest(set);
    const uint32_t way = h->l2_victim.ask(h->l2_victim.self, who, set);
    assert(way < set->n && set->ways[way].may_go);
    return way;
}

struct room l2_policy_reserve(struct l2 *l2, const struct request *r, cycle_t now)
{
    const struct l2_hooks *h = l2->policy;
    const struct l2_request who = view_request(l2, r, now);
    struct l2_set set;
    if (!h->n) return org_reserve(&l2->tags, r->set, r->line, l2->others); /* the machine alone listens */
    view_set(l2, r->set, &set);
    if (h->l2_bypass.ask && who.kind != L2_ATOMIC && h->l2_bypass.ask(h->l2_bypass.self, &who, &set))
        return (struct room){.frame = L2_BYPASS};
    if (l2->tags.org->reserve) return org_reserve(&l2->tags, r->set, r->line, l2->others);
    uint32_t way = 0;
    while (way < set.n && !set.ways[way].is_free) way++;
    if (way == set.n) way = choose(h, &who, &set);
    if (way >= set.n) return (struct room){.frame = way == set.n ? NO_FRAME : L2_BYPASS};
    return (struct room){.frame = r->set * l2->tags.stride + way, .writes = set.ways[way].is_dirty};
}

enum l2_insertion l2_policy_insert(struct l2 *l2, const struct request *r, uint32_t frame, cycle_t now)
{
    const struct l2_hooks *h = l2->policy;
    if (!h->l2_insert.ask) return L2_INSERT_NEWEST;
    const struct l2_request who = view_request(l2, r, now);
    struct l2_set set;
    view_set(l2, r->set, &set);
    set.at = frame - r->set * l2->tags.stride;
    return h->l2_insert.ask(h->l2_insert.self, &who, &set);
}

enum l2_hit l2_policy_hit(struct l2 *l2, const struct request *r, const struct tag_line *l, cycle_t now)
{
    const struct l2_hooks *h = l2->policy;
    if (!h->l2_on_hit.ask) return L2_KEEP;
    const struct l2_request who = view_request(l2, r, now);
    const struct l2_hit_line line = {.way = view_way(l2, l), .has_room = request_fifo_has_room(&l2->to_dram)};
    return h->l2_on_hit.ask(h->l2_on_hit.self, &who, &line);
}

void l2_policy_tell_machine(const struct l2 *l2, const struct request *r)
{
    const struct l2_hooks *h = l2->policy;
    if (h->on_atomic && r->kind == REQUEST_ATOMIC)
        h->on_atomic(h->machine, requester_index(r->requester), r->token, r->wants_data, r->line);
    if (h->on_counted && r->is_counted) h->on_counted(h->machine, requester_index(r->requester), r->token, r->line);
}

void l2_policy_tell(struct l2 *l2, const struct request *r, enum l2_outcome outcome, uint32_t frame, cycle_t now)
{
    const struct l2_hooks *h = l2->policy;
    const struct l2_request who = view_request(l2, r, now);
    const struct l2_access access = {.outcome = outcome,
                                     .frame = frame == L2_BYPASS ? L2_NO_FRAME : first_frame(l2) + frame};
    for (unsigned i = 0; i < h->l2_on_access.n; i++)
        h->l2_on_access.at[i].ask(h->l2_on_access.at[i].self, &who, &access);
}
