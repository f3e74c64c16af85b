#include "poise/quick_response.h"

#include <jansson.h>
#include <math.h>
#include "poise/gpu.h"
#include "poise/launches.h"

static double speed(const struct quick_run *r) { return r->cycles ? (double)r->insts / (double)r->cycles : 0; }

static void take(struct quick_response *s, struct quick *quick, bool in_gangs)
{
    for (size_t i = 0; i < s->n; i++)
        quick_run(quick, (struct quick_limit){s->tuples[i].N, s->tuples[i].p, in_gangs}, &s->runs[i]);
    if (!in_gangs) s->base = speed(&s->runs[s->n - 1]); /* (W, W) is the lattice's last */
    for (size_t i = 0; i < s->n; i++) s->speedup[i] = s->base > 0 ? speed(&s->runs[i]) / s->base : 0;
}

/* An SM's part of a share of the launch's work, where that is less than what is asked for. */
static uint64_t work_of(const struct plan *plan, const struct quick_ask *ask, uint32_t sms)
{
    const uint64_t work = ask->work ? ask->work : QUICK_WORK;
    if (!(ask->share > 0)) return work;
    const double part = ask->share * (double)(plan_warp_insts(plan) + plan_line_requests(plan)) / sms;
    return part < 1 ? 1 : part < (double)work ? (uint64_t)part : work;
}

int quick_response_new(struct quick_response *each, struct quick_response *gangs, const struct plan *plan,
                       const struct gpu_params *params, const struct quick_ask *ask, struct error *err)
{
    struct quick *quick = NULL;
    const struct launch_machine machine = gpu_launch_machine(params);
    const struct quick_options options = {.sms = ask->sms, .max_work = work_of(plan, ask, machine.sms)};
    if (quick_new(&quick, plan, params, &options, err) < 0) return -1;
    *each = (struct quick_response){.W = plan_warps_per_scheduler(plan),
                                    .kernel = plan_kernel(plan),
                                    .warps = plan_warps(plan),
                                    .insts = plan_warp_insts(plan)};
    each->waves = (double)each->warps / ((double)machine.sms * machine.schedulers * each->W);
    each->n = points_lattice(each->W, each->tuples);
    take(each, quick, false);
    if (gangs) *gangs = *each, take(gangs, quick, true);
    quick_free(quick);
    return 0;
}

/* In logarithms, by the gain: what is overstated is so by its size. */
double quick_gain_low(double gain) { return exp(0.05 * log(gain) - 0.05); }
double quick_gain_high(double gain) { return exp(1.26 * log(gain) + 0.05); }

json_t *quick_response_hint(const struct quick_response *s)
{
    json_t *list = json_array();
    size_t best = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->speedup[i] > s->speedup[best]) best = i;
        json_array_append_new(list, json_pack("{s:i,s:i,s:o}", "N", (int)s->tuples[i].N, "p", (int)s->tuples[i].p,
                                              "log_speedup",
                                              s->speedup[i] > 0 ? json_real(log(s->speedup[i])) : json_null()));
    }
    const double gain = s->speedup[best] > 0 ? s->speedup[best] : 1;
    return json_pack("{s:I,s:i,s:I,s:I,s:{s:i,s:i},s:{s:f,s:f,s:f,s:i},s:o}", "kernel_id", (json_int_t)s->kernel, "W",
                     (int)s->W, "warps", (json_int_t)s->warps, "warp_insts", (json_int_t)s->insts, "tuple", "N",
                     (int)s->tuples[best].N, "p", (int)s->tuples[best].p, "gain", "value", gain, "low",
                     quick_gain_low(gain), "high", quick_gain_high(gain), "percent", QUICK_GAIN_PERCENT, "surface",
                     list);
}
