/* A launch's line requests reach L2 without time: what L2 would hold about after it, for a launch that is simulated
 * without those before it. CTAs come in waves, as many as are resident; within one each warp makes an access in turn.
 * An ordinary L1 filters loads, as lines that hit there do not reach L2. Nothing is left of DRAM's rows, nor of what
 * mechanisms keep. */
#include <stdlib.h>
#include "cache/l1.h"
#include "cache/l1_chunked.h"
#include "cache/l1_parts.h"
#include "cache/l2.h"
#include "machine/wake.h"
#include "plan/address.h"
#include "run/carry.h"
#include "run/replay.h"

struct cursor {
    const struct plan_step *step, *end;
};
struct replay {
    struct gpu *g;  /* whose L1s filter, */
    struct gpu *l2; /* and whose L2 the requests reach */
    const struct plan *plan;
    struct cursor *cursors; /* room: of a wave's warps */
    uint64_t skip;          /* requests that are left out yet */
    uint32_t parts;         /* lines of L2 in one of L1, */
    uint32_t sectors;       /* and sectors in such a part */
    bool filters;
};

/* An L1 that keeps ordinary lines: does the load hit? Afterwards the line is there. */
static bool hits_l1(struct replay *r, uint32_t sm, uint32_t line, uint32_t sectors)
{
    struct tags *t = &r->g->sms[sm].l1.tags;
    const uint32_t set = l1_set_of(&r->g->sms[sm].l1, line);
    const struct probe p = org_probe(t, tags_find(t, set, line), sectors);
    struct tag_line *l = p.line;
    if (!l) {
        uint32_t others[ORG_OTHERS];
        const struct room room = org_reserve(t, set, line, others);
        if (room.frame == NO_FRAME) return false;
        l = tags_line(t, room.frame);
        tags_reserve(t, l, line, 0);
    }
    org_fill(t, l, p.missing);
    tags_use(t, l, 0, !p.missing);
    return !p.missing;
}

static void reach_l2(struct replay *r, uint32_t sm, enum request_kind kind, uint32_t line, uint32_t sectors)
{
    const struct place place = address_l2(&r->l2->map, line);
    const struct request request = {.line = line,
                                    .requester = requester_of(FROM_SM, sm),
                                    .kind = (uint8_t)kind,
                                    .sectors = (uint8_t)sectors,
                                    .bank = (uint16_t)place.bank,
                                    .set = (uint16_t)place.set};
    struct l2 *l2 = &r->l2->banks[place.bank];
    struct tag_line *l = tags_find(&l2->tags, place.set, line);
    if (l && l->pending) return; /* in a launch that goes on: it comes */
    l2_access_at_once(l2, &request);
    if (!l && request_is_store(kind) && !l2->is_placed && l2_goes_through(l2, sectors) &&
        (l = tags_find(&l2->tags, place.set, line)))
        l->dirty = 0;
}

static void replay_request(struct replay *r, uint32_t sm, const struct plan_step *step, uint32_t i)
{
    const struct plan *plan = r->plan;
    const plan_request q = plan->requests[step->first + i];
    const uint32_t line = REQUEST_LINE(q), sectors = plan->chunks ? masks_overlap(plan->chunks[step->first + i],
                                                                                  plan->chunk_bytes, SECTOR_BYTES)
                                                                  : REQUEST_SECTORS(q);
    const bool is_load = step->action == ACT_LOAD,
               is_store = step->action == ACT_STORE || step->action == ACT_COUNTED_STORE;
    const enum request_kind kind = is_store                      ? REQUEST_WRITE
                                   : is_load                     ? REQUEST_READ
                                   : step->action == ACT_CONST   ? REQUEST_CONST
                                   : step->action == ACT_TEXTURE ? REQUEST_TEXTURE
                                                                 : REQUEST_ATOMIC;
    if (r->skip) {
        r->skip--;
        return;
    }
    if (is_load && r->filters && !plan->insts[step->inst].passes_l1 && hits_l1(r, sm, line, sectors)) return;
    for (uint32_t part = 0; part < r->parts; part++) {
        uint32_t mine = sectors & ((1u << r->sectors) - 1) << part * r->sectors, of_l2 = line;
        if (!mine) continue;
        l1_place(&r->g->sms[sm].l1, &of_l2, &mine);
        reach_l2(r, sm, kind, of_l2, mine);
    }
}

/* The warp's next access to memory; false: it has none left. */
static bool step_on(struct replay *r, uint32_t sm, struct cursor *c)
{
    while (c->step < c->end) {
        const struct plan_step *step = c->step++;
        if (!plan_step_has_lines(r->plan, step)) continue;
        for (uint32_t i = 0; i < step->n; i++) replay_request(r, sm, step, i);
        return true;
    }
    return false;
}

/* The launch's code, which SMs fetch anew in every launch: each line once. */
static void fetch_code(struct replay *r)
{
    const struct fetch *f = &r->g->sms[0].fetch;
    uint32_t before = 0;
    if (!r->g->params->fetch.sets) return;
    for (uint32_t i = 0; i < r->plan->n_insts; i++) {
        const uint32_t line = CODE_LINES + (r->plan->insts[i].pc * f->inst_bytes >> f->line_shift);
        if (line != before) reach_l2(r, 0, REQUEST_FETCH, line, r->g->sms[0].l1.all_sectors);
        before = line;
    }
}

/* Warps of CTAs first .. last - 1, in turn. */
static void wave(struct replay *r, uint32_t first, uint32_t last)
{
    const struct plan *plan = r->plan;
    const uint32_t warps = plan->launch.warps_per_cta, n = (last - first) * warps;
    if (!r->skip) fetch_code(r);
    for (uint32_t i = 0; i < n; i++) {
        const struct plan_warp *w = &plan->warps[first * warps + i];
        r->cursors[i] = (struct cursor){plan->steps + w->first_step, plan->steps + w->first_step + w->n_steps};
    }
    for (bool any = true; any;) {
        any = false;
        for (uint32_t i = 0; i < n; i++)
            if (r->cursors[i].step < r->cursors[i].end)
                any |= step_on(r, (first + i / warps) % r->g->params->core.sms, &r->cursors[i]);
    }
}

/* A machine whose L1s filter, in `arena`. */
static int begin(struct replay *r, struct arena *arena, const struct plan *plan, const struct gpu_params *params,
                 struct error *err)
{
    const uint32_t l2_line = l2_line_bytes(params), resident = plan->ctas_per_sm * params->core.sms,
                   most = plan->launch.n_ctas < resident ? plan->launch.n_ctas : resident;
    *r = (struct replay){.plan = plan,
                         .parts = params->l1.line_bytes > l2_line ? params->l1.line_bytes / l2_line : 1,
                         .cursors = calloc((size_t)most * plan->launch.warps_per_cta + 1, sizeof *r->cursors)};
    r->sectors = r->parts > 1 ? l2_line / SECTOR_BYTES : 8;
    if (!r->cursors) return error_set(err, ERR_MEMORY, "no memory to replay a launch");
    gpu_layout(arena, plan, params, NULL, 0, false);
    if (arena_new(arena, arena->used, err) < 0) {
        free(r->cursors);
        return -1;
    }
    r->l2 = r->g = gpu_layout(arena, plan, params, NULL, 0, false);
    r->filters = !r->g->sms[0].l1.tags.has_own_org && !r->g->sms[0].l1.chunked && params->l1.line_bytes <= l2_line;
    return 0;
}

static void replay_ctas(struct replay *r, uint32_t first, uint32_t last)
{
    const uint32_t resident = r->plan->ctas_per_sm * r->g->params->core.sms;
    for (uint32_t cta = first; cta < last; cta += resident) wave(r, cta, cta + resident < last ? cta + resident : last);
}

int gpu_carry_replay(struct gpu_carry *carry, const struct plan *plan, const struct gpu_params *params, uint64_t skip,
                     struct error *err)
{
    struct arena arena = {0};
    struct replay r;
    if (begin(&r, &arena, plan, params, err) < 0) return -1;
    r.skip = skip;
    int result = carry_load(carry, r.g, err);
    if (result == 0) replay_ctas(&r, 0, plan->launch.n_ctas);
    if (result == 0) result = carry_save(carry, r.g, err);
    arena_free(&arena);
    free(r.cursors);
    return result;
}

int replay_into(struct gpu *g, const struct plan *plan, uint32_t first, uint32_t last, struct error *err)
{
    struct arena arena = {0};
    struct replay r;
    const uint32_t banks = g->params->l2.banks;
    if (begin(&r, &arena, plan, g->params, err) < 0) return -1;
    r.l2 = g;
    struct l2_stats *stats = malloc(banks * sizeof *stats);
    if (!stats) error_set(err, ERR_MEMORY, "no memory to replay CTAs");
    for (uint32_t i = 0; stats && i < banks; i++) stats[i] = g->banks[i].stats;
    if (stats) replay_ctas(&r, first, last);
    for (uint32_t i = 0; stats && i < banks; i++) {
        g->banks[i].stats = stats[i];
        g->banks[i].head = HEAD_UNKNOWN; /* its line may have come or gone, its victim may be dirty now */
    }
    gpu_ask_l2_again(g);
    arena_free(&arena);
    free(r.cursors);
    free(stats);
    return stats ? 0 : -1;
}
