/* poise validate, configs and trace import/export/check as used. */
#include "spawn.h"

#include <glob.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <unistd.h>
#include "poise/file.h"

#define REFERENCE POISE_SOURCE_DIR "/tests/reference/accelsim"

static json_t *json_of(const char *text)
{
    json_error_t why;
    json_t *json = json_loads(text, 0, &why);
    if (!json) fail_msg("%s: %.200s", why.text, text);
    return json;
}

static void cycles_agree_within_15_percent_and_curves_within_5_with_the_reference(void **state)
{
    (void)state;
    const struct said *s = poise(fresh_dir(), "validate --cases " REFERENCE " --json");
    if (s->status) fail_msg("%s", s->err);
    json_t *root = json_of(s->out), *overall = json_object_get(root, "overall"), *c;
    size_t i;
    assert_true(json_number_value(json_object_get(overall, "mape")) <= 0.15);
    assert_true(json_number_value(json_object_get(overall, "pearson")) >= 0.98);
    assert_true(json_number_value(json_object_get(overall, "kendall")) >= 0.9);
    assert_true(json_number_value(json_object_get(overall, "max_swl_loss")) <= 0.05);
    assert_int_equal(json_array_size(json_object_get(root, "cases")), 4);
    json_array_foreach(json_object_get(root, "cases"), i, c) {
        const char *name = json_string_value(json_object_get(c, "name"));
        if (!(fabs(json_number_value(json_object_get(c, "error"))) <= 0.15)) fail_msg("%s: cycles", name);
        if (!(fabs(json_number_value(json_object_get(c, "l1d_hit_rate_delta"))) <= 0.03))
            fail_msg("%s: L1 hit rate", name);
        if (!(fabs(json_number_value(json_object_get(c, "dram_reads_error"))) <= 0.08))
            fail_msg("%s: DRAM reads", name);
        assert_true(json_integer_value(json_object_get(c, "ref_cycles")) > 0);
    }
    json_decref(root);
}

static void write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/* A folder with `cases` as its cases.json, and the configurations and traces of the newer GPUs. */
static const char *folder_of_cases(const char *cases)
{
    static const char *const names[] = {"SM7_QV100.config",
                                        "SM7_QV100.trace.config",
                                        "SM7_TITANV.config",
                                        "SM7_TITANV.trace.config",
                                        "SM6_TITANX.config",
                                        "SM6_TITANX.trace.config",
                                        "traces"};
    const char *dir = fresh_dir();
    char from[512], to[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(from, sizeof from, REFERENCE "/volta/%s", names[i]);
        snprintf(to, sizeof to, "%s/%s", dir, names[i]);
        assert_int_equal(symlink(from, to), 0);
    }
    snprintf(to, sizeof to, "%s/cases.json", dir);
    write_text(to, cases);
    return dir;
}

#define TWO_CONFIGS \
    "{\"schema\": 2, \"options\": \"-gpgpu_kernel_launch_latency 0\", \"configs\": {\"a\": \"SM7_QV100.config\", " \
    "\"b\": \"SM6_TITANX.config\"}, "

static void runs_are_named_by_configuration_where_cases_json_names_several(void **state)
{
    (void)state;
    const char *dir = folder_of_cases(
        TWO_CONFIGS "\"cases\": {\"compute\": {\"trace\": \"traces/compute.tar.xz\", \"runs\": {"
                    "\"b\": {\"core_cycles\": 7654, \"dram_reads_32B\": 6144, \"core_GLOBAL_ACC_R_MISS\": 0},"
                    "\"a\": {\"core_cycles\": 4980, \"dram_reads_32B\": 6144, \"core_GLOBAL_ACC_R_MISS\": 1536, "
                    "\"core_GLOBAL_ACC_R_SECTOR_MISS\": 4608}}}}}");
    char text[512];
    snprintf(text, sizeof text, "validate --cases %s --json", dir);
    const struct said *s = poise(dir, text);
    if (s->status) fail_msg("%s", s->err);
    json_t *root = json_of(s->out), *cases = json_object_get(root, "cases"),
           *by_config = json_object_get(root, "by_config");
    assert_int_equal(json_array_size(cases), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(cases, 0), "run")), "a");
    assert_string_equal(json_string_value(json_object_get(json_array_get(cases, 1), "run")), "b");
    const json_t *theirs = json_object_get(json_array_get(cases, 0), "reference");
    assert_true(json_number_value(json_object_get(theirs, "dram_reads")) == 3072); /* of 64 bytes */
    assert_true(json_number_value(json_object_get(theirs, "l1d_misses")) == 6144); /* of sectors */
    assert_int_equal(json_object_size(by_config), 2);
    const double a = fabs(json_number_value(json_object_get(json_array_get(cases, 0), "error")));
    assert_true(fabs(json_number_value(json_object_get(json_object_get(by_config, "a"), "mape")) - a) < 1e-12);
    json_t *sms =
        json_object_get(json_object_get(json_object_get(json_object_get(root, "config"), "b"), "core"), "sms");
    assert_int_equal(json_integer_value(sms), 28);
    json_decref(root);
    snprintf(text, sizeof text, "validate --cases %s", dir);
    s = poise(dir, text);
    assert_non_null(strstr(s->out, "a: SM7_QV100.config"));
    assert_non_null(strstr(s->out, "b: SM6_TITANX.config"));
}

/* The folder's own cases of the cards that have an aim. */
static char *cases_with_an_aim(void)
{
    static const char *const without[] = {"rtx2060", "rtx3070"};
    json_error_t why;
    json_t *root = json_load_file(REFERENCE "/volta/cases.json", 0, &why), *c;
    const char *name;
    assert_non_null(root);
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        json_object_del(json_object_get(root, "configs"), without[i]);
        json_object_foreach(json_object_get(root, "cases"), name, c)
            json_object_del(json_object_get(c, "runs"), without[i]);
    }
    char *text = json_dumps(root, 0);
    json_decref(root);
    return text;
}

static void newer_gpus_agree_within_5_percent_with_the_reference(void **state)
{
    (void)state;
    static const char *const cards[] = {"qv100", "titanv", "titanx"};
    char *cases = cases_with_an_aim(), command[512];
    const char *dir = folder_of_cases(cases);
    free(cases);
    snprintf(command, sizeof command, "validate --cases %s --json", dir);
    const struct said *s = poise(dir, command);
    if (s->status) fail_msg("%s", s->err);
    json_t *root = json_of(s->out), *c;
    size_t i;
    for (size_t k = 0; k < sizeof cards / sizeof *cards; k++) {
        const json_t *card = json_object_get(json_object_get(root, "by_config"), cards[k]);
        if (!(json_number_value(json_object_get(card, "mape")) <= 0.05)) fail_msg("%s: cycles", cards[k]);
        if (!(json_number_value(json_object_get(card, "pearson")) >= 0.98)) fail_msg("%s: correlation", cards[k]);
    }
    json_array_foreach(json_object_get(root, "cases"), i, c) {
        const char *name = json_string_value(json_object_get(c, "name")),
                   *card = json_string_value(json_object_get(c, "run"));
        const double loads = json_number_value(json_object_get(json_object_get(c, "reference"), "l1d_load_accesses"));
        if (loads > 0 && !(fabs(json_number_value(json_object_get(c, "l1d_hit_rate_delta"))) <= 0.03))
            fail_msg("%s on %s: L1 hit rate", name, card);
        if (!(fabs(json_number_value(json_object_get(c, "dram_reads_error"))) <= 0.12))
            fail_msg("%s on %s: DRAM reads", name, card);
    }
    json_decref(root);
}

static void a_run_of_no_configuration_and_a_file_elsewhere_are_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {TWO_CONFIGS
         "\"cases\": {\"compute\": {\"trace\": \"traces/compute.tar.xz\", \"runs\": {\"c\": {\"core_cycles\": 1}}}}}",
         "case 'compute' has a run of 'c', which 'configs' does not name"},
        {"{\"configs\": {\"a\": \"../x.config\"}, \"cases\": {}}",
         "configuration 'a' is not the name of a file in the folder"},
        {"{\"configs\": {}, \"cases\": {}}", "'configs' is a map of names to configuration files"},
        {"{\"configs\": {\"a\": \"SM7_QV100.config\"}, \"options\": 3, \"cases\": {}}",
         "'options' is a text of options"},
        {"{\"configs\": {\"a\": \"SM7_QV100.config\"}, \"options\": \"-gpgpu_n_clusters 900\", \"cases\": {}}",
         "options:1: -gpgpu_n_clusters 900"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *dir = folder_of_cases(rows[i][0]);
        char text[512];
        snprintf(text, sizeof text, "validate --cases %s", dir);
        const struct said *s = poise(dir, text);
        assert_int_equal(s->status, 2);
        if (!strstr(s->err, rows[i][1])) fail_msg("no '%s' in %s", rows[i][1], s->err);
    }
}

static void all_closed_forms_pass(void **state)
{
    (void)state;
    const struct said *s = poise(fresh_dir(), "validate --closed-form --json");
    json_t *root = json_of(s->out), *form;
    size_t i;
    assert_true(json_array_size(json_object_get(root, "closed_form")) >= 10);
    json_array_foreach(json_object_get(root, "closed_form"), i, form) {
        if (!json_is_true(json_object_get(form, "pass")))
            fail_msg("%s: %g, not %g", json_string_value(json_object_get(form, "name")),
                     json_number_value(json_object_get(form, "measured")),
                     json_number_value(json_object_get(form, "expected")));
    }
    assert_int_equal(s->status, 0);
    json_decref(root);
}

/* The reference with one line altered: an error by file and line, or with --lenient a line of a list. */
static void a_fault_of_a_configuration_is_an_error_unless_lenient_and_then_listed(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } rows[] = {{"-gpgpu_n_clusters 32", "-gpgpu_n_clusters X", "-gpgpu_n_clusters X: a whole number is needed"},
                {"\n-gpgpu_n_mem 6", "\ngpgpu_n_mem 6", "gpgpu_n_mem"},
                {"-gpgpu_num_sched_per_core", "-gpgpu_num_shced_per_core", "-gpgpu_num_shced_per_core"},
                {"-gpgpu_cache:dl1 ", "# ", "-gpgpu_cache:dl1"}};
    const char *dir = fresh_dir();
    struct error err = {0};
    char *text, path[300], arguments[1024];
    size_t size;
    assert_int_equal(0, file_read(&text, &size, REFERENCE "/gtx480_32sm_lx.config", &err));
    snprintf(path, sizeof path, "%s/own.config", dir);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *at = strstr(text, rows[i].from);
        if (!at) fail_msg("the reference has no '%s'", rows[i].from);
        FILE *out = fopen(path, "w");
        fprintf(out, "%.*s%s%s", (int)(at - text), text, rows[i].to, at + strlen(rows[i].from));
        fclose(out);
        snprintf(arguments, sizeof arguments, "configs --import %s --json", path);
        const struct said *s = poise(dir, arguments);
        if (s->status != 2 || !strstr(s->err, rows[i].says) || !strstr(s->err, "own.config"))
            fail_msg("%d %s", s->status, s->err);
        snprintf(arguments, sizeof arguments, "configs --import %s --json --lenient", path);
        s = poise(dir, arguments);
        if (s->status) fail_msg("%s", s->err);
        json_t *root = json_of(s->out);
        assert_true(json_array_size(json_object_get(root, "lenient")) > 0);
        json_decref(root);
    }
    free(text);
}

static void a_simulation_takes_a_gpgpusim_config_and_tells_what_it_ignored(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char text[1024], trace[256];
    snprintf(text, sizeof text, "%s/k.traceg", dir);
    FILE *out = fopen(text, "w");
    fprintf(out, "-kernel name = demo\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs "
                 "= 8\n-binary version = 70\n-cuda stream id = 0\n"
                 "-shmem base_addr = 0x00007e0000000000\n-local mem base_addr = 0x00007e0100000000\n-nvbit version = "
                 "none\n-accelsim tracer version = 4\n"
                 "-enable lineinfo = 0\n\n#traces format = free text\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = "
                 "0\ninsts = 2\n"
                 "0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x7f0000000000 4\n0010 ffffffff 0 EXIT 0 0\n\n#END_TB\n");
    fclose(out);
    snprintf(trace, sizeof trace, "%s/k.ptrace", dir);
    snprintf(text, sizeof text, "trace import %s/k.traceg -o %s", dir, trace);
    assert_int_equal(poise(dir, text)->status, 0);
    snprintf(text, sizeof text, "sim --trace %s --config " REFERENCE "/gtx480_32sm_lx.config --json", trace);
    const struct said *s = poise(dir, text);
    if (s->status) fail_msg("%s", s->err);
    assert_non_null(strstr(s->err, "-gpgpu_operand_collector_num_units_sfu"));
    json_t *root = json_of(s->out);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "stats"), "warp_insts")), 2);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(json_object_get(root, "config"), "l2"), "added_cycles")),
        120);
    json_decref(root);
    snprintf(text, sizeof text, "trace export --accelsim %s/traces --isa volta %s", dir, trace);
    assert_int_equal(poise(dir, text)->status, 0);
    snprintf(text, sizeof text, "trace check %s/traces/kernelslist.g", dir);
    s = poise(dir, text);
    assert_int_equal(s->status, 0);
    assert_non_null(strstr(s->out, "1 blocks, 1 warps, 2 instructions"));
}

static void differences_of_two_configurations_are_listed_by_parameter(void **state)
{
    (void)state;
    const struct said *s = poise(fresh_dir(), "configs --diff kepler32 accelsim32 --json");
    json_t *root = json_of(s->out), *d;
    size_t i, found = 0;
    json_array_foreach(json_object_get(root, "differences"), i, d)
        if (strcmp(json_string_value(json_object_get(d, "parameter")), "l2.added_cycles") == 0) {
            assert_string_equal(json_string_value(json_object_get(d, "a")), "0");
            assert_string_equal(json_string_value(json_object_get(d, "b")), "120");
            found++;
        }
    assert_int_equal(found, 1);
    json_decref(root);
}

/* Imports a program's kernels and runs them on the shipped RTX 3070; their warp instructions and DRAM reads in all. */
static void run_on_rtx_3070(const char *dir, const char *program, int kernels, double *insts, double *reads)
{
    char file[256];
    *insts = *reads = 0;
    const struct said *s = poisef(dir, "trace check %s/%s/kernelslist.g", dir, program);
    if (s->status) fail_msg("%s", s->err);
    s = poisef(dir, "trace import %s/%s/kernelslist.g -o %s/%s.ptrace", dir, program, dir, program);
    if (s->status) fail_msg("%s", s->err);
    for (int k = 1; k <= kernels; k++) {
        snprintf(file, sizeof file, "/kernel-%d.ptrace", k);
        s = poisef(dir, "sim --trace %s/%s.ptrace%s --config " REFERENCE "/volta/SM86_RTX3070.config --json", dir,
                   program, kernels > 1 ? file : "");
        if (s->status) fail_msg("%s, kernel %d: %s", program, k, s->err);
        json_t *root = json_of(s->out), *stats = json_object_get(root, "stats");
        assert_true(json_is_true(json_object_get(root, "complete")));
        *insts += json_number_value(json_object_get(stats, "warp_insts"));
        *reads += json_number_value(json_object_get(stats, "dram_reads"));
        json_decref(root);
    }
}

/* What the tracer wrote on a GPU of Ampere runs to its end with every instruction. A vector addition of 50,000 numbers
 * reads each once. */
static void real_traces_of_ampere_run_on_the_shipped_rtx_3070(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char command[512];
    double insts, reads;
    snprintf(command, sizeof command, "tar -xf " REFERENCE "/traces/real.tar.xz -C %s", dir);
    assert_int_equal(system(command), 0);
    run_on_rtx_3070(dir, "bfs-rodinia-2.0-ft", 16, &insts, &reads);
    assert_true(insts == 159509 && reads > 0);
    run_on_rtx_3070(dir, "simple", 1, &insts, &reads);
    assert_true(insts == 26601 && reads == 2 * 50000 * 4 / 64);
}

static void compare_pairs_kernels_in_order_and_gives_error_and_correlation(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char path[256], text[1024];
    snprintf(path, sizeof path, "%s/ours.json", dir);
    write_text(path,
               "{\"launches\":[{\"name\":\"a\",\"stats\":{\"core_cycles\":110,\"thread_insts\":220,\"l2_accesses\":5}},"
               "{\"name\":\"b\",\"stats\":{\"core_cycles\":180,\"thread_insts\":400,\"l2_accesses\":7}}]}");
    snprintf(path, sizeof path, "%s/theirs.log", dir);
    write_text(path,
               "GPGPU-Sim: noise\nkernel_name = a \ngpu_sim_cycle = 100\ngpu_tot_sim_cycle = "
               "100\n\tL2_total_cache_accesses = 5\n"
               "kernel_name = b \ngpu_sim_cycle = 200\ngpu_tot_ipc =      2.0000\nL2_total_cache_accesses = 10\n");
    snprintf(text, sizeof text, "compare %s/ours.json %s/theirs.log --json", dir, dir);
    const struct said *s = poise(dir, text);
    if (s->status) fail_msg("%s", s->err);
    json_t *root = json_of(s->out), *kernels = json_object_get(root, "kernels"), *m;
    size_t i, found = 0;
    assert_int_equal(json_array_size(kernels), 2);
    assert_true(fabs(json_number_value(json_object_get(json_array_get(kernels, 0), "error")) - 0.1) < 1e-9);
    assert_true(fabs(json_number_value(json_object_get(json_object_get(root, "overall"), "mape")) - 0.1) < 1e-9);
    assert_true(fabs(json_number_value(json_object_get(json_object_get(root, "overall"), "pearson")) - 1) < 1e-9);
    json_array_foreach(json_object_get(json_array_get(kernels, 1), "metrics"), i, m)
        if (strcmp(json_string_value(json_object_get(m, "name")), "L2_total_cache_accesses") == 0) {
            assert_int_equal(json_number_value(json_object_get(m, "ours")), 12); /* cumulative, as theirs */
            found++;
        }
    assert_int_equal(found, 1);
    json_decref(root);
    /* A log that grep left only cycles of: one kernel each. */
    write_text(path, "gpu_sim_cycle = 100\ngpu_sim_cycle = 200\ngpu_sim_cycle = 300\n");
    s = poise(dir, text);
    assert_int_equal(s->status, 2);
    assert_non_null(strstr(s->err, "3 kernels, and 2 launches"));
}

/* The counts of the case `compute` on QV100, as the other simulator's log has them, beside a run of ours: loads by
 * sector, DRAM in transfers of 32 bytes, and the largest difference behind the cycles. */
static void compare_reads_the_log_of_a_newer_gpu_and_begins_with_the_largest_difference(void **state)
{
    static const struct {
        const char *name;
        double value;
        bool is_equal;
    } theirs[] = {{"gpu_sim_cycle", 4980, false},
                  {"gpu_tot_sim_insn", 20054016, true},
                  {"L1D_total_cache_accesses", 12288, true},
                  {"L1D_total_cache_misses", 12288, true},
                  {"Total_core_cache_stats_breakdown[GLOBAL_ACC_R][HIT]", 0, true},
                  {"Total_core_cache_stats_breakdown[GLOBAL_ACC_R][MISS]", 1536, true},
                  {"Total_core_cache_stats_breakdown[GLOBAL_ACC_R][SECTOR_MISS]", 4608, true},
                  {"L1D_total_cache_reservation_fails", 7024, false},
                  {"L2_total_cache_accesses", 12288, true},
                  {"averagemflatency", 354, false},
                  {"total dram reads", 6144, true}};
    (void)state;
    const char *dir = fresh_dir();
    char path[256], text[2048], command[512];
    int n = snprintf(text, sizeof text, "kernel_name = compute\n");
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "\t%s = %.0f\n", theirs[i].name, theirs[i].value);
    snprintf(path, sizeof path, "%s/theirs.log", dir);
    write_text(path, text);
    snprintf(command, sizeof command, "tar -xf " REFERENCE "/volta/traces/compute.tar.xz -C %s", dir);
    assert_int_equal(system(command), 0);
    assert_int_equal(poisef(dir, "trace import %s/compute/kernelslist.g -o %s/k.ptrace", dir, dir)->status, 0);
    const struct said *s =
        poisef(dir, "sim --trace %s/k.ptrace --config " REFERENCE "/volta/SM7_QV100.config --json", dir);
    if (s->status) fail_msg("%s", s->err);
    snprintf(path, sizeof path, "%s/ours.json", dir);
    write_text(path, s->out);
    s = poisef(dir, "compare %s/ours.json %s/theirs.log --json", dir, dir);
    if (s->status) fail_msg("%s", s->err);
    json_t *root = json_of(s->out), *m,
           *metrics = json_object_get(json_array_get(json_object_get(root, "kernels"), 0), "metrics");
    size_t i;
    double last = INFINITY;
    assert_int_equal(json_array_size(metrics), sizeof theirs / sizeof *theirs);
    assert_string_equal(json_string_value(json_object_get(json_array_get(metrics, 0), "name")), "gpu_sim_cycle");
    json_array_foreach(metrics, i, m) {
        const double ours = json_number_value(json_object_get(m, "ours")),
                     reference = json_number_value(json_object_get(m, "theirs")),
                     error = reference > 0 ? fabs(ours / reference - 1) : 0;
        const char *name = json_string_value(json_object_get(m, "name"));
        for (size_t k = 0; k < sizeof theirs / sizeof *theirs; k++)
            if (strcmp(theirs[k].name, name) == 0 && theirs[k].is_equal != (ours == reference))
                fail_msg("%s: %g, and %g there", name, ours, reference);
        if (i > 0 && error > last) fail_msg("%s comes too late", name);
        if (i > 0) last = error;
    }
    json_decref(root);
}

static void familiar_names_are_printed_for_each_kernel(void **state)
{
    (void)state;
    const char *dir = fresh_dir();
    char text[512];
    snprintf(text, sizeof text, "trace import " REFERENCE "/../../fuzz/accelsim/seeds/example.traceg -o %s/k.ptrace",
             dir);
    assert_int_equal(poise(dir, text)->status, 0);
    snprintf(text, sizeof text, "sim --trace %s/k.ptrace --config accelsim32 --stats gpgpusim", dir);
    const struct said *s = poise(dir, text);
    static const char *const names[] = {"kernel_name = demo",
                                        "gpu_sim_cycle = ",
                                        "gpu_tot_ipc = ",
                                        "L1D_total_cache_accesses = 3\n",
                                        "L1D_total_cache_miss_rate = 1.0000",
                                        "averagemflatency = ",
                                        "L1D_total_cache_reservation_fails = ",
                                        "L2_total_cache_misses = ",
                                        "[GLOBAL_ACC_R][HIT_RESERVED] = 0",
                                        "[GLOBAL_ACC_R][SECTOR_MISS] = 0",
                                        "[GLOBAL_ACC_R][LINE_ALLOC_FAIL] = 0",
                                        "[GLOBAL_ACC_R][MISS] = 1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strstr(s->out, names[i])) fail_msg("no '%s' in\n%s", names[i], s->out);
}

static void run_into(const char *dir, int number, const char *preset, const char *as, int which)
{
    char from[256], to[256];
    const struct said *s = poisef(dir, "sim --kernel atax --size test --config %s %s", preset, as);
    if (s->status) fail_msg("%s %s: %s", preset, as, s->err);
    snprintf(from, sizeof from, "%s/out", dir);
    snprintf(to, sizeof to, "%s/%02d.%d", dir, number, which);
    assert_int_equal(0, rename(from, to));
}

/* What a run prints in the other simulator's names is, to the last digit, what compare makes of the same run's JSON: of
 * two launches, as sums are cumulative, and with every size of a DRAM transfer. */
static void a_run_printed_in_familiar_names_differs_in_nothing_from_its_json_on_every_preset(void **state)
{
    (void)state;
    char path[256];
    const char *dir = fresh_dir();
    glob_t presets;
    size_t i, k, reads = 0;
    json_t *kernel, *m;
    snprintf(path, sizeof path, "%s/traces", dir);
    setenv("POISE_TRACES", path, 1);
    assert_int_equal(0, glob(POISE_SOURCE_DIR "/experiments/configs/*.yaml", 0, NULL, &presets));
    for (i = 0; i < presets.gl_pathc; i++) {
        run_into(dir, (int)i, presets.gl_pathv[i], "--json", 1);
        run_into(dir, (int)i, presets.gl_pathv[i], "--stats gpgpusim", 2);
    }
    const struct said *s = poisef(dir, "compare %s/[0-9]*.[12] --json", dir);
    if (s->status) fail_msg("%s", s->err);
    snprintf(path, sizeof path, "%s/out", dir);
    json_t *root = json_load_file(path, 0, NULL), *kernels = json_object_get(root, "kernels");
    assert_int_equal(2 * presets.gl_pathc, json_array_size(kernels));
    json_array_foreach(kernels, i, kernel)
        json_array_foreach(json_object_get(kernel, "metrics"), k, m) {
            const char *name = json_string_value(json_object_get(m, "name"));
            const double ours = json_number_value(json_object_get(m, "ours"));
            if (ours != json_number_value(json_object_get(m, "theirs")))
                fail_msg("%s: %s is not %.17g", presets.gl_pathv[i / 2], name, ours);
            assert_true(json_array_size(json_object_get(kernel, "metrics")) >= 23);
            reads += strcmp(name, "total dram reads") == 0 && ours > 0;
        }
    assert_int_equal(2 * presets.gl_pathc, reads);
    json_decref(root);
    globfree(&presets);
    unsetenv("POISE_TRACES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_agree_within_15_percent_and_curves_within_5_with_the_reference),
        cmocka_unit_test(runs_are_named_by_configuration_where_cases_json_names_several),
        cmocka_unit_test(newer_gpus_agree_within_5_percent_with_the_reference),
        cmocka_unit_test(a_run_of_no_configuration_and_a_file_elsewhere_are_refused),
        cmocka_unit_test(all_closed_forms_pass),
        cmocka_unit_test(a_fault_of_a_configuration_is_an_error_unless_lenient_and_then_listed),
        cmocka_unit_test(a_simulation_takes_a_gpgpusim_config_and_tells_what_it_ignored),
        cmocka_unit_test(real_traces_of_ampere_run_on_the_shipped_rtx_3070),
        cmocka_unit_test(compare_pairs_kernels_in_order_and_gives_error_and_correlation),
        cmocka_unit_test(compare_reads_the_log_of_a_newer_gpu_and_begins_with_the_largest_difference),
        cmocka_unit_test(familiar_names_are_printed_for_each_kernel),
        cmocka_unit_test(a_run_printed_in_familiar_names_differs_in_nothing_from_its_json_on_every_preset),
        cmocka_unit_test(differences_of_two_configurations_are_listed_by_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
