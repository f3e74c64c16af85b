/* BUCL: selective L1 bypassing for un-coalesced loads.   [BUCL §IV, Tab. II; MECHANISMS 'BUCL']
 *
 *   load --degree > TUCD?--yes--------------------------------------------+
 *          |no                                                            v
 *          +--> L1 --reservation fail--> L1DHR and UIB low, room? --> request queue --> L2
 *
 * Instruction level: a load that coalesces into more than TUCD line requests bypasses L1 with all of them; its
 * lines are seldom used again and would push out better ones. Access level: a request that L1 cannot take goes
 * past it if the data is likely of low locality (L1DHR, the L1 hit rate of the last sampling period, below its
 * threshold) and the memory sub-partition it goes to is not busy (UIB, the mean occupancy of its input buffer over
 * the period, below its threshold).
 *
 * TUCD is fixed; or `dyn`: after each period up by one if L1DHR is above its threshold, else down by one; or `prf`:
 * SMs begin with different values [Tab. II] and after `profile_cycles` all take that of the fastest.
 *
 * What the paper leaves open, and what we chose: the first period knows L1DHR = UIB = 0, as registers come up; a
 * period without L1 loads keeps the last L1DHR, and `dyn` steps by it; L1DHR is SM 0's, hits over looked-up
 * accesses; merges are no hits (`L1DHR_merges=hit`: they are, as in the simulator's own miss rate, which leaves
 * pending hits out); UIBs take `uib_delay` core cycles from the L2 clock to the update logic and hold until the
 * next; with more SMs than Tab. II has values they repeat, and the mean instructions of the SMs of a value decide,
 * ties to the smaller; a profiled TUCD counts from the cycle after; a load that bypasses L1 brings the sectors that it
 * touches, as the simulator that the paper used does. Cost: see bucl_cost(). */
#include "poise/sys/hooks.h"
#include "poise/log2.h"

#define BUCL_PARAMS(P) \
    P(ENUM, mode, 0, 0, 2, "dyn|prf|fixed", "BUCL IV.B", \
      "how TUCD is found: stepped after each period; profiled over SMs; given", PUBLISHED("dyn")) \
    P(U32, TUCD, 5, 0, 64, "requests", "BUCL Tab. II", \
      "initial or fixed threshold: loads of more line requests bypass L1", PUBLISHED("5")) \
    P(U32, TUCD_min, 2, 0, 64, "requests", "BUCL V", "dyn: lowest TUCD", PUBLISHED("2")) \
    P(U32, TUCD_max, 25, 0, 64, "requests", "BUCL V", "dyn: highest TUCD", PUBLISHED("25")) \
    P(F64, L1DHR_threshold, 0.8, 0, 1, "fraction", "BUCL Tab. II", \
      "access level: bypass L1 only while its hit rate is below this", PUBLISHED("0.8")) \
    P(F64, UIB_threshold, 0.7, 0, 1.01, "fraction", "BUCL Tab. II", \
      "access level: bypass L1 only while the input buffer is used less than this", PUBLISHED("0.7")) \
    P(U32, period, 1000, 1, 100000000, "cycles", "BUCL Tab. II", "sampling period", PUBLISHED("1000")) \
    P(U32, profile_cycles, 5000, 1, 100000000, "cycles", "BUCL Tab. II", "prf: how long SMs keep their own TUCD", \
      PUBLISHED("5000")) \
    P(U32, uib_delay, 4, 0, 100000000, "cycles", "assumed", \
      "sub-partition to update logic: a synchroniser of two L2 cycles (less than a period)") \
    P(ENUM, L1DHR_merges, 0, 0, 1, "miss|hit", "MECHANISMS 'L1 hit rate'", \
      "what L1DHR counts a load as that joins a pending miss") \
    P(FLAG, instruction, 1, 0, 1, "flag", "BUCL IV.A", "instruction-level bypassing") \
    P(FLAG, access, 1, 0, 1, "flag", "BUCL IV.A", "access-level bypassing") \
    P(FLAG, twice, 1, 0, 1, "flag", "BUCL IV.A", \
      "access level: also where the line is on its way and its MSHR can take no more, so that it is fetched twice; " \
      "0: such a load waits") \
    FETCH_PARAM(P, "assumed; GPGPU-Sim 3.2.2")
PARAM_STRUCT(bucl_params, BUCL_PARAMS);
#define ROW(...) PARAM_ROW_OF(bucl_params, __VA_ARGS__)
static const struct param_row bucl_rows[] = {BUCL_PARAMS(ROW)};
#undef ROW

#define BUCL_STATS(S) \
    S(STAT_SUM, bypassed_loads, "loads", "loads that bypass L1 at the instruction level") \
    S(STAT_SUM, bypassed_requests, "requests", "their line requests") \
    S(STAT_SUM, bypassed_accesses, "requests", "line requests that bypass L1 at the access level") \
    S(STAT_SUM, periods, "periods", "sampling periods that ended") \
    S(STAT_SUM, TUCD_sum, "requests", "TUCD after each of them, summed (of SM 0)") \
    S(STAT_SUM, L1DHR_sum, "1e-6", "L1DHR of each, summed, in millionths") \
    S(STAT_SUM, UIB_periods, "buffer periods", "UIBs that arrived") \
    S(STAT_SUM, UIB_sum, "1e-6", "their sum, in millionths") \
    S(STAT_PEAK, UIB_peak, "1e-6", "the highest of them, in millionths") \
    S(STAT_SUM, profiled, "launches", "launches whose TUCD was profiled") \
    S(STAT_SUM, profiled_TUCD, "requests", "the TUCD chosen, summed over these")
STAT_STRUCT(bucl_stats, BUCL_STATS);
#define ROW(...) STAT_ROW_OF(bucl_stats, __VA_ARGS__)
static const struct stat_row bucl_stat_rows[] = {BUCL_STATS(ROW)};
#undef ROW
static const struct ratio_row bucl_ratios[] = {
    RATIO_ROW_OF(bucl_stats, mean_TUCD, TUCD_sum, periods, "TUCD, mean over periods"),
    RATIO_ROW_OF(bucl_stats, mean_profiled_TUCD, profiled_TUCD, profiled,
                 "TUCD chosen by profiling, mean over launches")};

enum { MODE_DYN, MODE_PRF, MODE_FIXED };
enum { BUCL_BANKS = 128 };
/* [BUCL Tab. II] <SM, TUCD>, SMs counted from 1. */
static const uint8_t profile_tucds[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 22, 25};

struct bucl {
    struct bucl_stats stats;
    struct bucl_params params;
    uint32_t n_sms, n_banks;
    uint32_t tucd; /* of all SMs, but while profiling */
    bool is_profiling;
    uint64_t start, close;                           /* the first cycle, and the last of profiling */
    double l1dhr, uib[BUCL_BANKS], sent[BUCL_BANKS]; /* sent: on their way to the update logic */
    uint64_t hits, accesses;                         /* of SM 0 at the last boundary */
    struct buffer_gauge last[BUCL_BANKS];
    uint64_t boundary, arrival; /* UINT64_MAX: nothing is on its way */
    uint64_t insts[];           /* per SM: issued while profiling */
};

static int bucl_check(const void *params, struct error *err)
{
    const struct bucl_params *p = params;
    if (p->TUCD_min > p->TUCD_max)
        return error_set(err, ERR_INPUT, "bucl: TUCD_min %u is above TUCD_max %u", p->TUCD_min, p->TUCD_max);
    if (p->mode == MODE_DYN && (p->TUCD < p->TUCD_min || p->TUCD > p->TUCD_max))
        return error_set(err, ERR_INPUT, "bucl: TUCD %u starts outside %u .. %u", p->TUCD, p->TUCD_min, p->TUCD_max);
    if (p->uib_delay >= p->period)
        return error_set(err, ERR_INPUT, "bucl: a uib_delay of %u cycles is no less than the period of %u",
                         p->uib_delay, p->period);
    return 0;
}

static int bucl_init(void *self, const void *params, const struct mech_env *env, struct error *err)
{
    struct bucl *h = self;
    if (bucl_check(params, err) < 0) return -1;
    h->params = *(const struct bucl_params *)params;
    if (env->l2_banks > BUCL_BANKS) return error_set(err, ERR_INPUT, "bucl: more than %d L2 banks", BUCL_BANKS);
    h->n_sms = env->sms;
    h->n_banks = env->l2_banks;
    h->tucd = h->params.TUCD;
    h->is_profiling = h->params.mode == MODE_PRF;
    h->boundary = env->now + h->params.period;
    h->start = env->now;
    h->close = env->now + h->params.profile_cycles;
    h->arrival = UINT64_MAX;
    return 0;
}

static uint32_t candidates(const struct bucl *h)
{
    return h->n_sms < COUNT_OF(profile_tucds) ? h->n_sms : (uint32_t)COUNT_OF(profile_tucds);
}
static uint32_t tucd_of(const struct bucl *h, uint32_t sm)
{
    return h->is_profiling ? profile_tucds[sm % COUNT_OF(profile_tucds)] : h->tucd;
}

/* ---- the update logic; SM 0 comes first in a cycle and decides for all ---- */

/* The values are in the order of TUCD, so the first of equals is the smallest. */
static void choose_profiled(struct bucl *h)
{
    double most = -1;
    for (uint32_t k = 0; k < candidates(h); k++) {
        double sum = 0, n = 0;
        for (uint32_t i = k; i < h->n_sms; i += (uint32_t)COUNT_OF(profile_tucds), n++) sum += (double)h->insts[i];
        if (sum / n > most) {
            most = sum / n;
            h->tucd = profile_tucds[k];
        }
    }
    h->is_profiling = false;
    h->stats.profiled++;
    h->stats.profiled_TUCD += h->tucd;
}

/* Of the launch so far, as L1DHR counts them. */
static uint64_t hits_of(const struct bucl *h, const struct sm_view *view)
{
    return view->counters.l1_hits + (h->params.L1DHR_merges ? view->l1_merges : 0);
}

static void end_period(struct bucl *h, const struct sm_view *view, uint64_t now)
{
    struct buffer_gauge buffers[BUCL_BANKS];
    const uint64_t accesses = view->counters.l1_accesses - h->accesses, hits = hits_of(h, view) - h->hits;
    if (accesses) h->l1dhr = (double)hits / (double)accesses;
    h->accesses = view->counters.l1_accesses;
    h->hits = hits_of(h, view);
    view->buffers(view->machine, buffers);
    for (uint32_t i = 0; i < h->n_banks; i++) {
        const uint64_t total = buffers[i].total - h->last[i].total;
        h->sent[i] = total ? (double)(buffers[i].taken - h->last[i].taken) / (double)total : 0;
        h->last[i] = buffers[i];
    }
    if (h->params.mode == MODE_DYN) {
        if (h->l1dhr > h->params.L1DHR_threshold) h->tucd += h->tucd < h->params.TUCD_max;
        else h->tucd -= h->tucd > h->params.TUCD_min;
    }
    h->arrival = now + h->params.uib_delay;
    h->boundary = now + h->params.period;
    h->stats.periods++;
    h->stats.TUCD_sum += tucd_of(h, 0);
    h->stats.L1DHR_sum += (uint64_t)(1e6 * h->l1dhr);
}

static void take_uibs(struct bucl *h)
{
    for (uint32_t i = 0; i < h->n_banks; i++) {
        const uint64_t millionths = (uint64_t)(1e6 * h->sent[i]);
        h->uib[i] = h->sent[i];
        h->stats.UIB_sum += millionths;
        if (millionths > h->stats.UIB_peak) h->stats.UIB_peak = millionths;
    }
    h->stats.UIB_periods += h->n_banks;
    h->arrival = UINT64_MAX;
}

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* What has been counted before it was there; nothing if the launch begins with it. */
static void begin_late(struct bucl *h, const struct sm_view *view)
{
    h->insts[view->sm] = 0 - view->counters.insts;
    if (view->sm) return;
    h->accesses = view->counters.l1_accesses;
    h->hits = hits_of(h, view);
    view->buffers(view->machine, h->last);
}

/* Every SM is called at every change, so that a request that waits there is looked at again. */
static uint64_t bucl_epoch(void *self, const struct sm_view *sm, uint64_t now)
{
    struct bucl *h = self;
    const uint64_t close = h->close;
    if (now && now == h->start) begin_late(h, sm);
    if (sm->sm == 0 && now >= h->boundary) end_period(h, sm, now);
    if (sm->sm == 0 && now >= h->arrival) take_uibs(h);
    if (h->is_profiling && now == close) h->insts[sm->sm] += sm->counters.insts;
    if (sm->sm == 0 && h->is_profiling && now > close) choose_profiled(h);
    const uint64_t next = earlier(h->boundary, h->arrival);
    return h->is_profiling ? earlier(next, now < close ? close : close + 1) : next;
}

/* ---- the two decisions ---- */

static enum route bypass_route(const struct bucl *h) { return route_bypass((enum load_fetch)h->params.fetch); }

static enum route bucl_load_route(void *self, const struct load_event *event)
{
    struct bucl *h = self;
    if (!h->params.instruction || event->degree <= tucd_of(h, event->sm)) return ROUTE_ANY;
    h->stats.bypassed_loads++;
    h->stats.bypassed_requests += event->degree;
    return bypass_route(h);
}

static enum route bucl_on_fail(void *self, const struct fail_event *event)
{
    struct bucl *h = self;
    if (!h->params.access || (!h->params.twice && event->cause == FAIL_MERGE)) return ROUTE_ANY;
    if (h->l1dhr >= h->params.L1DHR_threshold || h->uib[event->bank] >= h->params.UIB_threshold) return ROUTE_L1;
    h->stats.bypassed_accesses += event->has_room;
    return bypass_route(h);
}

static const void *bucl_stats_of(const void *self) { return &((const struct bucl *)self)->stats; }

/* Rates are kept in 8 bits, as the thresholds are; an input buffer adds its occupancy up once a cycle. */
static size_t bucl_cost(const void *params, const struct mech_env *env, struct mech_cost *out)
{
    const struct bucl_params *p = params;
    const uint64_t counter = bit_width((uint64_t)p->period * 8),
                   tucd = bit_width(p->TUCD_max > p->TUCD ? p->TUCD_max : p->TUCD);
    size_t n = 0;
    if (p->instruction) out[n++] = (struct mech_cost){"TUCD and its comparator's input", 0, tucd, STORAGE_REGISTER};
    if (p->instruction)
        out[n++] = (struct mech_cost){"a bypass bit for each of 10 instructions in the load-store unit", 10, 0,
                                      STORAGE_REGISTER};
    if (p->access || p->mode == MODE_DYN) {
        out[n++] = (struct mech_cost){"L1 accesses and hits of one SM in a period", 0, 2 * bit_width(p->period),
                                      STORAGE_REGISTER};
        out[n++] = (struct mech_cost){"L1DHR and its threshold", 0, 16, STORAGE_REGISTER};
        out[n++] = (struct mech_cost){"the period's counter", 0, bit_width(p->period), STORAGE_REGISTER};
    }
    if (p->access) {
        out[n++] =
            (struct mech_cost){"occupancy sums at the input buffers", 0, counter * env->l2_banks, STORAGE_REGISTER};
        out[n++] = (struct mech_cost){"UIBs, two synchronising registers each, and their threshold", 0,
                                      3 * 8 * (uint64_t)env->l2_banks + 8, STORAGE_REGISTER};
    }
    if (p->mode == MODE_PRF)
        out[n++] = (struct mech_cost){"instructions of each SM while profiling, and its TUCD",
                                      bit_width(2 * (uint64_t)p->profile_cycles) + 5, 0, STORAGE_REGISTER};
    return n;
}

static size_t bucl_waits(const void *params, struct mech_wait *out)
{
    const struct bucl_params *p = params;
    size_t n = 0;
    if (p->mode == 0 || p->access) out[n++] = (struct mech_wait){"period", p->period, WAIT_CYCLES};
    if (p->mode == 1) out[n++] = (struct mech_wait){"profile_cycles", p->profile_cycles, WAIT_CYCLES};
    return n;
}

static size_t bucl_acts(const void *params, struct mech_act *out)
{
    const struct bucl_params *p = params;
    size_t n = 0;
    if (p->instruction) out[n++] = (struct mech_act){"the instruction level", {"bypassed_loads"}};
    if (p->access) out[n++] = (struct mech_act){"the access level", {"bypassed_accesses"}};
    return n;
}

const struct mech_type mech_bucl = {
    .name = "bucl",
    .title = "selective L1 bypassing for un-coalesced loads",
    .source = "BUCL IV",
    .params = {"bucl", bucl_rows, COUNT_OF(bucl_rows), sizeof(struct bucl_params)},
    .stats = {"bucl", bucl_stat_rows, COUNT_OF(bucl_stat_rows), sizeof(struct bucl_stats)},
    .ratios = bucl_ratios,
    .n_ratios = COUNT_OF(bucl_ratios),
    .state_size = sizeof(struct bucl),
    .per_sm_size = sizeof(uint64_t),
    .waits = bucl_waits,
    .acts = bucl_acts,
    .init = bucl_init,
    .check = bucl_check,
    .stats_of = bucl_stats_of,
    .cost = bucl_cost,
    .epoch = bucl_epoch,
    .load_route = bucl_load_route,
    .on_reservation_fail = bucl_on_fail,
};
