/* Transforms: each of a batch is gathered into one array of complex numbers, transformed along its dimensions and
 * scattered again. Real data has half a spectrum: n / 2 + 1 numbers in the last dimension. */
#include "fft/fft.h"

#include <math.h>
#include <stdlib.h>
#include "poise/cuda_shim.h"

/* Data of one side: where elements lie, how many a row has, and of what kind they are. */
struct side {
    unsigned char *bytes;
    struct fft_layout layout;
    long long width;
    bool is_double, is_real;
};

static struct side side_of(const struct fft_plan *plan, bool is_input, bool is_in_place)
{
    struct side s = {.layout = is_input ? plan->in : plan->out,
                     .width = plan->n[2],
                     .is_double = fft_is_double(plan->type),
                     .is_real = is_input ? fft_is_from_real(plan->type) : fft_is_to_real(plan->type)};
    const bool has_half = fft_is_from_real(plan->type) || fft_is_to_real(plan->type);
    if (has_half && !s.is_real) s.width = plan->n[2] / 2 + 1;
    if (plan->is_basic) {
        long long row = s.width;
        if (s.is_real && is_in_place) row = 2 * (plan->n[2] / 2 + 1);
        s.layout = (struct fft_layout){{plan->n[0], plan->n[1], row}, 1, plan->n[0] * plan->n[1] * row};
    }
    return s;
}
static size_t element(const struct side *s) { return (size_t)(s->is_double ? 8 : 4) * (s->is_real ? 1 : 2); }
static long long place(const struct side *s, long long b, long long x, long long y, long long z)
{
    return b * s->layout.dist + ((x * s->layout.embed[1] + y) * s->layout.embed[2] + z) * s->layout.stride;
}
/* Bytes from the first element to the last. */
static size_t extent(const struct side *s, const struct fft_plan *plan)
{
    const long long last = place(s, plan->batch - 1, plan->n[0] - 1, plan->n[1] - 1, s->width - 1);
    return (size_t)(last + 1) * element(s);
}

static double complex load(const struct side *s, long long at)
{
    const float *f = (const float *)(const void *)s->bytes;
    const double *d = (const double *)(const void *)s->bytes;
    if (s->is_real) return s->is_double ? d[at] : (double)f[at];
    return s->is_double ? CMPLX(d[2 * at], d[2 * at + 1]) : CMPLX((double)f[2 * at], (double)f[2 * at + 1]);
}
static void store(const struct side *s, long long at, double complex value)
{
    float *f = (float *)(void *)s->bytes;
    double *d = (double *)(void *)s->bytes;
    if (s->is_real && s->is_double) d[at] = creal(value);
    if (s->is_real && !s->is_double) f[at] = (float)creal(value);
    if (!s->is_real && s->is_double) d[2 * at] = creal(value), d[2 * at + 1] = cimag(value);
    if (!s->is_real && !s->is_double) f[2 * at] = (float)creal(value), f[2 * at + 1] = (float)cimag(value);
}

/* The array of one transform: rows * columns lines of `width` numbers, with room for a line and what it needs. */
struct grid {
    double complex *x, *line, *room;
    long long rows, columns, width;
};

/* Along the first or second dimension: `count` numbers that lie `step` apart. */
static void along(const struct grid *g, const struct fft_line *line, double complex *first, long long step,
                  bool is_forward)
{
    const long long count = (long long)line->n;
    for (long long k = 0; k < count; k++) g->line[k] = first[k * step];
    (is_forward ? fft_line_forward : fft_line_backward)(line, g->line, g->room);
    for (long long k = 0; k < count; k++) first[k * step] = g->line[k];
}
static void outer(const struct grid *g, const struct fft_plan *plan, bool is_forward)
{
    if (plan->n[1] > 1)
        for (long long x = 0; x < g->rows; x++)
            for (long long z = 0; z < g->width; z++)
                along(g, &plan->lines[1], g->x + x * g->columns * g->width + z, g->width, is_forward);
    if (plan->n[0] > 1)
        for (long long i = 0; i < g->columns * g->width; i++)
            along(g, &plan->lines[0], g->x + i, g->columns * g->width, is_forward);
}

/* Row by row: the last dimension of what is read, with half a spectrum kept of what was real. */
static void read_rows(const struct grid *g, const struct fft_plan *plan, const struct side *in, long long b,
                      bool is_forward)
{
    const bool is_to_real = fft_is_to_real(plan->type);
    for (long long x = 0; x < g->rows; x++)
        for (long long y = 0; y < g->columns; y++) {
            double complex *row = g->x + (x * g->columns + y) * g->width;
            for (long long z = 0; z < in->width; z++) g->line[z] = load(in, place(in, b, x, y, z));
            if (!is_to_real) (is_forward ? fft_line_forward : fft_line_backward)(&plan->lines[2], g->line, g->room);
            for (long long z = 0; z < g->width; z++) row[z] = g->line[z];
        }
}
/* Row by row: what is written, of half a spectrum by way of its other half. */
static void write_rows(const struct grid *g, const struct fft_plan *plan, const struct side *out, long long b)
{
    const long long n = plan->n[2];
    for (long long x = 0; x < g->rows; x++)
        for (long long y = 0; y < g->columns; y++) {
            const double complex *row = g->x + (x * g->columns + y) * g->width;
            for (long long z = 0; z < g->width; z++) g->line[z] = row[z];
            if (fft_is_to_real(plan->type)) {
                g->line[0] = creal(row[0]);
                if (n % 2 == 0) g->line[n / 2] = creal(row[n / 2]);
                for (long long z = g->width; z < n; z++) g->line[z] = conj(row[n - z]);
                fft_line_backward(&plan->lines[2], g->line, g->room);
            }
            for (long long z = 0; z < out->width; z++) store(out, place(out, b, x, y, z), g->line[z]);
        }
}

static int grid_init(struct grid *g, const struct fft_plan *plan)
{
    const bool has_half = fft_is_from_real(plan->type) || fft_is_to_real(plan->type);
    size_t longest = 0, room = 0;
    for (int r = 0; r < FFT_RANKS; r++) {
        const size_t needs = fft_line_room(&plan->lines[r]);
        if (plan->lines[r].n > longest) longest = plan->lines[r].n;
        if (needs > room) room = needs;
    }
    *g = (struct grid){.rows = plan->n[0], .columns = plan->n[1], .width = has_half ? plan->n[2] / 2 + 1 : plan->n[2]};
    const size_t cells = (size_t)(g->rows * g->columns * g->width);
    g->x = malloc((cells + longest + room) * sizeof *g->x);
    if (!g->x) return -1;
    g->line = g->x + cells;
    g->room = g->line + longest;
    return 0;
}

/* About 5 n log2 n operations for each transform of n elements, as is usual. */
static uint64_t operations(const struct fft_plan *plan)
{
    const double n = (double)(plan->n[0] * plan->n[1] * plan->n[2]);
    return (uint64_t)(5 * n * (1 + log2(n)) * (double)plan->batch);
}

static cufftResult execute(const char *function, const struct fft_plan *plan, const void *from, void *to, int direction)
{
    const bool is_forward = fft_is_from_real(plan->type) || (!fft_is_to_real(plan->type) && direction == CUFFT_FORWARD);
    struct side in = side_of(plan, true, from == to), out = side_of(plan, false, from == to);
    struct grid g;
    in.bytes = poise_cuda_bytes(from, extent(&in, plan));
    out.bytes = poise_cuda_bytes(to, extent(&out, plan));
    if (!in.bytes || !out.bytes)
        return fft_refuse(function, CUFFT_INVALID_VALUE,
                          "input or output is not the device's from its start to its end");
    if (grid_init(&g, plan) < 0) return fft_refuse(function, CUFFT_ALLOC_FAILED, "out of memory");
    for (long long b = 0; b < plan->batch; b++) {
        read_rows(&g, plan, &in, b, is_forward);
        outer(&g, plan, is_forward);
        write_rows(&g, plan, &out, b);
    }
    free(g.x);
    return CUFFT_SUCCESS;
}

static cufftResult run(const char *function, cufftHandle handle, cufftType type, const void *in, void *out,
                       int direction)
{
    const struct fft_plan *plan = fft_plan_of(function, handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    if (!plan->is_made) return fft_refuse(function, CUFFT_INVALID_PLAN, "the plan is not made");
    if (type && plan->type != type) return fft_refuse(function, CUFFT_INVALID_PLAN, "the plan is of another type");
    if (!in || !out) return fft_refuse(function, CUFFT_INVALID_VALUE, "there is no input or no output");
    if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)
        return fft_refuse(function, CUFFT_INVALID_VALUE, "directions are CUFFT_FORWARD and CUFFT_INVERSE");
    const bool has_direction = !type || type == CUFFT_C2C || type == CUFFT_Z2Z; /* among the function's arguments */
    const struct poise_cuda_argument arguments[] = {POISE_CUDA_ARGUMENT(handle), POISE_CUDA_ARGUMENT(in),
                                                    POISE_CUDA_ARGUMENT(out), POISE_CUDA_ARGUMENT(direction)};
    const int skipped = poise_cuda_skip(function, plan->stream, operations(plan), arguments, has_direction ? 4 : 3);
    if (skipped) return skipped < 0 ? CUFFT_NOT_SUPPORTED : CUFFT_SUCCESS;
    return execute(function, plan, in, out, direction);
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction)
{
    return run(__func__, plan, CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction)
{
    return run(__func__, plan, CUFFT_Z2Z, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out)
{
    return run(__func__, plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out)
{
    return run(__func__, plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out)
{
    return run(__func__, plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out)
{
    return run(__func__, plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction)
{
    return run(__func__, plan, (cufftType)0, in, out, direction);
}
