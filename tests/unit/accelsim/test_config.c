/* gpgpusim.config: what is mapped, what is told, what is refused. */
#include "rig.h"
#include "where.h"
#include <jansson.h>
#include "poise/gpgpusim.h"
#include "poise/gpu.h"

/* What every machine has to say. */
#define L1 "-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,A:32:8,8\n"
#define L2 "-gpgpu_cache:dl2 N:64:128:8,L:B:m:W:L,A:32:4,8:0,32\n"
#define CACHES L1 L2
#define REFERENCE POISE_SOURCE_DIR "/tests/reference/accelsim/"

static double value(const struct gpu_params *params, const char *group, const char *name)
{
    json_t *json = gpu_params_json(params);
    const json_t *v = json_object_get(json_object_get(json, group), name);
    assert_non_null(v);
    const double out = json_is_boolean(v) ? json_is_true(v) : json_number_value(v);
    json_decref(json);
    return out;
}

static void assert_text(const struct gpu_params *params, const char *group, const char *name, const char *expected)
{
    json_t *json = gpu_params_json(params);
    assert_string_equal(json_string_value(json_object_get(json_object_get(json, group), name)), expected);
    json_decref(json);
}

static const struct gpgpusim_note *note_of(const struct gpgpusim_notes *notes, const char *option)
{
    for (size_t i = 0; i < notes->n; i++)
        if (strcmp(notes->items[i].option, option) == 0) return &notes->items[i];
    fail_msg("no note about -%s", option);
    return NULL;
}

static void the_reference_configuration_becomes_the_preset_accelsim32(void **state)
{
    (void)state;
    static const char *const paths[] = {REFERENCE "gtx480_32sm_lx.config", REFERENCE "trace.config"};
    struct gpu_params *imported = gpu_params_new(), *preset = gpu_params_new();
    struct gpgpusim_notes notes;
    struct error err = {0};
    assert_ok(gpgpusim_load(imported, paths, 2, &notes, &err), &err);
    assert_ok(gpu_params_load(preset, "accelsim32", POISE_SOURCE_DIR "/experiments/configs", &err), &err);
    json_t *a = gpu_params_json(imported), *b = gpu_params_json(preset);
    json_object_del(a, "name");
    json_object_del(b, "name");
    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
    gpgpusim_notes_fini(&notes);
    gpu_params_free(imported);
    gpu_params_free(preset);
}

/* Of newer GPUs, as they are shipped: with the file of the trace front end, and without. */
static void all_shipped_configurations_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned sms, channels, sp_units;
        bool has_trace;
    } files[] = {
        {"SM2_GTX480", 15, 6, 2, false},   {"SM3_KEPLER_TITAN", 14, 12, 6, true}, {"SM6_TITANX", 28, 12, 4, true},
        {"SM7_QV100", 80, 32, 4, true},    {"SM7_GV100", 80, 32, 4, true},        {"SM7_TITANV", 80, 24, 4, true},
        {"SM75_RTX2060", 30, 12, 4, true}, {"SM75_RTX2060_S", 34, 16, 4, true},   {"SM86_RTX3070", 46, 16, 4, true},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t n = 1; n <= 1 + (size_t)files[i].has_trace; n++) {
            char config[256], trace[256];
            snprintf(config, sizeof config, REFERENCE "volta/%s.config", files[i].name);
            snprintf(trace, sizeof trace, REFERENCE "volta/%s.trace.config", files[i].name);
            const char *const paths[] = {config, trace};
            struct gpu_params *p = gpu_params_new();
            struct gpgpusim_notes notes;
            struct error err = {0};
            assert_ok(gpgpusim_load(p, paths, n, &notes, &err), &err);
            for (size_t k = 0; k < notes.n; k++)
                if (strstr(notes.items[k].text, "not known") || strcmp(notes.items[k].text, "no equivalent") == 0)
                    fail_msg("%s: -%s: %s", files[i].name, notes.items[k].option, notes.items[k].text);
            assert_true(value(p, "core", "sms") == files[i].sms);
            assert_true(value(p, "dram", "channels") == files[i].channels);
            assert_true(value(p, "core", "sp_units") == files[i].sp_units);
            gpgpusim_notes_fini(&notes);
            gpu_params_free(p);
        }
}

/* What Volta and Pascal are beside older machines, each from an option of their files. */
static void sub_cores_sectors_and_hashes_are_taken_from_their_options(void **state)
{
    (void)state;
    static const struct {
        const char *file, *group, *name;
        double value;
    } numbers[] = {{"SM7_QV100", "core", "sub_cores", 1},
                   {"SM7_QV100", "core", "collectors", 8},
                   {"SM7_QV100", "core", "read_steps", 2},
                   {"SM7_QV100", "core", "branch_units", 4},
                   {"SM7_QV100", "core", "branch_interval", 4},
                   {"SM7_QV100", "core", "operand_cycles", 0},
                   {"SM7_QV100", "lsu", "pipeline_width", 17},
                   {"SM7_QV100", "fetch", "warps", 4},
                   {"SM7_QV100", "fetch", "sets", 0},
                   {"SM7_QV100", "lsu", "sector_requests", 1},
                   {"SM7_QV100", "l1", "mshr_merge", 32},
                   {"SM7_QV100", "dram", "dual_bus", 1},
                   {"SM7_QV100", "dram", "bank_bit", 12},
                   {"SM7_QV100", "dram", "early_room", 1},
                   {"SM7_TITANV", "dram", "write_queue", 128},
                   {"SM7_TITANV", "dram", "write_high", 108},
                   {"SM7_TITANV", "dram", "write_low", 32},
                   {"SM7_TITANV", "dram", "outstanding", 385},
                   {"SM6_TITANX", "core", "issue_width", 2},
                   {"SM6_TITANX", "l1", "skip_global", 1},
                   {"SM6_TITANX", "l2", "low_bank_bit", 7},
                   {"SM6_TITANX", "xbar", "speedup", 1},
                   {"SM6_TITANX", "l1", "miss_queue", 272},
                   {"SM86_RTX3070", "l2", "low_bank_bit", 7},
                   {"SM7_QV100", "core", "tensor_units", 4},
                   {"SM7_QV100", "core", "tensor_latency", 2},
                   {"SM7_TITANV", "core", "tensor_interval", 4},
                   {"SM75_RTX2060", "core", "tensor_latency", 16},
                   {"SM86_RTX3070", "core", "uniform_units", 4},
                   {"SM86_RTX3070", "core", "texture_units", 4}};
    static const struct {
        const char *file, *group, *name, *value;
    } texts[] = {{"SM7_QV100", "l2", "bank_index", "ipoly"},      {"SM7_QV100", "l2", "set_index", "ipoly"},
                 {"SM7_QV100", "l1", "write_miss", "allocate"},   {"SM7_TITANV", "dram", "bank_index", "xor"},
                 {"SM6_TITANX", "l2", "bank_index", "random"},    {"SM75_RTX2060", "l1", "shared_sizes", "turing"},
                 {"SM86_RTX3070", "l1", "shared_sizes", "ampere"}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers + sizeof texts / sizeof *texts; i++) {
        const bool is_text = i >= sizeof numbers / sizeof *numbers;
        const size_t k = is_text ? i - sizeof numbers / sizeof *numbers : i;
        char config[256], trace[256];
        snprintf(config, sizeof config, REFERENCE "volta/%s.config", is_text ? texts[k].file : numbers[k].file);
        snprintf(trace, sizeof trace, REFERENCE "volta/%s.trace.config", is_text ? texts[k].file : numbers[k].file);
        const char *const paths[] = {config, trace};
        struct gpu_params *p = gpu_params_new();
        struct error err = {0};
        assert_ok(gpgpusim_load(p, paths, 2, NULL, &err), &err);
        if (is_text) assert_text(p, texts[k].group, texts[k].name, texts[k].value);
        else if (value(p, numbers[k].group, numbers[k].name) != numbers[k].value)
            fail_msg("%s: %s.%s", numbers[k].file, numbers[k].group, numbers[k].name);
        gpu_params_free(p);
    }
}

static void positional_strings_delays_and_buffers_are_taken_apart(void **state)
{
    (void)state;
    static const char *const paths[] = {REFERENCE "gtx480_32sm_lx.config"};
    struct gpu_params *p = gpu_params_new();
    struct gpgpusim_notes notes;
    struct error err = {0};
    assert_ok(gpgpusim_load(p, paths, 1, &notes, &err), &err);
    static const struct {
        const char *group, *name;
        double value;
    } rows[] = {{"core", "sms", 32},
                {"core", "max_warps", 48},
                {"core", "int_mul_latency", 5},
                {"core", "fp_div_interval", 4},
                {"core", "dp_div_latency", 330},
                {"l1", "sets", 32},
                {"l1", "ways", 4},
                {"l1", "mshr_merge", 8},
                {"l1", "miss_queue", 8 + 512},
                {"l1", "hit_latency", 35},
                {"l1", "late_lookup", 1},
                {"xbar", "whole_packets", 1},
                {"xbar", "reply_queue", 32 + 512},
                {"l2", "banks", 24},
                {"l2", "sets", 64},
                {"l2", "miss_queue", 8 + 64},
                {"l2", "access_queue", 64 + 512},
                {"l2", "added_cycles", 120},
                {"l2", "round_trip_cycles", 0},
                {"dram", "channels", 6},
                {"dram", "added_cycles", 100},
                {"dram", "bus_bytes", 8},
                {"dram", "bank_groups", 4},
                {"dram", "tCCDL", 3},
                {"dram", "tRTPL", 2},
                {"dram", "tRC", 40},
                {"dram", "tRTW", 12},
                {"dram", "tRCDWR", 7},
                {"dram", "outstanding", 181},
                {"dram", "paired_commands", 1},
                {"l2", "merge_touches", 1},
                {"dram", "row_bytes", 4096},
                {"lsu", "pipeline_width", 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (value(p, rows[i].group, rows[i].name) != rows[i].value)
            fail_msg("%s.%s is %g", rows[i].group, rows[i].name, value(p, rows[i].group, rows[i].name));
    assert_text(p, "l1", "set_index", "fermi");
    assert_text(p, "l2", "write_miss", "fetch");
    assert_text(p, "l2", "bank_index", "addresses");
    gpgpusim_notes_fini(&notes);
    gpu_params_free(p);
}

static void every_option_has_a_note(void **state)
{
    (void)state;
    static const char text[] = "# comment\n-gpgpu_shader_cta 16 -visualizer_outputfile x.log -gpgpu_simd_model "
                               "2\n-gpgpu_shader_cta 4\n-gpgpu_flush_l1_cache\n-gpgpu_scheduler warp_limiting:2:6\n"
                               "-gpgpu_n_mem 0x6\n" CACHES;
    struct gpu_params *p = gpu_params_new();
    struct gpgpusim_notes notes;
    struct error err = {0};
    assert_ok(gpgpusim_parse(p, "g.config", text, strlen(text), &notes, &err), &err);
    const struct gpgpusim_note *n = note_of(&notes, "visualizer_outputfile");
    assert_int_equal(n->fate, GPGPUSIM_IGNORED);
    assert_string_equal(n->value, "x.log");
    assert_int_equal(n->line, 2);
    assert_int_equal(note_of(&notes, "gpgpu_simd_model")->fate, GPGPUSIM_IGNORED);
    assert_int_equal(note_of(&notes, "gpgpu_flush_l1_cache")->fate, GPGPUSIM_MAPPED);
    assert_int_equal(value(p, "l1", "flush_between"), 1); /* a flag without a value is set, as there */
    assert_int_equal(value(p, "dram", "channels"), 6);
    assert_non_null(strstr(note_of(&notes, "gpgpu_scheduler")->text, "swl,N=6"));
    assert_int_equal(note_of(&notes, "gpgpu_l2_rop_latency")->fate, GPGPUSIM_ABSENT);
    assert_int_equal(note_of(&notes, "gpgpu_cache:il1")->fate, GPGPUSIM_ABSENT);
    assert_non_null(strstr(note_of(&notes, "gpgpu_cache:il1")->text, "ours stays"));
    assert_int_equal(value(p, "core", "max_ctas"), 4); /* the last one counts, and the first is told */
    assert_int_equal(note_of(&notes, "gpgpu_shader_cta")->fate, GPGPUSIM_IGNORED);
    gpgpusim_notes_fini(&notes);
    gpu_params_free(p);
}

/* Each is one fault in a machine that is right without it. */
static const struct {
    const char *text, *says;
    long line;
} faults[] = {
    {"-gpgpu_n_clusters X\n", "-gpgpu_n_clusters X: a whole number", 1},
    {"-gpgpu_n_mem 16x\n", "16x: a whole number", 1},
    {"\n-gpgpu_dram_buswidth sixteen\n", "sixteen: a whole number", 2},
    {"-gpgpu_n_clusters -5\n", "-5: a whole number", 1},
    {"-gpgpu_n_clusters 1e1\n", "a whole number", 1},
    {"-gpgpu_n_clusters nan\n", "a whole number", 1},
    {"-gpgpu_n_mem 08\n", "a whole number", 1},        /* octal there */
    {"-gpgpu_max_cycle never\n", "a whole number", 1}, /* without effect here, and wrong all the same */
    {"-gpgpu_adaptive_cache_config yes\n", "0 or 1", 1},
    {"-gpgpu_sub_core_model 2\n", "0 or 1", 1},
    {"-gpgpu_n_mem\n", "the value is missing", 1},
    {"-gpgpu_n_clusters 4\ngpgpu_n_mem 8\n", "'gpgpu_n_mem': an option begins with one '-'", 2},
    {"-gpgpu_n_clusters\ngpgpu_n_mem 8\n", "'gpgpu_n_mem': an option begins with one '-'", 2},
    {"-gpgpu_n_clusters 4\n--gpgpu_n_mem 8\n", "'--gpgpu_n_mem': an option begins with one '-'", 2},
    {"-gpgpu_n_clusters 4 5\n", "'5': a second value of -gpgpu_n_clusters", 1},
    {"-gpgpu_n_cluster 4\n", "no such option; did you mean -gpgpu_n_clusters?", 1},
    {"-gpgpu_num_shced_per_core 4\n", "did you mean -gpgpu_num_sched_per_core?", 1},
    {"-gpgpu_n_mem=8 8\n", "did you mean -gpgpu_n_mem?", 1},
    {"-gpgpu_scheduler gtoo\n", "the schedulers there", 1},
    {"-gpgpu_scheduler two_level_active:x:0:1\n", "number of active warps", 1},
    {"-network_mode 3\n", "1 and 2", 1},
    {"-dram_bnkgrp_indexing_policy 2\n", "0 to 1", 1},
    {"-gpgpu_clock_domains 700:x:700:924\n", "4 numbers", 1},
    {"-gpgpu_pipeline_widths 1,1,1,1,1,1,1,1,1,x\n", "10 numbers", 1},
    {"-ptx_opcode_latency_int 4,13,4,5,145,\n", "5 numbers", 1},
    {"-gpgpu_shmem_option 32,x\n", "1 number", 1},
    {"-gpgpu_dram_partition_queues 8:8\n", "4 numbers", 1},
    {"-gpgpu_dram_timing_opt nbk=16:CCD=2:RRD=x\n", "is not a number", 1},
    {"-gpgpu_dram_timing_opt nbk=16:CCX=2\n", "'CCX' is none of the timings", 1},
    {"-gpgpu_dram_timing_opt nbk=16:CCD=2\n", "RRD is missing", 1},
    {"\xef\xbb\xbf-gpgpu_dram_timing_opt nbk=16:CCD=2:CCD=3\n", "CCD is given twice", 1},
    {"-gpgpu_mem_addr_mapping dramid@8;RRRQ.SSSS\n", "'Q' is no bit", 1},
    {"-gpgpu_mem_addr_mapping X\n", "1 bits of an address, and it has 64", 1},
    {"-gpgpu_mem_addr_mapping dramid@8;RRRRRRRR.BBBCCCCB.CCSSSSSS\n", "24 bits of an address", 1},
    {"-gpgpu_mem_addr_mapping "
     "dramid8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS\n",
     "'dramid@N' is needed", 1},
    {"-specialized_unit_1 1,4,200,4,4\n", "and the unit's name", 1},
    {"-gpgpu_const_cache:l1 N:128:64:x,L:R:f:N:L,S:2:64,4\n", "is needed", 1},
    {"-gpgpu_const_cache:l1 N:128:64:8,L:R:f:N:L,S:2:64,4x\n", "is needed", 1},
    {"-gpgpu_const_cache:l1 N:128:64:8,L:R:f:Q:L,S:2:64,4\n", "a letter", 1},
    {"\n-gpgpu_shader_cta 100000\n", "allowed 1", 2},
    {"-gpgpu_shader_core_pipeline 1024:64\n", "warps have 32 threads", 1},
};

static void what_is_no_value_no_option_or_no_list_is_refused_by_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[600];
        struct gpu_params *p = gpu_params_new();
        struct gpgpusim_notes notes;
        struct error err = {0};
        snprintf(text, sizeof text, "%s%s", faults[i].text, CACHES);
        assert_int_equal(gpgpusim_parse(p, "g.config", text, strlen(text), &notes, &err), -1);
        assert_int_equal(2, error_exit_status(&err));
        if (!strstr(err.text, faults[i].says)) fail_msg("row %zu: %s", i, err.text);
        if (err.line != faults[i].line || !strstr(err.text, "g.config:")) fail_msg("row %zu: line %ld", i, err.line);
        gpu_params_free(p);
    }
}

/* The machine is the one without the fault, and the fault is in the list. */
static void lenience_leaves_out_what_is_wrong_and_lists_it(void **state)
{
    (void)state;
    struct gpu_params *right = gpu_params_new();
    struct error err = {0};
    assert_ok(gpgpusim_parse(right, "options", CACHES, strlen(CACHES), NULL, &err), &err);
    json_t *expected = gpu_params_json(right);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[600];
        struct gpu_params *p = gpu_params_new();
        struct gpgpusim_notes notes;
        snprintf(text, sizeof text, "-gpgpu_n_clusters 10\n%s%s", faults[i].text, CACHES);
        const struct gpgpusim_files files = {.options = text, .is_lenient = true};
        assert_ok(gpgpusim_load_with(p, &files, &notes, &err), &err);
        size_t n = 0;
        for (size_t k = 0; k < notes.n; k++)
            n += notes.items[k].fate == GPGPUSIM_LENIENT && notes.items[k].line == faults[i].line + 1;
        if (!n) fail_msg("row %zu: not listed", i);
        json_t *got = gpu_params_json(p);
        if (!strstr(faults[i].text, "clusters 4") && !json_equal(got, expected))
            fail_msg("row %zu: another machine", i);
        json_decref(got);
        gpgpusim_notes_fini(&notes);
        gpu_params_free(p);
    }
    json_decref(expected);
    gpu_params_free(right);
}

static void a_missing_cache_is_no_machine_of_ours(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{L2, "-gpgpu_cache:dl1 is missing"}, {L1, "-gpgpu_cache:dl2 is missing"}};
    for (size_t i = 0; i < 2; i++) {
        struct gpu_params *p = gpu_params_new();
        struct gpgpusim_notes notes;
        struct error err = {0};
        const struct gpgpusim_files files = {.options = rows[i][0], .is_lenient = true};
        assert_int_equal(gpgpusim_parse(p, "g.config", rows[i][0], strlen(rows[i][0]), NULL, &err), -1);
        if (!strstr(err.text, rows[i][1])) fail_msg("%s", err.text);
        err = (struct error){0};
        assert_ok(gpgpusim_load_with(p, &files, &notes, &err), &err);
        assert_int_equal(note_of(&notes, i ? "gpgpu_cache:dl2" : "gpgpu_cache:dl1")->fate, GPGPUSIM_LENIENT);
        gpgpusim_notes_fini(&notes);
        gpu_params_free(p);
    }
}

static void wrong_values_are_refused_with_file_line_and_range(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        long line;
    } rows[] = {
        {"-gpgpu_cache:dl1 N:32:128\n", "is needed", 1},
        {"-gpgpu_cache:dl1 none\n", "without L1", 1},
        {"hello world\n", "before any -option", 1},
        {"\n-a \"open\n\n-b 3\n", "quote without its end", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gpu_params *p = gpu_params_new();
        struct gpgpusim_notes notes;
        struct error err = {0};
        assert_int_equal(gpgpusim_parse(p, "g.config", rows[i].text, strlen(rows[i].text), &notes, &err), -1);
        if (!strstr(err.text, rows[i].says)) fail_msg("row %zu: %s", i, err.text);
        assert_int_equal(err.line, rows[i].line);
        gpu_params_free(p);
    }
}

static void what_is_written_reads_back_except_what_it_says_it_cannot_express(void **state)
{
    (void)state;
    static const char *const presets[] = {"accelsim32", "kepler32", "fermi15"};
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        struct gpu_params *p = gpu_params_new(), *back = gpu_params_new();
        struct error err = {0};
        char *text = NULL;
        size_t size;
        assert_ok(gpu_params_load(p, presets[i], POISE_SOURCE_DIR "/experiments/configs", &err), &err);
        FILE *out = open_memstream(&text, &size);
        assert_ok(gpgpusim_write(p, out, &err), &err);
        fclose(out);
        assert_ok(gpgpusim_parse(back, "g.config", text, size, NULL, &err), &err);
        json_t *a = gpu_params_json(p), *b = gpu_params_json(back), *group, *v;
        const char *group_name, *name;
        json_object_foreach(a, group_name, group) {
            json_object_foreach(group, name, v) {
                char note[160];
                snprintf(note, sizeof note, "# not expressed: %s.%s =", group_name, name);
                if (!json_equal(v, json_object_get(json_object_get(b, group_name), name)) && !strstr(text, note))
                    fail_msg("%s: %s.%s", presets[i], group_name, name);
            }
        }
        if (i == 0) assert_null(strstr(text, "not expressed"));
        json_decref(a);
        json_decref(b);
        free(text);
        gpu_params_free(p);
        gpu_params_free(back);
    }
}

/* Imported, written and read back: the machine is the same. */
static void a_shipped_configuration_is_written_as_it_was_read(void **state)
{
    (void)state;
    static const char *const names[] = {"SM7_QV100", "SM7_TITANV", "SM75_RTX2060", "SM86_RTX3070"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char config[256], trace[256], *text = NULL;
        size_t size;
        snprintf(config, sizeof config, REFERENCE "volta/%s.config", names[i]);
        snprintf(trace, sizeof trace, REFERENCE "volta/%s.trace.config", names[i]);
        const char *const paths[] = {config, trace};
        struct gpu_params *p = gpu_params_new(), *back = gpu_params_new();
        struct error err = {0};
        assert_ok(gpgpusim_load(p, paths, 2, NULL, &err), &err);
        FILE *out = open_memstream(&text, &size);
        assert_ok(gpgpusim_write(p, out, &err), &err);
        fclose(out);
        assert_ok(gpgpusim_parse(back, names[i], text, size, NULL, &err), &err);
        json_t *a = gpu_params_json(p), *b = gpu_params_json(back);
        json_object_del(a, "name");
        json_object_del(b, "name");
        if (!json_equal(a, b)) fail_msg("%s: %.*s", names[i], 2000, text);
        json_decref(a);
        json_decref(b);
        free(text);
        gpu_params_free(p);
        gpu_params_free(back);
    }
}

static void bank_groups_are_taken_from_high_bits_unless_the_option_says_otherwise(void **state)
{
    (void)state;
    static const char *const texts[] = {CACHES, CACHES "-dram_bnkgrp_indexing_policy 0\n",
                                        CACHES "-dram_bnkgrp_indexing_policy 1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gpu_params *p = gpu_params_new();
        struct error err = {0};
        char *written = NULL;
        size_t size;
        assert_ok(gpgpusim_parse(p, "g.config", texts[i], strlen(texts[i]), NULL, &err), &err);
        FILE *out = open_memstream(&written, &size);
        assert_ok(gpgpusim_write(p, out, &err), &err);
        fclose(out);
        assert_non_null(
            strstr(written, i == 2 ? "-dram_bnkgrp_indexing_policy 1\n" : "-dram_bnkgrp_indexing_policy 0\n"));
        assert_null(strstr(written, "not expressed: dram.group_index"));
        free(written);
        gpu_params_free(p);
    }
}

/* As plain lines it would be another machine. */
static void a_machine_whose_caches_have_no_letter_is_refused_not_written_as_another(void **state)
{
    (void)state;
    static const char *const rows[][3] = {{"l1.organisation", "tsc", "l1.organisation: "},
                                          {"l1.organisation", "dsc", "l1.organisation: "},
                                          {"l1.organisation", "elastic", "l1.organisation: "},
                                          {"l2.organisation", "tsc", "l2.organisation: "},
                                          {"l1.organisation", "lamar_tsc", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gpu_params *p = gpu_params_new();
        struct error err = {0};
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_ok(gpu_params_set(p, rows[i][0], rows[i][1], &err), &err);
        assert_int_equal(rows[i][2] ? -1 : 0, gpgpusim_write(p, out, &err));
        fclose(out);
        if (rows[i][2]) {
            assert_non_null(strstr(err.text, rows[i][2]));
            assert_non_null(strstr(err.text, "plain and sectored"));
            assert_int_equal(0, size);
        } else {
            assert_non_null(strstr(text, "# not expressed: l1.organisation = lamar_tsc (read back as sectored)"));
        }
        free(text);
        gpu_params_free(p);
    }
}

static void a_hashed_l2_is_read_and_written_where_the_hash_is_defined(void **state)
{
    (void)state;
    static const struct {
        const char *cache, *index;
        bool remarked;
    } rows[] = {
        {"N:64:128:8,L:B:m:W:L,A:32:4,8:0,32", "linear", false}, {"N:64:128:8,L:B:m:W:H,A:32:4,8:0,32", "fermi", false},
        {"N:128:128:8,L:B:m:W:H,A:32:4,8:0,32", "linear", true}, /* the other simulator stops there */
        {"N:64:128:8,L:B:m:W:P,A:32:4,8:0,32", "ipoly", false},  {"N:64:128:8,L:B:m:W:X,A:32:4,8:0,32", "linear", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gpu_params *p = gpu_params_new();
        struct gpgpusim_notes notes;
        struct error err = {0};
        char text[400], *written = NULL;
        size_t size;
        snprintf(text, sizeof text, L1 "-gpgpu_cache:dl2 %s\n", rows[i].cache);
        assert_ok(gpgpusim_parse(p, "g.config", text, strlen(text), &notes, &err), &err);
        json_t *json = gpu_params_json(p);
        const char *index = json_string_value(json_object_get(json_object_get(json, "l2"), "set_index"));
        assert_string_equal(index ? index : "linear", rows[i].index); /* told only where it is set */
        json_decref(json);
        const char *remark = note_of(&notes, "gpgpu_cache:dl2")->text;
        assert_int_equal(rows[i].remarked, remark && strstr(remark, "no equivalent: linear"));
        FILE *out = open_memstream(&written, &size);
        assert_ok(gpgpusim_write(p, out, &err), &err);
        fclose(out);
        assert_non_null(strstr(written, strcmp(rows[i].index, "fermi") == 0   ? "L:B:m:W:H,A:32:4"
                                        : strcmp(rows[i].index, "ipoly") == 0 ? "L:B:m:W:P,A:32:4"
                                                                              : "L:B:m:W:L,A:32:4"));
        assert_null(strstr(written, "not expressed: l2.set_index"));
        free(written);
        gpgpusim_notes_fini(&notes);
        gpu_params_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_configuration_becomes_the_preset_accelsim32),
        cmocka_unit_test(all_shipped_configurations_are_read),
        cmocka_unit_test(sub_cores_sectors_and_hashes_are_taken_from_their_options),
        cmocka_unit_test(positional_strings_delays_and_buffers_are_taken_apart),
        cmocka_unit_test(every_option_has_a_note),
        cmocka_unit_test(what_is_no_value_no_option_or_no_list_is_refused_by_line),
        cmocka_unit_test(lenience_leaves_out_what_is_wrong_and_lists_it),
        cmocka_unit_test(a_missing_cache_is_no_machine_of_ours),
        cmocka_unit_test(wrong_values_are_refused_with_file_line_and_range),
        cmocka_unit_test(what_is_written_reads_back_except_what_it_says_it_cannot_express),
        cmocka_unit_test(a_shipped_configuration_is_written_as_it_was_read),
        cmocka_unit_test(bank_groups_are_taken_from_high_bits_unless_the_option_says_otherwise),
        cmocka_unit_test(a_machine_whose_caches_have_no_letter_is_refused_not_written_as_another),
        cmocka_unit_test(a_hashed_l2_is_read_and_written_where_the_hash_is_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
