/* particlefilter: tracks a disc through a noisy film. */
#include "exact_math.h"
#include "workload.h"

enum { BLOCK = 128 };
struct sizes {
    uint32_t side, frames, radius, particles, trackers;
}; /* particles: a multiple of BLOCK, at most 1024 */
static const struct sizes sizes[WL_N_SIZES] = {
    [WL_TEST] = {32, 2, 2, 128, 2}, [WL_SMALL] = {128, 2, 2, 256, 48}, [WL_FULL] = {128, 10, 5, 1024, 16}};

struct filter {
    struct sizes s;
    uint32_t n_disc, n; /* pixels of the disc; particles of all trackers */
    int32_t *disc;
    uint8_t *film;
    double *x, *y, *from_x, *from_y, *weights, *partial, *running, *comb;
    uint32_t *seeds;
};

/* A disc of 228 that moves by (1, -2) a frame over a ground of 100, both with noise. */
static void make_film(struct filter *f, struct wl_rng *rng)
{
    struct sizes s = f->s;
    for (int32_t frame = 0; frame < (int32_t)s.frames; frame++)
        for (int32_t x = 0; x < (int32_t)s.side; x++)
            for (int32_t y = 0; y < (int32_t)s.side; y++) {
                int32_t dx = x - (int32_t)s.side / 2 - frame, dy = y - (int32_t)s.side / 2 + 2 * frame;
                bool inside = dx * dx + dy * dy <= (int32_t)(s.radius * s.radius);
                f->film[(size_t)(x * (int32_t)s.side + y) * s.frames + (size_t)frame] =
                    (uint8_t)((inside ? 228 : 100) + wl_rng_below(rng, 21) - 10);
            }
}

static void make_disc(struct filter *f)
{
    int32_t r = (int32_t)f->s.radius;
    for (int32_t dx = -r; dx <= r; dx++)
        for (int32_t dy = -r; dy <= r; dy++)
            if (dx * dx + dy * dy <= r * r) {
                f->disc[2 * f->n_disc] = dy;
                f->disc[2 * f->n_disc++ + 1] = dx;
            }
}

static float uniform(uint32_t *seed)
{
    *seed = (1103515245u * *seed + 12345u) & 0x7fffffffu;
    return ((float)(*seed >> 7) + 0.5f) * (1.0f / 16777216.0f);
}

static double normal(uint32_t *seed)
{
    float u = uniform(seed), v = uniform(seed);
    return (double)(exact_cos(6.28318531f * v) * sqrtf(-2.0f * exact_log(u)));
}

static double likelihood(const struct filter *f, uint32_t frame, double x, double y)
{
    double sum = 0.0;
    int32_t side = (int32_t)f->s.side, frames = (int32_t)f->s.frames, cx = (int32_t)(x + 0.5), cy = (int32_t)(y + 0.5);
    for (uint32_t i = 0; i < f->n_disc; i++) {
        int32_t at = ((cx + f->disc[2 * i + 1]) * side + cy + f->disc[2 * i]) * frames + (int32_t)frame;
        uint32_t place = (uint32_t)(at < 0 ? -at : at);
        int32_t pixel = f->film[place < (uint32_t)(side * side * frames) ? place : 0];
        sum += (double)((pixel - 100) * (pixel - 100) - (pixel - 228) * (pixel - 228)) / 50.0;
    }
    return sum / f->n_disc;
}

static double tree_sum(const double *weights)
{
    double buffer[BLOCK];
    for (uint32_t i = 0; i < BLOCK; i++) buffer[i] = weights[i];
    for (uint32_t step = BLOCK / 2; step > 0; step /= 2)
        for (uint32_t i = 0; i < step; i++) buffer[i] += buffer[i + step];
    return buffer[0];
}

static void reference_frame(struct filter *f, uint32_t frame)
{
    uint32_t p = f->s.particles, n_blocks = p / BLOCK;
    for (uint32_t i = 0; i < f->n; i++) {
        f->x[i] = f->from_x[i] + 1.0 + 5.0 * normal(&f->seeds[i]);
        f->y[i] = f->from_y[i] - 2.0 + 2.0 * normal(&f->seeds[i]);
        f->weights[i] = 1.0 / p * exact_exp_double(likelihood(f, frame, f->x[i], f->y[i]));
    }
    for (uint32_t begin = 0; begin < f->n; begin += p) {
        double total = 0.0, sum = 0.0;
        for (uint32_t b = 0; b < n_blocks; b++) total += tree_sum(f->weights + begin + b * BLOCK);
        for (uint32_t i = begin; i < begin + p; i++) {
            f->weights[i] /= total;
            sum += f->weights[i];
            f->running[i] = sum;
        }
        double first = (double)uniform(&f->seeds[begin]) / p;
        for (uint32_t i = 0; i < p; i++) {
            uint32_t index = 0;
            f->comb[begin + i] = first + (double)i / p;
            while (index < p - 1 && f->running[begin + index] < f->comb[begin + i]) index++;
            f->from_x[begin + i] = f->x[begin + index];
            f->from_y[begin + i] = f->y[begin + index];
        }
    }
}

static struct filter filter_new(struct wl *w, struct sizes s)
{
    struct filter f = {.s = s, .n = s.particles * s.trackers};
    double **arrays[] = {&f.x, &f.y, &f.from_x, &f.from_y, &f.weights, &f.partial, &f.running, &f.comb};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) *arrays[i] = WL_NEW(w, double, f.n);
    f.disc = WL_NEW(w, int32_t, 2 * (2 * s.radius + 1) * (2 * s.radius + 1));
    f.film = WL_NEW(w, uint8_t, (size_t)s.side * s.side * s.frames);
    f.seeds = WL_NEW(w, uint32_t, f.n);
    struct wl_rng rng = {27};
    make_film(&f, &rng);
    make_disc(&f);
    for (uint32_t i = 0; i < f.n; i++) {
        f.seeds[i] = (uint32_t)wl_rng_next(&rng) & 0x7fffffffu;
        f.from_x[i] = f.from_y[i] = s.side / 2;
    }
    return f;
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "particlefilter",
                                        .doc = "particle filter that tracks an object in a film (Rodinia)"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    struct sizes s = sizes[w.size];
    struct filter f = filter_new(&w, s);
    uint32_t n_blocks = s.particles / BLOCK, frame = 0;
    size_t bytes = f.n * sizeof(double);
    double *got = WL_NEW(&w, double, f.n);

    CUdeviceptr x = wl_alloc(&w, bytes), y = wl_alloc(&w, bytes), weights = wl_alloc(&w, bytes),
                running = wl_alloc(&w, bytes);
    CUdeviceptr comb = wl_alloc(&w, bytes), partial = wl_alloc(&w, s.trackers * n_blocks * sizeof(double));
    CUdeviceptr from_x = wl_upload(&w, f.from_x, bytes), from_y = wl_upload(&w, f.from_y, bytes);
    CUdeviceptr places = wl_alloc(&w, (size_t)f.n * f.n_disc * sizeof(uint32_t)),
                disc = wl_upload(&w, f.disc, f.n_disc * 2 * sizeof *f.disc);
    CUdeviceptr film = wl_upload(&w, f.film, (size_t)s.side * s.side * s.frames),
                seeds = wl_upload(&w, f.seeds, f.n * sizeof *f.seeds);
    void *likelihood_args[] = {&x,       &y,     &from_x,      &from_y,   &places, &disc,     &film, &weights,
                               &partial, &seeds, &s.particles, &f.n_disc, &s.side, &s.frames, &frame};
    void *sum_args[] = {&partial, &n_blocks};
    void *normalise_args[] = {&weights, &partial, &running, &comb, &seeds, &s.particles, &n_blocks};
    void *find_args[] = {&x, &y, &running, &comb, &from_x, &from_y, &s.particles};
    CUfunction kernels[] = {wl_function(&w, "particle_likelihood"), wl_function(&w, "particle_sum"),
                            wl_function(&w, "particle_normalise"), wl_function(&w, "particle_find")};
    for (frame = 0; frame < s.frames; frame++) {
        wl_launch(&w, kernels[0], n_blocks, s.trackers, BLOCK, 1, likelihood_args);
        wl_launch(&w, kernels[1], s.trackers, 1, BLOCK, 1, sum_args);
        wl_launch(&w, kernels[2], s.trackers, 1, s.particles, 1, normalise_args);
        wl_launch(&w, kernels[3], n_blocks, s.trackers, BLOCK, 1, find_args);
        reference_frame(&f, frame);
        wl_output(&w, got, from_x, bytes);
        wl_compare_f64(&w, "x", got, f.from_x, f.n);
        wl_output(&w, got, from_y, bytes);
        wl_compare_f64(&w, "y", got, f.from_y, f.n);
        wl_output(&w, got, weights, bytes);
        wl_compare_f64(&w, "weight", got, f.weights, f.n);
    }
    return wl_end(&w);
}
