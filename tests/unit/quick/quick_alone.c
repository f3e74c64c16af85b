/* What a program needs that asks for a tuple and nothing else. */
#include <stdio.h>
#include "poise/gpu.h"
#include "poise/quick.h"

int main(int argc, char **argv)
{
    struct error err = {0};
    struct trace *trace;
    struct plan *plan;
    struct quick *quick;
    struct quick_run run;
    const struct quick_options options = {0};
    struct gpu_params *params = gpu_params_new();
    if (argc < 3 || !params || gpu_params_load(params, argv[2], ".", &err) < 0 ||
        trace_open(&trace, argv[1], NULL, &err) < 0 || plan_new(&plan, trace, params, &err) < 0 ||
        quick_new(&quick, plan, params, &options, &err) < 0)
        return fprintf(stderr, "%s\n", err.text), 1;
    quick_run(quick, (struct quick_limit){1, 1, 0, 0}, &run);
    printf("%llu cycles\n", (unsigned long long)run.cycles);
    quick_free(quick);
    plan_free(plan);
    trace_close(trace);
    gpu_params_free(params);
    return 0;
}
