/* streamcluster: online clustering; the device weighs each candidate centre, the host opens and closes. */
#include "workload.h"

#include <math.h>
#include <string.h>

struct sizes {
    uint32_t points, dimensions, candidates, block;
};
static const struct sizes sizes[WL_N_SIZES] = {[WL_TEST] = {1024, 16, 5, 256},
                                               [WL_SMALL] = {49152, 8, 3, 256},
                                               [WL_FULL] = {65536, 256, 100, 256},
                                               [WL_EVAL] = {98304, 256, 1, 512}};

struct point {
    float weight;
    uint32_t gap;
    uint64_t coordinates;
    int64_t centre;
    float cost;
    uint32_t end;
};

struct clusters {
    struct sizes s;
    uint32_t n_centres;
    struct point *points;
    float *coordinates, *want, *got; /* tables of points x (centres + 1), with room for all candidates */
    int32_t *centre_table, *is_centre;
    uint32_t *switches, *want_switches;
    CUdeviceptr d_points, d_coordinates, d_table, d_switches, d_savings;
    CUfunction kernel;
};

static float distance(const struct clusters *c, uint32_t a, uint32_t b)
{
    float sum = 0.0f;
    for (size_t d = 0; d < c->s.dimensions; d++) {
        float difference = c->coordinates[d * c->s.points + a] - c->coordinates[d * c->s.points + b];
        sum = fmaf(difference, difference, sum);
    }
    return sum;
}

static void reference(const struct clusters *c, uint32_t candidate, float *savings, uint32_t *switches)
{
    for (uint32_t i = 0; i < c->s.points; i++) {
        const struct point *p = &c->points[i];
        float cost = distance(c, i, candidate) * p->weight, *row = savings + (size_t)i * (c->n_centres + 1);
        if (cost < p->cost) {
            switches[i] = 1;
            row[c->n_centres] += cost - p->cost;
        } else {
            row[c->centre_table[p->centre]] += p->cost - cost;
        }
    }
}

/* Opens the candidate where that saves more than `opening` costs; centres that then cost more than they save are
 * closed. */
static void decide(struct clusters *c, uint32_t candidate, float opening)
{
    uint32_t n = c->n_centres;
    float *saved = c->want; /* no longer needed: row 0 collects the sums */
    for (uint32_t i = 1; i < c->s.points; i++)
        for (uint32_t k = 0; k <= n; k++) saved[k] += c->got[(size_t)i * (n + 1) + k];
    float gain = -opening - saved[n] + 0.0f;
    for (uint32_t k = 0; k < n; k++) gain += opening + saved[k] < 0.0f ? opening + saved[k] : 0.0f;
    if (gain <= 0.0f || c->is_centre[candidate]) return;
    for (uint32_t i = 0; i < c->s.points; i++) {
        struct point *p = &c->points[i];
        bool closes = opening + saved[c->centre_table[p->centre]] < 0.0f;
        if (!c->switches[i] && !closes) continue;
        p->cost = distance(c, i, candidate) * p->weight;
        p->centre = candidate;
    }
    c->is_centre[candidate] = 1;
    memset(c->is_centre, 0, c->s.points * sizeof *c->is_centre);
    for (uint32_t i = 0; i < c->s.points; i++) c->is_centre[c->points[i].centre] = 1;
}

static void weigh(struct wl *w, struct clusters *c, uint32_t candidate)
{
    uint32_t n = c->s.points;
    c->n_centres = 0;
    for (uint32_t i = 0; i < n; i++) c->centre_table[i] = c->is_centre[i] ? (int32_t)c->n_centres++ : 0;
    size_t cells = (size_t)n * (c->n_centres + 1), bytes = cells * sizeof(float);
    memset(c->want, 0, bytes);
    memset(c->want_switches, 0, n * sizeof *c->want_switches);
    wl_write(w, c->d_points, c->points, n * sizeof *c->points);
    wl_write(w, c->d_table, c->centre_table, n * sizeof *c->centre_table);
    wl_write(w, c->d_switches, c->want_switches, n * sizeof *c->want_switches);
    wl_write(w, c->d_savings, c->want, bytes);
    void *args[] = {
        &n,          &c->s.dimensions, &candidate, &c->d_points, &c->n_centres, &c->d_coordinates, &c->d_savings,
        &c->d_table, &c->d_switches};
    wl_launch(w, c->kernel, wl_blocks(n, c->s.block), 1, c->s.block, 1, args);
    reference(c, candidate, c->want, c->want_switches);
    wl_output(w, c->got, c->d_savings, bytes);
    wl_compare_f32(w, "saving", c->got, c->want, cells);
    wl_output(w, c->switches, c->d_switches, n * sizeof *c->switches);
    wl_compare_u32(w, "switch", c->switches, c->want_switches, n);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "streamcluster", .doc = "online clustering of points (Rodinia)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct clusters c = {.s = sizes[w.size], .kernel = wl_function(&w, "streamcluster_cost")};
    uint32_t n = c.s.points;
    size_t n_coordinates = (size_t)n * c.s.dimensions;
    c.points = WL_NEW(&w, struct point, n);
    c.coordinates = WL_NEW(&w, float, n_coordinates);
    c.centre_table = WL_NEW(&w, int32_t, n);
    c.is_centre = WL_NEW(&w, int32_t, n);
    c.switches = WL_NEW(&w, uint32_t, n);
    c.want_switches = WL_NEW(&w, uint32_t, n);
    struct wl_rng rng = {35};
    wl_rng_fill(&rng, c.coordinates, n_coordinates);
    c.is_centre[0] = 1; /* one centre to begin with */
    for (uint32_t i = 0; i < n; i++)
        c.points[i] = (struct point){.weight = 1.0f, .centre = 0, .cost = distance(&c, i, 0)};
    size_t n_savings = (size_t)n * (c.s.candidates + 2);
    c.want = WL_NEW(&w, float, n_savings);
    c.got = WL_NEW(&w, float, n_savings);
    c.d_savings = wl_alloc(&w, n_savings * sizeof(float));
    c.d_points = wl_alloc(&w, n * sizeof *c.points);
    c.d_table = wl_alloc(&w, n * sizeof *c.centre_table);
    c.d_switches = wl_alloc(&w, n * sizeof *c.switches);
    c.d_coordinates = wl_upload(&w, c.coordinates, n_coordinates * sizeof *c.coordinates);
    for (uint32_t k = 0; k < c.s.candidates; k++) {
        uint32_t candidate = 1 + wl_rng_below(&rng, n - 1);
        weigh(&w, &c, candidate);
        decide(&c, candidate, 0.001f * (float)n);
    }
    return wl_end(&w);
}
