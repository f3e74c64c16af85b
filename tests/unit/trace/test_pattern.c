/* Patterns: what is measured in the trace is what the knobs say, in closed form, a knob at a time. */
#include <math.h>
#include <stdlib.h>
#include "rig.h"
#include "poise/locality.h"
#include "poise/occupancy.h"
#include "poise/pattern.h"

static int set_all(struct pattern *p, const char *knobs, struct error *err)
{
    char copy[512], *rest = NULL;
    pattern_defaults(p);
    snprintf(copy, sizeof copy, "%s", knobs);
    for (char *k = strtok_r(copy, " ", &rest); k; k = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(k, '=');
        *value++ = '\0';
        if (pattern_set(p, k, value, err) < 0) return -1;
    }
    return 0;
}

static struct trace *trace_of(const char *knobs)
{
    struct pattern p;
    struct trace *trace;
    struct error err;
    assert_ok(set_all(&p, knobs, &err), &err);
    assert_ok(pattern_write(&p, NULL, &trace, &err), &err);
    return trace;
}

static struct trace_locality measure(const char *knobs)
{
    struct trace_locality l;
    struct error err;
    struct trace *trace = trace_of(knobs);
    assert_ok(trace_locality(&l, trace, 128, &err), &err);
    trace_close(trace);
    return l;
}

/* I_n is exact from 1, with any number of loads in flight, also where the last flight is not full. */
static void intensity_is_exact(void **state)
{
    static const unsigned in[] = {1, 2, 7, 60, 500}, flight[] = {1, 3, 16};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(in); i++)
        for (size_t f = 0; f < COUNT_OF(flight); f++) {
            char knobs[128];
            snprintf(knobs, sizeof knobs, "blocks=2 warps=3 loads=50 chains=2 in=%u flight=%u", in[i], flight[f]);
            const struct trace_locality l = measure(knobs);
            assert_int_equal(2 * 3 * 50, l.loads);
            assert_int_equal(l.loads * (1 + in[i]), l.insts);
            assert_true(trace_locality_in(&l) == in[i]);
        }
}

/* At least so many loads stand between a load and the first operation that reads its value. */
static void loads_in_flight_are_used_later(void **state)
{
    struct trace *trace = trace_of("blocks=1 warps=1 loads=12 in=3 flight=4");
    unsigned run = 0;
    (void)state;
    for (uint64_t i = 0; i < trace->n_steps; i++) {
        const struct trace_inst *inst = &trace->code[trace->steps[i].inst];
        if (inst->cls == TRACE_LOAD) {
            run++;
            continue;
        }
        if (run) assert_int_equal(4, run);
        if (run) assert_int_equal(trace->code[trace->steps[i - 4].inst].dst[0], inst->src[1]);
        run = 0;
    }
    trace_close(trace);
}

static void a_scan_touches_exactly_its_degree(void **state)
{
    (void)state;
    for (unsigned degree = 1; degree <= 32; degree++) {
        char knobs[128];
        snprintf(knobs, sizeof knobs, "blocks=1 warps=2 loads=20 degree=%u lines=%u", degree, 5 * degree);
        const struct trace_locality l = measure(knobs);
        assert_int_equal(l.loads, l.loads_of_degree[degree]);
        assert_int_equal(2 * 5 * degree, l.lines); /* footprint: five loads cover a set */
        assert_int_equal(0, l.shared_lines);
        assert_int_equal((5 * degree - 1) * l.intra_touches, l.distance_sum);
    }
}

/* 64 lines are walked three times, then the next 64: two distances, and no others. */
static void passes_bound_the_footprint_and_the_distance(void **state)
{
    const struct trace_locality l = measure("blocks=1 warps=1 degree=4 lines=64 passes=3 loads=96");
    (void)state;
    assert_int_equal(128, l.lines); /* 96 loads are two sets of 16 x 3 */
    assert_int_equal(2 * 64 * 2, l.intra_touches);
    assert_int_equal(63, l.distance_max);
    assert_int_equal(63 * l.intra_touches, l.distance_sum);
}

/* As a row scan: a line serves 128 / drift loads one after another, degree - 1 other lines between. */
static void drift_keeps_a_line_for_so_many_loads(void **state)
{
    static const unsigned drifts[] = {4, 8, 16, 32, 64, 128};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(drifts); i++) {
        char knobs[128];
        snprintf(knobs, sizeof knobs, "blocks=1 warps=1 degree=8 lines=32 passes=1 loads=128 drift=%u", drifts[i]);
        const struct trace_locality l = measure(knobs);
        const unsigned hold = 128 / drifts[i];
        assert_int_equal(8 * 128 / hold, l.lines);
        assert_int_equal(8 * (128 - 128 / hold), l.intra_touches);
        assert_int_equal(hold > 1 ? 7 : 0, l.distance_max);
        assert_int_equal(hold > 1 ? 7 * l.intra_touches : 0, l.distance_sum);
    }
}

/* Addresses themselves: lane l of load i reads byte drift x i of its row, rows `pitch` lines apart. */
static void rows_lie_a_pitch_apart(void **state)
{
    struct trace *trace = trace_of("blocks=1 warps=1 degree=32 lines=64 passes=1 drift=4 pitch=96 loads=64");
    const uint32_t *words = trace->accesses;
    uint64_t first = 0, addresses[TRACE_LANES], i = 0;
    (void)state;
    for (uint64_t s = 0; s < trace->n_steps; s++) {
        if (trace->code[trace->steps[s].inst].cls != TRACE_LOAD) continue;
        words += trace_access_decode(words, trace->steps[s].mask, addresses);
        if (i == 0) first = addresses[0];
        for (uint64_t l = 0; l < TRACE_LANES; l++) assert_int_equal(first + l * 96 * 128 + 4 * i, addresses[l]);
        i++;
    }
    assert_int_equal(64, i);
    trace_close(trace);
}

static void sharers_have_their_sets_in_common(void **state)
{
    struct trace_locality l = measure("blocks=3 warps=4 degree=2 lines=8 sharers=4 loads=8");
    (void)state;
    assert_int_equal(3 * 8, l.lines);
    assert_int_equal(3 * 8, l.shared_lines);
    assert_int_equal(12 * 8 - 3 * 8, l.inter_touches);
    l = measure("blocks=3 warps=4 degree=2 lines=8 sharers=0 loads=8");
    assert_int_equal(8, l.lines);
    l = measure("blocks=3 warps=4 degree=2 lines=8 sharers=1 loads=8");
    assert_int_equal(12 * 8, l.lines);
    assert_int_equal(0, l.shared_lines);
}

/* Two sets walked in turn: a mixture of two reuse distances, in the proportion of the shares. */
static void streams_mix_reuse_distances(void **state)
{
    const struct trace_locality l = measure("blocks=1 warps=1 streams=2 share=3,1 lines=3,50 degree=1 loads=4000");
    (void)state;
    assert_int_equal(53, l.lines);
    assert_int_equal(3000 - 3, l.distances[2]);  /* 2 or 3 others: two of its own, one of the other's */
    assert_int_equal(1000 - 50, l.distances[6]); /* 49 of its own and 3 */
    assert_int_equal(52, l.distance_max);
}

/* Of n lines by Zipf's law the most likely is drawn 1 / H(n, s) of the time. */
static void a_gather_draws_by_zipf(void **state)
{
    static const double skews[] = {0, 0.5, 1, 2};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(skews); k++) {
        char knobs[128];
        double sum = 0;
        uint64_t counts[64] = {0}, addresses[TRACE_LANES], n = 0, most = 0;
        for (int r = 1; r <= 64; r++) sum += pow(r, -skews[k]);
        snprintf(knobs, sizeof knobs, "pattern=gather blocks=2 warps=8 lines=64 sharers=0 loads=2000 in=1 skew=%g",
                 skews[k]);
        struct trace *trace = trace_of(knobs);
        const uint32_t *words = trace->accesses;
        uint64_t base = UINT64_MAX;
        for (int pass = 0; pass < 2; pass++) {
            words = trace->accesses;
            for (uint64_t s = 0; s < trace->n_steps; s++) {
                if (trace->code[trace->steps[s].inst].cls != TRACE_LOAD) continue;
                words += trace_access_decode(words, trace->steps[s].mask, addresses);
                if (addresses[0] / 128 < base) base = addresses[0] / 128;
                if (pass) counts[addresses[0] / 128 - base]++, n++;
            }
        }
        trace_close(trace);
        for (int r = 0; r < 64; r++) most = counts[r] > most ? counts[r] : most;
        const double part = (double)most / (double)n, want = 1 / sum, error = sqrt(want * (1 - want) / (double)n);
        assert_int_equal(32000, n);
        if (fabs(part - want) > (skews[k] > 0 ? 5 : 12) * error)
            fail_msg("skew %g: the most likely line is drawn %.4f of the time, not %.4f", skews[k], part, want);
    }
}

static void a_gather_keeps_what_it_drew_for_a_line(void **state)
{
    const struct trace_locality l =
        measure("pattern=gather blocks=1 warps=1 degree=1 lines=1000000 drift=32 loads=400 seed=3");
    (void)state;
    assert_int_equal(100, l.lines); /* no line of a million is drawn twice in a hundred, with this seed */
    assert_int_equal(300, l.intra_touches);
    assert_int_equal(0, l.distance_max);
}

static void registers_limit_the_warps(void **state)
{
    static const struct {
        unsigned registers, warps;
    } cases[] = {{20, 48}, {32, 32}, {64, 16}};
    const struct sm_limits limits = SM_LIMITS_KEPLER32;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char knobs[64];
        snprintf(knobs, sizeof knobs, "loads=1 in=1 registers=%u", cases[i].registers);
        struct trace *trace = trace_of(knobs);
        assert_int_equal(cases[i].warps, trace_occupancy(&trace->launch, &limits).warps);
        trace_close(trace);
    }
}

static void a_seed_moves_sets_but_changes_no_measure(void **state)
{
    static const char *const knobs = "blocks=4 warps=4 degree=4 lines=32 loads=40 sharers=2 seed=%d";
    char a[128], b[128];
    (void)state;
    snprintf(a, sizeof a, knobs, 1);
    snprintf(b, sizeof b, knobs, 2);
    struct trace *one = trace_of(a), *again = trace_of(a), *other = trace_of(b);
    const struct trace_locality l = measure(a), m = measure(b);
    assert_memory_equal(&one->hash, &again->hash, sizeof one->hash);
    assert_memory_not_equal(&one->hash, &other->hash, sizeof one->hash);
    assert_memory_equal(&l, &m, sizeof l);
    trace_close(one), trace_close(again), trace_close(other);
}

static void knobs_that_contradict_one_another_are_refused(void **state)
{
    static const struct {
        const char *knobs, *text;
    } bad[] = {{"degree=8 lines=12", "lines=12 must be a multiple of degree=8"},
               {"degree=32 lines=14 passes=1", "lines=14 must be a multiple of degree=32"},
               {"drift=12", "drift=12 does not divide 128"},
               {"pattern=gather passes=2", "passes is of scans alone"},
               {"pattern=gather pitch=2", "pitch is of scans alone"},
               {"skew=1", "skew is of gathers alone"},
               {"degree=32 lines=64 passes=1 pitch=3 loads=4", "a row is read over 4 lines"},
               {"lines=1048576 blocks=65535", "at most 32"},
               {"loads=1000000 blocks=1000", "at most 2e9"},
               {"degrees=3", "did you mean 'degree'?"},
               {"degree=33", "allowed 1 .. 32"},
               {"in=0", "allowed 1 .."},
               {"degree=1,2,3,4,5", "at most 4 values"},
               {"pattern=walk", "choose one of scan|gather"}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct pattern p;
        struct error err;
        if (set_all(&p, bad[i].knobs, &err) == 0 && pattern_write(&p, NULL, NULL, &err) == 0)
            fail_msg("%s: not refused", bad[i].knobs);
        if (!strstr(err.text, bad[i].text)) fail_msg("%s: '%s' lacks '%s'", bad[i].knobs, err.text, bad[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intensity_is_exact),
        cmocka_unit_test(loads_in_flight_are_used_later),
        cmocka_unit_test(a_scan_touches_exactly_its_degree),
        cmocka_unit_test(passes_bound_the_footprint_and_the_distance),
        cmocka_unit_test(drift_keeps_a_line_for_so_many_loads),
        cmocka_unit_test(rows_lie_a_pitch_apart),
        cmocka_unit_test(sharers_have_their_sets_in_common),
        cmocka_unit_test(streams_mix_reuse_distances),
        cmocka_unit_test(a_gather_draws_by_zipf),
        cmocka_unit_test(a_gather_keeps_what_it_drew_for_a_line),
        cmocka_unit_test(registers_limit_the_warps),
        cmocka_unit_test(a_seed_moves_sets_but_changes_no_measure),
        cmocka_unit_test(knobs_that_contradict_one_another_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
