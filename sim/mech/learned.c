/* Learned: a response surface, of speedup over warp tuples (N, p), read from a few samples of the whole GPU, and
 * searched where the network may be wrong. Not from a paper: Poise samples (W,W) and (1,1) on every SM and each SM
 * decides alone [THESIS §5.6]; here one prediction serves the GPU, and a tuple is judged by all SMs running it.
 *
 *   WAIT      groups of SMs run a few tuples, (W,W) among them, for T_start cycles: the fastest goes on. start=all: all
 *             SMs run (W,W) for T_wait cycles, and then a sampling begins
 *   HOLD      all SMs at that tuple, window after window, until a sampling pays: until what is left of the launch,
 *             by the warps that have ended or by the kernel's last launch, is `pays` times as long
 *             (learned_parts.h). Launches that end before are never sampled. With W of 2 or less, and where there are
 *             no loads, none is
 *   SAMPLE    the rounds of the model's sampling: all SMs at one tuple, or groups of SMs at several; their counters are
 *             the model's features
 *   RUN       all SMs at the best tuple, at first that of the best predicted speedup, window after window
 *   TRY       all SMs at another tuple for one window, between two of RUN: it is judged by its rate against the mean of
 *             theirs, so that a slow change of the program is not taken for its doing. A try follows whenever it pays
 *             (poise/response_search.h) if the launch is taken to last `horizon` times as long as it has lasted: often
 *             at first, then ever more seldom. `drops` windows in a row with a drop of IPC forget what was shown
 *
 * Every step is a warm-up and a window; that of TRY, and of RUN after it, is T_settle, for what ran before to drain. A
 * sampling has few warps first, since a flood of misses takes tens of thousands of cycles to drain. Rates are
 * instructions a cycle of the SMs that issued any. With observe=1 no model is needed: samplings are counted and all SMs
 * go back to one tuple in between, which is how training data are collected.
 *
 * A hint (hint=FILE, poise/hint_file.h) says before the launch which tuple is best, and how fast others are: the launch
 * begins with RUN at that tuple, in its first cycle. A try must promise more than a share of what the hint is doubted
 * by, and follows no window without loads.
 *
 * A program launches its kernels again and again. Where its launches are simulated in order (--carry-l2), the last
 * `kernels` of them are known by their addresses, and a kernel's search goes on in its next launch where the last one
 * left it: at the tuple that it held, with the round that was cut if what is left pays for it, or at the tuple believed
 * to be best. A launch is taken to last as long as the kernel's last one, and no step is begun that is longer; where
 * that one was too short for a try, the launch is a try as a whole (learned_kernels.h). */
#include "learned.h"

#include <string.h>
#include "poise/response_model.h"

#define ROW(...) PARAM_ROW_OF(learned_params, __VA_ARGS__)
static const struct param_row learned_rows[] = {LEARNED_PARAMS(ROW)};
#undef ROW
FETCH_OF(learned_params)

#define ROW(...) STAT_ROW_OF(learned_stats, __VA_ARGS__)
static const struct stat_row learned_stat_rows[] = {LEARNED_STATS(ROW)};
#undef ROW
static const struct ratio_row learned_ratios[] = {
    TUPLE_RATIOS(learned_stats),
    RATIO_ROW_OF(learned_stats, mean_predicted_N, predicted_N, predictions, "N predicted, mean"),
    RATIO_ROW_OF(learned_stats, mean_predicted_p, predicted_p, predictions, "p predicted, mean"),
    RATIO_ROW_OF(learned_stats, mean_corrected_N, corrected_N, searches, "N after the search, mean"),
    RATIO_ROW_OF(learned_stats, mean_corrected_p, corrected_p, searches, "p after the search, mean")};

static uint64_t learned_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct learned *h = self;
    if (now > h->close) learned_end_step(h, now); /* the first SM for all: their windows closed a cycle ago */
    return step_window(&h->units[sm->sm], &sm->counters, h->sample, h->close, now);
}

/* ---- from launch to launch ---- */

static struct kernel_memory *memory_of(struct learned *h) { return (struct kernel_memory *)((char *)h + h->memory_at); }

/* What the launch as a whole has shown decides about the next one. Launches too short for a try between two windows are
 * tries themselves, if that pays over as many launches as there have been. */
static void judge_launch(struct learned *h, uint64_t cycles)
{
    struct search *s = &h->search;
    s->tries_next = false;
    if (h->others > cycles / 4 || h->exits < h->warps || cycles == 0) return;
    search_show_launch(s, &(struct whole_launch){h->first_tuple, h->insts, cycles});
    if (!is_searching(h->state) || s->is_settled) return;
    struct response_step next;
    learned_ask_search(h, (double)s->ran / (double)cycles, &next);
    s->tries_next = next.pays && h->params.horizon > 0 && !learned_fits(h, learned_try_cycles(h));
    s->next = (struct tuple){next.next.N, next.next.p};
}

static void remember(struct learned *h, uint64_t now)
{
    struct search *s = &h->search;
    s->lasted = now - h->began;
    s->ran += s->lasted;
    judge_launch(h, s->lasted);
    s->state = h->state == TRY ? RUN : h->state;
    if (h->hint == HINT_LAUNCH) return; /* the next launch has its own */
    struct kernel_memory *m = memory_of(h);
    *kernel_place(m, h->params.kernels, h->kernel, h->W) = (struct known_kernel){h->kernel, h->W, ++m->launches, *s};
}

/* A launch that is a try as a whole; if it lasts four times as long as the last one, it is none. */
static void try_launch(struct learned *h)
{
    learned_begin_try(h, h->search.next, h->began);
    h->close = h->began + 4 * h->search.last.cycles;
}

/* start=all: launches of a kernel are waits until it has run for long enough. */
static void resume_old(struct learned *h)
{
    struct search *s = &h->search;
    if (s->ran < h->params.T_kernel || !learned_fits(h, h->params.T_warmup + h->params.T_sample))
        learned_begin_alone(h, WAIT, all_warps(h), h->began);
    else if (s->state == SAMPLE) learned_begin_round(h, h->began);
    else learned_begin_sampling(h, h->began);
}

/* A launch of which nothing is known. Tuples that W makes the same are one group. */
static void begin_start(struct learned *h)
{
    if (waits_at_all(h)) {
        if (h->params.T_wait) learned_begin_alone(h, WAIT, all_warps(h), h->began);
        else learned_begin_sampling(h, h->began);
        return;
    }
    h->n = 0;
    for (size_t g = h->params.start == START_CONSTANT ? h->starts.n - 1 : 0; g < h->starts.n && h->n < h->n_sms; g++) {
        const struct tuple t = clamped(h, h->starts.N[g], h->starts.p[g]);
        uint32_t before = 0;
        while (before < h->n && !same(h->candidates[before].at, t)) before++;
        if (before == h->n && (h->W > 2 || same(t, all_warps(h)))) h->candidates[h->n++] = (struct candidate){.at = t};
    }
    if (h->n < 2 || h->params.T_start == 0) learned_hold(h, h->n ? h->candidates[h->n - 1].at : all_warps(h), h->began);
    else learned_begin_step(h, WAIT, h->began);
}

/* The tuple of the hint runs from the first cycle on. */
static void begin_hinted(struct learned *h)
{
    struct search *s = &h->search;
    s->is_first = true;
    s->prediction = s->best;
    h->stats.hinted = 1;
    h->stats.hinted_by_kernel = h->hint == HINT_KERNEL;
    search_show(s, s->best, 0, 1);
    learned_run_at_best(h, h->began);
}

/* Goes on where the kernel's last launch has ended. */
static void learned_resume(void *self)
{
    struct learned *h = self;
    struct search *s = &h->search;
    if (h->params.kernels == 0 || h->params.observe) return;
    const struct known_kernel *k = kernel_place(memory_of(h), h->params.kernels, h->kernel, h->W);
    if (!kernel_is(k, h->kernel, h->W) || h->hint == HINT_LAUNCH) return;
    *s = k->search;
    h->stats =
        (struct learned_stats){.resumed = 1, .hinted = h->stats.hinted, .hinted_by_kernel = h->stats.hinted_by_kernel};
    if (s->state == RUN && s->tries_next) try_launch(h);
    else if (s->state == RUN) learned_run_at_best(h, h->began);
    else if (waits_at_all(h)) resume_old(h);
    else if (s->state == SAMPLE && learned_sampling_pays(h, s->lasted)) learned_begin_round(h, h->began);
    else if (s->state == WAIT) begin_start(h);
    else learned_hold(h, s->best, h->began);
}

static size_t learned_carried(const void *params, const struct mech_env *env)
{
    const struct learned_params *p = params;
    (void)env;
    return p->kernels ? sizeof(struct kernel_memory) + p->kernels * sizeof(struct known_kernel) : 0;
}

/* ---- the mechanism ---- */

static int read_model(struct learned *h, struct error *err)
{
    const char *names[SAMPLING_FEATURES_MAX], *path = h->params.model.s;
    struct response_model model;
    if (!path[0] && !h->params.hint.s[0])
        return error_set(err, ERR_USAGE,
                         "learned: model=FILE is needed, e.g. --mech learned,model=models/poise-best.json");
    if (!path[0]) return 0;
    if (response_model_read(&model, path, err) < 0) return -1;
    for (size_t i = 0; i < model.net.n_features; i++) names[i] = model.features[i];
    h->net = model.net;
    h->has_net = true;
    int result = sampling_tuples_parse(&h->tuples, model.sampling, err);
    if (result < 0) error_while(err, "%s: sampling", path);
    else result = sampling_resolve(names, model.net.n_features, h->tuples.n, h->features, path, err);
    response_model_fini(&model);
    return result;
}

static int read_hint(struct learned *h, const struct mech_env *env, struct error *err)
{
    if (!h->params.hint.s[0]) return 0;
    if (!h->has_net) {
        h->net.n_levels = RESPONSE_LEVELS_MAX;
        memcpy(h->net.levels, response_levels, sizeof response_levels);
    }
    return learned_hint(&h->hint, &h->search, &h->net, h->params.hint.s, h->params.admit == ADMIT_GANG, env, err);
}

static size_t largest_round(const struct sampling_tuples *t)
{
    size_t most = 0, n = 0;
    for (size_t i = 0; i < t->n; i++) {
        n = i && t->round[i] == t->round[i - 1] ? n + 1 : 1;
        if (n > most) most = n;
    }
    return most;
}

static int learned_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct learned *h = self;
    h->params = *(const struct learned_params *)params;
    h->W = env->W;
    h->n_sms = env->sms;
    h->timeline = env->timeline;
    h->began = env->now;
    h->kernel = env->kernel;
    h->insts = env->warp_insts;
    h->warps = env->warps;
    h->resident = (uint64_t)env->sms * env->schedulers * env->W;
    h->memory_at = env->carried_at;
    if (h->params.observe) {
        if (sampling_tuples_parse(&h->tuples, h->params.sample.s[0] ? h->params.sample.s : "2:2 4:1 / W:1 / W:W", err) <
            0)
            return error_while(err, "learned: sample");
    } else if (read_model(h, err) < 0 || read_hint(h, env, err) < 0) {
        return error_while(err, "learned");
    }
    if (sampling_tuples_parse(&h->starts, h->params.starts.s[0] ? h->params.starts.s : "W:W 4:4 2:2", err) < 0)
        return error_while(err, "learned: starts");
    if (h->starts.n_rounds != 1) return error_set(err, ERR_USAGE, "learned: starts: one round of tuples, without '/'");
    const size_t groups = largest_round(&h->tuples);
    if (groups > env->sms)
        return error_set(err, ERR_USAGE, "learned: a round of %zu tuples needs as many SMs, this machine has %u",
                         groups, (unsigned)env->sms);
    steps_init(h->units, env, all_warps(h), (enum admit)h->params.admit);
    if (h->hint != HINT_NONE) begin_hinted(h);
    else begin_start(h);
    return 0;
}

static uint64_t learned_may_issue(void *self, const struct warp_set *set)
{
    return step_may_issue(((struct learned *)self)->units, set);
}

static uint64_t learned_may_pollute(void *self, const struct warp_set *set)
{
    return step_may_pollute(((struct learned *)self)->units, set);
}

static void learned_warp_exit(void *self, const struct warp_event *what)
{
    (void)what, __atomic_fetch_add(&((struct learned *)self)->exits, 1, __ATOMIC_RELAXED); /* read in epochs */
}

static void learned_end(void *self, uint64_t now)
{
    struct learned *h = self;
    for (uint32_t i = 0; i < h->n_sms; i++) learned_account(h, &h->units[i], now);
    if (h->params.kernels && !h->params.observe) remember(h, now);
}

static const void *learned_stats_of(const void *self) { return &((const struct learned *)self)->stats; }

/* A file of hints that has none of this launch's kernel is passed over: somebody should hear of it. */
static size_t learned_acts(const void *params, struct mech_act *out)
{
    const struct learned_params *p = params;
    out[0] = (struct mech_act){"the hint", {"hinted"}};
    return p->hint.s[0] ? 1 : 0;
}

const struct mech_type mech_learned = {
    .name = "learned",
    .title = "a learned response surface, sampled by groups of SMs",
    .source = "this project",
    .params = {"learned", learned_rows, COUNT_OF(learned_rows), sizeof(struct learned_params)},
    .stats = {"learned", learned_stat_rows, COUNT_OF(learned_stat_rows), sizeof(struct learned_stats)},
    .ratios = learned_ratios,
    .n_ratios = COUNT_OF(learned_ratios),
    .state_size = sizeof(struct learned),
    .per_sm_size = sizeof(struct step_unit),
    .carried = learned_carried,
    .waits = learned_waits,
    .acts = learned_acts,
    .init = learned_init,
    .resume = learned_resume,
    .end = learned_end,
    .fetch = learned_params_fetch,
    .cost = learned_cost,
    .stats_of = learned_stats_of,
    .epoch = learned_epoch,
    .warp_exit = learned_warp_exit,
    .keeps_sms_apart = true,
    .warp_may_issue = learned_may_issue,
    .warp_may_pollute = learned_may_pollute,
};
