/* Parameters and counters: what a configuration says, and what is said of it. */
#include "units.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
