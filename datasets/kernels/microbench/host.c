/* microbench: every kernel at its two lengths; see README.md. */
#include <stdlib.h>
#include "microbench.h"
#include "workload.h"

static const uint32_t rounds[] = {MICRO_SHORT, MICRO_LONG};

static void run(struct wl *w, const char *kernel, unsigned grid, unsigned threads, void *args[], uint32_t *n)
{
    CUfunction f = wl_function(w, kernel);
    for (unsigned i = 0; i < 2; i++) {
        *n = rounds[i];
        wl_launch(w, f, grid, 1, threads, 1, args);
    }
}

static void arithmetic(struct wl *w, CUdeviceptr out)
{
    uint32_t n;
    void *args[] = {&n, &out}, *alone[] = {&n};
#define M(name, insts) \
    run(w, "lat_" #name, 1, 32, args, &n); \
    run(w, "thr_" #name, 1, MICRO_THREADS, args, &n);
    MICRO_OPS(M)
#undef M
    run(w, "lat_barrier", 1, 32, alone, &n);
    run(w, "lat_barrier", 1, MICRO_THREADS, alone, &n);
}

static void on_chip(struct wl *w, CUdeviceptr out)
{
    uint32_t n, step;
    void *alone[] = {&n, &out}, *args[] = {&n, &step, &out};
    run(w, "lat_shared", 1, 32, alone, &n);
    run(w, "thr_shared_v4", 1, MICRO_THREADS, alone, &n);
    run(w, "lat_atom_shared", 1, 1, alone, &n);
    run(w, "lat_const", 1, 32, alone, &n);
#define M(words) step = words, run(w, "thr_shared", 1, MICRO_THREADS, args, &n);
    MICRO_STRIDES(M)
#undef M
#define M(addresses) step = addresses, run(w, "thr_const", 1, MICRO_THREADS, args, &n);
    MICRO_DISTINCT(M)
#undef M
    void *apart[] = {&n, &step};
    for (step = 0; step < 2; step++) run(w, "thr_atom_shared", 1, MICRO_THREADS, apart, &n);
}

/* Pointers in a ring, one a line; the chase goes round once, then twice. */
static void chase(struct wl *w, const char *kernel, CUdeviceptr out, CUdeviceptr at, uint64_t *ring, uint32_t kb)
{
    const uint32_t count = kb * 1024 / MICRO_LINE, words = MICRO_LINE / sizeof *ring;
    uint32_t n;
    void *args[] = {&at, &n, &out};
    CUfunction f = wl_function(w, kernel);
    for (uint32_t i = 0; i < count; i++) ring[(size_t)i * words] = at + (uint64_t)((i + 1) % count) * MICRO_LINE;
    wl_write(w, at, ring, (size_t)kb * 1024);
    for (uint32_t times = 1; times <= 2; times++) {
        n = times * count / MICRO_CHASE_LINES;
        wl_launch(w, f, 1, 1, 1, 1, args);
    }
}

/* Every thread adds `rounds` so often to the first word, then to its own: what can be checked. */
static void global_atomics(struct wl *w)
{
    uint32_t n, step, *got = WL_NEW(w, uint32_t, MICRO_THREADS), *want = WL_NEW(w, uint32_t, MICRO_THREADS);
    CUdeviceptr at = wl_alloc(w, MICRO_THREADS * sizeof *got);
    void *args[] = {&at, &n, &step};
    for (step = 0; step < 2; step++) run(w, "thr_atom_global", 1, MICRO_THREADS, args, &n);
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t thread = 0; thread < MICRO_THREADS; thread++) {
            want[0] += MICRO_ATOMIC_LINES * rounds[i] * rounds[i];
            want[thread] += MICRO_ATOMIC_LINES * rounds[i] * rounds[i];
        }
    wl_output(w, got, at, MICRO_THREADS * sizeof *got);
    wl_compare_u32(w, "sums", got, want, MICRO_THREADS);
}

static void off_chip(struct wl *w, CUdeviceptr out)
{
    const size_t bytes = (size_t)MICRO_LONG * MICRO_GRID * MICRO_GRID_THREADS * 16;
    uint64_t *ring = WL_NEW(w, uint64_t, bytes / sizeof *ring);
    CUdeviceptr at = wl_alloc(w, bytes), zeros = wl_alloc(w, bytes);
    uint32_t n;
    void *args[] = {&zeros, &n, &out};
#define M(kb) chase(w, "chase_ca", out, at, ring, kb);
    MICRO_L1_KB(M)
#undef M
#define M(kb) chase(w, "chase_cg", out, at, ring, kb);
    MICRO_L2_KB(M)
#undef M
    run(w, "bw_l1", 1, MICRO_THREADS, args, &n);
    run(w, "bw_l2", MICRO_GRID, MICRO_GRID_THREADS, args, &n);
    run(w, "bw_dram", MICRO_GRID, MICRO_GRID_THREADS, args, &n);
    run(w, "lat_atom_global", 1, 1, args, &n);
    global_atomics(w);
}

int main(int argc, char **argv)
{
    static const struct wl_spec spec = {.name = "microbench", .doc = "latencies, throughputs, caches and bandwidths"};
    struct wl w;
    wl_begin(&w, &spec, argc, argv);
    const CUdeviceptr out = wl_alloc(&w, sizeof(uint64_t));
    arithmetic(&w, out);
    on_chip(&w, out);
    off_chip(&w, out);
    return wl_end(&w);
}
