/* The state of the mechanism `learned`, and its steps (learned_steps.c). Private to learned*.c. */
#ifndef MECH_LEARNED_H
#define MECH_LEARNED_H
#include "poise/sampling.h"
#include "poise/response_search.h"
#include "poise/sys/hooks.h"
#include "current_tuple.h"
#include "steps.h"
#include "learned_hint.h"
#include "learned_kernels.h"
#include "learned_params.h"
#include "learned_parts.h"
#include "learned_stats.h"

struct gpu_timeline;
STAT_STRUCT(learned_stats, LEARNED_STATS);
struct candidate {
    struct tuple at;
    double rate;
    int32_t log_rate; /* ln, 2^-16 */
};
/* A step begins, samples from `sample` to `close`; at close + 1 the first SM that is asked decides for all. */
struct learned {
    struct learned_stats stats;
    struct learned_params params;
    struct response_net net;
    struct sampling_feature features[SAMPLING_FEATURES_MAX];
    struct sampling_tuples tuples; /* of SAMPLE */
    struct gpu_timeline *timeline;
    enum state state;
    uint32_t W, n_sms, kernel;
    struct sampling_tuples starts; /* that a launch begins with */
    bool has_net;                  /* a model was given; false: only hints */
    enum hint_match hint;          /* which hint there is for the launch */
    uint64_t resident;             /* warps that the machine holds at a time */
    size_t memory_at;              /* struct kernel_memory, so many bytes from here */
    uint64_t sample, close, period_end;
    struct candidate candidates[GROUPS_MAX]; /* of the step */
    uint32_t n;                              /* groups of the step */
    struct search search;
    bool is_judging; /* the window of RUN after a try: `tried` is judged by it */
    struct candidate tried;
    int32_t before;           /* ln of the rate of RUN's last window */
    uint32_t windows, low;    /* of RUN; low: windows in a row that have lost `drop` */
    double expected;          /* RUN: rate of the first window */
    uint64_t began;           /* the launch's first cycle */
    uint64_t insts;           /* of the launch, in warps */
    uint32_t warps, exits;    /* of the launch, and those that have ended */
    struct tuple first_tuple; /* of the launch, on all SMs; {0}: they began at several */
    uint64_t others;          /* cycles of other tuples, on SM 0 */
    struct step_unit units[]; /* one an SM */
};

static inline struct tuple all_warps(const struct learned *h) { return (struct tuple){h->W, h->W}; }
/* The old rule; and training data are collected by it. */
static inline bool waits_at_all(const struct learned *h) { return h->params.observe || h->params.start == START_ALL; }
/* 0 stands for W */
static inline struct tuple clamped(const struct learned *h, uint32_t N, uint32_t p)
{
    if (N == 0 || N > h->W) N = h->W;
    if (p == 0 || p > N) p = N;
    return (struct tuple){N, p};
}

/* Steps: all SMs at one tuple, or groups of them at several, from this cycle on. */
void learned_account(struct learned *h, struct step_unit *u, uint64_t now);
void learned_begin_step(struct learned *h, enum state state, uint64_t now); /* at h->candidates */
void learned_begin_alone(struct learned *h, enum state state, struct tuple t, uint64_t now);
void learned_begin_round(struct learned *h, uint64_t now);
void learned_begin_sampling(struct learned *h, uint64_t now);
void learned_hold(struct learned *h, struct tuple t, uint64_t now);
void learned_run_at_best(struct learned *h, uint64_t now);
void learned_begin_try(struct learned *h, struct tuple t, uint64_t now);
void learned_end_step(struct learned *h, uint64_t now);

/* What the search would do next in a launch that is taken to last `left` tries. The tuple that it believes to be
 * best is taken over; true: it is another one than before. */
bool learned_ask_search(struct learned *h, double left, struct response_step *step);
bool learned_fits(const struct learned *h, uint64_t cycles); /* the kernel's last launch was as long */
uint64_t learned_try_cycles(const struct learned *h);        /* with the windows that it is judged by */
bool learned_sampling_pays(const struct learned *h, uint64_t left);
#endif
