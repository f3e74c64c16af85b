/* A launch: CTAs in ascending x-major order, one after another, or as if they were (parallel.c). */
#include "exec/exec.h"
#include "poise/clock.h"

#define MAX_BLOCK_THREADS 1024u
#define MAX_SHARED_BYTES (256u << 10)

static int check_launch(const struct ptx_kernel *k, const struct ptx_grid *g, size_t param_bytes, struct error *err)
{
    const char *name = k->info.name;
    uint64_t threads = 1, ctas = 1;
    for (int i = 0; i < 3; i++) {
        if (!g->grid[i] || !g->block[i] || g->block[i] > MAX_BLOCK_THREADS)
            return error_set(err, ERR_INPUT, "kernel %s: a grid of %u x %u x %u blocks of %u x %u x %u threads", name,
                             g->grid[0], g->grid[1], g->grid[2], g->block[0], g->block[1], g->block[2]);
        threads *= g->block[i];
        if (__builtin_mul_overflow(ctas, (uint64_t)g->grid[i], &ctas) || ctas > UINT32_MAX)
            return error_set(err, ERR_INPUT, "kernel %s: more than 2^32 - 1 CTAs", name);
    }
    const uint32_t most = k->info.max_threads ? k->info.max_threads : MAX_BLOCK_THREADS;
    if (threads > most)
        return error_set(err, ERR_INPUT, "kernel %s: %llu threads a CTA, at most %u", name, (unsigned long long)threads,
                         most);
    for (int i = 0; i < 3; i++)
        if (g->grid[i] % k->cluster[i])
            return error_set(err, ERR_INPUT, "kernel %s: a grid of %u CTAs along %c is no multiple of its cluster, %u",
                             name, g->grid[i], "xyz"[i], k -> cluster[i]);
    if (param_bytes != k->info.param_bytes)
        return error_set(err, ERR_INPUT, "kernel %s: %zu bytes of parameters, it takes %u", name, param_bytes,
                         k->info.param_bytes);
    if ((uint64_t)k->info.static_shared_bytes + g->dynamic_shared_bytes > MAX_SHARED_BYTES)
        return error_set(err, ERR_INPUT, "kernel %s: %llu bytes of shared memory, at most %u", name,
                         (unsigned long long)k->info.static_shared_bytes + g->dynamic_shared_bytes, MAX_SHARED_BYTES);
    return 0;
}

#define FIRST_INSTS ((uint64_t)1 << 14) /* by which it is seen what a CTA takes and writes */
#define PACE_INSTS ((uint64_t)1 << 20)  /* by which it is seen how fast they are one after another */

/* The usual way: one CTA after another, from *next on, until so many instructions have been executed. 1: the CTA in
 * hand spins. */
static int run_in_turn(struct run *r, uint64_t *next, uint64_t n_ctas, uint64_t until, struct trace_writer *recorder)
{
    for (; *next < n_ctas && r->counts.warp_insts < until; ++*next) {
        struct trace_warp_buffer *buffers = recorder ? trace_writer_cta_begin(recorder) : NULL;
        int rc = CTA_GOES_ON;
        if (recorder && !buffers)
            return error_set(r->err, ERR_MEMORY, "kernel %s: out of memory for its trace", r->kernel->info.name);
        cta_start(r, *next, buffers);
        while ((rc = cta_round(r, TURN_INSTS, rc == CTA_SPINS)) == CTA_GOES_ON || rc == CTA_SPINS) {
            if ((rc == CTA_SPINS || r->counts.warp_insts - r->progress > SPIN_INSTS) && n_ctas - *next > 1) return 1;
            run_tell_progress(r, *next, n_ctas);
        }
        if (rc < 0 || (recorder && trace_writer_cta_end(recorder, r->err) < 0)) return -1;
        run_tell_progress(r, *next + 1, n_ctas);
    }
    return 0;
}

static int run_ctas(struct run *r, const void *params, size_t param_bytes, uint64_t n_ctas,
                    struct trace_writer *recorder)
{
    uint64_t next = 0;
    int rc = 0;
    if (may_run_in_parallel(r, n_ctas)) {
        double pace = 0;
        rc = run_in_turn(r, &next, n_ctas, FIRST_INSTS, recorder);
        if (rc == 0 && r->services->threads_if_faster) {
            const double begin = clock_s();
            const uint64_t before = r->counts.warp_insts;
            rc = run_in_turn(r, &next, n_ctas, PACE_INSTS, recorder);
            pace = (clock_s() - begin) / (double)(r->counts.warp_insts - before + 1);
        }
        if (rc == 0) rc = run_in_parallel(r, params, param_bytes, &next, n_ctas, pace, recorder);
    }
    return rc ? rc : run_in_turn(r, &next, n_ctas, UINT64_MAX, recorder);
}

int ptx_run(const struct ptx_kernel *kernel, const struct ptx_grid *grid, const void *params, size_t param_bytes,
            const struct ptx_memory *memory, struct trace_writer *recorder, uint64_t max_warp_insts,
            struct ptx_counts *counts, struct error *err)
{
    return ptx_run_with(kernel, grid, params, param_bytes, memory, NULL, recorder, max_warp_insts, counts, err);
}

int ptx_run_with(const struct ptx_kernel *kernel, const struct ptx_grid *grid, const void *params, size_t param_bytes,
                 const struct ptx_memory *memory, const struct ptx_services *services, struct trace_writer *recorder,
                 uint64_t max_warp_insts, struct ptx_counts *counts, struct error *err)
{
    struct run r = {.kernel = kernel,
                    .grid = grid,
                    .memory = memory,
                    .services = services,
                    .err = err,
                    .limit = max_warp_insts ? max_warp_insts : UINT64_MAX,
                    .spin_insts = TURN_INSTS,
                    .idle_limit = services && services->max_idle_insts ? services->max_idle_insts : PTX_IDLE_INSTS};
    if (check_launch(kernel, grid, param_bytes, err) < 0) return -1;
    int rc = run_new(&r, params, param_bytes, NULL);
    if (rc == 0 && recorder && kernel->may_wait) rc = waits_new(&r, warp_run);
    const uint64_t n_ctas = (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2];
    const bool is_cooperative = services && services->grid_workspace, has_order = services && services->order;
    if (rc == 0 && has_order && recorder)
        rc = error_set(err, ERR_USAGE, "kernel %s: a launch that follows an order of atomics is not recorded",
                       kernel->info.name);
    if (rc == 0 && !is_cooperative && !has_order) rc = run_ctas(&r, params, param_bytes, n_ctas, recorder);
    if (rc == 1 || (rc == 0 && (is_cooperative || has_order)))
        rc = run_residents(&r, params, param_bytes, rc == 0, is_cooperative, n_ctas, recorder);
    if (rc == 0 && r.waits) rc = waits_record(&r, recorder);
    waits_free(r.waits);
    if (counts) *counts = r.counts;
    run_free(&r);
    return rc;
}
