#include "folder.h"
#include "rig.h"

#include <jansson.h>
#include <signal.h>
#include <time.h>
#include "poise/runner.h"
#include "poise/sweep.h"
#include "runner/progress.h"
#include "synth.h"

struct world {
    char dir[64], path[96];
    struct launch launches[3];
    struct gpu_params *params;
};

/* Three launches of different lengths as trace files. */
static int world_begin(void **state)
{
    struct error err;
    struct world *w = calloc(1, sizeof *w);
    snprintf(w->dir, sizeof w->dir, "/tmp/poise-runner-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->path, sizeof w->path, "%s/s.sqlite", w->dir);
    for (uint32_t i = 0; i < 3; i++) {
        struct synth s;
        char path[96];
        synth_begin(&s, 2 + i, 4);
        for (uint32_t c = 0; c < 2 + i; c++) {
            synth_cta(&s);
            for (uint32_t k = 0; k < 40 + 10 * i; k++)
                for (uint32_t v = 0; v < 4; v++) {
                    synth_access(&s, v, SYNTH_LOAD_2, ~0u, (c * 4 + v) * 4096ull + k % 8 * 4, 128);
                    synth_op(&s, v, SYNTH_USE_2, ~0u);
                }
            synth_cta_end(&s);
        }
        snprintf(path, sizeof path, "%s/%u.ptrace", w->dir, i);
        assert_ok(trace_writer_finish(s.writer, path, "{}", NULL, &err), &err);
        assert_ok(launch_from_file(&w->launches[i], path, &err), &err);
    }
    w->params = gpu_params_new();
    *state = w;
    return 0;
}

static int world_end(void **state)
{
    struct world *w = *state;
    gpu_params_free(w->params);
    const int rc = folder_remove(w->dir);
    free(w);
    return rc;
}

enum { N_JOBS = 12 };
static struct run_job *jobs_of(const struct world *w)
{
    struct run_job *jobs = calloc(N_JOBS, sizeof *jobs);
    struct error err;
    for (unsigned i = 0; i < N_JOBS; i++) {
        char text[32];
        snprintf(text, sizeof text, "tuple,N=%u,p=1", 1 + i / 3);
        jobs[i].launch = &w->launches[i % 3];
        jobs[i].params = w->params;
        assert_ok(mech_parse(&jobs[i].stack[0], text, &err), &err);
        jobs[i].n_stack = 1;
    }
    return jobs;
}

static void jobs_free(struct run_job *jobs)
{
    for (size_t i = 0; i < N_JOBS; i++) run_job_fini(&jobs[i]);
    free(jobs);
}

/* Statistics of all jobs as one text. */
static char *run_warm_ticking(const struct world *w, struct store *store, unsigned threads, size_t plan_bytes,
                              uint64_t warmup, size_t n_ticking, struct runner_totals *totals)
{
    struct error err;
    struct runner *runner;
    const struct runner_options options = {.threads = threads, .plan_bytes_max = plan_bytes};
    struct run_job *jobs = jobs_of(w);
    for (size_t i = 0; i < N_JOBS; i++)
        jobs[i].limits = (struct gpu_limits){.warmup_cycles = warmup, .no_skip = i < n_ticking};
    assert_ok(runner_new(&runner, store, &options, &err), &err);
    assert_ok(runner_run(runner, "test", jobs, N_JOBS, &err), &err);
    *totals = *runner_totals(runner);
    runner_free(runner);
    char *text = calloc(1, 1 << 20);
    for (size_t i = 0; i < N_JOBS; i++) {
        assert_true(jobs[i].result.is_done && jobs[i].result.complete && jobs[i].result.err.code == ERR_NONE);
        char *stats = stats_to_json(jobs[i].result.stats), *mechs = json_dumps(jobs[i].result.mechs, JSON_COMPACT);
        strcat(strcat(text, stats), mechs);
        free(stats);
        free(mechs);
    }
    jobs_free(jobs);
    return text;
}

static char *run_warm(const struct world *w, struct store *store, unsigned threads, size_t plan_bytes, uint64_t warmup,
                      struct runner_totals *totals)
{
    return run_warm_ticking(w, store, threads, plan_bytes, warmup, 0, totals);
}

static char *run_all(const struct world *w, struct store *store, unsigned threads, size_t plan_bytes,
                     struct runner_totals *totals)
{
    return run_warm(w, store, threads, plan_bytes, 0, totals);
}

static void results_are_the_same_at_1_2_and_8_threads_and_however_small_the_pool_of_plans(void **state)
{
    struct runner_totals t;
    char *one = run_all(*state, NULL, 1, 0, &t);
    static const struct {
        unsigned threads;
        size_t bytes;
    } ways[] = {{2, 0}, {8, 0}, {2, 1}, {1, 1}};
    assert_int_equal(N_JOBS, t.simulated);
    assert_true(t.run_cpu_s > 0 && t.run_cpu_s <= (double)clock() / CLOCKS_PER_SEC);
    for (size_t i = 0; i < 4; i++) {
        char *other = run_all(*state, NULL, ways[i].threads, ways[i].bytes, &t);
        assert_string_equal(one, other);
        free(other);
    }
    free(one);
}

/* A run alone: the baseline to cycle 500, then the tuple. */
static char *alone(const struct world *w, const struct run_job *job, uint64_t *cycles)
{
    struct error err;
    struct trace *trace;
    struct plan *plan;
    struct gpu_result r;
    const struct gpu_limits limits = {.warmup_cycles = 500};
    assert_ok(trace_open(&trace, job->launch->path, NULL, &err), &err);
    assert_ok(plan_new(&plan, trace, w->params, &err), &err);
    assert_ok(gpu_run(&r, plan, w->params, job->stack, job->n_stack, &limits, &err), &err);
    char *stats = stats_to_json(r.stats), *mech = json_dumps(r.mechs[0], JSON_COMPACT), *text;
    *cycles = (uint64_t)gpu_stats_value(r.stats, "core_cycles");
    assert_true(asprintf(&text, "%s[%s]", stats, mech) > 0);
    free(stats);
    free(mech);
    gpu_result_free(&r);
    plan_free(plan);
    trace_close(trace);
    return text;
}

static void runs_that_share_a_warm_up_give_the_bytes_of_runs_that_switch_by_themselves(void **state)
{
    struct world *w = *state;
    struct runner_totals t;
    static const struct {
        unsigned threads;
        size_t bytes;
    } ways[] = {{1, 0}, {2, 0}, {8, 0}, {2, 1}};
    struct run_job *jobs = jobs_of(w);
    char *expected = calloc(1, 1 << 20), *cold = run_all(w, NULL, 1, 0, &t);
    assert_int_equal(0, t.warmups);
    for (size_t i = 0; i < N_JOBS; i++) {
        uint64_t cycles;
        char *text = alone(w, &jobs[i], &cycles);
        assert_true(cycles > 1000); /* the warm-up is a part of it */
        strcat(expected, text);
        free(text);
    }
    assert_string_not_equal(cold, expected);
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        char *shared = run_warm(w, NULL, ways[i].threads, ways[i].bytes, 500, &t);
        assert_string_equal(expected, shared);
        assert_int_equal(3, t.warmups); /* of 12 runs: one a launch */
        free(shared);
    }
    jobs_free(jobs);
    free(expected);
    free(cold);
}

static void runs_that_tick_every_cycle_share_warm_ups_that_did_and_give_the_same_bytes(void **state)
{
    struct runner_totals t;
    char *skipping = run_warm(*state, NULL, 1, 0, 500, &t),
         *some = run_warm_ticking(*state, NULL, 2, 0, 500, N_JOBS / 2, &t);
    assert_int_equal(6, t.warmups); /* of each launch one that skips and one that ticks */
    assert_string_equal(skipping, some);
    char *all = run_warm_ticking(*state, NULL, 2, 0, 500, N_JOBS, &t);
    assert_int_equal(3, t.warmups);
    assert_string_equal(skipping, all);
    free(skipping);
    free(some);
    free(all);
}

static void warm_and_cold_runs_never_stand_for_each_other(void **state)
{
    struct world *w = *state;
    struct error err;
    struct store *store;
    struct runner_totals t;
    uint64_t checked;
    char path[128];
    snprintf(path, sizeof path, "%s/warm.sqlite", w->dir);
    assert_ok(store_open(&store, path, &err), &err);
    free(run_all(w, store, 2, 0, &t));
    char *first = run_warm(w, store, 2, 0, 500, &t);
    assert_int_equal(N_JOBS, t.simulated);
    free(run_warm(w, store, 2, 0, 501, &t));
    assert_int_equal(N_JOBS, t.simulated);
    char *again = run_warm(w, store, 2, 0, 500, &t);
    assert_int_equal(N_JOBS, t.reused);
    assert_int_equal(0, t.warmups); /* nobody needs it any more */
    assert_string_equal(first, again);
    assert_ok(store_verify(store, &checked, &err), &err);
    assert_int_equal(3 * N_JOBS, checked);
    assert_ok(store_close(store, &err), &err);
    free(first);
    free(again);
}

static void a_second_batch_takes_everything_from_the_store_with_the_same_bytes(void **state)
{
    struct world *w = *state;
    struct error err;
    struct store *store;
    struct runner_totals t;
    assert_ok(store_open(&store, w->path, &err), &err);
    char *first = run_all(w, store, 2, 0, &t);
    assert_int_equal(N_JOBS, t.simulated);
    assert_int_equal(0, t.reused);
    assert_ok(store_close(store, &err), &err);
    assert_ok(store_open(&store, w->path, &err), &err);
    char *second = run_all(w, store, 1, 0, &t);
    assert_int_equal(0, t.simulated);
    assert_int_equal(N_JOBS, t.reused);
    assert_string_equal(first, second);
    uint64_t checked;
    assert_ok(store_verify(store, &checked, &err), &err);
    assert_int_equal(N_JOBS, checked);
    assert_ok(store_close(store, &err), &err);
    free(first);
    free(second);
}

static void the_same_key_twice_in_a_batch_is_simulated_once(void **state)
{
    struct world *w = *state;
    struct error err;
    struct runner *runner;
    const struct runner_options options = {.threads = 2};
    struct run_job *jobs = jobs_of(w);
    for (size_t i = 1; i < N_JOBS; i++) {
        run_job_fini(&jobs[i]);
        jobs[i] = (struct run_job){.launch = jobs[0].launch, .params = w->params};
        assert_ok(stack_copy(jobs[i].stack, &jobs[i].n_stack, jobs[0].stack, 1, &err), &err);
    }
    assert_ok(runner_new(&runner, NULL, &options, &err), &err);
    assert_ok(runner_run(runner, "test", jobs, N_JOBS, &err), &err);
    assert_int_equal(1, runner_totals(runner)->simulated);
    for (size_t i = 0; i < N_JOBS; i++)
        assert_memory_equal(jobs[0].result.stats, jobs[i].result.stats, gpu_stat_table.size);
    runner_free(runner);
    jobs_free(jobs);
}

static void a_failing_run_keeps_its_message_and_stops_nothing(void **state)
{
    struct world *w = *state;
    struct error err;
    struct runner *runner;
    const struct runner_options options = {.threads = 2};
    struct run_job *jobs = jobs_of(w);
    snprintf(w->launches[1].path, sizeof w->launches[1].path, "/nowhere/x.ptrace"); /* of jobs 1, 4, 7 and 10 */
    assert_ok(runner_new(&runner, NULL, &options, &err), &err);
    assert_ok(runner_run(runner, "test", jobs, N_JOBS, &err), &err);
    assert_int_equal(4, runner_totals(runner)->failed);
    for (size_t i = 0; i < N_JOBS; i++) {
        assert_true(jobs[i].result.is_done);
        assert_int_equal(i % 3 == 1 ? ERR_INPUT : ERR_NONE, jobs[i].result.err.code);
    }
    assert_non_null(strstr(jobs[4].result.err.text, "/nowhere/x.ptrace"));
    runner_free(runner);
    jobs_free(jobs);
}

static void a_stopped_batch_says_so_and_the_next_goes_on(void **state)
{
    struct world *w = *state;
    struct error err;
    struct runner *runner;
    struct store *store;
    volatile sig_atomic_t stop = 1;
    struct runner_totals t;
    const struct runner_options options = {.threads = 2, .stop = &stop};
    struct run_job *jobs = jobs_of(w);
    assert_ok(store_open(&store, w->path, &err), &err);
    assert_ok(runner_new(&runner, store, &options, &err), &err);
    assert_int_equal(-1, runner_run(runner, "test", jobs, N_JOBS, &err));
    assert_int_equal(130, error_exit_status(&err));
    assert_non_null(strstr(err.hint, "finished runs are in the store"));
    assert_int_equal(0, runner_totals(runner)->simulated);
    runner_free(runner);
    assert_ok(runner_new(&runner, NULL, &options, &err), &err);
    assert_int_equal(-1, runner_run(runner, "test", jobs, N_JOBS, &err));
    assert_non_null(strstr(err.hint, "without a store nothing is kept"));
    runner_free(runner);
    jobs_free(jobs);
    free(run_all(w, store, 2, 0, &t));
    assert_int_equal(N_JOBS, t.simulated);
    assert_ok(store_close(store, &err), &err);
}

static void a_survey_is_asked_of_the_store_the_second_time(void **state)
{
    struct world *w = *state;
    struct error err;
    struct runner *runner;
    struct store *store;
    struct store_plan a[3], b[3];
    const struct runner_options options = {.threads = 2};
    assert_ok(store_open(&store, w->path, &err), &err);
    assert_ok(runner_new(&runner, store, &options, &err), &err);
    assert_ok(runner_survey(runner, w->launches, 3, w->params, a, &err), &err);
    for (int i = 0; i < 3; i++) {
        assert_true(a[i].warps_per_scheduler >= 1 && a[i].warp_insts == w->launches[i].warp_insts &&
                    a[i].line_requests > 0);
        snprintf(w->launches[i].path, sizeof w->launches[i].path, "/nowhere");
    }
    assert_ok(runner_survey(runner, w->launches, 3, w->params, b, &err), &err);
    for (int i = 0; i < 3; i++)
        assert_true(a[i].warps_per_scheduler == b[i].warps_per_scheduler && a[i].warp_insts == b[i].warp_insts &&
                    a[i].line_requests == b[i].line_requests);
    runner_free(runner);
    assert_ok(store_close(store, &err), &err);
}

static void counters_survive_the_stores_text(void **state)
{
    struct world *w = *state;
    struct error err;
    struct runner *runner;
    const struct runner_options options = {.threads = 1};
    struct run_job *jobs = jobs_of(w);
    struct measure m;
    assert_ok(runner_new(&runner, NULL, &options, &err), &err);
    assert_ok(runner_run(runner, "test", jobs, 1, &err), &err);
    char *text = stats_to_json(jobs[0].result.stats);
    struct gpu_stats *back = stats_from_json(text);
    assert_memory_equal(jobs[0].result.stats, back, gpu_stat_table.size);
    measure_stats(&m, back);
    assert_int_equal(w->launches[0].warp_insts, m.warp_insts);
    assert_true(m.cycles > 0 && m.line_requests > 0 && m.l1_accesses >= m.l1_hits);
    assert_null(stats_from_json("nonsense"));
    free(text);
    free(back);
    runner_free(runner);
    jobs_free(jobs);
}

/* One rule for warm-ups, windows and periods: {what, how long it lasts, runs that are not longer}. */
static void runs_that_are_shorter_than_a_warm_up_or_a_period_are_told_once(void **state)
{
    struct world *w = *state;
    struct error err;
    static const struct {
        const char *mech, *what;
        uint64_t warmup, lasts;
    } cases[] = {{"swl,N=1", "warm-up", 1000000, 1000000},
                 {"lifetime,period=1000000000", "lifetime: period", 0, 1000000000},
                 {"tap_rrip,period=1000000000", "tap_rrip: period", 0, 1000000000},
                 {"ucp,repartition=1000000000", "ucp: repartition", 0, 1000000000},
                 {"bucl,period=100000000", "bucl: period", 0, 100000000},
                 {"bucl,mode=prf,profile_cycles=100000000,access=0", "bucl: profile_cycles", 0, 100000000},
                 {"pcal,T_sample=9999000", "pcal: T_warmup + T_sample", 0, 10000000},
                 {"ccn,epochs=0", "ccn: t_S", 0, 1000000},
                 {"ccn,warmup=1000000000", "ccn: warmup", 0, 1000000000},
                 {"sharing,window=1000000", "sharing: window", 0, 1000000}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct runner *runner;
        struct run_job jobs[3] = {{0}};
        for (size_t k = 0; k < 3; k++) {
            jobs[k] = (struct run_job){.launch = &w->launches[k], .params = w->params, .n_stack = 1};
            jobs[k].limits.warmup_cycles = cases[i].warmup;
            assert_ok(mech_parse(&jobs[k].stack[0], cases[i].mech, &err), &err);
        }
        assert_ok(runner_new(&runner, NULL, &(struct runner_options){.threads = 1}, &err), &err);
        assert_ok(runner_run(runner, "test", jobs, 3, &err), &err);
        json_t *notes = runner_notes(runner), *note = json_array_get(notes, 0);
        assert_string_equal(cases[i].what, json_string_value(json_object_get(note, "what")));
        assert_int_equal(cases[i].lasts, json_integer_value(json_object_get(note, "lasts")));
        assert_int_equal(3, json_integer_value(json_object_get(note, "shorter")));
        assert_string_equal(w->launches[0].label, json_string_value(json_object_get(note, "first")));
        json_decref(notes);
        for (size_t k = 0; k < 3; k++) run_job_fini(&jobs[k]);
        runner_free(runner);
    }
    struct mech_wait waits[MECH_WAITS_MAX]; /* this one needs a model to run */
    struct mech_spec poise;
    assert_ok(mech_parse(&poise, "poise,T_correct=9998000", &err), &err);
    assert_int_equal(3, mech_waits(&poise, waits));
    assert_int_equal(10000000, waits[2].n);
    mech_free(&poise);
}

/* Each of them has a stack and a length of its own. */
static void of_launches_side_by_side_each_stack_is_told_with_its_own_launch(void **state)
{
    struct world *w = *state;
    struct error err;
    struct runner *runner;
    struct mech_spec stack;
    assert_ok(mech_parse(&stack, "pcal,N=1,T_monitor=90000000", &err), &err);
    const struct gpu_beside beside = {.trace = w->launches[1].hash, .stack = &stack, .n_stack = 1};
    struct run_job job = {.launch = &w->launches[0],
                          .beside = &w->launches[1],
                          .params = w->params,
                          .n_stack = 1,
                          .limits.beside = &beside};
    assert_ok(mech_parse(&job.stack[0], "gto", &err), &err);
    assert_ok(runner_new(&runner, NULL, &(struct runner_options){.threads = 1}, &err), &err);
    assert_ok(runner_run(runner, "test", &job, 1, &err), &err);
    json_t *notes = runner_notes(runner), *note;
    size_t i, found = 0;
    json_array_foreach(notes, i, note) {
        if (json_integer_value(json_object_get(note, "lasts")) != 90000000) continue;
        assert_string_equal(w->launches[1].label, json_string_value(json_object_get(note, "first")));
        found++;
    }
    assert_int_equal(1, found);
    json_decref(notes);
    run_job_fini(&job);
    mech_free(&stack);
    runner_free(runner);
}

static void runs_that_are_long_enough_have_no_note(void **state)
{
    struct world *w = *state;
    struct error err;
    struct runner *runner;
    struct run_job job = {.launch = &w->launches[0], .params = w->params, .n_stack = 2, .limits.warmup_cycles = 100};
    assert_ok(mech_parse(&job.stack[0], "bucl,period=10", &err), &err);
    assert_ok(mech_parse(&job.stack[1], "lifetime,period=1000", &err), &err);
    assert_ok(runner_new(&runner, NULL, &(struct runner_options){.threads = 1}, &err), &err);
    assert_ok(runner_run(runner, "test", &job, 1, &err), &err);
    json_t *notes = runner_notes(runner), *note;
    size_t i;
    json_array_foreach(notes, i, note) assert_null(json_object_get(note, "lasts"));
    json_decref(notes);
    run_job_fini(&job);
    runner_free(runner);
}

/* A load that is coalesced never has more line requests than TUCD, and an L1 that streams reserves no line. */
static void what_of_a_mechanism_did_nothing_in_a_run_is_told_with_the_counter(void **state)
{
    struct world *w = *state;
    struct error err;
    struct runner *runner;
    struct run_job jobs[2] = {{0}};
    size_t i;
    for (size_t k = 0; k < 2; k++) {
        jobs[k] = (struct run_job){.launch = &w->launches[k], .params = w->params, .n_stack = 2};
        assert_ok(mech_parse(&jobs[k].stack[0], "swl,N=4", &err), &err);
        assert_ok(mech_parse(&jobs[k].stack[1], "bucl,TUCD=64,mode=fixed,access=0", &err), &err);
    }
    assert_ok(runner_new(&runner, NULL, &(struct runner_options){.threads = 1}, &err), &err);
    assert_ok(runner_run(runner, "test", jobs, 2, &err), &err);
    json_t *notes = runner_notes(runner), *note;
    bool is_told = false;
    json_array_foreach(notes, i, note) {
        if (strcmp(json_string_value(json_object_get(note, "what")), "bucl: the instruction level") != 0) continue;
        is_told = true;
        assert_int_equal(2, json_integer_value(json_object_get(note, "runs")));
        assert_int_equal(2, json_integer_value(json_object_get(note, "idle")));
        assert_string_equal(w->launches[0].label, json_string_value(json_object_get(note, "first")));
        assert_non_null(strstr(json_string_value(json_object_get(note, "text")), "bypassed_loads is 0"));
    }
    assert_true(is_told);
    json_decref(notes);
    for (size_t k = 0; k < 2; k++) run_job_fini(&jobs[k]);
    runner_free(runner);
}

static void a_line_of_progress_is_shorter_than_80_columns(void **state)
{
    (void)state;
    static const char *const names[] = {"gto", "policies of a name that is longer than the line has room for it"};
    for (size_t i = 0; i < 2; i++) {
        struct progress p;
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        progress_begin(&p, out, true, names[i], 123456, 1e9);
        p.done = 99999;
        p.failed = 12345;
        p.cost_done = 5e8;
        p.warp_insts = 123456789012;
        p.started -= 40000;
        progress_end(&p);
        fclose(out);
        const char *begin = strrchr(text, '\r');
        assert_non_null(begin);
        assert_non_null(strstr(begin, "99999/123456"));
        assert_non_null(strstr(begin, "12345 failed"));
        const size_t columns = strcspn(begin + 1, "\033");
        if (columns >= 80) fail_msg("%zu columns: %s", columns, begin + 1);
        free(text);
    }
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, world_begin, world_end)
    const struct CMUnitTest tests[] = {
        T(a_line_of_progress_is_shorter_than_80_columns),
        T(runs_that_are_shorter_than_a_warm_up_or_a_period_are_told_once),
        T(of_launches_side_by_side_each_stack_is_told_with_its_own_launch),
        T(runs_that_are_long_enough_have_no_note),
        T(what_of_a_mechanism_did_nothing_in_a_run_is_told_with_the_counter),
        T(results_are_the_same_at_1_2_and_8_threads_and_however_small_the_pool_of_plans),
        T(runs_that_share_a_warm_up_give_the_bytes_of_runs_that_switch_by_themselves),
        T(runs_that_tick_every_cycle_share_warm_ups_that_did_and_give_the_same_bytes),
        T(warm_and_cold_runs_never_stand_for_each_other),
        T(a_second_batch_takes_everything_from_the_store_with_the_same_bytes),
        T(the_same_key_twice_in_a_batch_is_simulated_once),
        T(a_failing_run_keeps_its_message_and_stops_nothing),
        T(a_stopped_batch_says_so_and_the_next_goes_on),
        T(a_survey_is_asked_of_the_store_the_second_time),
        T(counters_survive_the_stores_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
