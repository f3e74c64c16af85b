/* poise sim --stats gpgpusim: the names and lines that scripts written for GPGPU-Sim and Accel-Sim look for. What
 * begins with gpu_tot_, gpgpu_, L1D_, L2_, Total_core_, averagemflatency or total is cumulative over the kernels so
 * far. */
#include <stdlib.h>
#include "cli/gpgpusim_names.h"
#include "cli/sim_print.h"

/* As few digits as say the number, and no fewer than `digits` behind the point. */
static const char *text_of(char text[40], double value, int digits)
{
    snprintf(text, 40, "%.*f", digits, value);
    for (int more = 6; more <= 17 && strtod(text, NULL) != value; more++) snprintf(text, 40, "%.*g", more, value);
    return text;
}

static double stat_of(const void *stats, const char *name) { return gpu_stats_value(stats, name); }

static const char *const heads[] = {
    [GPGPUSIM_L1] = "L1D_cache:\n",
    [GPGPUSIM_CORE] = "Total_core_cache_stats:\n",
    [GPGPUSIM_L2] = "========= L2 cache stats =========\n",
    [GPGPUSIM_DRAM] = NULL,
};

static void print_cumulative(const struct gpu_stats *s, const struct gpgpusim_terms *terms)
{
    size_t n;
    const struct gpgpusim_name *names = gpgpusim_names(&n);
    for (size_t i = 0; i < n; i++) {
        char text[40];
        struct gpgpusim_sums sums = {0};
        const enum gpgpusim_group group = names[i].group;
        const bool is_rate = names[i].over[0] && group != GPGPUSIM_LATENCY, is_ipc = is_rate && group == GPGPUSIM_RUN;
        if ((i == 0 || names[i - 1].group != group) && heads[group]) printf("%s", heads[group]);
        gpgpusim_add(&sums, &names[i], terms, stat_of, s);
        const bool is_inside = group == GPGPUSIM_L1 || group == GPGPUSIM_CORE || (is_rate && group == GPGPUSIM_L2);
        printf("%s%s = %*s\n", is_inside ? "\t" : "", names[i].name, is_ipc ? 12 : 0,
               text_of(text, gpgpusim_value(&names[i], terms, sums), is_rate ? 4 : 0));
    }
    printf("\n");
}

int sim_print_gpgpusim(const struct gpu_params *params, const struct run_job *jobs, size_t n, struct error *err)
{
    json_t *config = gpu_params_json(params);
    const struct gpgpusim_terms terms = gpgpusim_terms_of(config);
    json_decref(config);
    for (size_t i = 0; i < n; i++) {
        char text[40];
        const struct gpu_stats *s = jobs[i].result.stats;
        struct gpu_stats *so_far = sim_total(jobs, i + 1);
        if (!so_far) return error_set(err, ERR_MEMORY, "out of memory for statistics");
        printf("kernel_name = %s\nkernel_launch_uid = %zu\n", jobs[i].launch->kernel, i + 1);
        printf("gpu_sim_cycle = %.0f\ngpu_sim_insn = %.0f\ngpu_ipc = %12s\n", gpu_stats_value(s, "core_cycles"),
               gpu_stats_value(s, "thread_insts"), text_of(text, gpu_stats_value(s, "ipc"), 4));
        print_cumulative(so_far, &terms);
        free(so_far);
    }
    return 0;
}
