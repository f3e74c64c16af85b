/* Parameters and counters: what a configuration says, and what is said of it. */
#include "units.h"
#include "where.h"

#include <jansson.h>

static void waiting_warps_rank_last_unless_taken_literally(void **state)
{
    (void)state;
    const struct warp_set set = {.n = 6, .waiting = 0x05};
    assert_int_equal(0x0a, warp_rank_mask(&set, 2, false));
    assert_int_equal(0x03, warp_rank_mask(&set, 2, true));
    assert_int_equal(0x3b, warp_rank_mask(&set, 5, false)); /* the four that do not wait, then the oldest that does */
    assert_int_equal(0x3f, warp_rank_mask(&set, 24, false));
}

static void a_configuration_names_its_mistakes(void **state)
{
    (void)state;
    assert_int_equal(-1, gpu_params_set(params, "l1.way", "8", &err));
    assert_string_equal(err.text, "l1: no parameter 'way'; did you mean 'ways'?");
    assert_int_equal(-1, gpu_params_set(params, "ways", "8", &err));
    size_t n;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    for (size_t i = 0; i < n; i++) assert_non_null(strstr(err.text, groups[i].table.owner));
    assert_ok(gpu_params_set(params, "l2.banks", "25", &err), &err);
    assert_int_equal(-1, gpu_params_check(params, &err));
    assert_string_equal(err.text, "l2.banks = 25 is not a multiple of dram.channels = 6");
    assert_ok(gpu_params_set(params, "l2.banks", "24", &err), &err);
    /* A miss whose victim is dirty sends two packets: it would wait for room for ever. */
    assert_ok(gpu_params_set(params, "l1.miss_queue", "1", &err), &err);
    assert_ok(gpu_params_check(params, &err), &err);
    assert_ok(gpu_params_set(params, "l1.local_stores", "back", &err), &err);
    assert_int_equal(-1, gpu_params_check(params, &err));
    assert_string_equal(err.text, "l1.miss_queue = 1: with l1.local_stores = back or back_allocate a miss may write a "
                                  "dirty line back as well, so 2 are needed");
    assert_ok(gpu_params_set(params, "l1.streaming", "true", &err), &err); /* takes no line then */
    assert_ok(gpu_params_check(params, &err), &err);
    assert_ok(gpu_params_set(params, "l1.streaming", "false", &err), &err);
    assert_ok(gpu_params_set(params, "l1.local_stores", "through", &err), &err);
    assert_ok(gpu_params_set(params, "l1.miss_queue", "8", &err), &err);
    assert_int_equal(-1, gpu_params_load(params, "nonesuch", POISE_SOURCE_DIR "/experiments/configs", &err));
    assert_ok(gpu_params_load(params, "kepler32", POISE_SOURCE_DIR "/experiments/configs", &err) < 0
                  ? gpu_params_set(params, "l2.banks", "24", &err)
                  : 0,
              &err);
}

/* Runs keep their keys when a parameter is added: it is part of a configuration only where it is set. */
static void an_added_parameter_is_told_only_where_it_is_set(void **state)
{
    (void)state;
    json_t *plain = gpu_params_json(params);
    assert_null(json_object_get(json_object_get(plain, "dram"), "tRTW"));
    assert_non_null(json_object_get(json_object_get(plain, "dram"), "tRTPL"));
    assert_ok(gpu_params_set(params, "dram.tRTW", "12", &err), &err);
    json_t *set = gpu_params_json(params);
    assert_int_equal(12, json_integer_value(json_object_get(json_object_get(set, "dram"), "tRTW")));
    json_decref(plain);
    json_decref(set);
}

/* Timings that no DRAM can have, each with what is wrong. */
static void refreshes_and_pseudo_channels_are_checked_together(void **state)
{
    static const struct {
        const char *sets[4], *text;
    } wrong[] = {{{"dram.tREFI=4000"}, "a refresh needs both"},
                 {{"dram.tRFC=200"}, "a refresh needs both"},
                 {{"dram.tREFI=300", "dram.tRFC=200"}, "leave requests no time"},
                 {{"dram.tREFI=400", "dram.tRFC=200", "dram.refresh=bank", "dram.tRREFD=20"}, "come closer"},
                 {{"dram.pseudo_channels=3"}, "a power of two is needed"},
                 {{"dram.pseudo_channels=4", "dram.banks=6"}, "divides dram.banks = 6"}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct gpu_params *p = gpu_params_new();
        for (size_t k = 0; k < COUNT_OF(wrong[i].sets) && wrong[i].sets[k]; k++) {
            char name[64];
            snprintf(name, sizeof name, "%s", wrong[i].sets[k]);
            char *value = strchr(name, '=');
            *value++ = '\0';
            assert_ok(gpu_params_set(p, name, value, &err), &err);
        }
        assert_int_equal(-1, gpu_params_check(p, &err));
        if (!strstr(err.text, wrong[i].text)) fail_msg("%s: %s", wrong[i].sets[0], err.text);
        gpu_params_free(p);
    }
}

static int parse(struct gpu_params *p, const char *text)
{
    return gpu_params_parse(p, "part.yaml", text, strlen(text), POISE_SOURCE_DIR "/experiments/configs", &err);
}

/* Each part on each kind of machine; and what is said besides it holds, wherever it stands in the file. */
static void a_dram_part_sets_its_numbers_and_what_is_said_besides_takes_their_place(void **state)
{
    static const char *const names[] = {"hbm2", "gddr6", "gddr6_pc"}, *const bases[] = {"kepler32", "accelsim32",
                                                                                        "volta80", "titanv", "titanx"};
    size_t n;
    const struct gpu_dram_part *parts = gpu_dram_parts(&n);
    (void)state;
    for (size_t i = 0; i < n; i++) assert_true(strlen(parts[i].source) > 0);
    for (size_t i = 0; i < COUNT_OF(names) * COUNT_OF(bases); i++) {
        struct gpu_params *p = gpu_params_new();
        char text[160];
        snprintf(text, sizeof text,
                 "base: %s\nclock: {dram_mhz: 900}\ndram: {tFAW: 33, channels: 4, part: %s}\n"
                 "l2: {banks: 16}\n",
                 bases[i / COUNT_OF(names)], names[i % COUNT_OF(names)]);
        assert_ok(parse(p, text), &err);
        assert_int_equal(900, p->clock.dram_mhz);
        assert_int_equal(33, p->dram.tFAW);
        assert_int_equal(strcmp(names[i % COUNT_OF(names)], "gddr6") ? 2 : 1, p->dram.pseudo_channels);
        assert_true(p->dram.tREFI > 0 && p->dram.tWTRL > 0);
        json_t *told = gpu_params_json(p); /* and read back it is the same machine */
        char *again = json_dumps(told, JSON_COMPACT);
        struct gpu_params *back = gpu_params_new();
        assert_ok(parse(back, again), &err);
        assert_memory_equal(&p->dram, &back->dram, sizeof p->dram);
        assert_int_equal(900, back->clock.dram_mhz);
        gpu_params_free(back);
        free(again);
        json_decref(told);
        gpu_params_free(p);
    }
    assert_ok(gpu_params_set(params, "dram.part", "hbm2", &err), &err);
    assert_int_equal(16, params->dram.tFAW);
    assert_int_equal(-1, gpu_params_set(params, "dram.part", "hbm9", &err));
}

static void every_row_has_a_unit_a_source_and_a_doc(void **state)
{
    size_t n;
    (void)state;
    const struct gpu_param_group *groups = gpu_param_groups(&n);
    for (size_t g = 0; g < n; g++)
        for (size_t i = 0; i < groups[g].table.n_rows; i++) {
            const struct param_row *row = &groups[g].table.rows[i];
            assert_true(*row->unit && *row->source && *row->doc);
            assert_true(row->type == VALUE_TEXT || (row->def >= row->min && row->def <= row->max));
        }
    for (size_t m = 0; m < mech_count(); m++)
        for (size_t i = 0; i < mech_params(mech_at(m))->n_rows; i++) {
            const struct param_row *row = &mech_params(mech_at(m))->rows[i];
            assert_true(*row->unit && *row->source && *row->doc);
        }
    for (size_t i = 0; i < gpu_stat_table.n_rows; i++)
        assert_true(*gpu_stat_table.rows[i].unit && *gpu_stat_table.rows[i].doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(waiting_warps_rank_last_unless_taken_literally),
        T(a_configuration_names_its_mistakes),
        T(an_added_parameter_is_told_only_where_it_is_set),
        T(every_row_has_a_unit_a_source_and_a_doc),
        T(refreshes_and_pseudo_channels_are_checked_together),
        T(a_dram_part_sets_its_numbers_and_what_is_said_besides_takes_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
