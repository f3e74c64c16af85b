/* Timelines: what is recorded, and that recording changes nothing. */
#include "synth.h"
#include "where.h"

#include <jansson.h>
#include <unistd.h>
#include "poise/file.h"

static const char model[] = "poise,model=" POISE_SOURCE_DIR
                            "/models/poise-thesis.json,T_period=20000,T_warmup=200,T_feature=1000,T_correct=400";
static const char pcal[] = "pcal,N=3,T_warmup=200,T_sample=400,T_monitor=600";

/* Runs on 4 SMs and reads the timeline back; *cycles is the run's length. */
static json_t *record(const struct trace *t, const char *mech, bool no_skip, bool is_recorded, uint64_t *cycles)
{
    struct error err;
    struct plan *plan;
    struct gpu_result result;
    struct mech_spec spec;
    struct gpu_params *params = gpu_params_new();
    struct gpu_timeline *timeline = is_recorded ? gpu_timeline_new(500) : NULL;
    const struct gpu_limits limits = {.no_skip = no_skip, .timeline = timeline};
    char path[] = "/tmp/poise-timeline-XXXXXX", *text;
    size_t size;
    json_error_t why;
    json_t *json = NULL;
    assert_ok(gpu_params_set(params, "core.sms", "4", &err), &err);
    assert_ok(mech_parse(&spec, mech, &err), &err);
    assert_ok(plan_new(&plan, t, params, &err), &err);
    assert_ok(gpu_run(&result, plan, params, &spec, 1, &limits, &err), &err);
    *cycles = (uint64_t)gpu_stats_value(result.stats, "core_cycles");
    if (timeline) {
        close(mkstemp(path));
        assert_ok(gpu_timeline_write(timeline, path, &err), &err);
        assert_ok(file_read(&text, &size, path, &err), &err);
        assert_non_null(json = json_loads(text, 0, &why));
        free(text);
        unlink(path);
    }
    gpu_timeline_free(timeline);
    gpu_result_free(&result);
    plan_free(plan);
    mech_free(&spec);
    gpu_params_free(params);
    return json;
}

static int64_t number(const json_t *event, const char *key)
{
    return (int64_t)json_number_value(json_object_get(event, key));
}
static bool is(const json_t *event, const char *ph, int64_t sm)
{
    return strcmp(json_string_value(json_object_get(event, "ph")), ph) == 0 && number(event, "pid") == sm + 1;
}

static void states_of_every_SM_cover_the_run_without_gap_or_overlap(void **state)
{
    (void)state;
    const char *const mechs[] = {model, pcal};
    struct trace *t = synth_rows(24, 8, 64, 1);
    for (size_t m = 0; m < COUNT_OF(mechs); m++) {
        uint64_t cycles;
        json_t *json = record(t, mechs[m], false, true, &cycles), *events = json_object_get(json, "traceEvents");
        for (int64_t sm = 0; sm < 4; sm++) {
            int64_t at = 0, n = 0;
            for (size_t i = 0; i < json_array_size(events); i++) {
                const json_t *e = json_array_get(events, i);
                if (!is(e, "X", sm)) continue;
                assert_true(number(e, "ts") == at);
                at += number(e, "dur");
                n++;
            }
            assert_true(at == (int64_t)cycles);
            assert_true(n > 4);
        }
        json_decref(json);
    }
    trace_close(t);
}

/* Trace Event Format: every event has ph, pid, tid and name, all but metadata ts; X has dur, C numbers; names of
 * each SM stand once. */
static void every_event_has_what_its_phase_needs(void **state)
{
    (void)state;
    uint64_t cycles;
    int named[5] = {0};
    struct trace *t = synth_rows(24, 8, 64, 1);
    json_t *json = record(t, model, false, true, &cycles), *events = json_object_get(json, "traceEvents"), *e, *value;
    size_t i;
    const char *key;
    assert_string_equal("ns", json_string_value(json_object_get(json, "displayTimeUnit")));
    json_array_foreach(events, i, e) {
        const char *ph = json_string_value(json_object_get(e, "ph")),
                   *name = json_string_value(json_object_get(e, "name"));
        const json_int_t pid = json_integer_value(json_object_get(e, "pid"));
        assert_true(ph && name && strlen(ph) == 1 && strchr("MXC", *ph) && pid >= 1 && pid <= 4 &&
                    json_integer_value(json_object_get(e, "tid")) >= 1);
        if (*ph == 'M') named[pid] += strcmp(name, "process_name") == 0;
        else assert_true(json_is_integer(json_object_get(e, "ts")) && (uint64_t)number(e, "ts") <= cycles);
        if (*ph == 'X') assert_true(number(e, "dur") > 0 && (uint64_t)(number(e, "ts") + number(e, "dur")) <= cycles);
        if (*ph != 'C') continue;
        assert_true(json_object_size(json_object_get(e, "args")) == 1);
        json_object_foreach(json_object_get(e, "args"), key, value) assert_true(json_is_number(value));
    }
    for (int pid = 1; pid <= 4; pid++) assert_int_equal(1, named[pid]);
    json_decref(json);
    trace_close(t);
}

static void IPC_and_hit_rate_come_every_500_cycles_and_stay_in_range(void **state)
{
    (void)state;
    uint64_t cycles;
    struct trace *t = synth_rows(24, 8, 64, 1);
    json_t *json = record(t, "ccws", false, true, &cycles), *events = json_object_get(json, "traceEvents");
    int64_t expected = 0, loadable = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *e = json_array_get(events, i);
        if (!is(e, "C", 2)) continue;
        const char *name = json_string_value(json_object_get(e, "name"));
        const double v = json_number_value(json_object_get(json_object_get(e, "args"), "value"));
        loadable += strcmp(name, "loadable warps") == 0;
        if (strcmp(name, "L1 hit rate") == 0) assert_true(v >= 0 && v <= 1);
        if (strcmp(name, "IPC") != 0) continue;
        assert_true(number(e, "ts") == expected && v >= 0 && v <= 2);
        expected += 500;
    }
    assert_true(expected == (int64_t)((cycles - 1) / 500 * 500));
    assert_true(loadable > 10);
    json_decref(json);
    trace_close(t);
}

static void recording_changes_no_cycle_and_skipping_changes_no_event(void **state)
{
    (void)state;
    uint64_t with, without, ticking;
    struct trace *t = synth_mixture(32, 6, 12, 3);
    json_t *a = record(t, pcal, false, true, &with), *b = record(t, pcal, true, true, &ticking);
    assert_null(record(t, pcal, false, false, &without));
    assert_true(with == without && with == ticking);
    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
    trace_close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_of_every_SM_cover_the_run_without_gap_or_overlap),
        cmocka_unit_test(every_event_has_what_its_phase_needs),
        cmocka_unit_test(IPC_and_hit_rate_come_every_500_cycles_and_stay_in_range),
        cmocka_unit_test(recording_changes_no_cycle_and_skipping_changes_no_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
