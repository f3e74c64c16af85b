/* poise_gpu alone: simulates a trace with one warp a scheduler and prints its cycles. */
#include <poise/gpu.h>
#include <poise/trace.h>

int main(int argc, char **argv)
{
    struct trace *trace = NULL;
    struct plan *plan = NULL;
    struct gpu_params *params = gpu_params_new();
    struct gpu_result result = {0};
    struct mech_spec swl;
    struct error err;
    if (argc != 2 || !params || mech_parse(&swl, "swl,N=1", &err) < 0) return 2;
    int failed = trace_open(&trace, argv[1], NULL, &err) < 0 || plan_new(&plan, trace, params, &err) < 0 ||
                 gpu_run(&result, plan, params, &swl, 1, NULL, &err) < 0;
    if (failed) fprintf(stderr, "%s\n", err.text);
    else printf("%.0f\n", gpu_stats_value(result.stats, "core_cycles"));
    gpu_result_free(&result);
    mech_free(&swl);
    plan_free(plan);
    trace_close(trace);
    gpu_params_free(params);
    return failed;
}
