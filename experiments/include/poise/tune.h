/* Tuning: parameters of a stack of mechanisms and of the machine against a metric over a set of kernels.
 *
 *   schema: 1
 *   kind: tune
 *   name: swl-limit
 *   size: test
 *   kernels: [mvt]                  # tuned on these, as in a sweep
 *   heldout: [atax]                 # judged on these, which the tuning never sees
 *   config: kepler32
 *   set: {l1.ways: 4}
 *   mech: swl                       # or a list: a stack; in "pcal,N=@swl" @swl is the warp limit that is best for
 *                                   # the benchmark
 *   parameters: {N: {from: 1, to: 24}, l1.ways: [4, 8], poise.T_period: {from: 1e4, to: 1e6, points: 9}}
 *                                   # and a mechanism of the stack, {bucl: [on, off]}: its parameters exist where it
 *                                   # is on
 *   when: {l1.dsc_tags: l1.organisation == dsc}    # where else a parameter exists
 *   where: N <= 20                  # or a list
 *   baseline: gto                   # what a speedup refers to
 *   metric: speedup                 # or a formula over statistics: ipc, 1000 * l1d_misses / warp_insts, ...
 *   goal: max                       # or min; of a list of metrics a list
 *   method: {name: gp, budget: 12, initial: 5, seed: 1, regret: true}
 *   folds: benchmark                # and tuned again without each benchmark in turn, which is then evaluated
 *   limits: {max_cycles: 1000000}
 *   sample: error=0.02              # trials are estimated from a sample of each program's launches
 *
 * `speedup` is the harmonic mean over benchmarks of throughput over the baseline's; other metrics are means over
 * launches. The budget counts points simulated in full; halving spends a third of it on each of three rungs of
 * growing prefixes. */
#ifndef POISE_TUNE_H
#define POISE_TUNE_H
#include "poise/runner.h"
struct json_t;

#define TUNE_METHODS(M) \
    M(grid, "every point") \
    M(random, "points sampled evenly, each once") \
    M(sobol, "Sobol's low-discrepancy sequence") \
    M(bobyqa, "NLopt: quadratic models (Powell)") \
    M(cobyla, "NLopt: linear models (Powell)") \
    M(sbplx, "NLopt: Subplex (Rowan)") \
    M(neldermead, "NLopt: Nelder-Mead simplex") \
    M(direct, "NLopt: DIRECT-L, dividing rectangles") \
    M(crs, "NLopt: controlled random search") \
    M(coordinate, "from the stack's own values every level of each parameter by itself; what gained is combined; " \
                  "again from there") \
    M(halving, "successive halving on growing prefixes of the runs") \
    M(gp, "Gaussian process with expected improvement")

struct tune;
int tune_load(struct tune **out, const char *path, const char *configs_dir, struct error *err);
int tune_parse(struct tune **out, const char *name, const char *text, size_t size, const char *configs_dir,
               struct error *err);
void tune_free(struct tune *tune); /* accepts NULL */
const char *tune_name(const struct tune *tune);
double tune_grid_size(const struct tune *tune);
/* Records what is missing: the launches of both sets. */
int tune_launches(struct tune *tune, const struct registry *registry, const struct lab_paths *paths, struct error *err);
/* Tunes. The report is the JSON object of CONTRACTS without the header; the caller's. */
int tune_run(struct tune *tune, struct runner *runner, struct json_t **report, struct error *err);
/* Trials are estimates from a sample of each program's launches, the same under the baseline ("error=0.02", as the
 * spec's `sample`); tune_compare then simulates the best point whole, unless it is left unchecked. An estimate is told
 * with its interval, KEY_low, KEY_high and is_estimate beside KEY; train_metric is what was simulated, or null, and
 * train_estimate what was estimated. */
int tune_set_sample(struct tune *tune, const char *text, struct error *err);
bool tune_is_sampled(const struct tune *tune);
void tune_leave_unchecked(struct tune *tune);
/* Points that are tried before the method chooses, of a CSV file whose columns are the spec's parameters; beside those
 * of the spec's seed_points. */
int tune_seed_file(struct tune *tune, const char *path, struct error *err);
int tune_seed_table(struct tune *tune, const char *name, const char *text, size_t size, struct error *err);
/* Trials are evaluated by somebody else, in lines of JSON (studies/tune/tune_ask.c). `prepare` sees to it that
 * tune_launches was called: it is asked only where a point is to be simulated here. */
struct tune_pipe {
    int in; /* a file descriptor */
    FILE *out;
    const volatile sig_atomic_t *stop; /* may be NULL */
    int (*prepare)(void *context, struct error *err);
    void *context;
};
/* tune_run without simulation, and so without regret and held-out figures. */
int tune_run_asked(struct tune *tune, const struct tune_pipe *pipe, struct runner *runner, struct json_t **report,
                   struct error *err);
/* After tune_run, adds what the best point is compared with: "compared": {machine_is_tuned, train{metric,
 * same_machine_without, over_same_machine}, heldout{}}, where the reference is the spec's machine under the baseline;
 * and to the report's "default" and "published" the same "train" and "heldout". These two are tried before the method
 * chooses: {params{}, sources{}, is_trial}, and of the published one words and is_default; null where no row of a
 * parameter says what a paper gives (poise/table.h, PUBLISHED). */
int tune_compare(struct tune *tune, struct runner *runner, struct json_t *report, struct error *err);
/* After tune_run: tunes each benchmark of both sets on its own, with the spec at `path`, and adds to the report what
 * that gains over the point found for all: "each": {benchmarks[{name, heldout, best{params}, metric, shared_metric,
 * runs}], mean, shared_mean}. */
int tune_each(struct tune *tune, const char *path, const char *configs_dir, struct runner *runner,
              struct json_t *report, struct error *err);
/* After tune_run: tunes each mechanism of the stack alone, and the machine, each with its share of the budget, and adds
 * "apart": {parts[{name, best{params}, metric, points}], together{params, train, heldout}, joint{..}}: what the parts
 * found, put together, beside what the tuning of all at once found. Refused where fewer than two have parameters. */
int tune_apart(struct tune *tune, const char *path, const char *configs_dir, struct runner *runner,
               struct json_t *report, struct error *err);
/* After tune_run: the search of the spec and those of rivals on the same budget, each with several seeds, and adds
 * "curves": {of, seeds, budget, methods[{method, mean[], least[], most[]}]}: the best value after each trial (of
 * several metrics the hypervolume). */
#define TUNE_RIVALS_MAX 8
struct tune_rivals {
    const char *const *names;
    size_t n, seeds; /* 0: 5 */
};
/* Whether they can be searched by, before anything is simulated. */
int tune_check_rivals(const struct tune *tune, const struct tune_rivals *rivals, struct error *err);
int tune_curves(struct tune *tune, const struct tune_rivals *rivals, const char *path, const char *configs_dir,
                struct runner *runner, struct json_t *report, struct error *err);
/* With `folds`: the tuning is done again without each benchmark in turn (rows of one `benchmark` of the registry are
 * one; or of one family), by the same method and budget, and the point found is judged on what was left out. Adds to
 * the report "folds": {groups[{name, benchmarks, launches, best{params}, train_metric, heldout_metric, own_metric}],
 * heldout_metric, own_metric}: the mean over what was left out (harmonic for `speedup`), and the same for the
 * stack's own values. */
bool tune_has_folds(const struct tune *tune);
int tune_folds(struct tune *tune, const char *path, const char *configs_dir, struct runner *runner,
               struct json_t *report, struct error *err);
#endif
