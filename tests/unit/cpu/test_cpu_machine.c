/* CPU cores beside the SMs: they share L2 and DRAM, end and start again as mixes need it, and cost others nothing. */
#include "synth.h"
#include "where.h"

#include <jansson.h>
#include "poise/cpu_stream.h"
#include "poise/simulation.h"

static struct cpu_stream *stream_of(uint64_t n, uint32_t distance, uint64_t step, uint64_t span, uint32_t store_every)
{
    struct error err;
    struct cpu_stream *s;
    struct cpu_access *a = calloc(n, sizeof *a);
    for (uint64_t i = 0; i < n; i++)
        a[i] = (struct cpu_access){i * step % span, distance, store_every && i % store_every == 0, 8, 0};
    assert_int_equal(
        cpu_stream_new(&s, &(struct cpu_stream_counts){n * distance, n, span / CPU_PAGE_BYTES + 1, 0}, a, "{}", &err),
        0);
    return s;
}

struct machine {
    struct gpu_params *params;
    struct plan *plan;
    struct trace *trace;
};

static void machine_init(struct machine *m, const char *preset, struct trace *trace, const char *const *set)
{
    struct error err;
    m->trace = trace;
    m->params = gpu_params_new();
    if (gpu_params_load(m->params, preset, POISE_SOURCE_DIR "/experiments/configs", &err) < 0) fail_msg("%s", err.text);
    for (; set && *set; set++) {
        char name[64];
        const char *value = strchr(*set, '=');
        snprintf(name, sizeof name, "%.*s", (int)(value - *set), *set);
        if (gpu_params_set(m->params, name, value + 1, &err) < 0) fail_msg("%s", err.text);
    }
    if (plan_new(&m->plan, trace, m->params, &err) < 0) fail_msg("%s", err.text);
}

static void machine_fini(struct machine *m)
{
    plan_free(m->plan);
    gpu_params_free(m->params);
    trace_close(m->trace);
}

static struct gpu_result run(const struct machine *m, const struct gpu_cpu_programs *programs, bool no_skip)
{
    struct gpu_result result;
    struct error err;
    const struct gpu_limits limits = {.cpu = programs, .no_skip = no_skip};
    if (gpu_run(&result, m->plan, m->params, NULL, 0, &limits, &err) < 0) fail_msg("%s", err.text);
    assert_true(result.complete);
    return result;
}

/* All counters, of the machine and of each core, as text. */
static char *text_of(const struct gpu_result *r)
{
    json_t *all = gpu_stats_json(r->stats), *cores = json_array();
    for (unsigned i = 0; i < r->cpu.n; i++) {
        json_array_append(cores, r->cpu.stats[i]);
        json_array_append_new(
            cores, json_pack("{s:I,s:I}", "cycles", (json_int_t)r->cpu.cycles[i], "runs", (json_int_t)r->cpu.runs[i]));
    }
    json_object_set_new(all, "cores", cores);
    json_object_set_new(all, "gpu_cycles", json_integer((json_int_t)r->cpu.gpu_cycles));
    char *text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    return text;
}

/* cmocka cuts long texts off: says where they differ. */
static void assert_same(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    const size_t from = i > 60 ? i - 60 : 0;
    if (a[i] != b[i]) fail_msg("...%.100s\n...%.100s", a + from, b + from);
}

static double core_value(const struct gpu_result *r, unsigned core, const char *name)
{
    return json_number_value(json_object_get(r->cpu.stats[core], name));
}

/* A machine with cores that idle gives the kernel the counters of one without. */
static void idle_cores_of(const char *preset)
{
    static const char *const none[] = {"cpu.cores=0", NULL}, *const eight[] = {"cpu.cores=8", NULL};
    struct machine without, with;
    machine_init(&without, preset, synth_mixture(24, 6, 12, 1), none);
    machine_init(&with, preset, synth_mixture(24, 6, 12, 1), eight);
    struct gpu_result a = run(&without, NULL, false), b = run(&with, NULL, false);
    char *ta = text_of(&a), *tb = text_of(&b);
    assert_same(ta, tb);
    free(ta);
    free(tb);
    gpu_result_free(&a);
    gpu_result_free(&b);
    machine_fini(&without);
    machine_fini(&with);
}

static void idle_cores_change_nothing(void **state)
{
    (void)state;
    idle_cores_of("apu6");
    idle_cores_of("apu-llc");
}

/* The text of a configuration without cores does not know of them, so that keys of stored runs stay. */
static void a_configuration_without_cores_does_not_name_them(void **state)
{
    (void)state;
    struct error err;
    struct gpu_params *p = gpu_params_new();
    json_t *json = gpu_params_json(p);
    assert_null(json_object_get(json, "cpu"));
    json_decref(json);
    assert_int_equal(gpu_params_set(p, "cpu.cores", "2", &err), 0);
    json = gpu_params_json(p);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "cpu"), "cores")), 2);
    json_decref(json);
    gpu_params_free(p);
}

/* The same bytes whether idle cycles are skipped or ticked, over clocks that do not divide each other, queues of one
 * packet, plain L2, and lines of 64 bytes; with ports of the SMs' and of their own. What L2 is asked it answers. */
static void skipping_cycles_changes_no_byte(void **state)
{
    (void)state;
    static const char *const machines[][8] = {
        /* the first: its preset */
        {"apu-llc", NULL},
        {"apu-llc", "cpu.mhz=2999", "clock.l2_mhz=451", "l2.ways=4", NULL},
        {"apu-llc", "cpu.miss_queue=2", "l2.response_queue=1", "l2.access_queue=1", "l2.mshrs=2", "l2.miss_queue=2",
         NULL},
        {"apu-llc", "l2.organisation=tsc", "l2.sets=4", "l2.ways=16", "l2.banks=4", "cpu.llc_round_trip_cycles=0",
         NULL},
        {"apu6", NULL},
        {"apu6", "cpu.mhz=2999", "clock.l2_mhz=451", "clock.dram_mhz=1201", "cpu.mshrs=2", NULL},
        {"apu6", "cpu.miss_queue=2", "cpu.reply_queue=1", "l2.response_queue=1", "l2.access_queue=1", "l2.mshrs=2",
         "l2.miss_queue=4", NULL},
        {"apu6", "l2.organisation=plain", "cpu.chain=1", "cpu.width=2", "cpu.window=16", NULL},
        {"apu6", "l1.line_bytes=64", "cpu.chain=0", "cpu.l2_bytes=16384", "cpu.l1_bytes=4096", NULL},
        {"apu6", "xbar.speedup=2", "core.sms=2", NULL},
    };
    struct cpu_stream *a = stream_of(3000, 5, 4160, 3 << 20, 3), *b = stream_of(2000, 3, 64, 700 << 10, 0);
    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        print_message("machine %zu\n", i);
        struct machine m;
        machine_init(&m, machines[i][0], synth_mixture(8, 6, 12, (uint32_t)i + 1), machines[i] + 1);
        const struct gpu_cpu_programs programs = {.streams = {a, b}, .n = 2};
        struct gpu_result skips = run(&m, &programs, false), ticks = run(&m, &programs, true);
        char *x = text_of(&skips), *y = text_of(&ticks);
        assert_same(x, y);
        assert_true(core_value(&skips, 0, "cpu_llc_reads") > 0 && core_value(&skips, 1, "cpu_llc_reads") > 0);
        const double asked = gpu_stats_value(skips.stats, "l2_accesses"),
                     unanswered = asked - gpu_stats_value(skips.stats, "l2_responses");
        assert_true(asked > 0 && unanswered >= 0 && unanswered <= 24 * 4 + 200); /* those that the end cut off */
        free(x);
        free(y);
        gpu_result_free(&skips);
        gpu_result_free(&ticks);
        machine_fini(&m);
    }
    cpu_stream_free(a);
    cpu_stream_free(b);
}

/* Dirty lines that fills drive out leave through queues that are full, while the replies behind them keep the banks of
 * L2 from taking more. */
static void replies_are_taken_whatever_waits_to_leave(void **state)
{
    (void)state;
    static const char *const machines[][9] = {
        {"apu-llc", "cpu.mshrs=64", "cpu.reply_queue=1", "cpu.miss_queue=2", "l2.access_queue=1", "cpu.l2_bytes=4096",
         "cpu.l1_bytes=1024", NULL},
        {"apu-llc", "cpu.mshrs=64", "cpu.llc_round_trip_cycles=0", "l2.mshrs=1", "l2.response_queue=1", "cpu.chain=0",
         "cpu.l2_bytes=4096", NULL},
        {"apu6", "cpu.mshrs=64", "cpu.reply_queue=1", "cpu.miss_queue=2", "l2.round_trip_cycles=0",
         "l2.response_queue=1", "l2.access_queue=1", "cpu.chain=0"},
        {"apu6", "cpu.mshrs=64", "cpu.reply_queue=2", "cpu.miss_queue=3", "l2.round_trip_cycles=30",
         "l2.response_queue=1", "cpu.chain=0", "cpu.l2_bytes=4096", NULL},
        {"apu6", "cpu.mshrs=8", "cpu.reply_queue=1", "cpu.miss_queue=2", "l2.round_trip_cycles=0", "clock.xbar_mhz=333",
         "cpu.l1_bytes=1024", "cpu.l2_bytes=4096", NULL},
    };
    struct cpu_stream *s = stream_of(1500, 1, 64, 1 << 20, 1), *two = stream_of(1000, 2, 4160, 1 << 20, 2);
    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        struct machine m;
        machine_init(&m, machines[i][0], synth_mixture(12, 4, 6, 2), machines[i] + 1);
        const struct gpu_cpu_programs programs = {.streams = {s, two, s, two}, .n = 4};
        struct gpu_result skips = run(&m, &programs, false), ticks = run(&m, &programs, true);
        char *x = text_of(&skips), *y = text_of(&ticks);
        assert_same(x, y);
        assert_true(core_value(&skips, 0, "cpu_writebacks") > 100);
        free(x);
        free(y);
        gpu_result_free(&skips);
        gpu_result_free(&ticks);
        machine_fini(&m);
    }
    cpu_stream_free(s);
    cpu_stream_free(two);
}

/* A program that starts again and again is no progress of a kernel that stands. */
static void a_kernel_that_stands_ends_a_mix_though_its_programs_go_on(void **state)
{
    (void)state;
    struct synth s;
    struct machine m;
    struct error errors[2];
    struct cpu_stream *program = stream_of(500, 4, 64, 1 << 16, 0);
    const struct gpu_cpu_programs programs = {.streams = {program}, .n = 1};
    synth_begin(&s, 1, 2);
    synth_cta(&s);
    synth_op(&s, 0, SYNTH_BARRIER, ~0u);
    synth_op(&s, 1, SYNTH_BARRIER_1, ~0u);
    synth_cta_end(&s);
    machine_init(&m, "apu6", synth_end(&s), NULL);
    for (int ticks = 0; ticks < 2; ticks++) {
        struct gpu_result r;
        const struct gpu_limits limits = {.cpu = &programs, .no_skip = ticks, .watchdog_cycles = 50000};
        assert_int_equal(gpu_run(&r, m.plan, m.params, NULL, 0, &limits, &errors[ticks]), -1);
        assert_int_equal(errors[ticks].code, ERR_DEADLOCK);
    }
    assert_string_equal(errors[0].text, errors[1].text);
    cpu_stream_free(program);
    machine_fini(&m);
}

/* A program alone: a chain of loads that all miss everywhere takes the way to DRAM and back each. What it asks for is
 * what L2 and DRAM see. */
static void a_program_alone_sees_the_latency_of_the_machine(void **state)
{
    (void)state;
    static const char *const chained[] = {"cpu.chain=1", NULL};
    struct machine m;
    struct cpu_stream *s = stream_of(4000, 4, 128, 1 << 20, 0); /* one half of each line, no line twice */
    const struct gpu_cpu_programs alone = {.streams = {s}, .n = 1, .without_gpu = true};
    machine_init(&m, "apu6", synth_mixture(24, 6, 12, 1), chained);
    struct gpu_result r = run(&m, &alone, false);
    assert_int_equal(gpu_stats_value(r.stats, "warp_insts"), 0);
    assert_int_equal(core_value(&r, 0, "cpu_llc_reads"), 4000);
    assert_int_equal(core_value(&r, 0, "cpu_llc_hits"), 0);
    assert_int_equal(gpu_stats_value(r.stats, "l2_accesses"), 4000);
    assert_int_equal(gpu_stats_value(r.stats, "l2_misses"), 4000);
    assert_int_equal(gpu_stats_value(r.stats, "dram_reads"), 4000); /* 64 bytes each */
    const double latency = core_value(&r, 0, "cpu_latency_sum") / 4000, core_cycles = latency * 1400 / 3500;
    assert_true(core_cycles > 180 && core_cycles < 260); /* what an SM sees is 220 core cycles (kepler32) */
    assert_true((double)r.cpu.cycles[0] >= 4000 * latency && (double)r.cpu.cycles[0] < 4000 * (latency + 8));
    assert_int_equal(r.cpu.runs[0], 1);
    gpu_result_free(&r);
    cpu_stream_free(s);
    machine_fini(&m);
}

/* Two programs' lines that are all there: from the last-level cache, on ports of their own. */
static double latency_of_hits(const char *preset, const char *const *set, bool with_kernel)
{
    struct machine m;
    struct cpu_stream *s = stream_of(8000, 4, 64, 64 << 10, 0);
    const struct gpu_cpu_programs programs = {.streams = {s}, .n = 1, .without_gpu = !with_kernel};
    machine_init(&m, preset, synth_rows(48, 6, 64, 3), set);
    struct gpu_result r = run(&m, &programs, false);
    const double latency = core_value(&r, 0, "cpu_latency_sum") / core_value(&r, 0, "cpu_fills");
    assert_true(core_value(&r, 0, "cpu_llc_hits") > 0.8 * core_value(&r, 0, "cpu_fills"));
    gpu_result_free(&r);
    cpu_stream_free(s);
    machine_fini(&m);
    return latency;
}

static void a_near_cache_answers_cores_on_ports_of_their_own_whatever_sms_wait_for(void **state)
{
    (void)state;
    static const char *const near[] = {"cpu.l2_bytes=16384", "cpu.chain=1", NULL},
                             *const far[] = {"cpu.l2_bytes=16384", "cpu.chain=1", "cpu.llc_round_trip_cycles=90", NULL},
                             *const shared[] = {"cpu.l2_bytes=16384", "cpu.chain=1", "cpu.llc_round_trip_cycles=0",
                                                "cpu.llc_port_bytes=0", NULL};
    const double alone = latency_of_hits("apu-llc", near, false), at_90 = latency_of_hits("apu-llc", far, false);
    const double beside = latency_of_hits("apu-llc", near, true),
                 beside_shared = latency_of_hits("apu-llc", shared, true);
    print_message("%.1f alone, %.1f with 60 more cycles on the wires, %.1f beside a kernel, %.1f on its ports\n", alone,
                  at_90, beside, beside_shared);
    assert_true(at_90 - alone > 50 && at_90 - alone < 70);
    assert_true(beside < 3 * alone && beside_shared > 2 * beside);
}

/* Sharing costs both, and those that end early start again. */
static void a_mix_is_slower_than_each_alone_and_keeps_the_machine_full(void **state)
{
    (void)state;
    struct machine m;
    struct cpu_stream *longer = stream_of(120000, 4, 64, 600 << 10, 5), *shorter = stream_of(3000, 4, 64, 600 << 10, 0);
    machine_init(&m, "apu6", synth_rows(24, 6, 64, 3), NULL);
    const struct gpu_cpu_programs both = {.streams = {longer, shorter}, .n = 2},
                                  alone = {.streams = {longer}, .n = 1, .without_gpu = true};
    struct gpu_result kernel = run(&m, NULL, false), program = run(&m, &alone, false), mix = run(&m, &both, false);
    const double gpu_alone = gpu_stats_value(kernel.stats, "core_cycles");
    assert_true((double)mix.cpu.gpu_cycles > gpu_alone);
    assert_true(mix.cpu.cycles[0] > program.cpu.cycles[0]);
    assert_true(mix.cpu.runs[1] > 1);
    assert_int_equal(mix.cpu.insts[1], 12000);
    assert_true(core_value(&mix, 1, "cpu_insts") >= 12000.0 * (double)mix.cpu.runs[1]);
    /* the run ends with the last of the three */
    const double end = gpu_stats_value(mix.stats, "core_cycles"), cpu_end = (double)mix.cpu.cycles[0] * 1400 / 3500;
    assert_true(end + 2 >= (double)mix.cpu.gpu_cycles && end + 2 >= cpu_end);
    assert_true(end < ((double)mix.cpu.gpu_cycles > cpu_end ? (double)mix.cpu.gpu_cycles : cpu_end) + 4);
    if (mix.cpu.gpu_runs > 1)
        assert_true(gpu_stats_value(mix.stats, "warp_insts") >=
                    gpu_stats_value(kernel.stats, "warp_insts") * ((double)mix.cpu.gpu_runs - 1));
    gpu_result_free(&kernel);
    gpu_result_free(&program);
    gpu_result_free(&mix);
    cpu_stream_free(longer);
    cpu_stream_free(shorter);
    machine_fini(&m);
}

static void a_kernel_that_ends_early_is_launched_again(void **state)
{
    (void)state;
    struct machine m;
    struct cpu_stream *s = stream_of(40000, 4, 64, 3 << 20, 0);
    machine_init(&m, "apu6", synth_mixture(12, 4, 4, 3), NULL);
    struct gpu_result once = run(&m, NULL, false),
                      mix = run(&m, &(struct gpu_cpu_programs){.streams = {s}, .n = 1}, false);
    assert_true(mix.cpu.gpu_runs >= 2);
    const double insts = gpu_stats_value(once.stats, "warp_insts");
    assert_true(gpu_stats_value(mix.stats, "warp_insts") >= insts * (double)mix.cpu.gpu_runs);
    assert_true(gpu_stats_value(mix.stats, "warp_insts") <= insts * ((double)mix.cpu.gpu_runs + 1));
    gpu_result_free(&once);
    gpu_result_free(&mix);
    cpu_stream_free(s);
    machine_fini(&m);
}

/* A run with programs stopped, copied and gone on with in another place ends as one that was never stopped. */
static void snapshot_of(const char *preset)
{
    struct error err;
    struct machine m;
    struct cpu_stream *s = stream_of(9000, 4, 4160, 2 << 20, 3);
    const struct gpu_cpu_programs programs = {.streams = {s}, .n = 1};
    const struct gpu_limits limits = {.cpu = &programs};
    struct simulation *first, *second;
    struct snapshot *copy = NULL;
    struct gpu_result end;
    machine_init(&m, preset, synth_mixture(12, 4, 4, 3), NULL);
    struct gpu_result whole = run(&m, &programs, false);
    assert_int_equal(simulation_new(&first, m.plan, m.params, NULL, 0, &limits, NULL, &err), 0);
    assert_int_equal(simulation_twin(&second, first, &err), 0);
    assert_int_equal(simulation_run(first, 3000, &err), 0);
    assert_int_equal(simulation_snapshot(first, &copy, &err), 0);
    simulation_free(first);
    assert_int_equal(simulation_restore(second, copy, &err), 0);
    assert_int_equal(simulation_run(second, 0, &err), 1);
    assert_int_equal(simulation_end(second, &end, &err), 0);
    char *a = text_of(&whole), *b = text_of(&end);
    assert_same(a, b);
    free(a);
    free(b);
    gpu_result_free(&whole);
    gpu_result_free(&end);
    snapshot_free(copy);
    simulation_free(second);
    cpu_stream_free(s);
    machine_fini(&m);
}

static void a_snapshot_holds_the_cores(void **state)
{
    (void)state;
    snapshot_of("apu6");
    snapshot_of("apu-llc");
}

static void what_cannot_be_is_said(void **state)
{
    (void)state;
    struct error err;
    struct machine m;
    struct gpu_result r;
    struct cpu_stream *s = stream_of(10, 4, 64, 4096, 0);
    machine_init(&m, "apu6", synth_mixture(12, 4, 4, 3), NULL);
    const struct gpu_cpu_programs five = {.streams = {s, s, s, s, s}, .n = 5}, one = {.streams = {s}, .n = 1};
    assert_int_equal(gpu_run(&r, m.plan, m.params, NULL, 0, &(struct gpu_limits){.cpu = &five}, &err), -1);
    assert_non_null(strstr(err.text, "5 CPU programs on a machine with 4 CPU cores"));
    assert_int_equal(
        gpu_run(&r, m.plan, m.params, NULL, 0, &(struct gpu_limits){.cpu = &one, .warmup_cycles = 100}, &err), -1);
    assert_non_null(strstr(err.text, "warm-up"));
    assert_int_equal(gpu_params_set(m.params, "cpu.l2_bytes", "200000", &err), 0);
    assert_int_equal(gpu_params_check(m.params, &err), -1);
    assert_non_null(strstr(err.text, "cpu.l2_bytes = 200000"));
    assert_int_equal(gpu_params_set(m.params, "cpu.l2_bytes", "262144", &err), 0);
    assert_int_equal(gpu_params_set(m.params, "ideal.memory", "infinite", &err), 0);
    assert_int_equal(gpu_params_check(m.params, &err), -1);
    assert_int_equal(gpu_params_set(m.params, "ideal.memory", "none", &err), 0);
    assert_int_equal(gpu_params_set(m.params, "cpu.llc_round_trip_cycles", "30", &err), 0);
    assert_int_equal(gpu_params_check(m.params, &err), -1);
    assert_non_null(strstr(err.text, "cpu.llc_port_bytes"));
    assert_int_equal(gpu_params_set(m.params, "cpu.llc_port_bytes", "64", &err), 0);
    assert_ok(gpu_params_check(m.params, &err), &err);
    assert_int_equal(gpu_params_set(m.params, "l2.banks", "130", &err), 0);
    assert_int_equal(gpu_params_check(m.params, &err), -1);
    assert_non_null(strstr(err.text, "l2.banks = 130"));
    cpu_stream_free(s);
    machine_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_cores_change_nothing),
        cmocka_unit_test(a_configuration_without_cores_does_not_name_them),
        cmocka_unit_test(skipping_cycles_changes_no_byte),
        cmocka_unit_test(replies_are_taken_whatever_waits_to_leave),
        cmocka_unit_test(a_kernel_that_stands_ends_a_mix_though_its_programs_go_on),
        cmocka_unit_test(a_program_alone_sees_the_latency_of_the_machine),
        cmocka_unit_test(a_near_cache_answers_cores_on_ports_of_their_own_whatever_sms_wait_for),
        cmocka_unit_test(a_mix_is_slower_than_each_alone_and_keeps_the_machine_full),
        cmocka_unit_test(a_kernel_that_ends_early_is_launched_again),
        cmocka_unit_test(a_snapshot_holds_the_cores),
        cmocka_unit_test(what_cannot_be_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
