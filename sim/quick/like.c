/* A launch that has not run yet, made of another input's launch of the same kernel: its warps, again and again, until
 * they fill the grid. An access is moved to other lines in every copy, along those dimensions of the grid along which
 * its lines change in the other launch; what all warps share stays shared. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/arena.h"
#include "quick.h"

enum { DIMS = 3, PAIRS_MAX = 2048, ROWS = 4 };

/* A launch's warps by their place in its grid of threads: a warp is a tile of 32 threads along x. Where blocks are not
 * made of such tiles, the warps of a CTA are tiles of a row. */
struct tiles {
    uint32_t ctas[DIMS], of_cta[DIMS], all[DIMS];
};
struct warp_size {
    uint64_t steps, requests;
};
struct like {
    const struct plan *other;
    struct plan *plan;
    struct tiles from, to;   /* of the other launch, of this one */
    uint8_t *moves;          /* of a static instruction: a bit for each dimension along which its lines change */
    struct warp_size *sizes; /* of the other's warps, with rows as they are to be */
    uint32_t span, own_span; /* lines that the other launch spans: of global memory, of local memory */
    uint32_t rounds;         /* how often a warp does its work, each time with other lines */
    uint64_t copies, steps, requests;
    bool spreads_rows;
};

static struct tiles tiles_of(const struct trace_launch *launch)
{
    const uint32_t *block = launch->block;
    const bool are_tiles = block[0] % TRACE_LANES == 0 || block[1] * block[2] == 1;
    struct tiles t = {.of_cta = {launch->warps_per_cta, 1, 1}};
    if (are_tiles) {
        t.of_cta[0] = (block[0] + TRACE_LANES - 1) / TRACE_LANES;
        t.of_cta[1] = block[1], t.of_cta[2] = block[2];
    }
    for (int d = 0; d < DIMS; d++) t.ctas[d] = launch->grid[d], t.all[d] = t.ctas[d] * t.of_cta[d];
    return t;
}

/* Warps are numbered CTA by CTA. */
static void place_of(const struct tiles *t, uint64_t warp, uint32_t at[DIMS])
{
    for (int d = 0; d < DIMS; d++) at[d] = (uint32_t)(warp % t->of_cta[d]), warp /= t->of_cta[d];
    for (int d = 0; d < DIMS; d++) at[d] += (uint32_t)(warp % t->ctas[d]) * t->of_cta[d], warp /= t->ctas[d];
}
static uint32_t warp_at(const struct tiles *t, const uint32_t at[DIMS])
{
    uint32_t warp = 0;
    for (int d = DIMS - 1; d >= 0; d--) warp = warp * t->ctas[d] + at[d] / t->of_cta[d];
    for (int d = DIMS - 1; d >= 0; d--) warp = warp * t->of_cta[d] + at[d] % t->of_cta[d];
    return warp;
}

/* ---- what the other launch shows ---- */

/* Two warps are compared as far as they do the same. */
static void compare_warps(struct like *l, const struct plan_warp *a, const struct plan_warp *b, uint8_t bit)
{
    const struct plan *plan = l->other;
    const uint32_t n = a->n_steps < b->n_steps ? a->n_steps : b->n_steps;
    for (uint32_t k = 0; k < n; k++) {
        const struct plan_step *s = &plan->steps[a->first_step + k], *t = &plan->steps[b->first_step + k];
        if (s->inst != t->inst) return;
        if (!plan_step_has_lines(plan, s)) continue;
        const plan_request *from = plan->requests + s->first, *to = plan->requests + t->first;
        if (s->n != t->n || memcmp(from, to, s->n * sizeof *from) != 0) l->moves[s->inst] |= bit;
    }
}

/* Neighbours along each dimension. Where the other launch has one warp, what changes at all is taken to change. */
static void find_moves(struct like *l)
{
    const struct plan *plan = l->other;
    for (int d = 0; d < DIMS; d++) {
        uint32_t pairs = 0;
        for (uint32_t w = 0; w < plan->n_warps && pairs < PAIRS_MAX; w++) {
            uint32_t at[DIMS];
            place_of(&l->from, w, at);
            if (++at[d] >= l->from.all[d]) continue;
            pairs++;
            compare_warps(l, &plan->warps[w], &plan->warps[warp_at(&l->from, at)], (uint8_t)(1u << d));
        }
    }
    for (uint32_t i = 0; i < plan->n_insts; i++)
        for (int d = 0; d < DIMS && l->moves[i]; d++)
            if (l->from.all[d] == 1) l->moves[i] |= (uint8_t)(1u << d);
}

static void find_spans(struct like *l)
{
    uint32_t low = UINT32_MAX, high = 0, own_high = LOCAL_LINES;
    for (uint64_t i = 0; i < l->other->n_requests; i++) {
        const uint32_t line = REQUEST_LINE(l->other->requests[i]);
        if (line >= CONST_LINES) continue;
        if (line >= LOCAL_LINES) own_high = line > own_high ? line : own_high;
        else low = line < low ? line : low, high = line > high ? line : high;
    }
    l->span = low <= high ? high - low + 1 : 1;
    l->own_span = own_high - LOCAL_LINES + 1;
}

/* Lanes that read rows of a small matrix share lines that those of a large one do not: a lane has a line for itself
 * then. Fewer lines than a part of the lanes are not rows. */
static uint32_t lines_of(const struct like *l, const struct plan_step *s)
{
    const bool are_rows = l->spreads_rows && l->other->insts[s->inst].is_global_load && s->n > 2 && s->n < s->lanes &&
                          s->n * ROWS >= s->lanes;
    return are_rows ? s->lanes : s->n;
}

static void size_up(struct like *l)
{
    const struct plan *plan = l->other;
    for (uint32_t w = 0; w < plan->n_warps; w++) {
        l->sizes[w].steps = plan->warps[w].n_steps;
        for (uint32_t k = 0; k < plan->warps[w].n_steps; k++) {
            const struct plan_step *s = &plan->steps[plan->warps[w].first_step + k];
            if (plan_step_has_lines(plan, s)) l->sizes[w].requests += lines_of(l, s);
        }
    }
}

/* ---- the launch ---- */

/* The other's warp that a warp repeats, and how many copies lie before it in each dimension. */
struct source {
    uint32_t warp, copy[DIMS];
};
static struct source source_of(const struct like *l, uint64_t warp)
{
    struct source s;
    uint32_t at[DIMS];
    place_of(&l->to, warp, at);
    for (int d = 0; d < DIMS; d++) s.copy[d] = at[d] / l->from.all[d], at[d] %= l->from.all[d];
    s.warp = warp_at(&l->from, at);
    return s;
}
static uint64_t copies_along(const struct like *l, int d) { return (l->to.all[d] - 1) / l->from.all[d] + 1; }

/* Copies before this one along the dimensions in which the instruction's lines change. */
static uint64_t copies_before(const struct like *l, const struct source *s, uint8_t moves, uint32_t round)
{
    uint64_t n = 0;
    if (!moves) return 0;
    for (int d = DIMS - 1; d >= 0; d--)
        if (moves & 1u << d) n = n * copies_along(l, d) + s->copy[d];
    return n * l->rounds + round;
}

static plan_request moved(const struct like *l, plan_request r, uint64_t copies)
{
    const uint32_t line = REQUEST_LINE(r);
    if (line >= CONST_LINES) return r;
    const uint32_t base = line_is_local(line) ? LOCAL_LINES : 0, room = base ? CONST_LINES - base : LOCAL_LINES;
    const uint64_t to = base + (line - base + copies * (base ? l->own_span : l->span)) % room;
    return (plan_request)(to << 4) | REQUEST_SECTORS(r);
}

static void copy_step(struct like *l, const struct plan_step *step, const struct source *s, uint32_t round)
{
    struct plan_step *out = &l->plan->steps[l->steps++];
    *out = *step;
    if (!plan_step_has_lines(l->other, step)) return;
    const uint64_t copies = copies_before(l, s, l->moves[step->inst], round);
    out->first = (uint32_t)l->requests;
    out->n = (uint8_t)lines_of(l, step);
    if (out->n != step->n) out->degree = out->n;
    for (uint32_t i = 0; i < out->n; i++)
        l->plan->requests[l->requests++] =
            moved(l, l->other->requests[step->first + i % step->n], copies + i / step->n * l->copies);
}

static void copy_all(struct like *l)
{
    for (uint32_t w = 0; w < l->plan->n_warps; w++) {
        const struct source s = source_of(l, w);
        const struct plan_warp *from = &l->other->warps[s.warp];
        l->plan->warps[w].first_step = l->steps;
        for (uint32_t round = 0; round < l->rounds; round++)
            for (uint32_t k = 0; k < from->n_steps; k++)
                copy_step(l, &l->other->steps[from->first_step + k], &s, round);
        l->plan->warps[w].n_steps = (uint32_t)(l->steps - l->plan->warps[w].first_step);
    }
}

static int take_shape(struct like *l, const struct quick_shape *shape, const struct gpu_params *params,
                      struct error *err)
{
    struct trace_launch *launch = &l->plan->launch;
    double warps = 1, threads = 1;
    memcpy(launch->grid, shape->grid, sizeof launch->grid);
    if (shape->block[0]) memcpy(launch->block, shape->block, sizeof launch->block);
    for (int d = 0; d < DIMS; d++) warps *= launch->grid[d], threads *= launch->block[d];
    if (!(warps > 0) || !(threads > 0)) return error_set(err, ERR_USAGE, "a grid or a block of 0");
    launch->warps_per_cta = (uint32_t)((fmin(threads, UINT16_MAX) + TRACE_LANES - 1) / TRACE_LANES);
    warps *= launch->warps_per_cta;
    if (warps > INT32_MAX) return error_set(err, ERR_USAGE, "a grid of more than 2^31 warps");
    launch->n_ctas = (uint32_t)warps / launch->warps_per_cta;
    const struct occupancy o = core_occupancy(&params->core, launch);
    if (o.ctas == 0)
        return error_set(err, ERR_USAGE, "a block of %g threads does not fit an SM of this machine", threads);
    l->plan->ctas_per_sm = o.ctas;
    l->plan->warps_per_scheduler = (o.warps + params->core.schedulers - 1) / params->core.schedulers;
    l->from = tiles_of(&l->other->launch);
    l->to = tiles_of(launch);
    return 0;
}

/* As many CTAs, and as often, as make so much work an SM; of a large grid the first ones. */
static void take_work(struct like *l, uint64_t work, uint32_t sms)
{
    struct trace_launch *launch = &l->plan->launch;
    const uint32_t busy = launch->n_ctas < sms ? launch->n_ctas : sms;
    const uint64_t resident = (uint64_t)l->plan->ctas_per_sm * busy, wanted = work * busy;
    uint64_t has = 0, w = 0;
    uint32_t n = 0;
    for (; n < launch->n_ctas && (has < wanted || n < resident || n % busy); n++)
        for (uint32_t i = 0; i < launch->warps_per_cta; i++) {
            const struct warp_size *size = &l->sizes[source_of(l, w++).warp];
            has += size->steps + size->requests;
            l->steps += size->steps, l->requests += size->requests;
        }
    l->rounds = has && has < wanted ? (uint32_t)((wanted + has - 1) / has) : 1;
    launch->n_ctas = n;
    l->steps *= l->rounds, l->requests *= l->rounds;
    l->copies = l->rounds;
    for (int d = 0; d < DIMS; d++) l->copies *= copies_along(l, d);
}

static int take_tables(struct like *l, struct error *err)
{
    struct plan *plan = l->plan;
    plan->n_warps = plan->launch.n_ctas * plan->launch.warps_per_cta;
    plan->n_steps = l->steps, plan->n_requests = l->requests;
    if (l->requests > UINT32_MAX) return error_set(err, ERR_LIMIT, "more than 2^32 line requests in one launch");
    plan->insts = malloc((plan->n_insts + 1) * sizeof *plan->insts);
    plan->steps = table_take(l->steps + 1, sizeof *plan->steps);
    plan->requests = table_take(l->requests + 1, sizeof *plan->requests);
    plan->warps = calloc(plan->n_warps + 1, sizeof *plan->warps);
    if (!plan->insts || !plan->steps || !plan->requests || !plan->warps)
        return error_set(err, ERR_MEMORY, "out of memory for a launch of %u CTAs", plan->launch.n_ctas);
    memcpy(plan->insts, l->other->insts, (plan->n_insts + 1) * sizeof *plan->insts);
    plan->steps[l->steps] = (struct plan_step){0};
    plan->requests[l->requests] = 0;
    l->steps = l->requests = 0;
    return 0;
}

static struct plan *without_tables(const struct plan *other)
{
    struct plan *plan = malloc(sizeof *plan);
    if (!plan) return NULL;
    *plan = *other;
    plan->insts = NULL, plan->steps = NULL, plan->requests = NULL, plan->chunks = NULL, plan->warps = NULL;
    plan->words = NULL, plan->waits = NULL, plan->writes = NULL;
    plan->n_words = plan->n_waits = plan->n_writes = 0;
    return plan;
}

static uint64_t total(const struct plan *plan) { return plan->n_steps + plan->n_requests; }

int quick_like(struct plan **out, uint64_t *warps, const struct plan *other, const struct quick_shape *shape,
               const struct gpu_params *params, struct error *err)
{
    struct like l = {.other = other, .plan = without_tables(other)};
    int failed = -1;
    *out = NULL;
    l.moves = calloc(other->n_insts + 1, sizeof *l.moves);
    l.sizes = calloc(other->n_warps + 1, sizeof *l.sizes);
    if (!l.plan || !l.moves || !l.sizes) error_set(err, ERR_MEMORY, "out of memory for a launch");
    else failed = take_shape(&l, shape, params, err);
    if (!failed) {
        *warps = (uint64_t)l.plan->launch.n_ctas * l.plan->launch.warps_per_cta;
        l.spreads_rows = total(other) < shape->work;
        find_moves(&l);
        find_spans(&l);
        size_up(&l);
        take_work(&l, shape->work, params->core.sms);
        failed = take_tables(&l, err);
    }
    if (!failed) copy_all(&l);
    free(l.moves);
    free(l.sizes);
    if (failed) plan_free(l.plan);
    else *out = l.plan;
    return failed;
}
