/* What lives on between the launches of a program: L2 lines (dirty ones too), what mechanisms keep, open DRAM rows, L1
 * lines unless L1 is flushed, and what sampler sets of SM 0 and of L2's bank 0 have found. */
#include "cache/org_tsc.h"
#include "run/carry.h"

#include <stdlib.h>
#include <string.h>

/* A copy of the tags of n caches of one shape. */
struct tag_store {
    size_t n, bytes;
    char *blocks;
    uint32_t *stamps;
    const struct replacement_type *replacement[TAGS_ORDERS]; /* of what they hold */
};
/* What a mechanism keeps. */
struct mech_store {
    const struct mech_type *type;
    size_t bytes;
    char *block;
};
struct gpu_carry {
    struct mech_store mechs[MECH_STACK_MAX];
    struct tag_store l2, l1;      /* l1.n is 0 until a launch has left something there */
    uint32_t sms, rows, channels; /* rows: DRAM banks of a channel */
    uint32_t *open_rows;
    uint64_t first_line;           /* plan line numbers count from here */
    uint64_t wanted_first;         /* gpu_carry_count_from */
    struct tsc_duel duel, l2_duel; /* of tag-split caches with two modes: L1s, and L2 */
    bool is_filled, flushes_l1;
};

static void store_fini(struct tag_store *s)
{
    free(s->blocks);
    free(s->stamps);
    *s = (struct tag_store){0};
}

static int store_shape(struct tag_store *s, size_t n, size_t bytes, struct error *err)
{
    if (s->n == n && s->bytes == bytes) return 0;
    store_fini(s);
    *s = (struct tag_store){.n = n, .bytes = bytes, .blocks = calloc(n, bytes), .stamps = calloc(n, sizeof *s->stamps)};
    if (s->blocks && s->stamps) return 0;
    store_fini(s);
    return error_set(err, ERR_MEMORY, "no memory for caches carried over");
}

/* What was on its way when a limit ended the launch never comes: no line of the next launch may wait for it. */
static void drop_pending(struct tags *t)
{
    for (uint32_t i = 0; i < t->sets * t->stride; i++) {
        struct tag_line *l = tags_line(t, i);
        if (!l->pending) continue;
        if (t->org->may_take) { /* its places are the organisation's: the line goes as a whole */
            l->valid |= l->pending;
            l->pending = 0;
            tags_release(l);
            org_invalidate(t, l);
            continue;
        }
        l->pending = 0;
        tags_release(l);
        if (!l->valid) tags_free(t, l);
    }
}

static void save(struct tag_store *s, size_t i, struct tags *t)
{
    drop_pending(t);
    memcpy(s->blocks + i * s->bytes, t->block, s->bytes);
    s->stamps[i] = t->is_special ? t->order.memory->stamp : t->stamp;
    for (uint32_t k = 0; k < TAGS_ORDERS && tags_order(t, k); k++) s->replacement[k] = tags_order(t, k)->type;
}

static void load(const struct tag_store *s, size_t i, struct tags *t)
{
    memcpy(t->block, s->blocks + i * s->bytes, s->bytes);
    t->stamp = t->order.memory->stamp = s->stamps[i];
    for (uint32_t k = 0; k < TAGS_ORDERS && tags_order(t, k); k++) {
        struct order *order = tags_order(t, k);
        const struct replacement_type *now = order->type;
        order->type = s->replacement[k];
        order_change(order, now);
        if (!t->is_special && now != s->replacement[k]) t->stamp = order->memory->stamp;
    }
}

struct gpu_carry *gpu_carry_new(const struct gpu_params *p)
{
    struct gpu_carry *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->sms = p->core.sms;
    c->rows = p->dram.banks;
    c->channels = p->dram.channels;
    c->flushes_l1 = p->l1.flush_between;
    c->open_rows = calloc((size_t)c->rows * c->channels, sizeof *c->open_rows);
    if (c->open_rows) return c;
    gpu_carry_free(c);
    return NULL;
}

static bool store_copy(struct tag_store *to, const struct tag_store *from)
{
    *to = *from;
    to->blocks = NULL;
    to->stamps = NULL;
    if (!from->n) return true;
    to->blocks = malloc(from->n * from->bytes);
    to->stamps = malloc(from->n * sizeof *to->stamps);
    if (!to->blocks || !to->stamps) return false;
    memcpy(to->blocks, from->blocks, from->n * from->bytes);
    memcpy(to->stamps, from->stamps, from->n * sizeof *to->stamps);
    return true;
}

struct gpu_carry *gpu_carry_copy(const struct gpu_carry *from)
{
    struct gpu_carry *c = malloc(sizeof *c);
    if (!c) return NULL;
    *c = *from;
    memset(c->mechs, 0, sizeof c->mechs);
    const size_t rows = (size_t)c->rows * c->channels;
    c->l1 = c->l2 = (struct tag_store){0};
    c->open_rows = malloc((rows + 1) * sizeof *c->open_rows);
    if (store_copy(&c->l2, &from->l2) && store_copy(&c->l1, &from->l1) && c->open_rows) {
        memcpy(c->open_rows, from->open_rows, rows * sizeof *c->open_rows);
        return c;
    }
    gpu_carry_free(c);
    return NULL;
}

void gpu_carry_count_from(struct gpu_carry *c, uint64_t first_line) { c->wanted_first = first_line; }
uint64_t gpu_carry_counts_from(const struct gpu_carry *c) { return c ? c->wanted_first : 0; }

void gpu_carry_free(struct gpu_carry *c)
{
    if (!c) return;
    store_fini(&c->l2);
    store_fini(&c->l1);
    for (unsigned i = 0; i < MECH_STACK_MAX; i++) free(c->mechs[i].block);
    free(c->open_rows);
    free(c);
}

static char *carried_of(const struct mech_instance *m) { return (char *)m->self + m->carried_at; }

/* A mechanism that was not on the stack before, or kept something of another size, begins anew. */
static void load_mechs(const struct gpu_carry *c, struct gpu *g)
{
    for (uint32_t i = 0; i < g->shares->n_mechs; i++) {
        const struct mech_instance *m = &g->shares->mechs[i];
        const struct mech_store *s = &c->mechs[i];
        if (!m->carried_bytes || s->type != m->type || s->bytes != m->carried_bytes) continue;
        memcpy(carried_of(m), s->block, s->bytes);
        if (m->type->resume) m->type->resume(m->self);
    }
}

static int save_mechs(struct gpu_carry *c, const struct gpu *g, struct error *err)
{
    for (uint32_t i = 0; i < g->shares->n_mechs; i++) {
        const struct mech_instance *m = &g->shares->mechs[i];
        struct mech_store *s = &c->mechs[i];
        char *block = m->carried_bytes ? realloc(s->block, m->carried_bytes) : s->block;
        if (m->carried_bytes && !block) return error_set(err, ERR_MEMORY, "no memory for what %s keeps", m->type->name);
        *s = (struct mech_store){m->type, m->carried_bytes, block};
        if (m->carried_bytes) memcpy(block, carried_of(m), m->carried_bytes);
    }
    return 0;
}

/* NULL: there is none. */
static struct tsc_duel *duel_of(const struct gpu *g)
{
    const struct tsc *t = g->sms[0].l1.tags.own;
    return g->params->l1.organisation == L1_TSC ? t->duel : NULL;
}

static struct tsc_duel *l2_duel_of(const struct gpu *g)
{
    const struct tsc *t = g->banks[0].tags.own;
    return g->params->l2.organisation == L2_TSC ? t->duel : NULL;
}

int carry_load(const struct gpu_carry *c, struct gpu *g, struct error *err)
{
    const struct gpu_params *p = g->params;
    if ((c->is_filled && (c->l2.n != p->l2.banks || c->l2.bytes != g->banks[0].tags.bytes)) || c->sms != p->core.sms ||
        c->rows != p->dram.banks || c->channels != p->dram.channels)
        return error_set(err, ERR_USAGE, "the caches carried over belong to a machine of another shape");
    if (!c->is_filled) return 0;
    if (c->first_line != g->shares->plan->first_line)
        return error_set(err, ERR_INPUT,
                         "launches whose lines are counted from different ones cannot carry L2 over (plan_lines_join)");
    for (uint32_t b = 0; b < c->l2.n; b++) load(&c->l2, b, &g->banks[b].tags);
    load_mechs(c, g);
    /* An adaptive L1 that changes its size loses what it held. */
    for (uint32_t i = 0; i < c->l1.n && c->l1.bytes == g->sms[0].l1.tags.bytes; i++)
        load(&c->l1, i, &g->sms[i].l1.tags);
    if (duel_of(g)) tsc_resume(duel_of(g), &c->duel);
    if (l2_duel_of(g)) tsc_resume(l2_duel_of(g), &c->l2_duel);
    for (uint32_t d = 0; d < c->channels; d++)
        for (uint32_t b = 0; b < c->rows; b++) dram_set_row(&g->channels[d], b, c->open_rows[d * c->rows + b]);
    return 0;
}

int carry_save(struct gpu_carry *c, struct gpu *g, struct error *err)
{
    if (store_shape(&c->l2, g->params->l2.banks, g->banks[0].tags.bytes, err) < 0) return -1;
    if (!c->flushes_l1 && store_shape(&c->l1, c->sms, g->sms[0].l1.tags.bytes, err) < 0) return -1;
    if (save_mechs(c, g, err) < 0) return -1;
    for (uint32_t b = 0; b < c->l2.n; b++) save(&c->l2, b, &g->banks[b].tags);
    for (uint32_t i = 0; i < c->l1.n; i++) save(&c->l1, i, &g->sms[i].l1.tags);
    if (duel_of(g)) c->duel = *duel_of(g);
    if (l2_duel_of(g)) c->l2_duel = *l2_duel_of(g);
    for (uint32_t d = 0; d < c->channels; d++)
        for (uint32_t b = 0; b < c->rows; b++) c->open_rows[d * c->rows + b] = g->channels[d].banks[b].row;
    c->first_line = g->shares->plan->first_line;
    c->is_filled = true;
    return 0;
}

int carry_over(struct gpu *to, struct gpu *from, bool keeps_l1, struct error *err)
{
    struct gpu_carry *c = gpu_carry_new(from->params);
    if (!c) return error_set(err, ERR_MEMORY, "no memory for caches carried over");
    c->flushes_l1 = !keeps_l1;
    int result = carry_save(c, from, err);
    if (result == 0) result = carry_load(c, to, err);
    gpu_carry_free(c);
    return result;
}
