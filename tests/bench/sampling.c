/* What sampling of launches is worth: every launch is simulated once under six policies, then samples are drawn from
 * the results, as many as asked, and each one's intervals are held against the truth.
 *
 *   sampling ERROR SEEDS [carry] NAME[:SIZE[:INPUT]] | FOLDER-OF-TRACES ...
 *
 * Launches that a sample simulates in part are simulated so, once: what is drawn does not change it. The last lines are
 * of all programs of which something was estimated.
 * With `carry` launches run in order and keep L2, and a sampled launch is taken as it was there: what the replay of
 * requests instead of that costs is another question (experiments/sampling/README.md). */
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "poise/program_sample.h"
#include "poise/sweep.h"
#include "where.h"

static const char *const policies[] = {"gto", "swl,N=2", "swl,N=6", "ccws", "mrpb", "poise"};
enum {
    N_TRIED = sizeof policies / sizeof *policies,
    CAP = 31250000 /* warp instructions of a program, in whole launches: 1 G thread instructions */
};

struct tally {
    double error, share, launches; /* sums over samples */
    double worst, regret;
    size_t held[N_TRIED], samples, late; /* late: the interval is wider than asked */
    double errors[N_TRIED];
    bool is_whole;
};

/* Over the programs of which something was estimated; intervals of cycles, then of speedups. */
static struct total {
    size_t programs, whole, intervals[2], held[2];
    double errors[2], share, regret, insts, all_insts;
} total;

static void add_total(const struct tally *t, const struct sample_work *w)
{
    const double m = (double)t->samples;
    total.insts += t->share / m * (double)w->warp_insts;
    total.all_insts += (double)w->warp_insts;
    if (t->is_whole) {
        total.whole++;
        return;
    }
    total.programs++;
    total.share += t->share / m;
    total.regret = fmax(total.regret, t->regret);
    for (size_t k = 0; k < N_TRIED; k++) {
        total.intervals[k > 0] += t->samples;
        total.held[k > 0] += t->held[k];
        total.errors[k > 0] += t->errors[k];
    }
}

static void print_total(void)
{
    const double n = (double)total.programs;
    printf(
        "%zu programs estimated, %zu simulated whole: share %.3f a program, %.3f of all instructions; regret at most "
        "%.2f %%\n",
        total.programs, total.whole, total.share / n, total.insts / total.all_insts, 100 * total.regret);
    for (int i = 0; i < 2; i++)
        printf("%s: %zu of %zu intervals hold (%.1f %%), mean error %.2f %%\n", i ? "speedups" : "cycles",
               total.held[i], total.intervals[i], 100 * (double)total.held[i] / (double)total.intervals[i],
               100 * total.errors[i] / (double)total.intervals[i]);
}

static double cycles_of(const struct gpu_stats *stats, const void *what)
{
    (void)what;
    return gpu_stats_value(stats, "core_cycles");
}

static int load(struct launches *out, struct registry *registry, const struct lab_paths *paths, const char *text,
                struct error *err)
{
    char name[200];
    if (strchr(text, '/')) {
        glob_t found;
        char pattern[1200];
        snprintf(pattern, sizeof pattern, "%s/*.ptrace", text);
        int result = glob(pattern, 0, NULL, &found) == 0 ? 0 : error_set(err, ERR_INPUT, "%s: no traces", text);
        for (size_t i = 0; result == 0 && i < found.gl_pathc; i++) {
            struct launch launch;
            result = launch_from_file(&launch, found.gl_pathv[i], err);
            if (result == 0) result = launches_add(out, &launch, err);
        }
        globfree(&found);
        return result;
    }
    snprintf(name, sizeof name, "%s", text);
    char *size = strchr(name, ':'), *input = size ? strchr(size + 1, ':') : NULL;
    if (size) *size = '\0';
    if (input) *input = '\0';
    const struct workload *w;
    if (registry_find(registry, name, &w, err) < 0) return -1;
    const int32_t chosen = input ? (int32_t)atol(input + 1) : w->inputs[0];
    if (select_launches(out, registry, paths, name, workload_size(size ? size + 1 : "small"), &chosen, 1, NULL, 0,
                        false, err) < 0)
        return -1;
    launches_cap(out, CAP);
    return 0;
}

static int make_jobs(struct run_job *jobs, const struct launches *launches, const struct gpu_params *params,
                     struct error *err)
{
    char poise[600];
    snprintf(poise, sizeof poise, "poise,model=%s/models/poise-quickstart.json", POISE_SOURCE_DIR);
    for (size_t k = 0; k < N_TRIED; k++)
        for (size_t i = 0; i < launches->n; i++) {
            struct run_job *job = &jobs[k * launches->n + i];
            job->launch = &launches->items[i];
            job->params = params;
            if (mech_parse(&job->stack[0], strcmp(policies[k], "poise") ? policies[k] : poise, err) < 0) return -1;
            job->n_stack = 1;
        }
    return 0;
}

/* Estimates of one sample against the truth: cycles of the first policy, then speedups over it. */
static int judge(struct tally *t, const struct program_sample *s, const struct run_job *jobs, size_t n,
                 const double *truth, double asked, struct error *err)
{
    const struct sample_work *w = program_sample_work(s);
    const struct sample_part base = sample_cycles(jobs);
    size_t chosen = 0, best = 0;
    double most = 1;
    for (size_t k = 0; k < N_TRIED; k++) {
        const struct sample_part part = sample_cycles(&jobs[k * n]);
        struct stratified_estimate e;
        const double exact = k ? truth[0] / truth[k] : truth[0];
        if (program_sample_estimate(&e, s, &base, k ? &part : NULL, err) < 0) return -1;
        const double slack = 1e-9 * exact, off = fabs(e.value / exact - 1);
        t->held[k] += exact >= e.low - slack && exact <= e.high + slack;
        t->errors[k] += off;
        if (k == 0) t->worst = fmax(t->worst, off);
        t->late += stratified_error(&e) > asked * (1 + 1e-9);
        if (k && e.value > most) most = e.value, chosen = k;
        if (truth[k] < truth[best]) best = k;
    }
    t->regret = fmax(t->regret, truth[chosen] / truth[best] - 1);
    t->share += (double)w->warp_insts_simulated / (double)w->warp_insts;
    t->launches += (double)w->simulated;
    t->is_whole = w->is_whole;
    t->samples++;
    return 0;
}

static int study(const char *name, const struct launches *launches, struct runner *runner,
                 const struct gpu_params *params, const struct sample_options *options, size_t seeds, struct error *err)
{
    struct program_sample *s = NULL;
    struct tally t = {0};
    double truth[N_TRIED] = {0};
    const size_t n = launches->n;
    struct run_job *jobs = calloc(N_TRIED * n + 1, sizeof *jobs);
    int result = jobs ? make_jobs(jobs, launches, params, err) : error_set(err, ERR_MEMORY, "out of memory");
    for (size_t k = 0; k < N_TRIED && result == 0; k++)
        result = options->carry ? runner_run_program(runner, &jobs[k * n], n, err)
                                : runner_run(runner, name, &jobs[k * n], n, err);
    for (size_t i = 0; i < N_TRIED * n && result == 0; i++) {
        if (!jobs[i].result.stats) *err = jobs[i].result.err, result = -1;
        else truth[i / n] += cycles_of(jobs[i].result.stats, NULL);
    }
    for (size_t i = 0; i < N_TRIED * n; i++)
        jobs[i].limits.sample = 1; /* whole, but no better than the coarsest part */
    if (result == 0) result = program_sample_new(&s, runner, launches, params, options, err);
    for (size_t seed = 1; seed <= seeds && result == 0; seed++) {
        result = program_sample_reseed(s, seed, err);
        if (result == 0) result = program_sample_run(s, name, jobs, N_TRIED, err);
        if (result == 0) result = judge(&t, s, jobs, n, truth, options->error, err);
    }
    if (result == 0) {
        const double m = (double)t.samples;
        printf("%-22.22s %5zu %4zu %6.1f %6.3f %7.2f %7.2f %7.2f %5zu", name, n, program_sample_work(s)->clusters,
               t.launches / m, t.share / m, 100 * t.errors[0] / m, 100 * t.worst, 100 * t.regret, t.late);
        for (size_t k = 0; k < N_TRIED; k++)
            printf("  %5.1f %5.2f", 100 * (double)t.held[k] / m, 100 * t.errors[k] / m);
        printf("\n");
        fflush(stdout);
        add_total(&t, program_sample_work(s));
    }
    program_sample_free(s);
    for (size_t i = 0; jobs && i < N_TRIED * n; i++) run_job_fini(&jobs[i]);
    free(jobs);
    return result;
}

int main(int argc, char **argv)
{
    struct error err = {0};
    struct lab_paths paths = {0};
    struct registry registry = {0};
    struct runner *runner = NULL;
    struct store *store = NULL;
    struct gpu_params *params = gpu_params_new();
    if (argc < 4 || !params) {
        fprintf(stderr, "usage: sampling ERROR SEEDS [carry] NAME[:SIZE]...\n");
        return 2;
    }
    const bool carry = strcmp(argv[3], "carry") == 0;
    const struct sample_options options = {
        .error = atof(argv[1]), .seed = 1, .whole_insts = 1000000, .warm = SAMPLE_WARM_ALL, .carry = carry};
    lab_paths_init(&paths);
    const struct runner_options run = {.threads = 1}; /* decoded traces would fill the disk */
    int result = registry_load(&registry, paths.kernels, &err);
    if (result == 0) result = store_open(&store, "results/sampling.sqlite", &err); /* of cold launches */
    if (result == 0) result = runner_new(&runner, store, &run, &err);
    printf("%-22s %5s %4s %6s %6s %7s %7s %7s %5s", "program", "n", "H", "drawn", "share", "err %", "worst", "regret",
           "late");
    for (size_t k = 0; k < N_TRIED; k++) printf("  %11.11s", policies[k]);
    printf("\n");
    for (int i = carry ? 4 : 3; i < argc && result == 0; i++) {
        struct launches launches = {0};
        const char *slash = strrchr(argv[i], '/');
        result = load(&launches, &registry, &paths, argv[i], &err);
        if (result == 0)
            result =
                study(slash ? slash + 1 : argv[i], &launches, runner, params, &options, (size_t)atol(argv[2]), &err);
        launches_fini(&launches);
    }
    if (result == 0 && total.programs) print_total();
    if (result < 0) fprintf(stderr, "sampling: %s\n", err.text);
    runner_free(runner);
    struct error later;
    if (store_close(store, &later) < 0) result = -1;
    registry_fini(&registry);
    gpu_params_free(params);
    return result < 0;
}
