/* One mix: a kernel and CPU programs alone and together, and what sharing costs each of them. */
#include "cli/cpu_run.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli_kernels.h"
#include "cli/sim_print.h"
#include "poise/lab.h"
#include "poise/mix.h"
#include "poise/sweep.h"

/* Jobs: the kernel alone, each program alone, all together. */
enum { JOBS_MAX = GPU_CPU_CORES + 2 };
struct mix_run {
    struct gpu_params *params;
    struct registry registry;
    struct launches launches;
    struct cpu_stream *streams[GPU_CPU_CORES];
    size_t n, n_jobs;
    struct gpu_cpu_programs beside[JOBS_MAX];
    struct run_job jobs[JOBS_MAX];
};

static int read_stack(struct run_job *job, const struct texts *mechs, struct error *err)
{
    if (mechs->n > MECH_STACK_MAX)
        return error_set(err, ERR_USAGE, "a stack holds at most %d mechanisms", MECH_STACK_MAX);
    for (size_t k = 0; k < mechs->n; k++, job->n_stack++)
        if (mech_parse(&job->stack[k], mechs->items[k], err) < 0) return -1;
    return 0;
}

static int prepare(struct mix_run *r, struct cli *cli, const struct cpu_run *how, const char *const *programs,
                   struct error *err)
{
    if (sim_config(&r->params, cli, how->config ? how->config : "apu6", how->set, err) < 0) return -1;
    if (sim_launches(&r->launches, &r->registry, cli, how->kernel, how->size, NULL, how->launch ? how->launch : "0",
                     err) < 0)
        return -1;
    for (size_t i = 0; i < r->n; i++)
        if (cpu_open(&r->streams[i], programs[i], how->insts, &cli->paths, err) < 0) return -1;
    r->n_jobs = r->n + 2;
    for (size_t j = 0; j < r->n_jobs; j++) {
        struct gpu_cpu_programs *beside = &r->beside[j];
        r->jobs[j] =
            (struct run_job){.launch = &r->launches.items[0], .params = r->params, .limits = {.no_skip = how->no_skip}};
        if (j && j <= r->n)
            *beside = (struct gpu_cpu_programs){.streams = {r->streams[j - 1]}, .n = 1, .without_gpu = true};
        if (j > r->n) {
            beside->n = (unsigned)r->n;
            for (size_t i = 0; i < r->n; i++) beside->streams[i] = r->streams[i];
        }
        if (j) r->jobs[j].limits.cpu = beside;
        if (read_stack(&r->jobs[j], how->mech, err) < 0) return -1;
    }
    return 0;
}

/* ---- what was measured ---- */

static const json_t *core_of(const struct run_job *job, size_t core)
{
    const json_t *cpu =
        json_array_get(job->result.mechs, json_array_size(job->result.mechs) - 1); /* behind the mechanisms */
    return json_array_get(json_object_get(cpu, "cores"), core);
}

static double stat_of(const json_t *core, const char *name)
{
    return json_number_value(json_object_get(json_object_get(core, "stats"), name));
}

struct member {
    double alone, mix, reads, hits[2], latency[2];
}; /* of 1000 instructions; alone, in the mix */

static struct member member_of(const struct mix_run *r, size_t i)
{
    const json_t *cores[2] = {core_of(&r->jobs[1 + i], 0), core_of(&r->jobs[r->n + 1], i)};
    struct member m = {.alone = json_number_value(json_object_get(cores[0], "cycles")),
                       .mix = json_number_value(json_object_get(cores[1], "cycles"))};
    m.reads = 1000 * stat_of(cores[0], "cpu_llc_reads") / stat_of(cores[0], "cpu_insts");
    for (int k = 0; k < 2; k++) {
        const double fills = stat_of(cores[k], "cpu_fills");
        m.hits[k] = fills > 0 ? stat_of(cores[k], "cpu_llc_hits") / fills : 0;
        m.latency[k] = fills > 0 ? stat_of(cores[k], "cpu_latency_sum") / fills : 0;
    }
    return m;
}

static int print_mix(const struct mix_run *r, const struct cpu_run *how, const char *const *programs, struct error *err)
{
    const json_t *all =
        json_array_get(r->jobs[r->n + 1].result.mechs, json_array_size(r->jobs[r->n + 1].result.mechs) - 1);
    const double alone = gpu_stats_value(r->jobs[0].result.stats, "core_cycles"),
                 mix = json_number_value(json_object_get(json_object_get(all, "stats"), "gpu_cycles"));
    double speeds[GPU_CPU_CORES + 1];
    json_t *members = json_array();
    if (!how->json)
        printf("%-14s %12s %12s %6s   %9s %13s %17s\n", "", "cycles alone", "in the mix", "speed", "LLC reads",
               "LLC hits", "cycles to a line");
    for (size_t i = 0; i < r->n; i++) {
        const struct member m = member_of(r, i);
        speeds[i] = m.alone / m.mix;
        if (how->json)
            json_array_append_new(members, json_pack("{s:s,s:f,s:f,s:f,s:f,s:[ff],s:[ff]}", "name", programs[i],
                                                     "cycles_alone", m.alone, "cycles", m.mix, "speedup", speeds[i],
                                                     "llc_reads_per_1000", m.reads, "llc_hit_rate", m.hits[0],
                                                     m.hits[1], "llc_latency_cycles", m.latency[0], m.latency[1]));
        else
            printf("%-14s %12.0f %12.0f %6.3f   %9.2f %5.1f%% %5.1f%% %8.0f %8.0f\n", programs[i], m.alone, m.mix,
                   speeds[i], m.reads, 100 * m.hits[0], 100 * m.hits[1], m.latency[0], m.latency[1]);
    }
    speeds[r->n] = alone / mix;
    const struct mix_score score = mix_score(speeds, r->n + 1);
    if (!how->json) {
        printf("%-14s %12.0f %12.0f %6.3f\n", how->kernel, alone, mix, speeds[r->n]);
        printf("weighted speedup %.3f, harmonic speedup %.3f, fairness %.3f\n", score.weighted, score.harmonic,
               score.fairness);
        json_decref(members);
        return 0;
    }
    json_t *json = lab_json();
    json_object_set_new(json, "kernel",
                        json_pack("{s:s,s:f,s:f,s:f}", "name", how->kernel, "cycles_alone", alone, "cycles", mix,
                                  "speedup", speeds[r->n]));
    json_object_set_new(json, "programs", members);
    json_object_set_new(
        json, "score",
        json_pack("{s:f,s:f,s:f}", "weighted", score.weighted, "harmonic", score.harmonic, "fairness", score.fairness));
    return cli_print_json(json, err);
}

static int first_error(const struct mix_run *r, const struct cpu_run *how, const char *const *programs,
                       struct error *err)
{
    for (size_t j = 0; j < r->n_jobs; j++) {
        if (!r->jobs[j].result.err.code) continue;
        *err = r->jobs[j].result.err;
        if (j > r->n) return error_while(err, "%s and the programs together", how->kernel);
        return error_while(err, "%s alone", j ? programs[j - 1] : how->kernel);
    }
    return 0;
}

int cpu_run(struct cli *cli, const struct cpu_run *how, const char *const *programs, size_t n, struct error *err)
{
    struct runner *runner = NULL;
    struct runner_options options;
    if (!n || n > GPU_CPU_CORES)
        return error_set(err, ERR_USAGE, "poise cpu run needs 1 to %d programs", GPU_CPU_CORES);
    if (!how->kernel) return error_set(err, ERR_USAGE, "poise cpu run needs --kernel NAME: 'poise kernels' lists them");
    if (cli->ranks) return error_set(err, ERR_USAGE, "poise cpu run: runs with CPU programs do not go to other ranks");
    struct mix_run *r = calloc(1, sizeof *r);
    if (!r) return error_set(err, ERR_MEMORY, "out of memory for a mix");
    r->n = n;
    cli_runner_options(cli, &options, how->threads);
    options.progress = NULL;
    int result = prepare(r, cli, how, programs, err);
    if (result == 0) result = runner_new(&runner, NULL, &options, err);
    if (result == 0) result = runner_run(runner, "mix", r->jobs, r->n_jobs, err);
    if (result == 0) result = first_error(r, how, programs, err);
    if (result == 0) result = print_mix(r, how, programs, err);
    runner_free(runner);
    for (size_t j = 0; j < r->n_jobs; j++) run_job_fini(&r->jobs[j]);
    for (size_t i = 0; i < n; i++) cpu_stream_free(r->streams[i]);
    launches_fini(&r->launches);
    registry_fini(&r->registry);
    gpu_params_free(r->params);
    free(r);
    return result;
}
