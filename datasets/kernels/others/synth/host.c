/* synth: a parametric kernel; see README.md. */
#include "workload.h"
#include "knobs.h"

#include <math.h>
#include <stdlib.h>

#define LINE 128u
#define MAX_BYTES (1u << 30)

#define K(id, ...) id,
enum { SYNTH_KNOBS(K) N_KNOBS };
#undef K
#define K(id, ...) [id] = {__VA_ARGS__},
static const struct wl_knob knobs[N_KNOBS] = {SYNTH_KNOBS(K)};
#undef K
static const uint32_t blocks_of_size[WL_N_SIZES] = {2, 160, 1600};

/* As in kernel.cu. */
struct phase {
    uint32_t lines, step, tiles, passes, per_tile, shared, tile, stride, work, own_at, own_pitch, shared_at,
        shared_pitch;
};
struct synth {
    struct phase phases[8];
    uint32_t n_phases, n_warps, sharers, place_step, place_start;
    uint64_t n_bytes;
};

static uint32_t gcd(uint32_t a, uint32_t b) { return b ? gcd(b, a % b) : a; }

/* A step that visits all of 0 .. n - 1. */
static uint32_t draw_step(struct wl_rng *rng, uint32_t n)
{
    for (uint32_t step;;)
        if (gcd(step = 1 + wl_rng_below(rng, n), n) == 1) return step % n;
}

enum { OF_PROGRAM = 35 }; /* warp instructions before and after the phases */

/* Warp instructions of a phase beside its loads, as the committed PTX has them: a test compares with what is
 * recorded. */
static uint64_t other_instructions(const struct phase *p, uint32_t work, uint64_t *turns)
{
    enum {
        OF_PHASE = 22,
        OF_TILE = 9,
        OF_PASS = 18,
        OF_PASS_WITH_SHARED = 3,
        OF_OWN_LOAD = 12,
        OF_SHARED_LOAD = 8,
        OF_WORK = 2,
        OF_TURN = 4
    };
    uint64_t sum = OF_PHASE + (uint64_t)p->tiles * OF_TILE, credit = 0, loads = p->per_tile + p->shared;
    *turns = 0;
    for (uint64_t pass = 0; pass < (uint64_t)p->tiles * p->passes; pass++) {
        credit = (credit & 0xffff) + work;
        uint64_t each = credit >> 16;
        sum += OF_PASS + (p->shared ? OF_PASS_WITH_SHARED : 0) + (uint64_t)p->per_tile * OF_OWN_LOAD +
               (uint64_t)p->shared * OF_SHARED_LOAD;
        if (each) sum += loads * (OF_WORK + OF_TURN * each);
        *turns += loads * each;
    }
    return sum;
}

/* The work with which a phase comes closest to the I_n asked for; `outside` instructions of the program count as its
 * own. */
static void choose_work(const struct wl *w, struct phase *p, uint32_t wanted, uint32_t outside)
{
    uint64_t loads = (uint64_t)p->tiles * p->passes * (p->per_tile + p->shared), turns;
    uint64_t least = other_instructions(p, 0, &turns) + outside,
             target = loads * wanted > outside ? loads * wanted - outside : 0;
    if (least > loads * wanted + loads / 2)
        wl_refuse(w,
                  "in=%u: these phases need at least %.1f instructions a load; give more loads a walk, or a larger I_n",
                  wanted, (double)least / (double)loads);
    uint32_t low = 0, high = wanted << 14; /* four instructions a turn */
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (other_instructions(p, middle, &turns) <= target) low = middle;
        else high = middle - 1;
    }
    uint64_t below = other_instructions(p, low, &turns), above = other_instructions(p, low + 1, &turns);
    p->work = below < target && above - target < target - below ? low + 1 : low;
}

static struct phase make_phase(const struct wl *w, struct synth *s, uint32_t i, struct wl_rng *rng)
{
    uint32_t lines = wl_knob(w, DIVERGENCE, i), distance = wl_knob(w, DISTANCE, i), set = wl_knob(w, WORKING_SET, i);
    if (!SYNTH_PHASE_KEEPS_RULE(lines, distance, set)) wl_refuse(w, SYNTH_PHASE_RULE, i, distance, lines, set);
    struct phase p = {.lines = lines,
                      .step = lines * LINE,
                      .tiles = set / distance,
                      .passes = wl_knob(w, REUSE, i),
                      .per_tile = distance / lines,
                      .shared = wl_knob(w, SHARED, i),
                      .tile = distance * LINE};
    uint64_t own = (uint64_t)set * LINE, shared = (uint64_t)p.tiles * p.passes * p.shared * p.step;
    uint64_t groups = (s->n_warps + s->sharers - 1) / s->sharers,
             total = s->n_bytes + own * s->n_warps + shared * groups;
    if (total > MAX_BYTES) wl_refuse(w, "%.1f GB of lines: at most 1", (double)total / MAX_BYTES);
    p.stride = draw_step(rng, p.per_tile) * p.step;
    p.own_at = (uint32_t)s->n_bytes;
    p.own_pitch = (uint32_t)own;
    p.shared_at = p.own_at + (uint32_t)own * s->n_warps;
    p.shared_pitch = (uint32_t)shared;
    s->n_bytes = total;
    choose_work(w, &p, wl_knob(w, IN, i), i ? 0 : OF_PROGRAM);
    return p;
}

/* The sum of a thread's loads, walked as the definition of the knobs says. */
static uint32_t reference(const struct synth *s, const uint32_t *data, uint32_t warp, uint32_t lane)
{
    uint32_t sum = 0, place = (uint32_t)(((uint64_t)warp * s->place_step + s->place_start) % s->n_warps);
    for (uint32_t f = 0; f < s->n_phases; f++) {
        const struct phase *p = &s->phases[f];
        uint32_t offset = lane * p->lines / 32 * LINE + lane * 4;
        uint32_t own = p->own_at + place * p->own_pitch + offset,
                 shared = p->shared_at + warp / s->sharers * p->shared_pitch + offset;
        for (uint32_t i = 0; i < p->tiles * p->per_tile; i++) sum += p->passes * data[(own + i * p->step) / 4];
        for (uint32_t i = 0; i < p->tiles * p->passes * p->shared; i++) sum += data[(shared + i * p->step) / 4];
    }
    return sum;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "synth",
                                        .doc = "a parametric kernel of given locality, divergence and intensity",
                                        .knobs = knobs,
                                        .n_knobs = N_KNOBS};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct wl_rng rng = {wl_knob(&w, SEED, 0)};
    uint32_t blocks = wl_knob(&w, BLOCKS, 0) ? wl_knob(&w, BLOCKS, 0) : blocks_of_size[w.size],
             threads = 32 * wl_knob(&w, WARPS, 0);
    struct synth s = {
        .n_phases = wl_knob(&w, PHASES, 0), .n_warps = blocks * threads / 32, .sharers = wl_knob(&w, SHARERS, 0)};
    if (s.n_warps > 65535) wl_refuse(&w, "%u warps: at most 65535", s.n_warps);
    s.place_step = draw_step(&rng, s.n_warps);
    s.place_start = wl_rng_below(&rng, s.n_warps);
    for (uint32_t i = 0; i < s.n_phases; i++) s.phases[i] = make_phase(&w, &s, i, &rng);
    uint32_t n = blocks * threads, *data = WL_NEW(&w, uint32_t, s.n_bytes / 4), *want = WL_NEW(&w, uint32_t, n),
             *out = WL_NEW(&w, uint32_t, n);
    for (uint64_t i = 0; i < s.n_bytes / 4; i++) data[i] = (uint32_t)wl_rng_next(&rng);

    CUdeviceptr d_data = wl_upload(&w, data, s.n_bytes), d_out = wl_alloc(&w, n * sizeof *out);
    wl_symbol(&w, "synth_phases", s.phases, sizeof s.phases);
    void *args[] = {&d_data, &d_out, &s.n_phases, &s.place_step, &s.place_start, &s.n_warps, &s.sharers};
    wl_launch(&w, wl_function(&w, "synth"), blocks, 1, threads, 1, args);

    float x = 1.0f;
    for (uint32_t i = 0; i < s.n_phases; i++) {
        uint64_t turns;
        other_instructions(&s.phases[i], s.phases[i].work, &turns);
        for (; turns; turns--) x = fmaf(x, 0.75f, 0.5f);
    }
    for (uint32_t i = 0; i < n; i++) want[i] = reference(&s, data, i / 32, i % 32) + (uint32_t)(x * 1024.0f);
    wl_output(&w, out, d_out, n * sizeof *out);
    wl_compare_u32(&w, "sum", out, want, n);
    return wl_end(&w);
}
