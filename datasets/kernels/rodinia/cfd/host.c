/* cfd: Euler equations on an unstructured mesh. */
#include "workload.h"

#include <math.h>
#include <string.h>

enum { FACES = 4, STAGES = 3, BLOCK = 192, DENSITY = 0, MOMENTUM, ENERGY = 4, VARIABLES };
/* A mesh of side x side cells. Against a square body a flow that starts at Mach 1.2 leaves a vacuum within eight
 * rounds. */
struct sizes {
    uint32_t side, rounds;
    float mach, mach2;
};
static const struct sizes sizes[WL_N_SIZES] = {[WL_TEST] = {24, 1, 1.2f, 1.44f},
                                               [WL_SMALL] = {96, 1, 1.2f, 1.44f},
                                               [WL_FULL] = {312, 200, 0.4f, 0.16f},
                                               [WL_EVAL] = {1008, 1, 0.4f, 0.16f}};
/* Cells are numbered anew within windows of so many, by --input. */
static const char *const inputs[] = {
    "cells numbered row by row, the numbers shuffled within windows of 64 cells",
    "shuffled within windows of 256 cells",
    "shuffled within windows of 1024 cells",
    "all numbers shuffled",
};
static const uint32_t windows[] = {64, 256, 1024, UINT32_MAX};
enum { INPUTS = sizeof inputs / sizeof *inputs };
static const float heat_ratio = 1.4f; /* of air */

struct state {
    float density, energy, pressure, speed2, sound, momentum[3], velocity[3];
};

struct mesh {
    uint32_t n;
    int32_t *neighbours;                                         /* -1: a wall; -2: the far field */
    float *normals, *areas, *variables, *old, *factors, *fluxes; /* as the kernel's */
    float far_field[VARIABLES];
};

static struct state load(const float *v, size_t i, size_t n)
{
    struct state s = {.density = v[i + DENSITY * n], .energy = v[i + ENERGY * n]};
    for (size_t k = 0; k < 3; k++) {
        s.momentum[k] = v[i + (MOMENTUM + k) * n];
        s.velocity[k] = s.momentum[k] / s.density;
    }
    s.speed2 = s.velocity[0] * s.velocity[0] + s.velocity[1] * s.velocity[1] + s.velocity[2] * s.velocity[2];
    s.pressure = (heat_ratio - 1.0f) * (s.energy - 0.5f * s.density * s.speed2);
    s.sound = sqrtf(heat_ratio * s.pressure / s.density);
    return s;
}

static void flow(const struct state *s, const float normal[3], float out[VARIABLES])
{
    float along = s->velocity[0] * normal[0] + s->velocity[1] * normal[1] + s->velocity[2] * normal[2];
    out[DENSITY] = s->density * along;
    for (size_t k = 0; k < 3; k++) out[MOMENTUM + k] = s->momentum[k] * along + s->pressure * normal[k];
    out[ENERGY] = (s->energy + s->pressure) * along;
}

static void flux_of(const struct mesh *m, size_t i, float sum[VARIABLES])
{
    struct state here = load(m->variables, i, m->n);
    memset(sum, 0, VARIABLES * sizeof *sum);
    for (size_t face = 0; face < FACES; face++) {
        int32_t other = m->neighbours[i + face * m->n];
        float normal[3], a[VARIABLES], b[VARIABLES];
        for (size_t k = 0; k < 3; k++) normal[k] = m->normals[i + (face + k * FACES) * m->n];
        if (other == -1) {
            for (size_t k = 0; k < 3; k++) sum[MOMENTUM + k] -= normal[k] * here.pressure;
            continue;
        }
        struct state there = other >= 0 ? load(m->variables, (size_t)other, m->n) : load(m->far_field, 0, 1);
        flow(&here, normal, a);
        flow(&there, normal, b);
        if (other < 0) {
            for (size_t k = 0; k < VARIABLES; k++) sum[k] -= 0.5f * (a[k] + b[k]);
            continue;
        }
        float length = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        float smooth = 0.1f * length * (sqrtf(here.speed2) + sqrtf(there.speed2) + here.sound + there.sound);
        for (size_t k = 0; k < VARIABLES; k++) {
            float difference = m->variables[(size_t)other + k * m->n] - m->variables[i + k * m->n];
            sum[k] += smooth * difference - 0.5f * (a[k] + b[k]);
        }
    }
}

static void reference_round(struct mesh *m)
{
    size_t n = m->n;
    memcpy(m->old, m->variables, n * VARIABLES * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        struct state s = load(m->variables, i, n);
        m->factors[i] = 0.5f / (sqrtf(m->areas[i]) * (sqrtf(s.speed2) + s.sound));
    }
    for (uint32_t stage = 1; stage <= STAGES; stage++) {
        for (size_t i = 0; i < n; i++) {
            float sum[VARIABLES];
            flux_of(m, i, sum);
            for (size_t k = 0; k < VARIABLES; k++) m->fluxes[i + k * n] = sum[k];
        }
        for (size_t i = 0; i < n; i++) {
            float factor = m->factors[i] / (float)(4 - stage);
            for (size_t k = 0; k < VARIABLES; k++)
                m->variables[i + k * n] = fmaf(factor, m->fluxes[i + k * n], m->old[i + k * n]);
        }
    }
}

/* A square mesh around a square body; cells are numbered anew within windows, as a mesher's numbers are only roughly
 * local. */
static void connect(struct mesh *m, uint32_t side, uint32_t window, struct wl_rng *rng, uint32_t *number)
{
    static const int step[FACES][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (uint32_t i = 0; i < m->n; i++) number[i] = i;
    for (uint32_t i = 0; i < m->n; i++) {
        const uint32_t first = i / window * window, left = m->n - first,
                       other = first + wl_rng_below(rng, left < window ? left : window), swap = number[i];
        number[i] = number[other];
        number[other] = swap;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        int x = (int)(i % side), y = (int)(i / side);
        m->areas[number[i]] = 1.0f;
        for (size_t face = 0; face < FACES; face++) {
            int ox = x + step[face][0], oy = y + step[face][1], low = (int)side * 2 / 5, high = (int)side * 3 / 5;
            bool outside = ox < 0 || oy < 0 || ox >= (int)side || oy >= (int)side;
            bool body = ox >= low && ox < high && oy >= low && oy < high;
            size_t at = number[i] + face * m->n;
            m->neighbours[at] = outside ? -2 : body ? -1 : (int32_t)number[(uint32_t)(oy * (int)side + ox)];
            m->normals[at] = (float)step[face][0];
            m->normals[at + FACES * m->n] = (float)step[face][1];
        }
    }
}

static struct mesh mesh_new(struct wl *w, struct sizes s)
{
    struct mesh m = {.n = s.side * s.side};
    struct wl_rng rng = {36};
    m.neighbours = WL_NEW(w, int32_t, m.n * FACES);
    m.normals = WL_NEW(w, float, m.n *FACES * 3);
    m.areas = WL_NEW(w, float, m.n);
    m.factors = WL_NEW(w, float, m.n);
    m.variables = WL_NEW(w, float, m.n *VARIABLES);
    m.old = WL_NEW(w, float, m.n *VARIABLES);
    m.fluxes = WL_NEW(w, float, m.n *VARIABLES);
    connect(&m, s.side, windows[w->input], &rng, WL_NEW(w, uint32_t, m.n));
    /* Along x: density 1.4, pressure 1, so that the speed of sound is 1. */
    float far_field[VARIABLES] = {1.4f, 1.4f * s.mach, 0.0f, 0.0f, 1.0f / 0.4f + 0.5f * 1.4f * s.mach2};
    memcpy(m.far_field, far_field, sizeof far_field);
    for (size_t i = 0; i < m.n; i++)
        for (size_t k = 0; k < VARIABLES; k++)
            m.variables[i + k * m.n] = far_field[k] * (1.0f + 0.01f * wl_rng_unit(&rng));
    return m;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "cfd",
                                        .doc = "Euler equations on an unstructured mesh (Rodinia)",
                                        .inputs = inputs,
                                        .n_inputs = INPUTS,
                                        .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct mesh m = mesh_new(&w, s);
    size_t cells = m.n, bytes = cells * sizeof(float);
    float *got = WL_NEW(&w, float, cells *VARIABLES);
    CUdeviceptr neighbours = wl_upload(&w, m.neighbours, cells * FACES * sizeof *m.neighbours),
                areas = wl_upload(&w, m.areas, bytes);
    CUdeviceptr normals = wl_upload(&w, m.normals, 3 * FACES * bytes),
                variables = wl_upload(&w, m.variables, VARIABLES * bytes);
    CUdeviceptr old = wl_alloc(&w, VARIABLES * bytes), factors = wl_alloc(&w, bytes),
                fluxes = wl_alloc(&w, VARIABLES * bytes);
    uint32_t stage, blocks = wl_blocks(cells, BLOCK);
    void *factor_args[] = {&m.n, &variables, &areas, &factors};
    void *flux_args[] = {&m.n, &neighbours, &normals, &variables, &fluxes};
    void *step_args[] = {&stage, &m.n, &old, &variables, &factors, &fluxes};
    CUfunction factor = wl_function(&w, "cfd_step_factor"), flux = wl_function(&w, "cfd_flux"),
               step = wl_function(&w, "cfd_time_step");
    wl_symbol(&w, "far_field", m.far_field, sizeof m.far_field);
    for (uint32_t round = 0; round < s.rounds; round++) {
        WL_CU(&w, cuMemcpyDtoD(old, variables, VARIABLES * bytes));
        wl_launch(&w, factor, blocks, 1, BLOCK, 1, factor_args);
        for (stage = 1; stage <= STAGES; stage++) {
            wl_launch(&w, flux, blocks, 1, BLOCK, 1, flux_args);
            wl_launch(&w, step, blocks, 1, BLOCK, 1, step_args);
        }
        reference_round(&m);
    }
    wl_output(&w, got, variables, VARIABLES * bytes);
    wl_compare_f32(&w, "variable", got, m.variables, cells * VARIABLES);
    for (size_t i = 0; i < cells * VARIABLES; i++) wl_expect(&w, isfinite(got[i]), "finite variable", i);
    return wl_end(&w);
}
