/* What warps wait for, for the trace: each change of a word that atomics, volatile or stronger accesses touch is
 * counted, and when lanes leave a loop that can only wait, the count with which they could do so is noted. A simulation
 * that counts the same changes then knows when the warp would go on (poise/trace.h, struct trace_wait).
 *
 * Other warps may have changed the word several times since it was last read. Which of these changes it was that ended
 * the wait is found by trying: the loop's round is run with older values of the word, and taken back. */
#include "exec/waits.h"

#include <stdlib.h>

/* By the rounds of all loops that can be tried. */
static size_t bytes_written(const struct ptx_kernel *k)
{
    size_t bytes = 0;
    for (size_t i = 0; i < k->n_written; i++) bytes += k->written[i].bytes;
    return bytes;
}

int waits_new(struct run *r, int (*run_warp)(struct run *, struct warp *))
{
    struct waits *x = calloc(1, sizeof *x);
    r->waits = x;
    if (x) {
        x->run_warp = run_warp;
        x->regs = malloc(bytes_written(r->kernel) + 1);
        x->values = malloc((BACK_MOST + 1) * sizeof *x->values);
    }
    if (x && waits_words_init(x) == 0 && x->regs && x->values) return 0;
    return error_set(r->err, ERR_MEMORY, "kernel %s: out of memory", r->kernel->info.name);
}

void waits_free(struct waits *x)
{
    if (!x) return;
    for (struct waited *w = x->all, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    waits_words_fini(x);
    free(x->log);
    free(x->found);
    free(x->regs);
    free(x->values);
    free(x);
}

/* ---- accesses ---- */

static uint64_t number_of(const struct run *r, const struct warp *w) { return r->cta_index * r->n_warps + w->index; }

/* What is known of the warp; NULL: nothing, and it is not begun, or there is no memory. */
static struct waited *waited_of(struct run *r, struct warp *w, bool begins)
{
    const uint64_t warp = number_of(r, w);
    struct waited *k = w->waited;
    if (!k && begins) {
        k = malloc(sizeof *k);
        if (!k) {
            r->waits->gives_up = r->waits->lacks_memory = true;
            return NULL;
        }
        k->next = r->waits->all;
        r->waits->all = w->waited = k;
        k->warp = UINT64_MAX;
    }
    if (k && k->warp != warp) { /* a warp of the CTA before this one had its place */
        k->warp = warp;
        k->n_now = k->n_before = k->spun_end = k->spun_round = 0;
        k->has_spun = false;
        k->last_wait = k->last_write = -1;
    }
    return k;
}

/* Nothing else of the warp stands between a wait and the round that finds it over: others may wait for that. */
static bool is_late(const struct waited *k, const struct warp *w)
{
    const int64_t step = w->buffer ? (int64_t)w->buffer->n_steps - 1 : 0;
    return k->has_spun && (k->last_write > k->spun_end || step - k->spun_end > k->spun_round);
}

static void note_read(struct waited *k, const struct warp *w, uint32_t word, uint32_t count)
{
    for (uint32_t i = 0; i < k->n_now && i < READS_MOST; i++)
        if (k->now[i].word == word) return;
    if (k->n_now < READS_MOST) k->now[k->n_now] = (struct read){word, count, is_late(k, w)};
    if (k->n_now <= READS_MOST) k->n_now++;
}

void waits_begin_access(struct run *r, struct warp *w, const struct uop *u, uint32_t mask,
                        const uint64_t addresses[LANES])
{
    struct waits *x = r->waits;
    const uint32_t bytes = (uint32_t)u->bytes * u->n_vec;
    const uint64_t window = u->space == SP_SHARED ? PTX_SHARED_WINDOW : 0;
    const bool is_new_too = u->notes & (NOTE_READS | NOTE_WRITES);
    uint64_t before = UINT64_MAX;
    x->n_touched = 0;
    if (x->is_trial || x->gives_up || !u->notes ||
        (u->space != SP_SHARED && u->space != SP_GLOBAL && u->space != SP_GENERIC))
        return;
    if (!is_new_too && waits_misses_words(x, addresses, bytes)) return;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint64_t address = window + addresses[__builtin_ctz(left)];
        if (address == before || address - PTX_LOCAL_WINDOW <= UINT32_MAX) continue;
        before = address;
        for (uint64_t a = address & ~(uint64_t)3; a < address + (u->kind == UOP_MBARRIER ? 8 : bytes); a += 4) {
            unsigned char *host = waits_host_of_word(r, u, a, is_new_too);
            if (!host || x->n_touched == TOUCHED_MOST) continue;
            struct touched_word *t = &x->touched[x->n_touched++];
            t->address = a;
            t->host = host;
            memcpy(&t->old, host, 4);
        }
    }
    struct waited *k = u->notes & NOTE_READS ? waited_of(r, w, true) : NULL;
    for (uint32_t i = 0; i < x->n_touched && k; i++) {
        const struct word *word = waits_word(r, &x->touched[i]);
        if (word) note_read(k, w, (uint32_t)(word - x->words), word->count);
    }
}

void waits_end_access(struct run *r, struct warp *w)
{
    struct waits *x = r->waits;
    const uint32_t n = x->n_touched;
    x->n_touched = 0;
    if (x->is_trial || x->gives_up || !w->buffer || w->buffer->n_steps > UINT32_MAX) return;
    const uint64_t warp = number_of(r, w);
    const int64_t step = (int64_t)w->buffer->n_steps - 1;
    struct waited *k = waited_of(r, w, false);
    for (uint32_t i = 0; i < n; i++) {
        const struct touched_word *t = &x->touched[i];
        uint32_t value;
        memcpy(&value, t->host, 4);
        if (value == t->old) continue;
        struct word *word = waits_word(r, t);
        if (!word || !waits_room(x, &x->log, &x->cap_log, x->n_log, LOG_MOST, sizeof *x->log)) return;
        const struct change *last = word->last == NO_ENTRY ? NULL : &x->log[word->last];
        if (last && last->warp == warp && last->step == step) continue; /* by another lane of this access */
        if (!word->count++) word->first = t->old;
        x->log[x->n_log] = (struct change){.warp = warp,
                                           .step = (uint32_t)step,
                                           .word = (uint32_t)(word - x->words),
                                           .value = value,
                                           .before = word->last};
        word->last = (int32_t)x->n_log++;
        if (k) k->last_write = step;
    }
}

/* ---- trials ---- */

bool waits_trial_ends(struct run *r, uint32_t taken)
{
    struct waits *x = r->waits;
    if (!x->is_trial) return false;
    x->trial_taken = taken;
    x->trial_is_over = true;
    r->stop = r->counts.warp_insts;
    return true;
}

/* A round of a loop of one block, and which lanes take its branch back. */
struct trial {
    const struct uop *branch;
    uint32_t active, taken;
};

/* What the round writes goes aside, or comes back. No round reads what one before it wrote (lower/spin.c), so several
 * trials may stand between the two. */
static void keep_registers(const struct run *r, const struct trial *t, const struct warp *w)
{
    const struct slot_span *s = r->kernel->written + t->branch->d, *end = s + t->branch->d2;
    for (unsigned char *to = r->waits->regs; s < end; to += s++->bytes) memcpy(to, w->regs + s->slot, s->bytes);
}

static void bring_registers_back(const struct run *r, const struct trial *t, const struct warp *w)
{
    const struct slot_span *s = r->kernel->written + t->branch->d, *end = s + t->branch->d2;
    for (const unsigned char *from = r->waits->regs; s < end; from += s++->bytes)
        memcpy(w->regs + s->slot, from, s->bytes);
}

/* Whether the round would end as it did with this value of the word. Nothing is left of it but registers. */
static bool ends_alike(struct run *r, struct warp *w, const struct trial *t, const struct word *word, uint32_t value)
{
    struct waits *x = r->waits;
    const struct run run = *r;
    const struct warp warp = *w;
    const uint64_t end = r->counts.warp_insts + t->branch->round;
    struct stack_entry stack[STACK_DEPTH];
    struct error err; /* of the trial: nobody is told */
    uint32_t is;
    memcpy(stack, w->stack, w->depth * sizeof *stack);
    memcpy(&is, word->host, 4);
    memcpy(word->host, &value, 4);
    w->buffer = NULL;
    w->depth = 1;
    w->stack[0] = (struct stack_entry){t->branch->target, NO_INDEX, t->active, ENTRY_RUNS};
    r->limit = UINT64_MAX;
    r->err = &err;
    x->is_trial = true;
    x->trial_is_over = false;
    int rc = 0;
    while (rc == 0 && !x->trial_is_over && r->counts.warp_insts < end) {
        r->stop = end;
        rc = x->run_warp(r, w);
    }
    x->is_trial = false;
    const bool is_alike = rc == 0 && x->trial_is_over && x->trial_taken == t->taken;
    memcpy(word->host, &is, 4);
    *w = warp;
    memcpy(w->stack, stack, w->depth * sizeof *stack);
    *r = run;
    return is_alike;
}

/* The values of a word after each of its changes, as far back as somebody has asked. */
struct past {
    const struct waits *x;
    uint32_t from, known; /* counts of changes: values[i] is after from + i of them; known from here on */
    int32_t at;           /* the change that gave the earliest of these */
    uint32_t first, *values;
};

static void past_begin(struct past *p, const struct waits *x, const struct word *word, uint32_t from, uint32_t high)
{
    int32_t at = word->last;
    for (uint32_t count = word->count; count > high && at != NO_ENTRY; count--) at = x->log[at].before;
    *p = (struct past){.x = x, .from = from, .known = high, .at = at, .first = word->first, .values = x->values};
    p->values[high - from] = at == NO_ENTRY ? word->first : x->log[at].value;
}

static uint32_t past_value(struct past *p, uint32_t count)
{
    while (p->known > count && p->at != NO_ENTRY) {
        p->at = p->x->log[p->at].before;
        p->values[--p->known - p->from] = p->at == NO_ENTRY ? p->first : p->x->log[p->at].value;
    }
    return p->values[count - p->from];
}

/* The least count of changes, back from `high`, since when the round ends as it did. 0: it always did. `low`: known not
 * to do, or 0 and not known. */
static uint32_t search(struct run *r, struct warp *w, const struct trial *t, const struct word *word, uint32_t low,
                       uint32_t high, bool low_is_known)
{
    enum { ONE_BY_ONE = 16 };
    const uint32_t from = high - low > BACK_MOST ? high - BACK_MOST : low;
    uint32_t good = high, bad, step = 1;
    struct past past;
    past_begin(&past, r->waits, word, from, high);
    if (!ends_alike(r, w, t, word, past_value(&past, high))) return high;
    for (uint32_t tried = 0;;) {
        bad = good - from > step ? good - step : from;
        if ((bad == low && low_is_known) || !ends_alike(r, w, t, word, past_value(&past, bad))) break;
        good = bad;
        if (bad == from) return low_is_known ? good : 0;
        if (++tried >= ONE_BY_ONE) step *= 2;
    }
    while (good - bad > 1) {
        const uint32_t middle = bad + (good - bad) / 2;
        if (ends_alike(r, w, t, word, past_value(&past, middle))) good = middle;
        else bad = middle;
    }
    return good;
}

static uint32_t least_count(struct run *r, struct warp *w, const struct trial *t, const struct word *word, uint32_t low,
                            uint32_t high, bool low_is_known)
{
    keep_registers(r, t, w);
    const uint32_t count = search(r, w, t, word, low, high, low_is_known);
    bring_registers_back(r, t, w);
    return count;
}

/* ---- rounds ---- */

bool waits_end_at(const struct warp *w, uint64_t n)
{
    const struct waited *k = w->waited;
    return k && k->last_wait >= 0 && (uint64_t)k->last_wait + n + 1 >= w->buffer->n_steps;
}

static void note_wait(struct waits *x, struct waited *k, uint64_t step, uint32_t round, uint32_t word, uint32_t count)
{
    if (!waits_room(x, &x->found, &x->cap_found, x->n_found, LOG_MOST, sizeof *x->found)) return;
    x->found[x->n_found++] = (struct found_wait){k->warp, (uint32_t)step, word, count, round};
}

/* The round after one that was marked as spun ended otherwise. t: it can be tried, or NULL. */
static void end_spun_wait(struct run *r, struct warp *w, struct waited *k, const struct trial *t)
{
    const int64_t first = (int64_t)k->spun_end + 1 - k->spun_round;
    if (k->n_now > READS_MOST || k->n_before > READS_MOST || first <= k->last_wait) return;
    const size_t before = r->waits->n_found;
    for (uint32_t i = 0; i < k->n_now; i++)
        for (uint32_t b = 0; b < k->n_before; b++) {
            const struct read *now = &k->now[i], *was = &k->before[b];
            if (now->word != was->word || now->count <= was->count || now->is_late) continue;
            const bool is_exact = now->count == was->count + 1 || !t;
            const struct word *word = &r->waits->words[now->word];
            const uint32_t count = is_exact ? now->count : least_count(r, w, t, word, was->count, now->count, true);
            note_wait(r->waits, k, k->spun_end, k->spun_round, now->word, count);
        }
    if (r->waits->n_found > before) k->last_wait = k->spun_end;
}

/* Lanes leave a loop in which the warp did not spin: what they waited for was there already. */
static void end_short_wait(struct run *r, struct warp *w, struct waited *k, const struct trial *t)
{
    const uint64_t step = w->buffer->n_steps - 1;
    const uint32_t round = t->branch->round;
    const int64_t first = (int64_t)step + 1 - round;
    const bool follows_spun = w->buffer->n_spun && (int64_t)(w->buffer->spun[w->buffer->n_spun - 1].first +
                                                             w->buffer->spun[w->buffer->n_spun - 1].n) > first;
    if (first <= k->last_write || first <= k->last_wait || follows_spun || k->n_now > READS_MOST) return;
    const size_t before = r->waits->n_found;
    for (uint32_t i = 0; i < k->n_now; i++) {
        const struct word *word = &r->waits->words[k->now[i].word];
        const uint32_t high = k->now[i].count, count = high ? least_count(r, w, t, word, 0, high, false) : 0;
        if (count) note_wait(r->waits, k, step, round, k->now[i].word, count);
    }
    if (r->waits->n_found > before) k->last_wait = (int64_t)step;
}

void waits_round(struct run *r, struct warp *w, const struct uop *u, uint32_t active, uint32_t taken, uint64_t n)
{
    struct waited *k = waited_of(r, w, false);
    if (!k || r->waits->gives_up || !w->buffer || w->buffer->n_steps > UINT32_MAX) return;
    const struct trial trial = {u, active, taken};
    const bool leaves = (active & ~taken) != 0, can_try = u->notes & NOTE_BLOCK && k->n_now <= READS_MOST &&
                                                          (!(u->notes & NOTE_ATOMIC) || k->n_now == 1);
    if (w->spins) {
        memcpy(k->before, k->now, (k->n_now < READS_MOST ? k->n_now : READS_MOST) * sizeof *k->now);
        k->n_before = k->n_now;
        k->spun_end = (uint32_t)(w->buffer->n_steps - 1);
        k->spun_round = (uint32_t)n;
        k->has_spun = true;
    } else {
        if (k->has_spun) end_spun_wait(r, w, k, leaves && can_try && n <= u->round ? &trial : NULL);
        else if (leaves && can_try) end_short_wait(r, w, k, &trial);
        k->has_spun = false;
    }
    k->n_now = 0;
}

void waits_warp_ends(struct run *r, struct warp *w)
{
    struct waited *k = r->waits && !r->waits->is_trial ? waited_of(r, w, false) : NULL;
    if (k && k->has_spun && !r->waits->gives_up) end_spun_wait(r, w, k, NULL);
    if (k) k->has_spun = false;
}
