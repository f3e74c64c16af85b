/* A program's launches by a sample: clusters of launches that look alike without timing, a few of each simulated, and
 * estimates of the whole with intervals. (experiments/sampling/README.md) */
#ifndef POISE_PROGRAM_SAMPLE_H
#define POISE_PROGRAM_SAMPLE_H
#include "poise/runner.h"
#include "poise/stratified.h"

enum { SAMPLE_WARM_ALL = -1 };
struct sample_options {
    double error; /* half of the interval of 95 %, as a share */
    uint64_t seed;
    uint64_t whole_insts; /* a program of at most so many warp instructions is simulated whole */
    int64_t warm;         /* with carry: requests to L2 that are replayed before a launch; SAMPLE_WARM_ALL: all */
    bool carry;           /* launches find L2 as those before left it; false: each begins cold */
    /* Of callers, not of the text: */
    bool is_by_launch;  /* launches are simulated whole or not at all: what mechanisms count has no estimate in part */
    const bool *always; /* of each launch: it is simulated, and stands for itself alone; NULL: of none */
};
/* "error=0.02,seed=1,warm=all,whole=1000000"; `error` must be there. */
int sample_options_parse(struct sample_options *out, const char *text, struct error *err);

struct program_sample;
/* Describes the launches, which live as long as the sample, and makes clusters of them. */
int program_sample_new(struct program_sample **out, struct runner *runner, const struct launches *launches,
                       const struct gpu_params *params, const struct sample_options *options, struct error *err);
/* Another sample of the same launches. */
int program_sample_reseed(struct program_sample *sample, uint64_t seed, struct error *err);
/* Another accuracy: other clusters, and a sample that shares launches with the one before as far as these allow. */
int program_sample_refine(struct program_sample *sample, double error, struct error *err);
void program_sample_free(struct program_sample *sample); /* accepts NULL */
/* Simulates launches under each policy until the interval of the first one's core cycles, and of the speedup of each
 * other over it, is as narrow as asked. jobs[k * n + i]: launch i under policy k, prepared; those simulated have their
 * result, and where launches have the same trace and begin cold, the first of them alone. */
int program_sample_run(struct program_sample *sample, const char *what, struct run_job *jobs, size_t n_policies,
                       struct error *err);
/* A policy's total of what `value` says of a launch's counters; where `below` is not NULL, over that total of `below`,
 * of the same launches. */
typedef double sample_value(const struct gpu_stats *stats, const void *what);
struct sample_part {
    const struct run_job *jobs; /* of one policy: n launches */
    sample_value *value;
    const void *what;
    const char *counter; /* by whose interval `value` of a launch that was simulated in part is known */
};
/* Core cycles of a policy. */
struct sample_part sample_cycles(const struct run_job *jobs);
int program_sample_estimate(struct stratified_estimate *out, const struct program_sample *sample,
                            const struct sample_part *above, const struct sample_part *below, struct error *err);
/* A counter or ratio by the name that it has in JSON; ratios of totals. ERR_USAGE: there is none, or a maximum. */
int program_sample_stat(struct stratified_estimate *out, const struct program_sample *sample,
                        const struct run_job *jobs, const char *name, struct error *err);

/* ---- the best of many policies ---- */
/* Successive halving, by quarters [Jamieson and Talwalkar 2016]: all policies on a small sample, then fewer on larger
 * ones, down to the error of the options. A policy is out where the interval of its cycles over those of the best, of
 * the same launches, lies above 1; where more than a quarter are left, the fastest quarter goes on. */
enum race_end {
    RACE_UNTRIED, /* nobody chose it */
    RACE_SLOWER,  /* its interval says so */
    RACE_BEHIND,  /* it was not in the fastest quarter, and its interval does not say that it is slower */
    RACE_CLOSE,   /* it came to the end: nothing more is known than over_best */
    RACE_BEST
};
struct race_row {
    enum race_end end;
    unsigned round;                               /* the last it took part in; 0: none */
    struct stratified_estimate cycles, over_best; /* of that round */
};
struct race {
    struct race_row *rows; /* of each policy */
    size_t n, best;
    double regret;                      /* with 95 % confidence no policy tried has fewer cycles than the best by more
                                         * than this share */
    uint64_t warp_insts, of_warp_insts; /* simulated, and those of all policies on all launches */
};
/* Which policies to try next, by what race->rows say of those tried (round above 0); *n is 0 where it is enough. NULL:
 * all. */
typedef int race_choose(void *context, const struct race *race, size_t *out, size_t *n, struct error *err);
int program_sample_race(struct race *out, struct program_sample *sample, const char *what, struct run_job *jobs,
                        size_t n_policies, race_choose *choose, void *context, struct error *err);
void race_fini(struct race *race);
extern const char *const race_end_names[];

/* ---- estimates of anything that is made of totals; of samples by launch (is_by_launch) ---- */
/* What each launch counts in totals: the estimate of any counter is the sum of weight * counter. 0: it was not
 * simulated, or is one run with an earlier launch. */
int program_sample_weights(const struct program_sample *sample, double *weights, struct error *err);
/* Total of values[launch], over that of below[launch] where it is not NULL; values of launches of weight 0 are not
 * read. */
void program_sample_values(struct stratified_estimate *out, const struct program_sample *sample, const double *values,
                           const double *below);
/* Is launch i among some that were left out? Of the others nothing is estimated. */
bool program_sample_is_drawn_from(const struct program_sample *sample, size_t i);

struct sample_work {
    size_t launches, simulated, clusters; /* simulated: of each policy */
    uint64_t warp_insts, warp_insts_simulated;
    bool is_whole;             /* nothing is estimated */
    uint64_t replayed;         /* requests that L2 was warmed with */
    double describe_s, warm_s; /* of processor time */
};
double sample_share_of_work(const struct sample_work *work); /* warp instructions simulated, of all; of none: 1 */
const struct sample_work *program_sample_work(const struct program_sample *sample);
/* Is the i-th launch's result there for policy jobs? */
bool program_sample_has(const struct program_sample *sample, size_t i);
/* Cluster of launch i, and how many launches it stands for in estimates (N_h / n_h); 0: not simulated. */
size_t program_sample_cluster(const struct program_sample *sample, size_t i);
struct json_t *program_sample_estimate_json(const struct stratified_estimate *e);
struct json_t *program_sample_work_json(const struct program_sample *sample);
#endif
