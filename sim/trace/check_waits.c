/* What a trace says of waits: whether a simulation may rely on it. */
#include <stdlib.h>
#include "internal.h"

/* A walk over waits, with the writes, the ranges of steps that waited, and the warps about them. */
struct walk {
    const struct trace *t;
    uint64_t *totals; /* writes that each word gets */
    uint64_t warp, write, spun;
    const char *problem;
    uint64_t at;
};

static bool is_shared(const struct trace_word *w)
{
    return w->address >= TRACE_SHARED_WINDOW && w->address < TRACE_LOCAL_WINDOW;
}

static bool fails(struct walk *w, uint64_t at, const char *problem)
{
    w->at = at;
    w->problem = problem;
    return false;
}

static bool words_are_sound(struct walk *w)
{
    const struct trace *t = w->t;
    for (uint64_t i = 0; i < t->n_words; i++) {
        const struct trace_word *x = &t->words[i], *before = x - 1;
        if (x->reserved || x->address % 4) return fails(w, i, "word: it is no aligned word");
        if (is_shared(x) ? x->cta >= t->launch.n_ctas || x->address - TRACE_SHARED_WINDOW > UINT32_MAX
                         : x->cta || (x->address >= TRACE_SHARED_WINDOW && x->address < TRACE_LOCAL_WINDOW_END))
            return fails(w, i, "word: it lies in no memory");
        if (i && (before->address > x->address || (before->address == x->address && before->cta >= x->cta)))
            return fails(w, i, "word: out of order");
    }
    return true;
}

/* Step `step` is one of the trace, and the walk stands at its warp. */
static bool comes_to(struct walk *w, uint64_t step)
{
    const struct trace *t = w->t;
    if (step >= t->n_steps) return false;
    while (t->warps[w->warp].first_step + t->warps[w->warp].n_steps <= step) w->warp++;
    return true;
}

static bool is_of_cta(const struct walk *w, const struct trace_word *word)
{
    return !is_shared(word) || w->warp / w->t->launch.warps_per_cta == word->cta;
}

static bool writes_are_sound(struct walk *w)
{
    const struct trace *t = w->t;
    for (uint64_t i = 0; i < t->n_writes; i++) {
        const struct trace_write *x = &t->writes[i], *before = x - 1;
        if (x->reserved || x->word >= t->n_words) return fails(w, i, "counted write: of no word");
        if (i && (before->step > x->step || (before->step == x->step && before->word >= x->word)))
            return fails(w, i, "counted write: out of order");
        if (!comes_to(w, x->step)) return fails(w, i, "counted write: beyond the last step");
        const struct trace_step *step = &t->steps[x->step];
        const uint32_t cls = t->code[step->inst].cls;
        if (!step->mask || (cls != TRACE_STORE && cls != TRACE_ATOMIC))
            return fails(w, i, "counted write: its step is no store and no atomic");
        if (!is_of_cta(w, &t->words[x->word])) return fails(w, i, "counted write: to another CTA's shared memory");
        w->totals[x->word]++;
    }
    return true;
}

/* No counted write is repeated, and what is left out of a range of steps that waited are whole rounds. */
static bool round_is_sound(struct walk *w, uint64_t i)
{
    const struct trace *t = w->t;
    const struct trace_wait *x = &t->waits[i];
    const uint64_t first = x->step + 1 - x->round;
    while (w->write < t->n_writes && t->writes[w->write].step < first) w->write++;
    if (w->write < t->n_writes && t->writes[w->write].step <= x->step)
        return fails(w, i, "wait: a counted write lies in its round");
    while (w->spun < t->n_spun && t->spun[w->spun].first + t->spun[w->spun].n <= first) w->spun++;
    if (w->spun == t->n_spun || t->spun[w->spun].first > x->step) return true;
    const struct trace_spun *s = &t->spun[w->spun];
    if (s->first > first || s->first + s->n != x->step + 1)
        return fails(w, i, "wait: its round is not the last of the steps that waited");
    return true;
}

static bool waits_are_sound(struct walk *w)
{
    const struct trace *t = w->t;
    w->warp = 0;
    for (uint64_t i = 0; i < t->n_waits; i++) {
        const struct trace_wait *x = &t->waits[i], *before = x - 1;
        if (x->word >= t->n_words) return fails(w, i, "wait: for no word");
        if (i && (before->step > x->step || (before->step == x->step && before->word >= x->word)))
            return fails(w, i, "wait: out of order");
        if (!comes_to(w, x->step)) return fails(w, i, "wait: beyond the last step");
        const struct trace_warp *warp = &t->warps[w->warp];
        if (t->code[t->steps[x->step].inst].cls != TRACE_BRANCH || x->step + 1 == warp->first_step + warp->n_steps)
            return fails(w, i, "wait: at no branch that something follows");
        if (!x->round || x->round > x->step + 1 - warp->first_step ||
            (i && (before->step == x->step ? before->round != x->round : before->step > x->step - x->round)))
            return fails(w, i, "wait: its round does not lie within its warp, behind the one before");
        if (!is_of_cta(w, &t->words[x->word])) return fails(w, i, "wait: for another CTA's shared memory");
        if (!x->count || x->count > w->totals[x->word]) return fails(w, i, "wait: for more writes than its word gets");
        if (!round_is_sound(w, i)) return false;
    }
    return true;
}

int trace_check_waits(const struct trace *t, const char *name, long byte, struct error *err)
{
    struct walk w = {.t = t};
    if (!t->n_words && !t->n_waits && !t->n_writes) return 0;
    w.totals = calloc(t->n_words + 1, sizeof *w.totals);
    if (!w.totals) return error_set(err, ERR_MEMORY, "%s: no memory to check what was waited for", name);
    const bool is_sound = !t->n_words || !t->n_waits || !t->n_writes
                              ? fails(&w, 0, "words, waits and counted writes are there together or not at all")
                              : words_are_sound(&w) && writes_are_sound(&w) && waits_are_sound(&w);
    free(w.totals);
    if (is_sound) return 0;
    if (byte >= 0) return container_bad(err, name, byte, "%llu. %s", (unsigned long long)w.at, w.problem);
    return error_set(err, ERR_INPUT, "%s: %llu. %s", name, (unsigned long long)w.at, w.problem);
}
