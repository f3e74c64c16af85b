/* lavamd: forces between particles in neighbouring boxes. */
#include "exact_math.h"
#include "workload.h"

enum { NEIGHBOURS = 26 };
struct sizes {
    uint32_t x, y, z, particles, threads;
}; /* x * y * z boxes of so many particles */
static const struct sizes sizes[WL_N_SIZES] = {[WL_TEST] = {2, 2, 2, 8, 32},
                                               [WL_SMALL] = {4, 4, 4, 8, 32},
                                               [WL_FULL] = {10, 10, 10, 100, 128},
                                               [WL_EVAL] = {10, 10, 1, 100, 128}};

struct four {
    double v, x, y, z;
};
struct box {
    int32_t x, y, z, number;
    uint32_t first;
    int32_t n_neighbours, neighbour[NEIGHBOURS];
};

static void make_boxes(struct sizes s, struct box *boxes)
{
    int32_t nx = (int32_t)s.x, ny = (int32_t)s.y, nz = (int32_t)s.z, n = 0;
    for (int32_t z = 0; z < nz; z++)
        for (int32_t y = 0; y < ny; y++)
            for (int32_t x = 0; x < nx; x++, n++) {
                struct box *b = &boxes[n];
                *b = (struct box){.x = x, .y = y, .z = z, .number = n, .first = (uint32_t)n * s.particles};
                for (int32_t k = 0; k < 27; k++) {
                    int32_t ox = x + k % 3 - 1, oy = y + k / 3 % 3 - 1, oz = z + k / 9 - 1;
                    bool exists = ox >= 0 && oy >= 0 && oz >= 0 && ox < nx && oy < ny && oz < nz;
                    if (k != 13 && exists) b->neighbour[b->n_neighbours++] = (oz * ny + oy) * nx + ox;
                }
            }
}

static void reference(struct sizes s, double alpha, const struct box *boxes, const struct four *places,
                      const double *charges, struct four *forces)
{
    double a2 = 2.0 * alpha * alpha;
    for (uint32_t b = 0; b < s.x * s.y * s.z; b++)
        for (int32_t k = 0; k <= boxes[b].n_neighbours; k++) {
            uint32_t from = boxes[k == 0 ? (int32_t)b : boxes[b].neighbour[k - 1]].first;
            for (uint32_t i = 0; i < s.particles; i++) {
                const struct four *me = &places[boxes[b].first + i];
                struct four *f = &forces[boxes[b].first + i];
                for (uint32_t j = from; j < from + s.particles; j++) {
                    const struct four *you = &places[j];
                    double r2 = me->v + you->v - (me->x * you->x + me->y * you->y + me->z * you->z);
                    double vij = exact_exp_double(-(a2 * r2)), fs = 2.0 * vij;
                    f->v += charges[j] * vij;
                    f->x += charges[j] * (fs * (me->x - you->x));
                    f->y += charges[j] * (fs * (me->y - you->y));
                    f->z += charges[j] * (fs * (me->z - you->z));
                }
            }
        }
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {
        .name = "lavamd", .doc = "forces between particles of neighbouring boxes (Rodinia)", .has_eval = true};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    uint32_t n_boxes = s.x * s.y * s.z, n = n_boxes * s.particles;
    struct box *boxes = WL_NEW(&w, struct box, n_boxes);
    struct four *places = WL_NEW(&w, struct four, n), *want = WL_NEW(&w, struct four, n),
                *got = WL_NEW(&w, struct four, n);
    double *charges = WL_NEW(&w, double, n), alpha = 0.5;
    struct wl_rng rng = {37};
    make_boxes(s, boxes);
    for (uint32_t i = 0; i < n; i++) { /* tenths, as Rodinia's */
        places[i] = (struct four){(wl_rng_below(&rng, 10) + 1) / 10.0, (wl_rng_below(&rng, 10) + 1) / 10.0,
                                  (wl_rng_below(&rng, 10) + 1) / 10.0, (wl_rng_below(&rng, 10) + 1) / 10.0};
        charges[i] = (wl_rng_below(&rng, 10) + 1) / 10.0;
    }

    CUdeviceptr d_boxes = wl_upload(&w, boxes, n_boxes * sizeof *boxes),
                d_places = wl_upload(&w, places, n * sizeof *places);
    CUdeviceptr d_charges = wl_upload(&w, charges, n * sizeof *charges), d_forces = wl_alloc(&w, n * sizeof *got);
    void *args[] = {&alpha, &s.particles, &d_boxes, &d_places, &d_charges, &d_forces};
    wl_launch(&w, wl_function(&w, "lavamd_forces"), n_boxes, 1, s.threads, 1, args);

    reference(s, alpha, boxes, places, charges, want);
    wl_output(&w, got, d_forces, n * sizeof *got);
    wl_compare_f64(&w, "force", &got->v, &want->v, (size_t)n * 4);
    return wl_end(&w);
}
