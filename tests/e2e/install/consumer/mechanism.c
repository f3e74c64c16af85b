/* A mechanism outside of the tree, built against an installed Poise: only the N oldest warps of a scheduler may issue.
 * As a program of its own it runs a trace under it; as a plug-in `poise` loads it:
 *
 *   cc -O2 -shared -fPIC mechanism.c -o limit.so $(pkg-config --cflags poise_gpu)
 *   poise sim --plugin ./limit.so --kernel mvt --mech limit,N=2 */
#include <poise/gpu.h>
#include <poise/plugin.h>
#include <poise/sys/hooks.h>
#include <poise/trace.h>

/* Knobs are rows: type, name, default, least, greatest, unit, source, doc. --help, checks, JSON and run keys follow
 * from them. */
#define LIMIT_PARAMS(P) P(U32, N, 1, 1, 64, "warps", "assumed", "warps per scheduler that may issue")
PARAM_STRUCT(limit_params, LIMIT_PARAMS);
#define ROW(...) PARAM_ROW_OF(limit_params, __VA_ARGS__)
static const struct param_row limit_rows[] = {LIMIT_PARAMS(ROW)};
#undef ROW

/* So are counters: how instances merge, name, unit, doc. */
#define LIMIT_STATS(S) S(STAT_SUM, held, "warps", "warps that were held back when the mask was asked for")
STAT_STRUCT(limit_stats, LIMIT_STATS);
#define ROW(...) STAT_ROW_OF(limit_stats, __VA_ARGS__)
static const struct stat_row limit_stat_rows[] = {LIMIT_STATS(ROW)};
#undef ROW

/* State lies in the run's arena: no pointers, no allocation, nothing global. */
struct limit {
    struct limit_stats stats;
    uint32_t N;
};

static int limit_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    (void)env, (void)err;
    *(struct limit *)self = (struct limit){.N = ((const struct limit_params *)params)->N};
    return 0;
}

static const void *limit_stats_of(const void *self) { return &((const struct limit *)self)->stats; }

/* Asked whenever warps come, go or wait; bit 0 is the oldest warp. Every mechanism of a stack must agree. */
static uint64_t limit_may_issue(void *self, const struct warp_set *set)
{
    struct limit *limit = self;
    if (set->n > limit->N) limit->stats.held += set->n - limit->N;
    return warp_rank_mask(set, limit->N, false);
}

#ifndef LIMIT_NAME
#define LIMIT_NAME "limit"
#endif
static const struct mech_type limit_type = {
    .name = LIMIT_NAME,
    .title = "the N oldest warps",
    .source = "an example",
    .params = {"limit", limit_rows, COUNT_OF(limit_rows), sizeof(struct limit_params)},
    .stats = {"limit", limit_stat_rows, COUNT_OF(limit_stat_rows), sizeof(struct limit_stats)},
    .state_size = sizeof(struct limit),
    .init = limit_init,
    .stats_of = limit_stats_of,
    .warp_may_issue = limit_may_issue,
};

POISE_PLUGIN(.mechs = {&limit_type});

int main(int argc, char **argv)
{
    struct trace *trace = NULL;
    struct plan *plan = NULL;
    struct gpu_params *params = gpu_params_new();
    struct gpu_result result = {0};
    struct mech_spec limit;
    struct error err;
    if (argc != 2 || !params || mech_new(&limit, &limit_type, &err) < 0 || mech_set(&limit, "N", "1", &err) < 0)
        return 2;
    int failed = trace_open(&trace, argv[1], NULL, &err) < 0 || plan_new(&plan, trace, params, &err) < 0 ||
                 gpu_run(&result, plan, params, &limit, 1, NULL, &err) < 0;
    if (failed) fprintf(stderr, "%s\n", err.text);
    else printf("%.0f\n", gpu_stats_value(result.stats, "core_cycles"));
    gpu_result_free(&result);
    mech_free(&limit);
    plan_free(plan);
    trace_close(trace);
    gpu_params_free(params);
    return failed;
}
