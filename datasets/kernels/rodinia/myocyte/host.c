/* myocyte: differential equations of heart muscle cells, stepped by the host. */
#include "model.h"
#include "workload.h"

#include <string.h>

struct sizes {
    uint32_t cells, steps;
};
static const struct sizes sizes[WL_N_SIZES] = {[WL_TEST] = {2, 1}, [WL_SMALL] = {128, 1}, [WL_FULL] = {128, 1000}};

enum { STAGES = 6 };
static const float step_ms = 0.01f;
/* Fehlberg's 4(5) method: where each stage is taken, and the fifth-order weights. */
static const float stage_time[STAGES] = {0.0f, 1.0f / 4, 3.0f / 8, 12.0f / 13, 1.0f, 1.0f / 2};
static const float stage_weights[STAGES][STAGES - 1] = {
    {0.0f},
    {1.0f / 4},
    {3.0f / 32, 9.0f / 32},
    {1932.0f / 2197, -7200.0f / 2197, 7296.0f / 2197},
    {439.0f / 216, -8.0f, 3680.0f / 513, -845.0f / 4104},
    {-8.0f / 27, 2.0f, -3544.0f / 2565, 1859.0f / 4104, -11.0f / 40}};
static const float end_weights[STAGES] = {16.0f / 135, 0.0f, 6656.0f / 12825, 28561.0f / 56430, -9.0f / 50, 2.0f / 55};

struct cells {
    uint32_t n;
    CUdeviceptr d_states, d_params, d_rates, d_taken;
    CUfunction kernel;
    float *states, *params, *want, *want_taken, *taken, *stage;
};

/* All derivatives of all cells, checked: the compartments' reactions draw on the cell's calcium, which Rodinia too
 * adds on the host. */
static void evaluate(struct wl *w, struct cells *c, float time, const float *states, float *rates)
{
    size_t bytes = c->n * STATES * sizeof(float);
    wl_write(w, c->d_states, states, bytes);
    void *args[] = {&time, &c->d_states, &c->d_params, &c->d_rates, &c->d_taken};
    wl_launch(w, c->kernel, 2, c->n, 32, 1, args);
    for (uint32_t i = 0; i < c->n; i++) {
        const float *y = states + i * STATES, *p = c->params + i * PARAMS;
        float *dy = c->want + i * STATES;
        cell_rates(time, y, p, dy);
        for (uint32_t k = 0; k < COMPARTMENTS; k++)
            c->want_taken[i * COMPARTMENTS + k] =
                cam_rates(y[CELL_CA + k], y + CELL_STATES + k * CAM_STATES, p, dy + CELL_STATES + k * CAM_STATES);
    }
    wl_output(w, rates, c->d_rates, bytes);
    wl_compare_f32(w, "rate", rates, c->want, c->n * STATES);
    wl_output(w, c->taken, c->d_taken, c->n * COMPARTMENTS * sizeof(float));
    wl_compare_f32(w, "calcium taken", c->taken, c->want_taken, c->n * COMPARTMENTS);
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t k = 0; k < COMPARTMENTS; k++)
            rates[i * STATES + CELL_CA + k] -= 1e-3f * c->taken[i * COMPARTMENTS + k];
}

static void step(struct wl *w, struct cells *c, float time, float *rates[STAGES])
{
    size_t n = (size_t)c->n * STATES;
    for (int s = 0; s < STAGES; s++) {
        memcpy(c->stage, c->states, n * sizeof(float));
        for (int k = 0; k < s; k++)
            for (size_t i = 0; i < n; i++) c->stage[i] = fmaf(step_ms * stage_weights[s][k], rates[k][i], c->stage[i]);
        evaluate(w, c, fmaf(stage_time[s], step_ms, time), c->stage, rates[s]);
    }
    for (int k = 0; k < STAGES; k++)
        for (size_t i = 0; i < n; i++) c->states[i] = fmaf(step_ms * end_weights[k], rates[k][i], c->states[i]);
}

/* A resting cell, each a little different. */
static void rest(struct cells *c)
{
    static const float concentrations[] = {0.55f, 9.0f, 9.0f, 9.0f, 135.0f, 1.7e-4f, 1.1e-4f, 9e-5f};
    struct wl_rng rng = {28};
    for (uint32_t i = 0; i < c->n; i++) {
        float *y = c->states + i * STATES, *p = c->params + i * PARAMS;
        y[0] = -85.0f - wl_rng_unit(&rng);
        for (int k = CELL_GATES; k < CELL_RYR; k++) y[k] = wl_rng_unit(&rng);
        y[CELL_RYR] = 0.88f;
        y[CELL_RYR + 1] = 9e-7f;
        y[CELL_RYR + 2] = 1e-7f;
        for (int k = CELL_BUFFERS; k < CELL_CA_SR; k++) y[k] = 0.01f * wl_rng_unit(&rng);
        memcpy(y + CELL_CA_SR, concentrations, sizeof concentrations);
        for (int k = CELL_STATES; k < STATES; k++) y[k] = 0.1f * wl_rng_unit(&rng);
        p[0] = 500.0f + 500.0f * wl_rng_unit(&rng);
        p[1] = 9.5f;
        p[2] = 1.0f;
        p[3] = 0.5f + wl_rng_unit(&rng);
    }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "myocyte",
                                        .doc = "differential equations of heart muscle cells (Rodinia)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    size_t n = (size_t)s.cells * STATES, n_taken = (size_t)s.cells * COMPARTMENTS;
    struct cells c = {.n = s.cells, .kernel = wl_function(&w, "myocyte_rates")};
    float *rates[STAGES];
    for (int k = 0; k < STAGES; k++) rates[k] = WL_NEW(&w, float, n);
    c.states = WL_NEW(&w, float, n);
    c.stage = WL_NEW(&w, float, n);
    c.want = WL_NEW(&w, float, n);
    c.params = WL_NEW(&w, float, s.cells *PARAMS);
    c.taken = WL_NEW(&w, float, n_taken);
    c.want_taken = WL_NEW(&w, float, n_taken);
    rest(&c);
    c.d_params = wl_upload(&w, c.params, s.cells * PARAMS * sizeof(float));
    c.d_states = wl_alloc(&w, n * sizeof(float));
    c.d_rates = wl_alloc(&w, n * sizeof(float));
    c.d_taken = wl_alloc(&w, n_taken * sizeof(float));

    for (uint32_t k = 0; k < s.steps; k++) step(&w, &c, (float)k * step_ms, rates);
    for (size_t i = 0; i < n; i++) wl_expect(&w, isfinite(c.states[i]), "finite state", i);
    return wl_end(&w);
}
