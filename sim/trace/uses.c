/* What a program's loads and stores do with data that launches hand to one another: two looks at each launch. The first
 * notes which sectors a launch reads and writes, and whether one CTA alone reads them; the second asks, of each static
 * instruction, what became of the sectors that it touches. */
#include "poise/marking.h"

#include <stdlib.h>
#include <string.h>

const char *const trace_rule_names[N_TRACE_RULES] = {"handed_over", "handed_once", "one_cta"};
enum { SECTOR_BYTES = 32, SECTORS_MAX = 3 * TRACE_LANES /* of an access: 64 bytes a lane, not aligned */ };

/* ---- sectors of a launch ---- */

struct sector {
    uint64_t key; /* its number and one; 0: free */
    uint32_t cta; /* that read it first */
    bool is_written, is_read, is_read_by_many;
};
struct sectors { /* open addressing */
    struct sector *at;
    size_t mask, n;
};

static size_t place_of(const struct sectors *s, uint64_t key)
{
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & s->mask;
    while (s->at[at].key && s->at[at].key != key) at = (at + 1) & s->mask;
    return at;
}

static int sectors_grow(struct sectors *s, struct error *err)
{
    struct sectors bigger = {.mask = s->at ? 2 * s->mask + 1 : 1023, .n = s->n};
    bigger.at = calloc(bigger.mask + 1, sizeof *bigger.at);
    if (!bigger.at) return error_set(err, ERR_MEMORY, "no memory for %zu sectors", bigger.mask + 1);
    for (size_t i = 0; s->at && i <= s->mask; i++)
        if (s->at[i].key) bigger.at[place_of(&bigger, s->at[i].key)] = s->at[i];
    free(s->at);
    *s = bigger;
    return 0;
}

static struct sector *sectors_take(struct sectors *s, uint64_t sector, struct error *err)
{
    if (2 * (s->n + 1) > s->mask && sectors_grow(s, err) < 0) return NULL;
    struct sector *out = &s->at[place_of(s, sector + 1)];
    s->n += !out->key;
    out->key = sector + 1;
    return out;
}

static const struct sector *sectors_find(const struct sectors *s, uint64_t sector)
{
    const struct sector *out = s->at ? &s->at[place_of(s, sector + 1)] : NULL;
    return out && out->key ? out : NULL;
}

/* ---- accesses of a launch ---- */

/* An access of global memory by a warp. */
struct touch {
    const struct trace_inst *inst;
    uint32_t index, cta, n;
    uint64_t sectors[SECTORS_MAX];
};
typedef int (*touched)(void *to, const struct touch *touch, struct error *err);

static void add_sectors(struct touch *t, uint64_t address, uint32_t bytes)
{
    if (address >= TRACE_SHARED_WINDOW && address < TRACE_LOCAL_WINDOW_END) return;
    for (uint64_t s = address / SECTOR_BYTES; s <= (address + bytes - 1) / SECTOR_BYTES; s++) {
        uint32_t i = t->n;
        while (i && t->sectors[i - 1] != s) i--;
        if (!i && t->n < SECTORS_MAX) t->sectors[t->n++] = s;
    }
}

static bool is_memory(const struct trace_inst *inst)
{
    return inst->cls == TRACE_LOAD || inst->cls == TRACE_STORE || inst->cls == TRACE_ATOMIC;
}

/* Tells every access of global memory, in the trace's order. */
static int each_touch(const struct trace *t, touched told, void *to, struct error *err)
{
    uint64_t addresses[TRACE_LANES];
    for (uint64_t w = 0; w < t->n_warps; w++) {
        const uint32_t *words = t->accesses + t->warps[w].first_access;
        const struct trace_step *steps = t->steps + t->warps[w].first_step;
        for (uint64_t i = 0; i < t->warps[w].n_steps; i++) {
            const struct trace_inst *inst = &t->code[steps[i].inst];
            if (!steps[i].mask || !is_memory(inst)) continue;
            words += trace_access_decode(words, steps[i].mask, addresses);
            if (inst->space != TRACE_SPACE_GLOBAL) continue;
            struct touch touch = {inst, steps[i].inst, (uint32_t)(w / t->launch.warps_per_cta), 0, {0}};
            for (uint32_t left = steps[i].mask; left; left &= left - 1)
                add_sectors(&touch, addresses[__builtin_ctz(left)], inst->bytes);
            if (told(to, &touch, err) < 0) return -1;
        }
    }
    return 0;
}

static int note_sectors(void *to, const struct touch *t, struct error *err)
{
    for (uint32_t i = 0; i < t->n; i++) {
        struct sector *s = sectors_take(to, t->sectors[i], err);
        if (!s) return -1;
        s->is_written |= t->inst->cls != TRACE_LOAD;
        if (t->inst->cls == TRACE_STORE) continue;
        s->is_read_by_many |= s->is_read && s->cta != t->cta;
        if (!s->is_read) s->cta = t->cta;
        s->is_read = true;
    }
    return 0;
}

/* ---- what became of them ---- */

struct second_look {
    const struct sectors *now, *next, *before; /* next NULL: there is none; before: written by earlier launches */
    struct inst_use *insts;
};

static int note_use(void *to, const struct touch *t, struct error *err)
{
    struct second_look *look = to;
    struct inst_use *use = &look->insts[t->index];
    (void)err;
    if (t->inst->cls == TRACE_ATOMIC || (t->inst->cls == TRACE_STORE && !look->next)) return 0;
    use->touched += t->n;
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->inst->cls == TRACE_STORE) {
            const struct sector *later = sectors_find(look->next, t->sectors[i]);
            use->fulfils[RULE_HANDED_OVER] += later && later->is_read;
            use->fulfils[RULE_HANDED_ONCE] += later && later->is_read && !later->is_read_by_many;
            continue;
        }
        const struct sector *now = sectors_find(look->now, t->sectors[i]),
                            *before = sectors_find(look->before, t->sectors[i]);
        use->fulfils[RULE_ONE_CTA] += !before && !now->is_written && !now->is_read_by_many;
    }
    return 0;
}

static int remember_written(struct sectors *all, const struct sectors *launch, struct error *err)
{
    for (size_t i = 0; launch->at && i <= launch->mask; i++)
        if (launch->at[i].key && launch->at[i].is_written && !sectors_take(all, launch->at[i].key - 1, err)) return -1;
    return 0;
}

static bool is_same_kernel(const struct trace *a, const struct trace *b)
{
    return a->launch.n_code == b->launch.n_code && strcmp(trace_kernel(a), trace_kernel(b)) == 0;
}

/* A table for each kernel, which its launches share. */
static int make_tables(struct trace_uses *uses, struct error *err)
{
    uses->insts = calloc(uses->n + 1, sizeof *uses->insts);
    if (!uses->insts) return error_set(err, ERR_MEMORY, "no memory for the uses of %zu launches", uses->n);
    for (size_t i = 0; i < uses->n; i++) {
        size_t first = 0;
        while (!is_same_kernel(uses->launches[first], uses->launches[i])) first++;
        uses->insts[i] =
            first < i ? uses->insts[first] : calloc(uses->launches[i]->launch.n_code, sizeof **uses->insts);
        if (!uses->insts[i]) return error_set(err, ERR_MEMORY, "no memory for the uses of %zu launches", uses->n);
    }
    return 0;
}

int trace_uses_find(struct trace_uses *out, const struct trace *const *launches, size_t n, struct error *err)
{
    struct sectors now = {0}, next = {0}, before = {0};
    *out = (struct trace_uses){.launches = launches, .n = n};
    int result = make_tables(out, err);
    if (result == 0 && n) result = each_touch(launches[0], note_sectors, &now, err);
    for (size_t i = 0; i < n && result == 0; i++) {
        const bool is_last = i + 1 == n;
        if (!is_last) result = each_touch(launches[i + 1], note_sectors, &next, err);
        struct second_look look = {&now, is_last ? NULL : &next, &before, out->insts[i]};
        if (result == 0) result = each_touch(launches[i], note_use, &look, err);
        if (result == 0) result = remember_written(&before, &now, err);
        free(now.at);
        now = next;
        next = (struct sectors){0};
    }
    free(now.at);
    free(next.at);
    free(before.at);
    if (result < 0) trace_uses_free(out);
    return result;
}

void trace_uses_free(struct trace_uses *uses)
{
    for (size_t i = 0; uses->insts && i < uses->n; i++) {
        size_t first = 0;
        while (uses->insts[first] != uses->insts[i]) first++;
        if (first == i) continue;
        uses->insts[i] = NULL; /* it is that of `first` */
    }
    for (size_t i = 0; uses->insts && i < uses->n; i++) free(uses->insts[i]);
    free(uses->insts);
    *uses = (struct trace_uses){0};
}

bool trace_rule_holds(const struct inst_use *use, enum trace_rule rule)
{
    return use->touched && (double)use->fulfils[rule] >= RULE_SHARE * (double)use->touched;
}
