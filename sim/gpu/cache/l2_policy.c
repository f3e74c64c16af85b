#include "cache/l2_policy.h"

#include <string.h>

_Static_assert((int)L2_FROM_SM == FROM_SM && (int)L2_FROM_CPU == FROM_CPU && (int)L2_FROM_CACHE == FROM_CACHE,
               "mechanisms know requesters as the network does");
_Static_assert(L2_BYPASS > L2_FRAMES_MAX, "no frame has this number");
_Static_assert((int)L2_INSERT_USUAL == FILL_OWN && (int)L2_INSERT_OLDEST == FILL_FIRST &&
                   (int)L2_INSERT_LONG == FILL_LONG && (int)L2_INSERT_NEWEST == FILL_LAST,
               "mechanisms name places in the order as policies do");

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
    const uint32_t parts = l2->is_placed ? (uint32_t)__builtin_popcount(l->valid | l->pending) : !line_is_free(l);
    return (struct l2_way){.frame = first_frame(l2) + tags_index(&l2->tags, l),
                           .line = *tags_key(l),
                           .age = l2->is_placed ? 0 : *tags_age(l),
                           .parts = (uint8_t)parts,
                           .is_free = line_is_free(l),
                           .is_dirty = l->dirty != 0,
                           .is_pending = l->pending != 0};
}

static void view_set(const struct l2 *l2, uint32_t set, struct l2_set *out)
{
    out->n = l2->tags.ways;
    out->at = 0;
    out->parts = l2->is_placed ? (uint32_t)__builtin_popcount(l2->tags.all) : 1;
    for (uint32_t way = 0; way < out->n; way++)
        out->ways[way] = view_way(l2, tags_line(&l2->tags, set * l2->tags.stride + way));
}

/* What becomes of the lines of a set for one request: who must stay, and who besides, if there is room without them; a
 * bit a frame. */
struct choice {
    uint64_t vetoed[L2_FRAMES_MAX / 64], kept[L2_FRAMES_MAX / 64];
    uint32_t n_may_go, n_shared; /* neither vetoed nor pending; and of these, those that the request should take from */
    bool can_wait;               /* a line that is on its way may go when it has come */
};

static void add(uint64_t *frames, uint32_t way) { frames[way / 64] |= 1ull << way % 64; }

static void ask_vetoes(const struct l2_hooks *h, const struct l2_request *who, struct l2_set *set, struct choice *c)
{
    for (set->at = 0; set->at < set->n; set->at++) {
        struct l2_way *way = &set->ways[set->at];
        bool may_go = !way->is_free;
        for (unsigned i = 0; i < h->l2_may_evict.n && may_go; i++)
            may_go = h->l2_may_evict.at[i].ask(h->l2_may_evict.at[i].self, who, set);
        way->may_go = may_go && !way->is_pending;
        if (!may_go && !way->is_free) add(c->vetoed, set->at);
        c->can_wait |= may_go && way->is_pending;
        c->n_may_go += way->may_go;
    }
}

static void override_vetoes(const struct l2_set *set, struct choice *c)
{
    for (uint32_t i = 0; i < COUNT_OF(c->vetoed); i++) c->vetoed[i] = 0;
    for (uint32_t i = 0; i < set->n; i++) c->n_may_go += !set->ways[i].is_free && !set->ways[i].is_pending;
}

static void ask_shares(const struct l2_hooks *h, const struct l2_request *who, struct l2_set *set, struct choice *c)
{
    for (uint32_t i = 0; i < COUNT_OF(c->vetoed); i++) c->kept[i] = c->vetoed[i];
    for (set->at = 0; set->at < set->n && h->l2_share.ask; set->at++) {
        const struct l2_way *way = &set->ways[set->at];
        if (way->is_free) continue;
        const bool is_shared = h->l2_share.ask(h->l2_share.self, who, set);
        if (!is_shared) add(c->kept, set->at);
        c->n_shared += is_shared && !way->is_pending && !(c->vetoed[set->at / 64] >> set->at % 64 & 1);
    }
}

/* The frame that goes, of a set without a free one; NO_FRAME: none now, so the request waits. */
static uint32_t choose(const struct l2 *l2, const struct l2_request *who, struct l2_set *set)
{
    const struct l2_hooks *h = l2->policy;
    struct choice c = {.n_may_go = 0};
    ask_vetoes(h, who, set, &c);
    if (!c.n_may_go && who->kind == L2_ATOMIC) override_vetoes(set, &c);
    if (!c.n_may_go) return c.can_wait || who->kind == L2_ATOMIC ? NO_FRAME : L2_BYPASS;
    ask_shares(h, who, set, &c);
    return tags_victim_but(&l2->tags, who->set, c.n_shared ? c.kept : c.vetoed);
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
    const uint32_t frame = way < set.n ? r->set * l2->tags.stride + way : choose(l2, &who, &set);
    return (struct room){.frame = frame, .writes = frame < L2_BYPASS && tags_line(&l2->tags, frame)->dirty};
}

bool l2_policy_may_take(struct l2 *l2, const struct request *r, const struct probe *p, cycle_t now, bool *goes_around)
{
    struct tags *t = &l2->tags;
    const struct l2_hooks *h = l2->policy;
    const struct l2_request who = view_request(l2, r, now);
    const uint32_t found = r->sectors & ~p->missing;
    struct l2_set set;
    struct choice c = {.n_may_go = 0};
    *goes_around = false;
    view_set(l2, r->set, &set);
    if (!p->line && h->l2_bypass.ask && who.kind != L2_ATOMIC && h->l2_bypass.ask(h->l2_bypass.self, &who, &set)) {
        *goes_around = true;
        return true;
    }
    if (!p->line) ask_vetoes(h, &who, &set, &c);
    ask_shares(h, &who, &set, &c);
    const uint64_t nobody[L2_FRAMES_MAX / 64] = {0}, *const tries[] = {c.kept, c.vetoed, nobody};
    for (uint32_t i = 0; i < COUNT_OF(tries); i++) {
        t->some_stay = tries[i] != nobody;
        memcpy(t->stay, tries[i], sizeof nobody);
        if (!t->org->may_take(t, r->set, r->line, p->line, found, p->fetch)) continue;
        if (t->some_stay || p->line || who.kind == L2_ATOMIC) return true;
        *goes_around = !c.can_wait; /* vetoes alone are in its way */
        return *goes_around;
    }
    return false;
}

enum l2_insertion l2_policy_insert(struct l2 *l2, const struct request *r, uint32_t frame, cycle_t now)
{
    const struct l2_hooks *h = l2->policy;
    if (!h->l2_insert.ask) return L2_INSERT_USUAL;
    const struct l2_request who = view_request(l2, r, now);
    struct l2_set set;
    view_set(l2, r->set, &set);
    set.at = l2->is_placed ? set.n : frame - r->set * l2->tags.stride;
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

void l2_attach(struct l2 *l2, const struct hooks *hooks)
{
    const struct replacement_type *of_stack = hooks->l2_replacement ? replacement_named(hooks->l2_replacement) : NULL;
    const struct l2_params *p = l2->params;
    if (!of_stack) of_stack = p->organisation == L2_TSC ? &replacement_nru : &replacement_lru;
    const struct replacement_type *type = replacement_of(p->replacement, of_stack);
    tags_replace_by(&l2->tags, type);
}
