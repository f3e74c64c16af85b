/* The mutexes of atomic data, as a state machine of their own (atom_mutex.h). A tick is: what arrives, who may have a
 * mutex, what holders do. */
#include "atom_mesh.h"

#include <stddef.h>

/* ---- requests and copies of a node ---- */

static void sleep_until(struct atom *a, uint64_t at)
{
    if (at < a->wake) a->wake = at;
}

static void set_active(struct atom_node *n, uint32_t mutex) { n->active[mutex / 64] |= 1ull << mutex % 64; }

static void settle(struct atom_node *n, uint32_t mutex)
{
    const struct atom_want *w = &n->wants[mutex];
    const bool is_quiet = !w->waiting && !w->writes && !w->is_busy && !w->is_dirty && !w->recall;
    if (w->state == ATOM_FREE && is_quiet) n->active[mutex / 64] &= ~(1ull << mutex % 64);
}

/* The mutexes that a node has dealings with, in ascending order. The body may drop the one in hand. */
#define FOR_ACTIVE(node, m) \
    for (uint32_t word_ = 0; word_ < ATOM_MASK_WORDS; word_++) \
        for (uint64_t left_ = (node)->active[word_], m = 0; \
             left_ && (m = word_ * 64u + (uint32_t)__builtin_ctzll(left_), true); left_ &= left_ - 1)

/* The one that has waited longest, of a mutex; NULL: none. */
static struct atom_request *oldest(const struct atom *a, struct atom_node *n, uint32_t mutex)
{
    struct atom_request *found = NULL;
    if (!n->wants[mutex].waiting) return NULL;
    for (uint32_t i = 0; i < a->config.requests; i++) {
        struct atom_request *r = &n->requests[i];
        if (r->is_used && r->mutex == mutex && (!found || (int32_t)(r->sequence - found->sequence) < 0)) found = r;
    }
    return found;
}

static struct atom_copy *copy_of(const struct atom *a, struct atom_node *n, uint32_t line)
{
    for (uint32_t i = 0; i < a->config.copies; i++) {
        struct atom_copy *c = &n->copies[i];
        if (c->line == line && (c->state == COPY_FETCHING || c->state == COPY_GOOD)) return c;
    }
    return NULL;
}

/* A place for another line: free, or that of the copy used longest ago that nothing depends on. */
static struct atom_copy *copy_place(const struct atom *a, struct atom_node *n)
{
    struct atom_copy *found = NULL;
    for (uint32_t i = 0; i < a->config.copies; i++) {
        struct atom_copy *c = &n->copies[i];
        if (c->state == COPY_NONE) return c;
        if (c->state != COPY_GOOD || c->dirty || c->is_updating) continue;
        if (!found || (int32_t)(c->used_at - found->used_at) < 0) found = c;
    }
    return found;
}

static void drop(struct atom_copy *c)
{
    c->state = c->arriving ? COPY_DROPPED : COPY_NONE;
    c->is_speculative = 0;
    c->sectors = 0;
}

static bool fetch(struct atom *a, struct atom_node *n, uint32_t node, struct atom_copy *c, const struct atom_request *r,
                  bool is_speculative, const struct atom_calls *calls)
{
    const bool has_some = c->line == r->line && c->state == COPY_GOOD;
    const uint32_t missing = has_some ? r->sectors & ~(uint32_t)c->sectors : r->sectors;
    if (!calls->fetch(calls->env, node, (uint32_t)(c - n->copies), r->line, missing)) return false;
    if (!has_some) *c = (struct atom_copy){.line = r->line, .mutex = r->mutex};
    c->state = COPY_FETCHING;
    c->arriving = (uint8_t)missing;
    c->is_speculative = is_speculative;
    a->in_flight++;
    a->counts.fetches++;
    a->counts.speculative += is_speculative;
    return true;
}

/* ---- writing ---- */

/* What is on its way to memory may overtake, so nothing more of a mutex's data is sent or asked for until its writes
 * are acknowledged. With updates, the changes go to all nodes too, under the busy wire. */
static bool write(struct atom *a, struct atom_node *n, uint32_t node, struct atom_copy *c,
                  const struct atom_calls *calls, uint64_t now)
{
    struct atom_want *w = &n->wants[c->mutex];
    if (!calls->write(calls->env, node, c->mutex, c->line, c->dirty, c->value)) return false;
    c->dirty = 0;
    w->writes++;
    a->in_flight++;
    a->counts.writes++;
    if (a->config.kind != ATOM_NAIVE) return true;
    c->is_updating = 1;
    w->update_until = now + a->config.update_cycles + way_to_farthest(&a->config, node);
    a->counts.updates++;
    if (w->is_busy) return true;
    w->is_busy = 1;
    a->mutexes[c->mutex].is_updating = 1;
    a->busy[c->mutex % a->config.wires]++;
    return true;
}

static bool has_changes(const struct atom *a, const struct atom_node *n, uint32_t mutex)
{
    for (uint32_t i = 0; i < a->config.copies; i++)
        if (n->copies[i].dirty && n->copies[i].mutex == mutex) return true;
    return false;
}

/* Writes what the node has changed under the mutex; false if not all of it could be sent. */
static bool write_all(struct atom *a, struct atom_node *n, uint32_t node, uint32_t mutex,
                      const struct atom_calls *calls, uint64_t now)
{
    for (uint32_t i = 0; i < a->config.copies; i++) {
        struct atom_copy *c = &n->copies[i];
        if (c->dirty && c->mutex == mutex && !write(a, n, node, c, calls, now)) return false;
    }
    return true;
}

/* There is no place for another line: what was used longest ago is written, so that it can be replaced. */
static void write_oldest(struct atom *a, struct atom_node *n, uint32_t node, const struct atom_calls *calls,
                         uint64_t now)
{
    struct atom_copy *found = NULL;
    for (uint32_t i = 0; i < a->config.copies; i++) {
        struct atom_copy *c = &n->copies[i];
        if (!c->dirty || c->arriving || n->wants[c->mutex].writes) continue;
        if (!found || (int32_t)(c->used_at - found->used_at) < 0) found = c;
    }
    if (found) write(a, n, node, found, calls, now);
}

/* ---- asking, answering, releasing ---- */

/* The request is for data that nothing of this node's own hangs on: L2 has it as new as this node does, or newer. */
static bool may_be_old(const struct atom_copy *c)
{
    return c->state == COPY_GOOD && !c->arriving && !c->dirty && !c->is_updating && !c->is_handed;
}

/* Data may be asked for along with the mutex; a copy that is there may be good still. [TECHNIQUES §3.4] */
static void ask(struct atom *a, struct atom_node *n, uint32_t node, uint32_t mutex, const struct atom_calls *calls,
                uint64_t now)
{
    struct atom_want *w = &n->wants[mutex];
    const struct atom_request *r = oldest(a, n, mutex);
    w->state = ATOM_ASKING;
    w->asked_at = now;
    w->asked_epoch = epoch_of(&a->config, now);
    w->at = now + way(&a->config, node, mutex);
    if (!a->config.speculates || w->writes) return;
    struct atom_copy *c = copy_of(a, n, r->line);
    if (c && !(a->config.refetches && may_be_old(c))) return;
    if (c) drop(c);
    c = copy_place(a, n);
    if (c) fetch(a, n, node, c, r, true, calls);
}

static void release(struct atom *a, struct atom_node *n, uint32_t node, uint32_t mutex, uint64_t now)
{
    struct atom_mutex *m = &a->mutexes[mutex];
    m->is_held = 0;
    m->was_released = 1;
    m->releaser = (uint16_t)node;
    m->release_epoch = epoch_of(&a->config, now);
    m->free_from = has_token_ring(&a->config) ? now + 1 : now; /* whoever releases passes the token on first */
    m->is_dirty = n->wants[mutex].is_dirty;
    n->wants[mutex].state = ATOM_FREE;
    n->wants[mutex].at = now;
}

/* All copies of what the node has changed are as its own; the wire may fall. */
static void end_update(struct atom *a, struct atom_node *nodes, uint32_t node, uint32_t mutex)
{
    struct atom_node *n = &nodes[node];
    for (uint32_t i = 0; i < a->config.copies; i++) {
        struct atom_copy *c = &n->copies[i];
        if (!c->is_updating || c->mutex != mutex) continue;
        c->is_updating = 0;
        for (uint32_t other = 0; other < a->config.nodes; other++) {
            struct atom_copy *theirs = other == node ? NULL : copy_of(a, &nodes[other], c->line);
            if (theirs) theirs->value = c->value;
        }
    }
    n->wants[mutex].is_busy = 0;
    a->mutexes[mutex].is_updating = 0;
    a->busy[mutex % a->config.wires]--;
}

/* All that the node has changed under a mutex that it does not hold is in L2. Else it goes there, as soon as it can. */
static bool is_written(struct atom *a, struct atom_node *n, uint32_t node, uint32_t mutex,
                       const struct atom_calls *calls, uint64_t now)
{
    struct atom_want *w = &n->wants[mutex];
    if (w->writes) return false;
    if (!has_changes(a, n, mutex)) {
        w->is_dirty = 0;
        return true;
    }
    if (!write_all(a, n, node, mutex, calls, now)) sleep_until(a, now + 1);
    return false;
}

/* ---- data that travels with its mutex ---- */

static bool goes_along(const struct atom_copy *c, uint32_t mutex)
{
    return c->state == COPY_GOOD && c->mutex == mutex && !c->arriving;
}

/* Whether the node has places for all changes that another one would send it. What it has of the mutex's data itself is
 * old, and makes room. */
static bool has_places(const struct atom *a, struct atom_node *to, const struct atom_node *from, uint32_t mutex)
{
    uint32_t places = 0, changes = 0;
    for (uint32_t i = 0; i < a->config.copies; i++) {
        struct atom_copy *c = &to->copies[i];
        if (c->mutex == mutex && (c->state == COPY_GOOD || c->state == COPY_FETCHING)) drop(c);
        places += c->state == COPY_NONE || (c->state == COPY_GOOD && !c->dirty && !c->is_updating);
        changes += goes_along(&from->copies[i], mutex) && from->copies[i].dirty;
    }
    return changes <= places;
}

/* What has been changed goes first, what is as in L2 where there is room. */
static uint32_t move_copies(const struct atom *a, struct atom_node *from, struct atom_node *to, uint32_t mutex,
                            uint64_t now)
{
    uint32_t n = 0;
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < a->config.copies; i++) {
            struct atom_copy *c = &from->copies[i], *place;
            if (!goes_along(c, mutex) || !c->dirty == !round) continue;
            if ((place = round ? NULL : copy_place(a, to)) == NULL)
                for (uint32_t k = 0; k < a->config.copies && !place; k++)
                    if (to->copies[k].state == COPY_NONE) place = &to->copies[k];
            if (!place) continue;
            *place = *c;
            place->is_handed = 1;
            place->is_speculative = 0;
            place->used_at = (uint32_t)now;
            *c = (struct atom_copy){0};
            n++;
        }
    return n;
}

/* The last holder sends the mutex and its data to the node that the mutex is meant for. False: it must write instead,
 * as the other has no room, or as writes are on their way that a later one could overtake. */
static bool hand_over(struct atom *a, struct atom_node *nodes, uint32_t node, uint32_t mutex, uint64_t now)
{
    struct atom_mutex *m = &a->mutexes[mutex];
    const uint32_t to = m->meant_for - 1u;
    struct atom_want *mine = &nodes[node].wants[mutex], *theirs = &nodes[to].wants[mutex];
    if (!a->config.travels || mine->writes || !has_places(a, &nodes[to], &nodes[node], mutex)) return false;
    const uint32_t n = move_copies(a, &nodes[node], &nodes[to], mutex, now);
    mine->recall = RECALL_NONE;
    mine->is_dirty = 0;
    theirs->is_dirty = 1;
    theirs->state = ATOM_COMING;
    theirs->at = now + way_between(&a->config, node, to) + (uint64_t)a->config.update_cycles * n;
    theirs->is_same = theirs->is_mature = 0;
    m->is_held = 1;
    m->meant_for = 0;
    m->is_recalled = m->is_dirty = 0;
    a->counts.handed_over++;
    sleep_until(a, theirs->at > now ? theirs->at : now + 1);
    return true;
}

/* The last holder writes what it has changed, and says so. */
static void take_part_in_recall(struct atom *a, struct atom_node *nodes, uint32_t node, uint32_t mutex,
                                const struct atom_calls *calls, uint64_t now)
{
    struct atom_node *n = &nodes[node];
    struct atom_want *w = &n->wants[mutex];
    struct atom_mutex *m = &a->mutexes[mutex];
    if (w->recall == RECALL_COMING && w->recall_at <= now) {
        if (hand_over(a, nodes, node, mutex, now)) return;
        w->recall = RECALL_WRITING;
    }
    if (w->recall == RECALL_WRITING && is_written(a, n, node, mutex, calls, now)) {
        w->recall = RECALL_ANSWERED;
        w->recall_at = now + way(&a->config, node, mutex);
    }
    if (w->recall == RECALL_ANSWERED && w->recall_at <= now) {
        w->recall = RECALL_NONE;
        m->is_recalled = m->is_dirty = 0;
        m->release_epoch = epoch_of(&a->config, now); /* what was fetched before may be old */
    }
    if (w->recall == RECALL_COMING || w->recall == RECALL_ANSWERED) sleep_until(a, w->recall_at);
}

/* What nobody asks for goes to L2 in the end. */
static void flush(struct atom *a, struct atom_node *n, uint32_t node, uint32_t mutex, const struct atom_calls *calls,
                  uint64_t now)
{
    struct atom_want *w = &n->wants[mutex];
    if (w->state != ATOM_FREE || w->recall || !w->is_dirty) return;
    if (now < w->at + a->config.flush_cycles) sleep_until(a, w->at + a->config.flush_cycles);
    else is_written(a, n, node, mutex, calls, now);
}

/* What reaches a node's dealings with a mutex in this cycle. */
static void arrive(struct atom *a, struct atom_node *nodes, uint32_t node, uint32_t mutex,
                   const struct atom_calls *calls, uint64_t now)
{
    struct atom_node *n = &nodes[node];
    struct atom_want *w = &n->wants[mutex];
    if (w->is_busy && !w->writes && w->update_until <= now) end_update(a, nodes, node, mutex);
    if (w->state == ATOM_RELEASING && w->at <= now && has_token(&a->config, node, now)) release(a, n, node, mutex, now);
    if (w->state == ATOM_FREE && w->waiting) ask(a, n, node, mutex, calls, now);
    if (w->state == ATOM_ASKING && w->at <= now) {
        w->state = ATOM_QUEUED;
        w->ticket = a->tickets++;
    }
    if (w->recall) take_part_in_recall(a, nodes, node, mutex, calls, now);
    if (w->is_dirty) flush(a, n, node, mutex, calls, now);
    settle(n, mutex);
}

/* Another request that waits with the same answerer has come before. */
static bool is_behind(const struct atom *a, const struct atom_node *nodes, uint32_t node, uint32_t mutex)
{
    const struct atom_config *c = &a->config;
    const uint32_t step = c->kind == ATOM_RINGS ? c->columns : 1, first = c->kind == ATOM_RINGS ? node % c->columns : 0;
    if (c->kind == ATOM_NAIVE) return false;
    for (uint32_t i = first; i < c->nodes; i += step) {
        const struct atom_want *other = &nodes[i].wants[mutex];
        if (other->state == ATOM_QUEUED && (int32_t)(other->ticket - nodes[node].wants[mutex].ticket) < 0) return true;
    }
    return false;
}

/* The mutex is free, and whoever decides has the node's request before it. */
static bool may_have(struct atom *a, const struct atom_node *nodes, uint32_t node, uint32_t mutex, uint64_t now)
{
    const struct atom_mutex *m = &a->mutexes[mutex];
    if (m->is_held || m->is_recalled || (m->meant_for && m->meant_for != node + 1)) return false;
    if (m->free_from > now || !has_token(&a->config, node, now) || is_behind(a, nodes, node, mutex)) return false;
    if (!a->busy[mutex % a->config.wires] || a->config.fault == ATOM_IGNORES_BUSY_WIRES) return true;
    a->counts.busy_waits++;
    a->counts.busy_conflicts += !m->is_updating;
    return false;
}

/* What the last holder has not written must be in L2 before another gets the mutex. */
static void recall(struct atom *a, struct atom_node *holder, uint32_t mutex, uint32_t to, uint64_t now)
{
    struct atom_mutex *m = &a->mutexes[mutex];
    struct atom_want *w = &holder->wants[mutex];
    a->counts.recalls++;
    m->is_recalled = 1;
    m->meant_for = (uint16_t)(to + 1);
    w->recall = RECALL_COMING;
    w->recall_at = now + way(&a->config, m->releaser, mutex);
    set_active(holder, mutex);
    sleep_until(a, w->recall_at > now ? w->recall_at : now + 1);
}

static void answer(struct atom *a, struct atom_node *nodes, uint32_t node, uint32_t mutex, uint64_t now)
{
    struct atom_want *w = &nodes[node].wants[mutex];
    struct atom_mutex *m = &a->mutexes[mutex];
    if (w->state != ATOM_QUEUED || !may_have(a, nodes, node, mutex, now)) return;
    if (m->is_dirty && m->releaser != node && a->config.fault != ATOM_NEVER_RECALLS) {
        recall(a, &nodes[m->releaser], mutex, node, now);
        return;
    }
    m->is_held = 1;
    m->meant_for = 0;
    w->state = ATOM_COMING;
    w->at = now + way(&a->config, node, mutex);
    w->is_same = m->was_released && m->releaser == node;
    w->is_mature = !m->was_released || m->release_epoch < epoch_of(&a->config, now);
}

/* ---- holding ---- */

/* The mutex has come. A copy is still good if nobody else has had the mutex since, or if updates keep it so; what was
 * fetched before, if the last release was in an earlier epoch than the request, which is not stale. */
static void begin_hold(struct atom *a, struct atom_node *n, uint32_t mutex, uint64_t now)
{
    struct atom_want *w = &n->wants[mutex];
    const bool is_stale = w->asked_epoch != epoch_of(&a->config, now);
    const bool trusts = (w->is_mature && !is_stale) || a->config.fault == ATOM_TRUSTS_EVERY_FETCH;
    /* a fetch of what this node was the last to change: it was sent after L2 had acknowledged that */
    const bool is_own = a->config.refetches && w->is_same;
    w->state = ATOM_HELD;
    w->performed = 0;
    a->counts.acquisitions++;
    a->counts.self_satisfied += now == w->asked_at;
    a->counts.acquisition_cycles += now - w->asked_at;
    a->counts.own_again += w->is_same;
    for (uint32_t i = 0; i < a->config.copies; i++) {
        struct atom_copy *c = &n->copies[i];
        if (c->mutex != mutex || (c->state != COPY_GOOD && c->state != COPY_FETCHING)) continue;
        const bool comes = c->is_handed && a->config.fault != ATOM_DROPS_WHAT_COMES;
        const bool is_good =
            comes || (c->is_speculative ? trusts || is_own : w->is_same || a->config.kind == ATOM_NAIVE);
        a->counts.speculative_good += c->is_speculative && is_good;
        c->is_speculative = c->is_handed = 0;
        if (!is_good) drop(c);
    }
}

static void perform(struct atom *a, struct atom_node *n, uint32_t node, struct atom_request *r, struct atom_copy *c,
                    const struct atom_calls *calls, uint64_t now)
{
    struct atom_want *w = &n->wants[r->mutex];
    const bool was_full = n->n_requests == a->config.requests;
    c->value++;
    c->dirty |= r->sectors;
    w->is_dirty = a->config.writes_back;
    c->used_at = (uint32_t)now;
    w->waiting--;
    w->performed++;
    n->n_requests--;
    n->turn = r->mutex + 1u;
    r->is_used = 0;
    a->counts.performed++;
    a->counts.copy_hits += !r->waited_for_data;
    a->counts.latency_sum += now - r->since;
    if (now - r->since > a->counts.longest) a->counts.longest = now - r->since;
    calls->performed(calls->env, node, r, c->value);
    if (was_full) calls->has_room(calls->env, node);
}

/* Nothing more is done under the mutex: it goes back when all is written, or, with updates, under its busy wire. */
static uint64_t give_back(struct atom *a, struct atom_node *n, uint32_t node, uint32_t mutex,
                          const struct atom_calls *calls, uint64_t now)
{
    struct atom_want *w = &n->wants[mutex];
    const bool writes_now = !a->config.writes_back;
    if (writes_now && w->writes && has_changes(a, n, mutex)) return ATOM_NEVER;
    if (writes_now && !write_all(a, n, node, mutex, calls, now)) return now + 1;
    if (writes_now && w->writes && a->config.kind != ATOM_NAIVE && a->config.fault != ATOM_RELEASES_EARLY)
        return ATOM_NEVER;
    w->state = ATOM_RELEASING;
    w->at = now + way(&a->config, node, mutex);
    return next_token(&a->config, node, w->at > now ? w->at : now + 1);
}

/* What a holder does in this cycle; returns when it can go on by itself. `*is_free`: the node performs nothing else in
 * it. */
static uint64_t hold(struct atom *a, struct atom_node *n, uint32_t node, uint32_t mutex, bool *is_free,
                     const struct atom_calls *calls, uint64_t now)
{
    struct atom_request *r = n->wants[mutex].performed < a->config.hold ? oldest(a, n, mutex) : NULL;
    if (!r) return give_back(a, n, node, mutex, calls, now);
    struct atom_copy *c = copy_of(a, n, r->line);
    if (c && c->state == COPY_FETCHING) {
        r->waited_for_data = 1;
        return ATOM_NEVER;
    }
    if (c && !(r->sectors & ~(uint32_t)c->sectors)) {
        if (*is_free) perform(a, n, node, r, c, calls, now);
        *is_free = false;
        return now + 1;
    }
    r->waited_for_data = 1;
    if (n->wants[mutex].writes) return ATOM_NEVER;
    if (!c) c = copy_place(a, n);
    if (!c) write_oldest(a, n, node, calls, now);
    return c && fetch(a, n, node, c, r, false, calls) ? ATOM_NEVER : now + 1;
}

static uint64_t next_of(const struct atom *a, const struct atom_node *n, uint32_t node, uint32_t mutex, uint64_t now)
{
    const struct atom_want *w = &n->wants[mutex];
    const struct atom_mutex *m = &a->mutexes[mutex];
    const uint64_t from = m->free_from > now ? m->free_from : now + 1;
    switch (w->state) {
    case ATOM_FREE: return w->waiting ? now + 1 : ATOM_NEVER;
    case ATOM_ASKING:
    case ATOM_COMING: return w->at > now ? w->at : now + 1;
    case ATOM_QUEUED: return m->is_held || m->is_recalled ? ATOM_NEVER : next_token(&a->config, node, from);
    case ATOM_RELEASING: return next_token(&a->config, node, w->at > now ? w->at : now + 1);
    default: return ATOM_NEVER; /* held: hold() says */
    }
}

/* A node's holders, one after another from where it performed last. */
static void work(struct atom *a, struct atom_node *n, uint32_t node, const struct atom_calls *calls, uint64_t now)
{
    bool is_free = true;
    const uint32_t turn = n->turn;
    for (uint32_t round = 0; round < 2; round++) FOR_ACTIVE(n, m)
        {
            struct atom_want *w = &n->wants[m];
            if ((m >= turn) == round) continue;
            if (w->state == ATOM_COMING && w->at <= now) begin_hold(a, n, (uint32_t)m, now);
            const uint64_t next = w->state == ATOM_HELD ? hold(a, n, node, (uint32_t)m, &is_free, calls, now)
                                                        : next_of(a, n, node, (uint32_t)m, now);
            sleep_until(a, next);
            if (w->is_busy && !w->writes) sleep_until(a, w->update_until > now ? w->update_until : now + 1);
        }
}

void atom_tick(struct atom *a, struct atom_node *nodes, const struct atom_calls *calls, uint64_t now)
{
    const uint32_t n = a->config.nodes;
    a->wake = ATOM_NEVER;
    for (uint32_t i = 0; i < n; i++) FOR_ACTIVE(&nodes[i], m) arrive(a, nodes, i, (uint32_t)m, calls, now);
    for (uint32_t i = 0; i < n; i++) FOR_ACTIVE(&nodes[i], m) answer(a, nodes, i, (uint32_t)m, now);
    for (uint32_t i = 0; i < n; i++) work(a, &nodes[i], i, calls, now);
}

/* ---- what it is told ---- */

void atom_init(struct atom *a, const struct atom_config *config)
{
    a->config = *config;
    a->wake = ATOM_NEVER;
}

bool atom_has_room(const struct atom *a, const struct atom_node *node) { return node->n_requests < a->config.requests; }

void atom_take(struct atom *a, struct atom_node *nodes, uint32_t node, uint32_t line, uint32_t sectors,
               const uint32_t payload[3], uint64_t now)
{
    struct atom_node *n = &nodes[node];
    const uint32_t mutex = line % a->config.mutexes;
    uint32_t i = 0;
    while (n->requests[i].is_used) i++;
    n->requests[i] = (struct atom_request){.line = line,
                                           .payload = {payload[0], payload[1], payload[2]},
                                           .sequence = n->sequence++,
                                           .since = now,
                                           .mutex = (uint16_t)mutex,
                                           .sectors = (uint8_t)sectors,
                                           .is_used = 1};
    n->n_requests++;
    n->wants[mutex].waiting++;
    a->counts.taken++;
    set_active(n, mutex);
    sleep_until(a, now + 1);
}

void atom_fetched(struct atom *a, struct atom_node *nodes, uint32_t node, uint32_t copy, uint32_t value, uint64_t now)
{
    struct atom_copy *c = &nodes[node].copies[copy];
    a->in_flight--;
    if (c->state == COPY_DROPPED) {
        c->state = COPY_NONE;
    } else {
        if (!c->sectors)
            c->value = value; /* else what is there is as new, or newer: it may not have been written yet */
        c->sectors |= c->arriving;
        c->state = COPY_GOOD;
        c->used_at = (uint32_t)now;
    }
    c->arriving = 0;
    sleep_until(a, now + 1);
}

void atom_written(struct atom *a, struct atom_node *nodes, uint32_t node, uint32_t mutex, uint64_t now)
{
    a->in_flight--;
    nodes[node].wants[mutex].writes--;
    sleep_until(a, now + 1);
}

bool atom_is_idle(const struct atom *a, const struct atom_node *nodes)
{
    bool is_idle = !a->in_flight;
    for (uint32_t i = 0; i < a->config.nodes; i++)
        for (uint32_t w = 0; w < ATOM_MASK_WORDS; w++) is_idle = is_idle && !nodes[i].active[w];
    return is_idle;
}
