#include "poise/quick_response.h"

#include <jansson.h>
#include <math.h>
#include "poise/gpu.h"
#include "poise/launches.h"

static double speed(const struct quick_run *r) { return r->cycles ? (double)r->insts / (double)r->cycles : 0; }

/* The tuples of a lattice that have been asked. Row i has those of the i-th N, from the lowest p on. */
struct asked {
    struct quick *quick;
    struct warp_tuple tuples[RESPONSE_POINTS_MAX];
    struct quick_run runs[RESPONSE_POINTS_MAX];
    bool has[RESPONSE_POINTS_MAX];
    size_t n, rows;
    uint64_t least; /* cycles of the fastest that was asked; 0: none was, or all are to end */
    bool all, in_gangs;
};
static size_t place_of(size_t row, size_t k) { return row * (row + 1) / 2 + k; }

static bool ask_tuple(struct asked *a, size_t at)
{
    if (a->has[at]) return false;
    a->has[at] = true;
    quick_run(a->quick, (struct quick_limit){a->tuples[at].N, a->tuples[at].p, a->in_gangs, a->least}, &a->runs[at]);
    const uint64_t cycles = a->runs[at].cycles;
    if (!a->all && (!a->least || cycles < a->least)) a->least = cycles;
    return true;
}

/* The edges of the surface, N = p and p = 1, at every second level. */
static void ask_coarse(struct asked *a)
{
    const size_t last = a->rows - 1;
    for (size_t i = 0; i <= last; i++)
        if (i % 2 || i == 0 || i == last) ask_tuple(a, place_of(i, i));
    for (size_t i = 1; i <= last; i++)
        if (i % 2 || i == last) ask_tuple(a, place_of(i, 0));
}

static bool ask_around(struct asked *a, size_t at)
{
    size_t row = 0;
    bool is_new = false;
    while (place_of(row + 1, 0) <= at) row++;
    const size_t k = at - place_of(row, 0);
    for (size_t i = row ? row - 1 : 0; i <= row + 1 && i < a->rows; i++)
        for (size_t j = k ? k - 1 : 0; j <= k + 1 && j <= i; j++) is_new |= ask_tuple(a, place_of(i, j));
    return is_new;
}

/* The fastest that was asked, but for one; a->n: there is none. */
static size_t fastest(const struct asked *a, size_t but)
{
    size_t best = a->n;
    for (size_t i = 0; i < a->n; i++)
        if (a->has[i] && i != but && (best == a->n || speed(&a->runs[i]) > speed(&a->runs[best]))) best = i;
    return best;
}

static void ask_fine(struct asked *a)
{
    for (bool is_new = true; is_new;) {
        const size_t first = fastest(a, a->n), second = fastest(a, first);
        is_new = ask_around(a, first);
        if (second < a->n) is_new |= ask_around(a, second);
    }
}

static void take(struct quick_response *s, struct quick *quick, const struct quick_ask *ask, bool in_gangs)
{
    struct asked a = {.quick = quick, .all = ask->all, .in_gangs = in_gangs};
    a.n = points_lattice(s->W, a.tuples);
    while (place_of(a.rows, 0) < a.n) a.rows++;
    ask_tuple(&a, a.n - 1); /* (W, W) */
    if (a.all)
        for (size_t i = 0; i < a.n; i++) ask_tuple(&a, i);
    ask_coarse(&a);
    ask_fine(&a);
    if (!in_gangs) s->base = speed(&a.runs[a.n - 1]);
    s->n = 0;
    for (size_t i = 0; i < a.n; i++) {
        if (!a.has[i]) continue;
        s->tuples[s->n] = a.tuples[i], s->runs[s->n] = a.runs[i];
        s->speedup[s->n++] = s->base > 0 ? speed(&a.runs[i]) / s->base : 0;
    }
}

/* An SM's part of a share of the launch's work, where that is less than what is asked for. */
static uint64_t work_of(const struct plan *plan, const struct quick_ask *ask, uint32_t sms)
{
    const uint64_t work = ask->work ? ask->work : QUICK_WORK;
    if (!(ask->share > 0)) return work;
    const double part = ask->share * (double)(plan_warp_insts(plan) + plan_line_requests(plan)) / sms;
    return part < 1 ? 1 : part < (double)work ? (uint64_t)part : work;
}

static int respond(struct quick_response *each, struct quick_response *gangs, const struct plan *plan,
                   const struct gpu_params *params, const struct quick_ask *ask, struct error *err)
{
    struct quick *quick = NULL;
    const struct launch_machine machine = gpu_launch_machine(params);
    const struct quick_options options = {.sms = ask->sms, .max_work = work_of(plan, ask, machine.sms)};
    if (quick_new(&quick, plan, params, &options, err) < 0) return -1;
    each->W = plan_warps_per_scheduler(plan);
    each->waves = (double)each->warps / ((double)machine.sms * machine.schedulers * each->W);
    take(each, quick, ask, false);
    if (gangs) *gangs = *each, take(gangs, quick, ask, true);
    quick_free(quick);
    return 0;
}

int quick_response_new(struct quick_response *each, struct quick_response *gangs, const struct plan *plan,
                       const struct gpu_params *params, const struct quick_ask *ask, struct error *err)
{
    enum { MORE = 4 }; /* a quarter, so that no SM has come to its end when the run ends */
    const uint64_t work = ask->work ? ask->work : QUICK_WORK;
    struct plan *like = NULL;
    *each =
        (struct quick_response){.kernel = plan_kernel(plan), .warps = plan_warps(plan), .insts = plan_warp_insts(plan)};
    if (!ask->shape) return respond(each, gangs, plan, params, ask, err);
    struct quick_shape shape = *ask->shape;
    shape.work = work + work / MORE;
    if (quick_like(&like, &each->warps, plan, &shape, params, err) < 0) return -1;
    each->insts = (uint64_t)((double)each->insts / plan_warps(plan) * (double)each->warps);
    const int failed = respond(each, gangs, like, params, ask, err);
    plan_free(like);
    return failed;
}

/* In logarithms, by the gain: what is overstated is so by its size. */
double quick_gain_low(double gain) { return exp(0.05 * log(gain) - 0.05); }
double quick_gain_high(double gain) { return exp(1.26 * log(gain) + 0.05); }

bool quick_gain_counts(double gain) { return gain > exp(QUICK_MARGIN); }

json_t *quick_response_hint_of(const struct quick_response *s, size_t best, const double gain[3])
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n; i++)
        json_array_append_new(list, json_pack("{s:i,s:i,s:o}", "N", (int)s->tuples[i].N, "p", (int)s->tuples[i].p,
                                              "log_speedup",
                                              s->speedup[i] > 0 ? json_real(log(s->speedup[i])) : json_null()));
    return json_pack("{s:I,s:i,s:I,s:I,s:{s:i,s:i},s:{s:f,s:f,s:f,s:i},s:o}", "kernel_id", (json_int_t)s->kernel, "W",
                     (int)s->W, "warps", (json_int_t)s->warps, "warp_insts", (json_int_t)s->insts, "tuple", "N",
                     (int)s->tuples[best].N, "p", (int)s->tuples[best].p, "gain", "value", gain[0], "low", gain[1],
                     "high", gain[2], "percent", QUICK_GAIN_PERCENT, "surface", list);
}

json_t *quick_response_hint(const struct quick_response *s)
{
    size_t best = 0;
    for (size_t i = 1; i < s->n; i++)
        if (s->speedup[i] > s->speedup[best]) best = i;
    if (!quick_gain_counts(s->speedup[best])) best = s->n - 1;
    const double gain = s->speedup[best] > 0 ? s->speedup[best] : 1;
    return quick_response_hint_of(s, best, (double[]){gain, quick_gain_low(gain), quick_gain_high(gain)});
}
